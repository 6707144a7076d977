package order

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// DealStatus is the status of a CRM deal.
type DealStatus struct{ name string }

var (
	DealPending = DealStatus{"pending"} // not created yet, or unknown
	DealWritten = DealStatus{"written"} // it exists in the CRM
	DealRefused = DealStatus{"refused"} // the CRM refused it, or it was deleted there; Retry tries again
)

func (s DealStatus) String() string { return s.name }

// DealStatuses are all statuses by name.
var DealStatuses = map[string]DealStatus{"pending": DealPending, "written": DealWritten, "refused": DealRefused}

// CRMDeal mirrors an order as a deal in a CRM. It is stored with the order, in one transaction, and written afterwards:
//
//	pending ──Wrote──▶ written ──Wrote──▶ written
//	   ▲  └── Refuse ──▶ refused ◀── Gone ───┘
//	   └───── Retry ───────┘
//
// A write contains the order's state, not its changes, so it can be repeated. Once the deal is written, it is
// associated with the buyer's contact (Named).
type CRMDeal struct {
	Project     id.Project
	Order       id.Order
	Integration id.Integration
	Status      DealStatus
	Remote      string // the CRM's id of it; "": it is not there
	URL         string // of the deal's page for the merchant's staff; "": none
	Written     string // the Print of the state that the CRM has; "": none, or unknown
	Named       bool   // the buyer's contact is associated with it, or the CRM accepts none
	// UnsureUntil is until when the CRM may still execute an earlier request with an older state; zero: there is none.
	// The deal is written once more at that time.
	UnsureUntil time.Time
	Paused      bool      // waits until the integration may write deals again
	Problem     string    // why it is not written or not up to date, in words for the merchant
	Failures    int       // in a row
	DueAt       time.Time // when it is processed next; zero: there is nothing to do
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// unsureFor is longer than a CRM continues with a request whose client is gone.
const unsureFor = 30 * time.Second

// DealState is an order's state as its deal shows it.
type DealState struct {
	Lost   bool         // the order is canceled
	Amount money.Amount // what is left of the payment after refunds
}

// Deal returns the order's state for its deal.
func (c *Case) Deal() DealState {
	p := c.Order.Payment
	left := p.Amount.Minor() - p.Refunded.Minor()
	return DealState{
		Lost:   c.Order.Status == Canceled,
		Amount: money.Of(max(left, 0), p.Amount.Currency()),
	}
}

// Print returns a text that differs between states.
func (s DealState) Print() string {
	if s.Lost {
		return "lost " + s.Amount.String()
	}
	return "won " + s.Amount.String()
}

// ErrDealWritten refuses to write a deal that is up to date.
var ErrDealWritten = fault.New(fault.Conflict, "crm_deal_written", "The deal is written to the CRM and up to date.")

// Shows reports whether the CRM has a deal that shows the order's state.
func (d *CRMDeal) Shows(s DealState) bool { return d.Status == DealWritten && d.Written == s.Print() }

// UpToDate reports whether there is nothing to do.
func (d *CRMDeal) UpToDate(c *Case) bool {
	return d.Shows(c.Deal()) && !d.ToName(c) && d.UnsureUntil.IsZero()
}

// ToName reports whether the deal must be associated with the buyer's contact. The deal of a canceled order must not,
// because the CRM counts a contact's deals as purchases.
func (d *CRMDeal) ToName(c *Case) bool {
	s := c.Deal()
	return d.Shows(s) && !d.Named && !s.Lost
}

// Wrote records that the CRM has a state of the order. An empty url leaves the URL unchanged.
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

// NamedBuyer records that the buyer's contact is associated with the deal, or that the CRM accepts none.
func (d *CRMDeal) NamedBuyer(c *Case, now time.Time) {
	d.Named = true
	d.Rest(c, now)
}

// Rest ends the processing until the order changes. If something is left to do, the deal is due again.
func (d *CRMDeal) Rest(c *Case, now time.Time) {
	d.Paused, d.Problem, d.Failures, d.DueAt, d.UpdatedAt = false, "", 0, now, now
	switch {
	case d.UpToDate(c):
		d.DueAt = time.Time{}
	case d.Shows(c.Deal()) && !d.ToName(c):
		d.DueAt = d.UnsureUntil
	}
}

// MarkUnsure records that a worker whose lease has ended since had sent a request. The CRM may execute it after a newer one.
func (d *CRMDeal) MarkUnsure(now time.Time) {
	d.UnsureUntil, d.UpdatedAt = now.Add(unsureFor), now
	if d.Status == DealWritten && d.DueAt.IsZero() && !d.Paused {
		d.DueAt = d.UnsureUntil
	}
}

// Refuse records that the CRM refused a state of the order. If the order's state has changed since, the new state is
// tried.
func (d *CRMDeal) Refuse(reason string, s DealState, c *Case, now time.Time) {
	if c.Deal().Print() != s.Print() {
		d.Problem, d.DueAt, d.UpdatedAt = truncate(reason), now, now
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

// Pause ends the processing until the integration may write deals again, or until Retry.
func (d *CRMDeal) Pause(reason string, now time.Time) {
	d.Paused = true
	d.stop(reason, now)
}

func (d *CRMDeal) stop(reason string, now time.Time) {
	d.Problem, d.DueAt, d.UpdatedAt = truncate(reason), time.Time{}, now
}

// Postpone records an attempt that failed. unanswered means that the CRM may have executed the request, or may still do
// so. wait is the pause that the CRM asks for; 0: it asks for none.
func (d *CRMDeal) Postpone(reason string, unanswered bool, wait time.Duration, now time.Time) {
	if wait <= 0 {
		wait = pauseAfter(d.Failures)
		d.Failures++
	}
	if unanswered {
		d.UnsureUntil = now.Add(unsureFor)
	}
	d.Problem, d.DueAt, d.UpdatedAt = truncate(reason), now.Add(wait), now
}

// Retry makes a deal due that does not show the order.
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
