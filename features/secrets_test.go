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

// secrets returns an error for each answer to a buyer that contains a secret field name or the product's cost.
func (s *scenario) secrets() error {
	var found error
	for _, a := range s.recorder.all() {
		if !a.toBuyer {
			continue
		}
		for _, name := range secretNames(a.value(), false) {
			found = errors.Join(found, fmt.Errorf("%s names %q", a.path, name))
		}
		if s.product.Cost != nil && containsAmount(a.body, *s.product.Cost) {
			found = errors.Join(found, fmt.Errorf("%s tells the cost", a.path))
		}
	}
	return found
}

// timestampPattern matches times, because they contain numbers that look like amounts: 22:16:51.371.
var timestampPattern = regexp.MustCompile(`\d\d:\d\d:\d\d(\.\d+)?`)

func containsAmount(body []byte, amount decimal.Decimal) bool {
	return bytes.Contains(timestampPattern.ReplaceAll(body, nil), []byte(amount.Fixed(2)))
}

// secretNames returns the field names in an answer that contain floor, target, cost or margin. It ignores shipping costs,
// attributes, which the merchant writes, and floor_hint, which is public.
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
			shipping := aboutShipping || strings.HasPrefix(name, "shipping") || strings.HasPrefix(name, "ACPShipping") // a schema of the OpenAPI document
			if name != "floor_hint" && !(shipping && name == "cost") && isSecretName(name) {
				found = append(found, name)
			}
			found = append(found, secretNames(child, shipping)...)
		}
	}
	return found
}

func isSecretName(name string) bool {
	for _, word := range []string{"floor", "target", "cost", "margin"} {
		if strings.Contains(strings.ToLower(name), word) {
			return true
		}
	}
	return false
}

func TestContainsAmount_timestamps(t *testing.T) {
	t.Parallel()
	cost := decimal.MustParse("51.37")
	for body, want := range map[string]bool{
		`{"at": "2026-11-21T22:16:51.371Z", "cost": 51.3}`: false, `{"at": "2026-11-21T22:16:51.37+01:00"}`: false,
		`{"cost": 51.37}`: true, `{"cost": "51.37"}`: true, `{"at": "2026-11-21T22:16:51.371Z", "text": "51.37 USD"}`: true,
	} {
		if got := containsAmount([]byte(body), cost); got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}
