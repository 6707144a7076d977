package checkout

import "github.com/haggle-commerce/haggle/domain/money"

// TotalKind is the kind of one line of totals.
type TotalKind struct{ name string }

var (
	Items     = TotalKind{"items"}     // at list prices
	Reduction = TotalKind{"reduction"} // list prices less agreed prices; left out if zero
	Subtotal  = TotalKind{"subtotal"}  // items less reduction
	Delivery  = TotalKind{"delivery"}  // left out until a shipping option is selected
	Tax       = TotalKind{"tax"}       // left out until the country is known, except for digital items
	Grand     = TotalKind{"total"}
)

func (k TotalKind) String() string { return k.name }

// Sum is one line of totals. A Reduction is positive but subtracted.
type Sum struct {
	Kind   TotalKind
	Amount money.Amount
}

// Totals returns the lines of totals that every protocol shows, in order:
//
//	Items − Reduction = Subtotal
//	Subtotal + Delivery + Tax = Grand
func (c *Checkout) Totals() []Sum {
	reduction := max(0, c.s.Savings.Minor()) // negative if a list price is below the agreed one
	currency := c.s.Subtotal.Currency()
	list := []Sum{{Items, money.Of(c.s.Subtotal.Minor()+reduction, currency)}}
	if reduction > 0 {
		list = append(list, Sum{Reduction, money.Of(reduction, currency)})
	}
	list = append(list, Sum{Subtotal, c.s.Subtotal})
	if c.s.Selected != "" {
		list = append(list, Sum{Delivery, c.Shipping()})
	}
	if c.s.Address.Country != "" || c.Digital() {
		list = append(list, Sum{Tax, c.s.Tax})
	}
	return append(list, Sum{Grand, c.Total()})
}
