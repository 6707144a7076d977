package order

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// DealStatus of a CRM deal.
type DealStatus struct{ name string }

var (
	DealPending = DealStatus{"pending"} // not created yet, or nobody knows
	DealWritten = DealStatus{"written"} // it exists in the CRM
	DealRefused = DealStatus{"refused"} // the CRM does not take it, or it was deleted there; Retry tries again
)

func (s DealStatus) String() string { return s.name }

// DealStatuses are all of them, by name.
var DealStatuses = map[string]DealStatus{"pending": DealPending, "written": DealWritten, "refused": DealRefused}

// CRMDeal mirrors an order as a deal in a CRM. It is stored with the order, in one transaction, and written afterwards:
//
//	pending ──Wrote──▶ written ──Wrote──▶ written
//	   ▲  └── Refuse ──▶ refused ◀── Gone ───┘
//	   └───── Retry ───────┘
//
// What is written is the order's state, not its changes: writing it again changes nothing. Once it is written, the deal is
// associated with the buyer's contact (Named).
type CRMDeal struct {
	Project     id.Project
	Order       id.Order
	Integration id.Integration
	Status      DealStatus
	Remote      string // the CRM's id of it; "": it is not there
	URL         string // where the merchant's staff look at it; "": nowhere
	Written     string // the Print of the state that the CRM has; "": none, or nobody knows
	Named       bool   // the buyer's contact is associated with it, or the CRM takes none
	// UnsureUntil is until when the CRM may still carry out an earlier request, of an older state; zero: there is none. The deal is
	// written once more then.
	UnsureUntil time.Time
	Paused      bool      // it waits until the integration may write deals again
	Problem     string    // why it is not written, or not up to date, in words for the merchant
	Failures    int       // in a row
	DueAt       time.Time // when it is worked on next; zero: there is nothing to do
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// unsureFor is longer than a CRM goes on with a request whose sender is gone.
const unsureFor = 30 * time.Second

// DealState is what a deal shows of an order.
type DealState struct {
	Lost   bool         // the order is canceled
	Amount money.Amount // what is left of the payment after refunds
}

// Deal is the order's state as a deal shows it.
func (c *Case) Deal() DealState {
	p := c.Order.Payment
	left := p.Amount.Minor() - p.Refunded.Minor()
	return DealState{
		Lost:   c.Order.Status == Canceled,
		Amount: money.Of(max(left, 0), p.Amount.Currency()),
	}
}

// Print tells one state from another.
func (s DealState) Print() string {
	if s.Lost {
		return "lost " + s.Amount.String()
	}
	return "won " + s.Amount.String()
}

// ErrDealWritten refuses to write what is written.
var ErrDealWritten = fault.New(fault.Conflict, "crm_deal_written", "The deal is written to the CRM, and shows the order as it is.")

// Shows reports whether the CRM has a deal that shows the order's state.
func (d *CRMDeal) Shows(s DealState) bool { return d.Status == DealWritten && d.Written == s.Print() }

// UpToDate reports whether nothing is left to do.
func (d *CRMDeal) UpToDate(c *Case) bool {
	return d.Shows(c.Deal()) && !d.ToName(c) && d.UnsureUntil.IsZero()
}

// ToName reports whether the deal is to be associated with the buyer's contact. That of a canceled order is not: the CRM counts
// the deals of a contact as purchases.
func (d *CRMDeal) ToName(c *Case) bool {
	s := c.Deal()
	return d.Shows(s) && !d.Named && !s.Lost
}

// Wrote records that the CRM has a state of the order. A url of "" means that it is where it was.
func (d *CRMDeal) Wrote(s DealState, remote, url string, c *Case, now time.Time) {
	d.Status, d.Remote, d.Written = DealWritten, remote, s.Print()
	if url != "" {
		d.URL = url
	}
	if !now.Before(d.UnsureUntil) {
		d.UnsureUntil = time.Time{}
	}
	d.Rest(c, now)
}

// NamedBuyer records that the buyer's contact is associated with the deal, or that the CRM takes none.
func (d *CRMDeal) NamedBuyer(c *Case, now time.Time) {
	d.Named = true
	d.Rest(c, now)
}

// Rest ends the work until the order changes. If something is left to do, the deal is due again.
func (d *CRMDeal) Rest(c *Case, now time.Time) {
	d.Paused, d.Problem, d.Failures, d.DueAt, d.UpdatedAt = false, "", 0, now, now
	switch {
	case d.UpToDate(c):
		d.DueAt = time.Time{}
	case d.Shows(c.Deal()) && !d.ToName(c):
		d.DueAt = d.UnsureUntil
	}
}

// Doubt records that a request was sent by someone whose lease has ended since. The CRM may carry it out after a newer one.
func (d *CRMDeal) Doubt(now time.Time) {
	d.UnsureUntil, d.UpdatedAt = now.Add(unsureFor), now
	if d.Status == DealWritten && d.DueAt.IsZero() && !d.Paused {
		d.DueAt = d.UnsureUntil
	}
}

// Refuse records that the CRM does not take a state of the order. If the order has another one by now, that is tried.
func (d *CRMDeal) Refuse(reason string, s DealState, c *Case, now time.Time) {
	if c.Deal().Print() != s.Print() {
		d.Problem, d.DueAt, d.UpdatedAt = brief(reason), now, now
		return
	}
	if d.Status == DealPending {
		d.Status = DealRefused
	}
	d.stop(reason, now)
}

// Gone records that the deal was deleted in the CRM, or merged into another. Only Retry creates it again.
func (d *CRMDeal) Gone(reason string, now time.Time) {
	d.Status, d.Remote, d.URL, d.Written, d.Named = DealRefused, "", "", "", false
	d.stop(reason, now)
}

// Pause ends the work until the integration may write deals again, or Retry.
func (d *CRMDeal) Pause(reason string, now time.Time) {
	d.Paused = true
	d.stop(reason, now)
}

func (d *CRMDeal) stop(reason string, now time.Time) {
	d.Problem, d.DueAt, d.UpdatedAt = brief(reason), time.Time{}, now
}

// Postpone records an attempt that failed. unanswered means that the CRM may have carried it out, or may still do so. wait is how
// long the CRM asks to be left alone; 0: it does not say.
func (d *CRMDeal) Postpone(reason string, unanswered bool, wait time.Duration, now time.Time) {
	if wait <= 0 {
		wait = pauseAfter(d.Failures)
		d.Failures++
	}
	if unanswered {
		d.UnsureUntil = now.Add(unsureFor)
	}
	d.Problem, d.DueAt, d.UpdatedAt = brief(reason), now.Add(wait), now
}

// Retry has a deal tried again that does not show the order.
func (d *CRMDeal) Retry(c *Case, now time.Time) error {
	switch {
	case d.Status == DealRefused:
		d.Status = DealPending
	case d.UpToDate(c) && d.Problem == "":
		return ErrDealWritten
	}
	d.Paused, d.Failures, d.DueAt, d.UpdatedAt = false, 0, now, now
	return nil
}
