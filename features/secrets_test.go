package features

import (
	"errors"
	"fmt"
	"strings"
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
		if w.product.Cost != nil && strings.Contains(string(a.body), w.product.Cost.Fixed(2)) {
			found = errors.Join(found, fmt.Errorf("%s tells the cost", a.path))
		}
	}
	return found
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
			shipping := aboutShipping || strings.HasPrefix(name, "shipping")
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
