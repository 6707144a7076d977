package console

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// auditChange is a value that differs.
type auditChange struct{ Name, Was, Now string }

// mostChanges is how many values of an event a page shows.
const mostChanges = 12

// auditChanges returns the values that differ between two JSON values, and the number of differences beyond mostChanges.
func auditChanges(before, after any) (changes []auditChange, more string) {
	was, now := map[string]string{}, map[string]string{}
	flatten("", before, was)
	flatten("", after, now)
	names := maps.Clone(was)
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was[name] != now[name] {
			changes = append(changes, auditChange{name, was[name], now[name]})
		}
	}
	if left := len(changes) - mostChanges; left > 0 {
		return changes[:mostChanges], "and " + count(left, "other value", "other values")
	}
	return changes, ""
}

// flatten lists the values within a JSON value, by names such as "commerce: max discount percent".
func flatten(name string, value any, into map[string]string) {
	switch x := value.(type) {
	case nil:
	case map[string]any:
		for key, inner := range x {
			label := strings.ReplaceAll(key, "_", " ")
			if name != "" {
				label = name + ": " + label
			}
			flatten(label, inner, into)
		}
	case bool:
		into[name] = map[bool]string{true: "on", false: "off"}[x]
	case []any:
		into[name] = listWords(x)
	case string:
		into[name] = x
	default:
		into[name] = fmt.Sprint(x)
	}
}

// listWords formats a list: its values, or as JSON if they are not only words and numbers.
func listWords(values []any) string {
	words := make([]string, len(values))
	for i, value := range values {
		switch x := value.(type) {
		case string:
			words[i] = x
		case float64, bool:
			words[i] = fmt.Sprint(x)
		default:
			text, err := json.Marshal(values)
			if err != nil {
				return ""
			}
			return string(text)
		}
	}
	return strings.Join(words, ", ")
}
