package fault

import (
	"strconv"
	"strings"
)

// mostKnown is how many values Known lists.
const mostKnown = 30

// Known lists the values that a request could have named, for errors that refuse another one: the first 30, and how many
// more there are.
func Known(values []string) string {
	if more := len(values) - mostKnown; more > 0 {
		return strings.Join(values[:mostKnown], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(values, ", ")
}
