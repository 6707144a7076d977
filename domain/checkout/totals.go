package checkout

import "github.com/haggle-commerce/haggle/domain/money"

// TotalKind is what one line of totals is.
type TotalKind struct{ name string }

var (
	Items     = TotalKind{"items"}     // at list prices
	Reduction = TotalKind{"reduction"} // what agreed prices are below list prices; left out when that is nothing
	Subtotal  = TotalKind{"subtotal"}  // items less reduction
	Delivery  = TotalKind{"delivery"}  // left out until a way of shipping is selected
	Tax       = TotalKind{"tax"}       // left out until the country is known; never for digital items alone
	Grand     = TotalKind{"total"}
)

func (k TotalKind) String() string { return k.name }

// Sum is one line of totals. A Reduction is positive: it is subtracted.
type Sum struct {
	Kind   TotalKind
	Amount money.Amount
}

// Totals are the lines that every protocol shows its totals by, in one order:
//
//	Items − Reduction = Subtotal
//	Subtotal + Delivery + Tax = Grand
func (c *Checkout) Totals() []Sum {
	reduction := max(0, c.s.Savings.Minor()) // a list price below the agreed one reduces nothing
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
