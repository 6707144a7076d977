package order_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

// unanswered returns a case with refunds of 1.00 each that were requested when the order was placed, and that the
// provider did not answer.
func unanswered(t *testing.T, refunds ...byte) *order.Case {
	t.Helper()
	c := opened()
	for _, n := range refunds {
		amount := money.Of(100, money.USD)
		must(t, c.Refund(refundID(n), &amount, "Broken", placed))
		must(t, c.PostponeRefund(refundID(n), "No answer.", placed))
	}
	return c
}

func refused(t *testing.T, what string, err error, code string) {
	t.Helper()
	if code == "" && err != nil || code != "" && !fault.Is(err, code) {
		t.Errorf("%s: %v, want %q", what, err, code)
	}
}

// A person decides a refund that is pending, old enough, requested here, and not answered by the provider.
func TestRefund_Decidable(t *testing.T) {
	t.Parallel()
	old := placed.Add(order.RefundDecidableAfter)
	for name, test := range map[string]struct {
		change func(*order.Refund)
		at     time.Time
		code   string
	}{
		"as it is":           {func(*order.Refund) {}, old, ""},
		"too young":          {func(*order.Refund) {}, old.Add(-time.Millisecond), "refund_too_recent"},
		"decided":            {func(r *order.Refund) { r.Status = order.RefundIsFailed }, old, "refund_decided"},
		"made elsewhere":     {func(r *order.Refund) { r.Origin = order.MadeElsewhere }, old, "refund_external"},
		"never asked for":    {func(r *order.Refund) { r.Attempts = 0 }, old, "refund_not_asked"},
		"at the provider":    {func(r *order.Refund) { r.Problem = "" }, old, "refund_at_provider"},
		"decided, and young": {func(r *order.Refund) { r.Status = order.RefundSucceeded }, placed, "refund_decided"},
	} {
		c := unanswered(t, 1)
		test.change(&c.Refunds[0])
		refused(t, name, c.Refunds[0].Decidable(test.at), test.code)
		err := c.ResolveRefund(refundID(1), order.RefundFailed{Code: order.FailedManually}, eventID(1), test.at)
		refused(t, "resolving what is "+name, err, test.code)
	}
}

// If two people name the same refund of the provider, the second is refused.
func TestResolveRefund_taken(t *testing.T) {
	t.Parallel()
	c, at := unanswered(t, 1, 2), placed.Add(order.RefundDecidableAfter)
	must(t, c.ResolveRefund(refundID(1), order.Refunded{Provider: "re_1"}, eventID(1), at))
	refused(t, "the same refund of the provider", c.ResolveRefund(refundID(2), order.Refunded{Provider: "re_1"}, eventID(2), at), "refund_taken")
	must(t, c.ResolveRefund(refundID(2), order.Refunded{Provider: "re_2"}, eventID(2), at))
}

// A success reported after a person declared the refund failed, or after the provider refused to make one, is booked
// once, if the payment has the money. A success reported after the failure of the refund that was made is not.
func TestResolveRefund_lateSuccess(t *testing.T) {
	t.Parallel()
	at := placed.Add(order.RefundDecidableAfter)
	declared := func() *order.Case {
		c := unanswered(t, 1)
		must(t, c.ResolveRefund(refundID(1), order.RefundFailed{Code: order.FailedManually}, eventID(1), at))
		return c
	}
	succeed := func(c *order.Case) error {
		return c.SettleRefund(refundID(1), order.Refunded{Provider: "re_1"}, eventID(2), at)
	}
	c := declared()
	must(t, succeed(c))
	if r, p := c.Refunds[0], c.Order.Payment; r.Status != order.RefundSucceeded || r.Failure != "" || p.Refunded.Minor() != 100 || p.Refunding.Minor() != 0 {
		t.Errorf("%+v of %+v", r, p)
	}
	if funds, _ := held(c, ledger.Refunds); funds != c.Order.Payment.Amount.Minor()-100 {
		t.Errorf("the ledger holds %d", funds)
	}
	must(t, c.ReverseRefund(refundID(1), order.RefundFailed{Code: order.FailedManually}, eventID(3), entryID(1), at))
	refused(t, "after the provider took it back", succeed(c), "refund_decided")

	c = unanswered(t, 1)
	must(t, c.ReverseRefund(refundID(1), order.RefundFailed{Code: "expired_card", Provider: "re_1"}, eventID(1), entryID(1), at))
	refused(t, "after the provider's failure", succeed(c), "refund_decided")

	c = unanswered(t, 1)
	must(t, c.SettleRefund(refundID(1), order.RefundFailed{Code: "charge_disputed"}, eventID(1), at))
	must(t, succeed(c))
	if p := c.Order.Payment; p.Refunded.Minor() != 100 || p.Refunding.Minor() != 0 {
		t.Errorf("after a refusal: %+v", p)
	}

	c = declared()
	must(t, c.Refund(refundID(2), nil, "", at)) // all that is left: the provider will refuse it
	must(t, succeed(c))
	must(t, c.SettleRefund(refundID(2), order.RefundFailed{Code: "charge_already_refunded"}, eventID(3), at))
	if p := c.Order.Payment; p.Refunded.Minor() != 100 || p.Refunding.Minor() != 0 {
		t.Errorf("with another refund pending: %+v", p)
	}

	c = declared()
	must(t, c.Refund(refundID(2), nil, "", at))
	must(t, c.SettleRefund(refundID(2), order.Refunded{Provider: "re_2"}, eventID(3), at))
	refused(t, "without money left", succeed(c), "refund_exceeds_payment")
}
