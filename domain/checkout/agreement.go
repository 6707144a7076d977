package checkout

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Agreement is a price that was agreed in a session and can still be redeemed with its token.
type Agreement struct {
	Quote    id.Quote
	Product  id.Product
	Variant  id.Variant
	Quantity int
	Price    money.Amount // per unit
}

// Unused returns the agreements that would make lines without an agreement cheaper, because the buyer may have
// forgotten the token. If there are several for an item, it returns the first.
func Unused(lines []Line, agreed []Agreement) []Agreement {
	var unused []Agreement
	for _, a := range agreed {
		used := slices.ContainsFunc(lines, func(l Line) bool { return l.Quote == a.Quote })
		dearer := slices.ContainsFunc(lines, func(l Line) bool {
			return l.Variant == a.Variant && l.Quote.IsZero() && l.Unit.Currency() == a.Price.Currency() && l.Unit.Minor() > a.Price.Minor()
		})
		named := slices.ContainsFunc(unused, func(u Agreement) bool { return u.Variant == a.Variant && u.Quantity == a.Quantity })
		if !used && dearer && !named {
			unused = append(unused, a)
		}
	}
	return unused
}

// Dropped is an agreed price that a checkout no longer has.
type Dropped struct {
	Was Line // with its price
	Now int  // the index of the line that replaces it; -1: there is none
}

// Drops returns the agreed prices that lines in before have and lines no longer has. The line that replaces one is the
// line with its number, or else one of the same variant.
func Drops(before, lines []Line) (list []Dropped) {
	for _, was := range before {
		kept := slices.ContainsFunc(lines, func(l Line) bool { return l.Quote == was.Quote && l.Variant == was.Variant })
		if was.Quote.IsZero() || kept {
			continue
		}
		now := slices.IndexFunc(lines, func(l Line) bool { return was.ID != 0 && l.ID == was.ID })
		if now < 0 {
			now = slices.IndexFunc(lines, func(l Line) bool { return l.Variant == was.Variant && l.Quote.IsZero() })
		}
		list = append(list, Dropped{was, now})
	}
	return list
}
