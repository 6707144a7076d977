package simulator

import (
	"slices"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// The rules of a cart that the buyer fills.
const (
	ruleCartTotals  = "a cart's subtotal and savings are those of its lines"
	ruleCartLine    = "a line of a cart has an id of its own"
	ruleCartWritten = "a cart holds what the buyer wrote"
	ruleCartAtList  = "what nobody agreed on is at list price"
)

// checkShownCart checks the sums of a cart. written are the items that replaced its contents; it is nil if the cart was
// only read.
func (w *Witness) checkShownCart(answer acp.Cart, written []acp.CartItem) {
	var subtotal, savings decimal.Decimal
	seen := map[string]bool{}
	for i, l := range answer.Items {
		subtotal = subtotal.Plus(l.UnitPrice.Times(int64(l.Quantity)))
		savings = savings.Plus(l.OriginalPrice.Minus(l.UnitPrice).Times(int64(l.Quantity)))
		w.require(l.LineID != "" && !seen[l.LineID], ruleCartLine, "%q", l.LineID)
		seen[l.LineID] = true
		w.require(l.Agreed || l.UnitPrice == l.OriginalPrice, ruleCartAtList, "%s, list %s", l.UnitPrice, l.OriginalPrice)
		w.require(!l.Agreed || l.QuoteID != "", ruleCartAtList, "%s is agreed by no quote", l.UnitPrice)
		if written != nil && i < len(written) {
			asked := written[i]
			same := l.ProductID == asked.ProductID && l.Quantity == asked.Quantity && (asked.LineID == "" || asked.LineID == l.LineID)
			w.require(same, ruleCartWritten, "%d × %s as %s became %d × %s as %s",
				asked.Quantity, asked.ProductID, asked.LineID, l.Quantity, l.ProductID, l.LineID)
		}
	}
	w.require(written == nil || len(written) == len(answer.Items), ruleCartWritten, "%d items became %d", len(written), len(answer.Items))
	w.require(subtotal == answer.Subtotal && savings == answer.Savings, ruleCartTotals,
		"%s and %s, it says %s and %s", subtotal, savings, answer.Subtotal, answer.Savings)
	w.require(w.currency == "" || answer.Currency == w.currency, ruleCurrency, "%q", answer.Currency)
	if written != nil {
		w.leaveCart(answer)
	}
}

// leaveCart marks agreements that the buyer removed from its cart. The cart need not show them any more.
func (w *Witness) leaveCart(answer acp.Cart) {
	for _, a := range w.agreements {
		if a.line.key.session != answer.SessionID {
			continue
		}
		a.bought = !slices.ContainsFunc(answer.Items, func(l acp.CartLine) bool {
			return l.Agreed && l.ProductID == a.line.key.product && l.Quantity == a.line.key.quantity
		})
	}
}

// soldCart marks the agreements of a session as possibly bought: the checkout of a cart redeems tokens that the buyer
// does not name.
func (w *Witness) soldCart(session string) {
	for _, a := range w.agreements {
		a.bought = a.bought || a.line.key.session == session
	}
}
