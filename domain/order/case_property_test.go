package order_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/order"
)

// After any sequence of verbs, no more money and goods were returned than came in, the ledger balances, and its
// accounts agree with the order.
func TestCase_anySequenceOfVerbs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := opened()
		for n := range byte(rapid.IntRange(1, 40).Draw(t, "verbs")) {
			act(t, c, n)
			conserves(t, c)
		}
	})
}

// act calls a random verb, which may be refused.
func act(t *rapid.T, c *order.Case, n byte) {
	some := rapid.IntRange(0, 20).Draw(t, "which")
	amount := cents(rapid.Int64Range(-5, 33_000).Draw(t, "amount"))
	restock := rapid.Bool().Draw(t, "restock")
	refund, ret := pick(c.Refunds, some).ID, pick(c.Returns, some).ID
	switch rapid.IntRange(0, 8).Draw(t, "verb") {
	case 0:
		_ = c.Refund(refundID(n), &amount, "", placed)
	case 1:
		_ = c.Refund(refundID(n), nil, "", placed)
	case 2:
		_ = c.SettleRefund(refund, order.Refunded{}, id.Event{}, placed)
	case 3:
		_ = c.SettleRefund(refund, order.RefundFailed{}, id.Event{}, placed)
	case 4:
		_ = c.Cancel(refundID(n), "", id.Event{}, placed)
	case 5:
		variant := []id.Variant{green, red}[some%2]
		_, _ = c.RequestReturn(returnID(n), []order.ReturnItem{back(variant, 1+some%2)}, "", terms, id.Event{}, placed)
	case 6:
		_ = c.ApproveReturn(ret, refundID(n), nil, restock, id.Event{}, placed)
	case 7:
		_ = c.ApproveReturn(ret, refundID(n), &amount, restock, id.Event{}, placed)
	case 8:
		_ = c.RejectReturn(ret, "", id.Event{}, placed)
	}
}

func pick[T any](list []T, n int) (one T) {
	if len(list) > 0 {
		one = list[n%len(list)]
	}
	return one
}

func conserves(t *rapid.T, c *order.Case) {
	var succeeded, pending int64
	for _, r := range c.Refunds {
		switch r.Status {
		case order.RefundSucceeded:
			succeeded += r.Amount.Minor()
		case order.RefundIsPending:
			pending += r.Amount.Minor()
		}
	}
	p := c.Order.Payment
	if succeeded != p.Refunded.Minor() || pending != p.Refunding.Minor() || p.Left().IsNegative() {
		t.Fatalf("%d succeeded, %d pending, of %+v", succeeded, pending, p)
	}
	var sum, funds int64
	for _, transaction := range append([]ledger.Transaction{c.Order.Sale()}, c.Ledger...) {
		for _, e := range transaction.Entries() {
			sum += e.Amount.Minor()
			if e.Account == ledger.Funds("stripe") {
				funds += e.Amount.Minor()
			}
		}
	}
	if sum != 0 || funds != p.Amount.Minor()-succeeded {
		t.Fatalf("the ledger sums to %d and holds %d", sum, funds)
	}
	left := map[catalog.Reservation]int{}
	for _, take := range c.Taken {
		left[catalog.Reservation{Variant: take.Variant, Location: take.Location}] += take.Quantity
	}
	for _, back := range c.Restock {
		place := catalog.Reservation{Variant: back.Variant, Location: back.Location}
		if left[place] -= back.Quantity; left[place] < 0 || back.Quantity <= 0 {
			t.Fatalf("%v was put back of %v", c.Restock, c.Taken)
		}
	}
}
