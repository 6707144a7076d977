package management

import "github.com/haggle-commerce/haggle/domain/negotiation"

// responses are the outcomes as this API names them.
var responses = map[negotiation.Outcome]string{
	negotiation.OutcomeQuoted:    "quote",
	negotiation.OutcomeAccepted:  "accept",
	negotiation.OutcomeCountered: "counter_offer",
	negotiation.OutcomeRejected:  "reject",
}

// valueOf is the value that a table has a word for; the zero value for "". The schema allows no other words.
func valueOf[T comparable](word string, table map[T]string) (zero T) {
	for value, spelled := range table {
		if spelled == word {
			return value
		}
	}
	return zero
}
