package aftersales_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var errLost = errors.New("no answer")

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

// refundDollar refunds a dollar.
func refundDollar(t *testing.T, d *fixture, s *aftersales.Service) *order.Refund {
	t.Helper()
	dollar := usd(1_00)
	r, err := refund(ports.NewOutbound(t.Context()), s, d.kept.Order.Project, aftersales.RefundRequest{
		Payment: d.kept.Order.Payment.ID,
		Amount:  &dollar,
		Reason:  "Torn",
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExecuteRefund(t *testing.T) {
	t.Parallel()
	d, s, _ := newFixture()
	r := refundDollar(t, d, s)
	if r.Status != order.RefundSucceeded || r.Provider != "re_1" || d.kept.Order.Payment.Refunded != usd(1_00) {
		t.Errorf("%+v", r)
	}
	o := d.kept.Order
	want := []ports.RefundRequest{{
		Project: o.Project, Route: o.Payment.Route, Key: r.ID.String(), Charge: "ch_1", Amount: usd(1_00), Since: noon,
		Checkout: o.Checkout,
	}}
	if !reflect.DeepEqual(d.asked, want) {
		t.Errorf("asked %+v", d.asked)
	}
	wantEvent := event.OrderRefunded{
		Refund:   r.ID,
		Order:    o.ID,
		Sequence: 1,
		Payment:  o.Payment.ID,
		Amount:   usd(1_00),
		Refunded: usd(1_00),
		Reason:   "Torn",
	}
	if len(d.announced) != 1 || d.announced[0].Data != wantEvent || len(d.ledger) != 1 {
		t.Errorf("announced %+v, recorded %+v", d.announced, d.ledger)
	}
}

// wholeDollarGateway refunds whole dollars only.
type wholeDollarGateway struct{ *fixture }

func (wholeDollarGateway) CanCharge(_ project.PaymentRoute, a money.Amount) bool {
	return a.Minor()%100 == 0
}

func TestCheckRefundable(t *testing.T) {
	t.Parallel()
	d, s, p := newFixture()
	s.Gateway = wholeDollarGateway{d}
	ret, err := s.RequestReturn(t.Context(), p, d.kept.Order.ID, []order.ReturnItem{{Product: tent, Quantity: 1}}, "")
	if err != nil {
		t.Fatal(err)
	}
	d.kept.Returns[0].Estimate = usd(98_50)
	if _, _, err := s.ApproveReturn(t.Context(), p.ID, aftersales.Approval{Return: ret.ID}); !fault.Is(err, "validation_error") {
		t.Errorf("approved a return of 98.50: %v", err)
	}
	odd, whole := usd(98_50), usd(98_00)
	if _, err := s.RequestRefund(t.Context(), p.ID, aftersales.RefundRequest{Payment: d.kept.Order.Payment.ID, Amount: &odd}); !fault.Is(err, "validation_error") {
		t.Errorf("promised a refund of 98.50: %v", err)
	}
	if _, _, err := s.ApproveReturn(t.Context(), p.ID, aftersales.Approval{Return: ret.ID, Amount: &whole}); err != nil || len(d.kept.Refunds) != 1 {
		t.Errorf("%+v, %v", d.kept.Refunds, err)
	}
}

func TestExecuteRefund_providerRefuses(t *testing.T) {
	t.Parallel()
	d, s, _ := newFixture()
	d.answers = []any{order.RefundFailed{Code: "expired_card"}}
	r := refundDollar(t, d, s)
	if p := d.kept.Order.Payment; r.Status != order.RefundIsFailed || r.Failure != "expired_card" || p.Left() != p.Amount || len(d.ledger) > 0 {
		t.Errorf("%+v of %+v", r, p)
	}
}

// A refund whose outcome is unknown stays pending, and the job repeats it with the same key until it is decided.
func TestRefunding_retries(t *testing.T) {
	t.Parallel()
	d, s, _ := newFixture()
	d.answers = []any{errLost, errLost, order.RefundPending{Provider: "re_1"}, order.Refunded{Provider: "re_1"}}
	if r := refundDollar(t, d, s); r.Status != order.RefundIsPending || r.DueAt != noon.Add(2*time.Second) {
		t.Fatalf("%+v", r)
	}
	for _, run := range []struct {
		after   time.Duration
		asked   int
		decided int
		due     time.Duration // after the run
	}{
		{time.Second, 1, 0, 0}, {time.Second, 2, 0, 4 * time.Second}, {4 * time.Second, 3, 0, 8 * time.Second}, {8 * time.Second, 4, 1, 0},
		{time.Hour, 4, 0, 0},
	} {
		d.now = d.now.Add(run.after)
		decided, err := executeRefunds(t, s)
		if decided != run.decided || len(d.asked) != run.asked || (err != nil) != (run.due > 0) {
			t.Fatalf("%s on: %d decided, %d asked, %v", run.after, decided, len(d.asked), err)
		}
		if r := d.kept.Refunds[0]; run.due > 0 && r.DueAt != d.now.Add(run.due) {
			t.Errorf("due in %s", r.DueAt.Sub(d.now))
		}
	}
	for _, r := range d.asked {
		if r.Key != d.asked[0].Key {
			t.Errorf("asked by the keys %s and %s", d.asked[0].Key, r.Key)
		}
	}
	if p := d.kept.Order.Payment; p.Refunded != usd(1_00) || !p.Refunding.IsZero() || len(d.ledger) != 1 || len(d.announced) != 1 {
		t.Errorf("%+v, %d recorded, %d announced", p, len(d.ledger), len(d.announced))
	}
}

// After a crash before the provider was asked, or before its response was recorded, the lease ends and the job asks with the
// same key.
func TestRefunding_afterCrash(t *testing.T) {
	t.Parallel()
	d, s, _ := newFixture()
	d.lost = errLost
	if r := refundDollar(t, d, s); r.Status != order.RefundIsPending {
		t.Fatalf("%+v", r)
	}
	promised, err := s.RequestRefund(t.Context(), d.kept.Order.Project, aftersales.RefundRequest{Payment: d.kept.Order.Payment.ID})
	if err != nil || promised.Amount != usd(329_00) {
		t.Fatalf("%+v, %v", promised, err)
	}
	d.now = noon.Add(order.RefundLease - time.Millisecond)
	if decided, err := executeRefunds(t, s); decided != 0 || err != nil || len(d.asked) != 1 {
		t.Errorf("too early: %d, %v", decided, err)
	}
	d.now = noon.Add(order.RefundLease)
	if decided, err := executeRefunds(t, s); decided != 2 || err != nil {
		t.Errorf("%d, %v", decided, err)
	}
	if p := d.kept.Order.Payment; p.Status() != order.FullyRefunded || d.asked[0].Key != d.asked[1].Key {
		t.Errorf("%+v", p)
	}
}

func TestExecuteRefund_clientDisconnects(t *testing.T) {
	t.Parallel()
	d, s, _ := newFixture()
	promised, err := s.RequestRefund(t.Context(), d.kept.Order.Project, aftersales.RefundRequest{Payment: d.kept.Order.Payment.ID})
	if err != nil {
		t.Fatal(err)
	}
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	for range 2 { // it is decided the second time
		r, err := s.ExecuteRefund(ports.NewOutbound(gone), d.kept.Order.Project, promised.ID)
		if err != nil || r.Status != order.RefundSucceeded || len(d.asked) != 1 {
			t.Errorf("%+v, %v, %d asked", r, err, len(d.asked))
		}
	}
}

func TestCancel_refundsAndRestocks(t *testing.T) {
	t.Parallel()
	d, s, _ := newFixture()
	c, refund, err := s.Cancel(t.Context(), d.kept.Order.Project, d.kept.Order.ID, "Twice")
	if err != nil || c.Order.Status != order.Canceled || c.FindRefund(refund).Amount != usd(330_00) || len(d.asked) > 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	if !reflect.DeepEqual(d.restocked, map[id.Variant]int{plain: 7}) {
		t.Errorf("the index was told %v", d.restocked)
	}
	if r, err := s.ExecuteRefund(ports.NewOutbound(t.Context()), d.kept.Order.Project, refund); err != nil || r.Status != order.RefundSucceeded {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCancel_alreadyRefunded(t *testing.T) {
	t.Parallel()
	d, s, _ := newFixture()
	d.kept.Order.Payment.Refunded = d.kept.Order.Payment.Amount
	if _, refund, err := s.Cancel(t.Context(), d.kept.Order.Project, d.kept.Order.ID, ""); err != nil || !refund.IsZero() {
		t.Errorf("%s, %v", refund, err)
	}
}

func TestApproveReturn_andRejectReturn(t *testing.T) {
	t.Parallel()
	d, s, p := newFixture()
	var asked [2]*order.Return
	for i := range asked {
		var err error
		asked[i], err = s.RequestReturn(t.Context(), p, d.kept.Order.ID, []order.ReturnItem{{Product: tent, Quantity: 1}}, "")
		if err != nil {
			t.Fatal(err)
		}
	}
	c, refund, err := s.ApproveReturn(t.Context(), p.ID, aftersales.Approval{Return: asked[0].ID, Restock: true})
	if err != nil || c.FindReturn(asked[0].ID).Refund != refund || c.FindRefund(refund).Amount != usd(99_00) || d.restocked == nil {
		t.Fatalf("%+v, %v", c, err)
	}
	c, err = s.RejectReturn(t.Context(), p.ID, asked[1].ID, "Worn")
	if r := c.FindReturn(asked[1].ID); err != nil || r.Status != order.Rejected || r.Reason != "Worn" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := s.RejectReturn(t.Context(), p.ID, id.New[id.Return]([16]byte{99}), ""); !fault.Is(err, "return_not_found") {
		t.Error(err)
	}
}

// refund requests a refund and executes it.
func refund(ctx ports.Outbound, s *aftersales.Service, project id.Project, r aftersales.RefundRequest) (*order.Refund, error) {
	promised, err := s.RequestRefund(ctx, project, r)
	if err != nil {
		return nil, err
	}
	return s.ExecuteRefund(ctx, project, promised.ID)
}
