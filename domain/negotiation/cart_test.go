package negotiation_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// However a buyer fills and empties its cart and agrees on prices meanwhile, floor and target of the next product
// stay at or above those that the share for unverified claims allows a buyer with the same agreements and nothing
// else in its cart.
func TestSignals_InCart_unverifiedShare(t *testing.T) {
	t.Parallel()
	moved := 0
	rapid.Check(t, func(t *rapid.T) {
		p, s := anyPolicies().Draw(t, "policy"), signals().Draw(t, "signals")
		s.CartValue, s.CartAtList = money.Zero(s.List.Currency()), money.Amount{}
		variant := id.New[id.Variant]([16]byte{99})
		item := negotiation.Item{Variant: variant, Quantity: s.Quantity}
		var cart, agreed []session.CartItem
		var quote *negotiation.Quote
		now, lowest := noon, s.List.Minor()
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "minutes")) * time.Minute)
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0: // the cart is emptied
				cart, agreed = nil, nil
			case 1: // something else is agreed on
				line := cartLine(t, s.List)
				line.Quote = id.New[id.Quote]([16]byte{1})
				cart, agreed = append(cart, line), append(agreed, line)
			default: // the cart is written
				cart = append([]session.CartItem(nil), agreed...)
				for range rapid.IntRange(0, 5).Draw(t, "lines") {
					cart = append(cart, cartLine(t, s.List))
				}
			}
			s.InCart(cart, variant)
			if quote == nil || quote.Resume(p, s, now) != nil || rapid.Bool().Draw(t, "anew") {
				quote = negotiation.Start(id.Quote{}, id.Project{}, item, p, s, quote, now)
			}
			floor := withinShare(t, p, s, agreed, variant, &moved)
			lowest = min(lowest, floor) // a quote's bounds stay while its promise is valid
			table := quote.Table(p.Terms(s), nil)
			mustHold(t, table.Bounds.Floor().Minor() >= lowest, "the quote's floor %s is below %d", table.Bounds.Floor(), lowest)
			quote.Record(table, negotiation.Decide(table), now)
		}
	})
	if moved == 0 {
		t.Error("no cart at list price moved anything")
	}
}

// withinShare compares bounds with those of a shop that gives the whole share for unverified claims to a buyer about
// whom only the agreements are known. It returns the floor of the latter.
func withinShare(t *rapid.T, p negotiation.Policy, s negotiation.Signals, agreed []session.CartItem, of id.Variant, moved *int) int64 {
	silent := s
	silent.Claims = negotiation.Claims{}
	silent.InCart(agreed, of)
	share := min(max(p.UnverifiedShare, 0), money.Whole)
	low, got := negotiation.Bound(shifted(p, share), silent), negotiation.Bound(p, s)
	mustHold(t, got.Floor().Minor() >= low.Floor().Minor(), "floor %s is below %s", got.Floor(), low.Floor())
	mustHold(t, got.Target().Minor() >= low.Target().Minor(), "target %s is below %s", got.Target(), low.Target())
	emptied := s
	emptied.InCart(agreed, of)
	if got != negotiation.Bound(p, emptied) {
		*moved++
	}
	return low.Floor().Minor()
}

// cartLine returns a line at list price, of a product that may be much more expensive than the negotiated one.
func cartLine(t *rapid.T, list money.Amount) session.CartItem {
	return session.CartItem{
		Variant:  id.New[id.Variant]([16]byte{byte(rapid.IntRange(97, 101).Draw(t, "variant"))}),
		Quantity: rapid.IntRange(1, session.MaxQuantity).Draw(t, "quantity"),
		Price:    money.Of(rapid.Int64Range(0, list.Minor()*3).Draw(t, "price"), list.Currency()),
	}
}
