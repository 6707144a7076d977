package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// report collects the problems of one message.
type report struct {
	judge     Judge
	root      map[string]any
	operation Operation
	active    Capabilities
	lenient   bool // the caller did not say which capabilities are active
	problems  schema.Problems
}

func (r *report) add(path, format string, args ...any) {
	r.problems = append(r.problems, schema.Problem{Path: path, Reason: fmt.Sprintf(format, args...)})
}

// require adds a problem unless kept is true.
func (r *report) require(kept bool, path, format string, args ...any) {
	if !kept {
		r.add(path, format, args...)
	}
}

func (r *report) sorted() schema.Problems {
	slices.SortFunc(r.problems, func(a, b schema.Problem) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(r.problems)
}

// The readers below return a zero value if the value is missing or has another type, which the schema reports.

func object(value any) map[string]any {
	found, _ := value.(map[string]any)
	return found
}

func list(value any) []any {
	found, _ := value.([]any)
	return found
}

func text(value any) string {
	found, _ := value.(string)
	return found
}

// integer reads a whole number, exactly.
func integer(value any) (int64, bool) {
	number, isNumber := value.(json.Number)
	if !isNumber {
		return 0, false
	}
	whole, err := number.Int64()
	return whole, err == nil
}

func amount(value any) int64 {
	whole, _ := integer(object(value)["amount"])
	return whole
}

func at(path string, index int) string { return fmt.Sprintf("%s[%d]", path, index) }

// unique checks that the ids of a list differ, and returns them.
func (r *report) unique(path string, items []any) map[string]bool {
	seen := map[string]bool{}
	for i, item := range items {
		id := text(object(item)["id"])
		r.require(id == "" || !seen[id], at(path, i)+".id", "%q is there twice", id)
		seen[id] = true
	}
	return seen
}
