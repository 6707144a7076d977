package features

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

var saidBefore = regexp.MustCompile(`(from|under the key|as request) "([^"]*)" `)

// headersOf are the headers that a step names before who sends.
func (w *world) headersOf(said string) http.Header {
	names := map[string]string{"from": "X-Forwarded-For", "under the key": idempotencyHeader, "as request": requestIDHeader}
	header := http.Header{}
	for _, parts := range saidBefore.FindAllStringSubmatch(said, -1) {
		header.Set(names[parts[1]], sized(w.expand(parts[2])))
	}
	return header
}

// sized is the text, or one of the length that it tells: "256 characters long".
func sized(text string) string {
	if parts := lengthy.FindStringSubmatch(text); parts != nil {
		n, _ := strconv.Atoi(parts[1]) // digits
		return letters(n)
	}
	return text
}

// sends sends any request from whom a step says. Holders of keys name no shop.
func (w *world) sends(said, who, method, path, body string) error {
	header := w.headersOf(said)
	switch holder, held := strings.CutPrefix(who, "holder of "); {
	case held:
		key, err := w.held(strings.Trim(holder, `"`))
		if err != nil {
			return err
		}
		return w.attempt(func() error {
			return w.sendBy(w.merchant.As(key.Secret).In(""), method, w.expand(path), w.expand(body), header)
		})
	case who == "buyer":
		return w.attempt(func() error {
			b, err := w.someone()
			if err != nil {
				return err
			}
			return b.send(w, method, w.expand(path), w.expand(body), header)
		})
	}
	return w.attempt(func() error { return w.send(method, w.expand(path), w.expand(body), header) })
}

// before is the answer before the last one.
func (w *world) before() (answer, error) {
	all := w.tape.all()
	if len(all) < 2 {
		return answer{}, fmt.Errorf("there were %d answers", len(all))
	}
	return all[len(all)-2], nil
}
