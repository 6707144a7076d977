package checkout

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Agreement is a price that was agreed in a session and can still be redeemed, by its token alone.
type Agreement struct {
	Quote    id.Quote
	Product  id.Product
	Variant  id.Variant
	Quantity int
	Price    money.Amount // for one piece
}

// Unused are the agreements on what lines sell without an agreement, dearer than agreed: the buyer may have forgotten the
// token. Of several on the same item it is the first one.
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

// Dropped is a line's agreed price that the checkout has no more.
type Dropped struct {
	Was Line // with its price
	Now int  // the place of the line that is in its stead, from 0; -1: there is none
}

// Drops are the agreed prices that lines of before have and that none of lines has: of the line that has its number, or else of
// one about the same variant.
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
