package acp

import (
	"fmt"
	"slices"
	"strings"
)

// missing returns the paths that value lacks. "results[].name" requires a name in every result; a "?" after a name allows
// null. Paths are checked from the root, so required fields of an optional object do not belong in a list.
func missing(value any, paths ...string) []string {
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

// actions are the words that next_actions may contain (features/PROTOCOL.md#errors).
var actions = []string{
	"search", "read_on", "read_product", "check_availability", "ask_price", "make_offer", "accept", "counter", "decline", "add_bundle",
	"read_cart", "put_cart", "init_checkout", "read_checkout", "revise_checkout", "cancel_checkout", "finalize", "read_session", "new_session", "read_order",
	"cancel_order", "request_return", "read_return", "read_manifest", "correct_request", "retry_later",
}

// unknownActions returns the unknown words in an answer's next_actions.
func unknownActions(value any) []string {
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

// always requires the same paths in every answer.
func always(paths ...string) func(any) []string {
	return func(value any) []string { return missing(value, paths...) }
}

// byStatus requires the paths that belong to the status in the answer. An unknown status counts as a missing "status".
func byStatus(paths map[string][]string) func(any) []string {
	return func(value any) []string {
		object, _ := value.(map[string]any)
		status, _ := object["status"].(string)
		wanted, known := paths[status]
		if !known {
			return []string{"known status, but " + status}
		}
		return missing(value, wanted...)
	}
}
