package account

import (
	"strconv"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Limits are the largest numbers of objects of an account on a plan.
type Limits struct {
	Projects int
	Products int // of a project
	Synonyms int // of a project
}

// Limits returns the limits of the plan. An installation may set others for enterprise accounts.
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

// Full returns the error for exceeding a limit of the plan. things is the plural of what is limited, such as
// "projects".
func (p Plan) Full(limit int, things, of string) *fault.Error {
	return fault.New(fault.Conflict, "limit_reached", "On the "+p.String()+" plan "+of+" has at most "+grouped(limit)+" "+things+".").
		With(things, "has reached "+grouped(limit)+", the limit of the "+p.String()+" plan")
}

// Full returns the error for exceeding a limit that is the same on every plan.
func Full(limit int, things, of string) *fault.Error {
	return fault.New(fault.Conflict, "limit_reached", "On every plan "+of+" has at most "+grouped(limit)+" "+things+".").
		With(things, "has reached "+grouped(limit)+", the limit of every plan")
}

// grouped formats 100000 as 100,000.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
