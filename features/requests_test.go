package features

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

var headerPattern = regexp.MustCompile(`(from|under the key|as request) "([^"]*)" `)

// headersOf returns the headers that a step's prefix names.
func (w *world) headersOf(prefix string) http.Header {
	names := map[string]string{"from": "X-Forwarded-For", "under the key": idempotencyHeader, "as request": requestIDHeader}
	header := http.Header{}
	for _, parts := range headerPattern.FindAllStringSubmatch(prefix, -1) {
		header.Set(names[parts[1]], textOfLength(w.expand(parts[2])))
	}
	return header
}

// textOfLength returns a random text for "256 characters long", and any other text unchanged.
func textOfLength(text string) string {
	if parts := lengthPattern.FindStringSubmatch(text); parts != nil {
		n, _ := strconv.Atoi(parts[1]) // digits
		return randomLetters(n)
	}
	return text
}

// sends sends a request as the merchant, the buyer or the holder of a key. The holder of a key sends no project id.
func (w *world) sends(prefix, who, method, path, body string) error {
	header := w.headersOf(prefix)
	switch holder, held := strings.CutPrefix(who, "holder of "); {
	case held:
		key, err := w.keyNamed(strings.Trim(holder, `"`))
		if err != nil {
			return err
		}
		return w.attempt(func() error {
			return w.sendBy(w.merchant.As(key.Secret).In(""), method, w.expand(path), w.expand(body), header)
		})
	case who == "buyer":
		return w.attempt(func() error {
			b, err := w.currentBuyer()
			if err != nil {
				return err
			}
			return b.send(w, method, w.expand(path), w.expand(body), header)
		})
	}
	return w.attempt(func() error { return w.send(method, w.expand(path), w.expand(body), header) })
}

// previousAnswer returns the answer before the latest one.
func (w *world) previousAnswer() (answer, error) {
	all := w.recorder.all()
	if len(all) < 2 {
		return answer{}, fmt.Errorf("there were %d answers", len(all))
	}
	return all[len(all)-2], nil
}
