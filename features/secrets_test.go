package features

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// secrets looks through every answer that a buyer got for a name or a number that is the merchant's own.
func (w *world) secrets() error {
	var found error
	for _, a := range w.tape.all() {
		if !a.toBuyer {
			continue
		}
		for _, name := range secretNames(a.value(), false) {
			found = errors.Join(found, fmt.Errorf("%s names %q", a.path, name))
		}
		if w.product.Cost != nil && tellsAmount(a.body, *w.product.Cost) {
			found = errors.Join(found, fmt.Errorf("%s tells the cost", a.path))
		}
	}
	return found
}

// instants have numbers that look like amounts: 22:16:51.371.
var instants = regexp.MustCompile(`\d\d:\d\d:\d\d(\.\d+)?`)

func tellsAmount(body []byte, amount decimal.Decimal) bool {
	return bytes.Contains(instants.ReplaceAll(body, nil), []byte(amount.Fixed(2)))
}

// secretNames are the names in an answer that say floor, target, cost or margin. What shipping costs is no secret,
// attributes are the merchant's own words, and the hint is all that may be told of the floor.
func secretNames(value any, aboutShipping bool) []string {
	var found []string
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			found = append(found, secretNames(element, aboutShipping)...)
		}
	case map[string]any:
		for name, child := range value {
			if name == "attributes" {
				continue
			}
			shipping := aboutShipping || strings.HasPrefix(name, "shipping") || strings.HasPrefix(name, "ACPShipping") // of the document
			if name != "floor_hint" && !(shipping && name == "cost") && tellsTale(name) {
				found = append(found, name)
			}
			found = append(found, secretNames(child, shipping)...)
		}
	}
	return found
}

func tellsTale(name string) bool {
	for _, word := range []string{"floor", "target", "cost", "margin"} {
		if strings.Contains(strings.ToLower(name), word) {
			return true
		}
	}
	return false
}

func TestAmountsAreNoInstants(t *testing.T) {
	t.Parallel()
	cost := decimal.MustParse("51.37")
	for body, want := range map[string]bool{
		`{"at": "2026-11-21T22:16:51.371Z", "cost": 51.3}`: false, `{"at": "2026-11-21T22:16:51.37+01:00"}`: false,
		`{"cost": 51.37}`: true, `{"cost": "51.37"}`: true, `{"at": "2026-11-21T22:16:51.371Z", "text": "51.37 USD"}`: true,
	} {
		if got := tellsAmount([]byte(body), cost); got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}
