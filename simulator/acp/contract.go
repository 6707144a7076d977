package acp

import (
	"fmt"
	"slices"
	"strings"
)

// absent returns the paths that value lacks. "results[].name" asks for a name in every result there is; a "?" behind
// a name allows null. A path is asked for from the root, so nothing under an optional parent belongs in a list.
func absent(value any, paths ...string) []string {
	var missing []string
	for _, path := range paths {
		if !present(value, strings.Split(path, ".")) {
			missing = append(missing, path)
		}
	}
	return missing
}

func present(value any, names []string) bool {
	if len(names) == 0 {
		return true
	}
	name, nullable := strings.CutSuffix(names[0], "?")
	name, listed := strings.CutSuffix(name, "[]")
	object, _ := value.(map[string]any)
	child, found := object[name]
	if !found || child == nil {
		return found && nullable
	}
	if !listed {
		return present(child, names[1:])
	}
	items, isList := child.([]any)
	for _, item := range items {
		if !present(item, names[1:]) {
			return false
		}
	}
	return isList
}

// actions are the words that next_actions may have (decisions 15).
var actions = []string{
	"search", "read_on", "read_product", "check_availability", "ask_price", "make_offer", "accept", "counter", "decline", "add_bundle",
	"read_cart", "put_cart", "init_checkout", "read_checkout", "revise_checkout", "cancel_checkout", "finalize", "read_session", "new_session", "read_order",
	"cancel_order", "request_return", "read_return", "read_manifest", "correct_request", "retry_later",
}

// strange returns the words of an answer's next_actions that no agent would understand.
func strange(value any) []string {
	object, _ := value.(map[string]any)
	words, _ := object["next_actions"].([]any)
	var unknown []string
	for _, word := range words {
		if text, _ := word.(string); !slices.Contains(actions, text) {
			unknown = append(unknown, fmt.Sprint(word))
		}
	}
	return unknown
}

// always asks for the same paths in every answer.
func always(paths ...string) func(any) []string {
	return func(value any) []string { return absent(value, paths...) }
}

// byStatus asks for what the status in the answer calls for; an unknown status lacks "status" itself.
func byStatus(paths map[string][]string) func(any) []string {
	return func(value any) []string {
		object, _ := value.(map[string]any)
		status, _ := object["status"].(string)
		wanted, known := paths[status]
		if !known {
			return []string{"known status, but " + status}
		}
		return absent(value, wanted...)
	}
}
