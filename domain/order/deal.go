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
// What is written is the order's state, not its changes: writing it again changes nothing.
type CRMDeal struct {
	Project     id.Project
	Order       id.Order
	Integration id.Integration
	Status      DealStatus
	Remote      string    // the CRM's id of it; "": it is not there
	URL         string    // where the merchant's staff look at it; "": nowhere
	Written     string    // the Print of the state that the CRM has; "": none
	Problem     string    // why it is not written, or not up to date, in words for the merchant
	Failures    int       // in a row
	DueAt       time.Time // when it is worked on next; zero: there is nothing to do
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

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
var ErrDealWritten = fault.New(fault.Conflict, "crm_deal_written", "The deal is written to the CRM, or about to be.")

// UpToDate reports whether the CRM has the order's state.
func (d *CRMDeal) UpToDate(c *Case) bool {
	return d.Status == DealWritten && d.Written == c.Deal().Print()
}

// Wrote records that the CRM has a state of the order. If the order has changed meanwhile, it is due again.
func (d *CRMDeal) Wrote(s DealState, remote, url string, c *Case, now time.Time) {
	d.Status, d.Remote, d.URL, d.Written = DealWritten, remote, url, s.Print()
	d.Rest(c, now)
}

// Rest ends the work until the order changes. If it has changed already, the deal is due again.
func (d *CRMDeal) Rest(c *Case, now time.Time) {
	d.Problem, d.Failures, d.DueAt, d.UpdatedAt = "", 0, time.Time{}, now
	if !d.UpToDate(c) {
		d.DueAt = now
	}
}

// Refuse records that the CRM does not take the deal, or the change of it, as it is.
func (d *CRMDeal) Refuse(reason string, now time.Time) {
	if d.Status == DealPending {
		d.Status = DealRefused
	}
	d.Pause(reason, now)
}

// Gone records that the deal was deleted in the CRM, or merged into another. Only Retry creates it again.
func (d *CRMDeal) Gone(reason string, now time.Time) {
	d.Status, d.Remote, d.URL, d.Written = DealRefused, "", "", ""
	d.Pause(reason, now)
}

// Pause ends the work until the order changes, the integration is connected again, or Retry.
func (d *CRMDeal) Pause(reason string, now time.Time) {
	d.Problem, d.DueAt, d.UpdatedAt = brief(reason), time.Time{}, now
}

// Postpone records an attempt of which nobody knows whether it succeeded, or that certainly did not. wait is how long
// the CRM asks to be left alone; 0: it does not say.
func (d *CRMDeal) Postpone(reason string, wait time.Duration, now time.Time) {
	if wait <= 0 {
		wait = pauseAfter(d.Failures)
		d.Failures++
	}
	d.Problem, d.DueAt, d.UpdatedAt = brief(reason), now.Add(wait), now
}

// Retry has a deal tried again that the CRM refused, or of which it refused a change.
func (d *CRMDeal) Retry(now time.Time) error {
	switch {
	case d.Status == DealRefused:
		d.Status = DealPending
	case d.Problem == "":
		return ErrDealWritten
	}
	d.Failures, d.DueAt, d.UpdatedAt = 0, now, now
	return nil
}
