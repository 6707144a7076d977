package account

import (
	"strconv"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Limits are how much an account on a plan can keep.
type Limits struct {
	Projects int
	Products int // of a project
	Synonyms int // of a project
}

// Limits of the plan. An installation may set other ones for enterprise accounts.
func (p Plan) Limits() Limits {
	switch p {
	case Enterprise:
		return Limits{
			Projects: 500,
			Products: 10_000_000,
			Synonyms: 10_000,
		}
	case Growth:
		return Limits{
			Projects: 50,
			Products: 1_000_000,
			Synonyms: 10_000,
		}
	}
	return Limits{
		Projects: 5,
		Products: 100_000,
		Synonyms: 1_000,
	}
}

// Full is the refusal of one more of what there are limit of: things in the plural, such as "projects".
func (p Plan) Full(limit int, things, of string) *fault.Error {
	return fault.New(fault.Conflict, "limit_reached", "On the "+p.String()+" plan "+of+" has at most "+grouped(limit)+" "+things+".").
		With(things, "has reached "+grouped(limit)+", the limit of the "+p.String()+" plan")
}

// Full is the refusal of one more of what is limited alike on every plan.
func Full(limit int, things, of string) *fault.Error {
	return fault.New(fault.Conflict, "limit_reached", "On every plan "+of+" has at most "+grouped(limit)+" "+things+".").
		With(things, "has reached "+grouped(limit)+", the limit of every plan")
}

// grouped writes 100000 as 100,000.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
