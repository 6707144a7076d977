package order_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

// Every status and every verb: the resulting status, and whether anything is left to do.
func TestCRMDeal_states(t *testing.T) {
	verbs := map[string]func(*order.CRMDeal, *order.Case){
		"Wrote":      func(d *order.CRMDeal, c *order.Case) { d.Wrote(c.Deal(), "7", "", c, later) },
		"NamedBuyer": func(d *order.CRMDeal, c *order.Case) { d.NamedBuyer(c, later) },
		"Refuse":     func(d *order.CRMDeal, c *order.Case) { d.Refuse("no", c.Deal(), c, later) },
		"Gone":       func(d *order.CRMDeal, _ *order.Case) { d.Gone("no", later) },
		"Pause":      func(d *order.CRMDeal, _ *order.Case) { d.Pause("no", later) },
		"Postpone":   func(d *order.CRMDeal, _ *order.Case) { d.Postpone("no", false, 0, later) },
		"Retry":      func(d *order.CRMDeal, c *order.Case) { _ = d.Retry(c, later) },
	}
	for status, want := range map[order.DealStatus]map[string]string{
		order.DealPending: {
			"Wrote": "written, due", "NamedBuyer": "pending, due", "Refuse": "refused", "Gone": "refused", "Pause": "pending",
			"Postpone": "pending, due", "Retry": "pending, due",
		},
		order.DealWritten: {
			"Wrote": "written, due", "NamedBuyer": "written", "Refuse": "written", "Gone": "refused", "Pause": "written",
			"Postpone": "written, due", "Retry": "written, due",
		},
		order.DealRefused: {
			"Wrote": "written, due", "NamedBuyer": "refused, due", "Refuse": "refused", "Gone": "refused", "Pause": "refused",
			"Postpone": "refused, due", "Retry": "pending, due",
		},
	} {
		for verb, do := range verbs {
			c := opened()
			d := &order.CRMDeal{Status: status, DueAt: placed}
			if status == order.DealWritten {
				d.Remote, d.Written = "7", c.Deal().Print()
			}
			do(d, c)
			got := d.Status.String()
			if !d.DueAt.IsZero() {
				got += ", due"
			}
			if got != want[verb] {
				t.Errorf("%s of %s: %s, want %s", verb, status, got, want[verb])
			}
			if (d.Remote != "") != (d.Status == order.DealWritten) {
				t.Errorf("%s of %s: the id %q", verb, status, d.Remote)
			}
		}
	}
}

func TestCRMDeal_Retry(t *testing.T) {
	c := opened()
	d := &order.CRMDeal{
		Status:  order.DealWritten,
		Remote:  "7",
		Written: c.Deal().Print(),
		Named:   true,
	}
	if err := d.Retry(c, later); !fault.Is(err, order.ErrDealWritten.Code) {
		t.Errorf("of what is written: %v", err)
	}
	d.Refuse("no", c.Deal(), c, later)
	if err := d.Retry(c, later); err != nil || d.DueAt != later || d.Status != order.DealWritten {
		t.Errorf("of a change that was refused: %v, %+v", err, d)
	}
	d.Pause("no", later)
	d.Written, d.Problem = "", "" // the erasure of a buyer empties the problem
	if err := d.Retry(c, later); err != nil || d.DueAt != later || d.Paused {
		t.Errorf("of one that rests: %v, %+v", err, d)
	}
}

// If a state is refused after the order has changed, the new state is tried.
func TestCRMDeal_Refuse_changedMeanwhile(t *testing.T) {
	c := opened()
	d := &order.CRMDeal{Status: order.DealPending}
	before := c.Deal()
	c.Order.Payment.Refunded = money.Of(250, before.Amount.Currency())
	if d.Refuse("no", before, c, later); d.Status != order.DealPending || d.DueAt != later {
		t.Errorf("%+v", d)
	}
}

// An unanswered request may be executed after a newer one, so the deal is written once more after that time.
func TestCRMDeal_Wrote_afterAnUnansweredRequest(t *testing.T) {
	c := opened()
	written := func(d *order.CRMDeal, at time.Time) {
		d.Wrote(c.Deal(), "7", "", c, at)
		d.NamedBuyer(c, at)
	}
	over := later.Add(30 * time.Second)
	for name, makeUnsure := range map[string]func(*order.CRMDeal){
		"it was not answered":                        func(d *order.CRMDeal) { d.Postpone("no", true, 0, later); written(d, later) },
		"its lease ended, and another one holds it":  func(d *order.CRMDeal) { d.MarkUnsure(later); written(d, later) },
		"its lease ended, and nothing is left to do": func(d *order.CRMDeal) { written(d, later); d.MarkUnsure(later) },
	} {
		t.Run(name, func(t *testing.T) {
			d := &order.CRMDeal{Status: order.DealPending, DueAt: placed}
			if makeUnsure(d); d.DueAt != over || d.UpToDate(c) || d.ToName(c) {
				t.Errorf("written first: %+v", d)
			}
			if written(d, over.Add(-time.Second)); d.DueAt != over {
				t.Errorf("written again too early: %+v", d)
			}
			if written(d, over); !d.DueAt.IsZero() || !d.UpToDate(c) {
				t.Errorf("written again: %+v", d)
			}
		})
	}
}

// Pauses grow, and a pause that the CRM asks for is not a failure.
func TestCRMDeal_Postpone(t *testing.T) {
	d := &order.CRMDeal{Status: order.DealPending}
	for _, want := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second} {
		if d.Postpone("no", false, 0, later); d.DueAt != later.Add(want) {
			t.Errorf("after %d failures: %s", d.Failures, d.DueAt.Sub(later))
		}
	}
	if d.Postpone("no", false, time.Minute, later); d.DueAt != later.Add(time.Minute) || d.Failures != 3 {
		t.Errorf("%+v", d)
	}
}

// A deal shows what is left of the payment, and is lost once the order is canceled. A change during a write makes it
// due.
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
	d.Wrote(c.Deal(), "7", "https://crm.example.com/7", c, later)
	if d.NamedBuyer(c, later); !d.DueAt.IsZero() || !d.UpToDate(c) {
		t.Errorf("%+v", d)
	}
	if d.Wrote(c.Deal(), "7", "", c, later); d.URL != "https://crm.example.com/7" {
		t.Errorf("without a link: %q", d.URL)
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
