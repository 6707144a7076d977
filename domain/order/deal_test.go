package order_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

// Every status × every verb: what the status is then, and whether anything is left to do.
func TestCRMDeal_states(t *testing.T) {
	verbs := map[string]func(*order.CRMDeal){
		"Wrote":    func(d *order.CRMDeal) { c := opened(); d.Wrote(c.Deal(), "7", "", c, later) },
		"Refuse":   func(d *order.CRMDeal) { d.Refuse("no", later) },
		"Gone":     func(d *order.CRMDeal) { d.Gone("no", later) },
		"Pause":    func(d *order.CRMDeal) { d.Pause("no", later) },
		"Postpone": func(d *order.CRMDeal) { d.Postpone("no", 0, later) },
		"Retry":    func(d *order.CRMDeal) { _ = d.Retry(later) },
	}
	for status, want := range map[order.DealStatus]map[string]string{
		order.DealPending: {"Wrote": "written", "Refuse": "refused", "Gone": "refused", "Pause": "pending", "Postpone": "pending, due", "Retry": "pending, due"},
		order.DealWritten: {"Wrote": "written", "Refuse": "written", "Gone": "refused", "Pause": "written", "Postpone": "written, due", "Retry": "written, due"},
		order.DealRefused: {"Wrote": "written", "Refuse": "refused", "Gone": "refused", "Pause": "refused", "Postpone": "refused, due", "Retry": "pending, due"},
	} {
		for verb, do := range verbs {
			d := &order.CRMDeal{Status: status, DueAt: placed}
			do(d)
			got := d.Status.String()
			if !d.DueAt.IsZero() {
				got += ", due"
			}
			if got != want[verb] {
				t.Errorf("%s of %s: %s, want %s", verb, status, got, want[verb])
			}
			if (d.Remote != "") != (d.Status == order.DealWritten && verb == "Wrote") {
				t.Errorf("%s of %s: the id %q", verb, status, d.Remote)
			}
		}
	}
}

func TestCRMDeal_Retry(t *testing.T) {
	d := &order.CRMDeal{Status: order.DealWritten}
	if err := d.Retry(later); !fault.Is(err, order.ErrDealWritten.Code) {
		t.Errorf("of what is written: %v", err)
	}
	d.Refuse("no", later)
	if err := d.Retry(later); err != nil || d.DueAt != later || d.Status != order.DealWritten {
		t.Errorf("of a change that was refused: %v, %+v", err, d)
	}
}

// Pauses grow, and a wish for patience is no failure.
func TestCRMDeal_Postpone(t *testing.T) {
	d := &order.CRMDeal{Status: order.DealPending}
	for _, want := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second} {
		if d.Postpone("no", 0, later); d.DueAt != later.Add(want) {
			t.Errorf("after %d failures: %s", d.Failures, d.DueAt.Sub(later))
		}
	}
	if d.Postpone("no", time.Minute, later); d.DueAt != later.Add(time.Minute) || d.Failures != 3 {
		t.Errorf("%+v", d)
	}
}

// A deal shows what is left of the payment, and is lost once the order is canceled. A change while it was written makes it due.
func TestCase_Deal(t *testing.T) {
	c := opened()
	paid := c.Order.Payment.Amount
	if got := c.Deal(); got != (order.DealState{Amount: paid}) || got.Print() != "won "+paid.String() {
		t.Errorf("%+v, %s", got, got.Print())
	}
	before := c.Deal()
	c.Order.Payment.Refunded, c.Order.Payment.Refunding = money.Of(250, paid.Currency()), money.Of(1, paid.Currency())
	if got := c.Deal().Amount.Minor(); got != paid.Minor()-250 {
		t.Errorf("after a refund: %d", got)
	}
	d := &order.CRMDeal{Status: order.DealPending}
	if d.Wrote(before, "7", "", c, later); d.DueAt != later || d.UpToDate(c) {
		t.Errorf("a change meanwhile: %+v", d)
	}
	if d.Wrote(c.Deal(), "7", "", c, later); !d.DueAt.IsZero() || !d.UpToDate(c) {
		t.Errorf("%+v", d)
	}
	c.Order.Payment.Refunding = money.Amount{}
	c.Order.Payment.Refunded = paid
	if err := c.Cancel(id.New[id.Refund]([16]byte{1}), "", id.Event{}, later); err != nil {
		t.Fatal(err)
	}
	if got := c.Deal(); !got.Lost || got.Amount.Minor() != 0 || got.Print() != "lost "+got.Amount.String() {
		t.Errorf("canceled: %+v", got)
	}
}
