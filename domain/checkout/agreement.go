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
