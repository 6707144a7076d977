package fault

import (
	"strconv"
	"strings"
)

// mostKnown is the largest number of values that Known lists.
const mostKnown = 30

// Known lists the valid values for an error message: the first 30, and the number of others.
func Known(values []string) string {
	if more := len(values) - mostKnown; more > 0 {
		return strings.Join(values[:mostKnown], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(values, ", ")
}
