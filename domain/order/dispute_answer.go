package order

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

var (
	ErrDisputeClosed   = fault.New(fault.Conflict, "dispute_closed", "The dispute is decided already.")
	ErrDisputeAnswered = fault.New(fault.Conflict, "dispute_answered", "The provider has an answer to the dispute already, and decides.")
)

// FindDispute is a dispute of the case, or nil.
func (c *Case) FindDispute(of id.Dispute) *Dispute {
	i := slices.IndexFunc(c.Disputes, func(d Dispute) bool { return d.ID == of })
	if i < 0 {
		return nil
	}
	return &c.Disputes[i]
}

// Answerable says why the merchant cannot answer the dispute, or nil. That it is under review does not prevent an answer as
// long as none was recorded here: an earlier one may have reached the provider unrecorded, which the provider tells.
// The deadline does not either: whether an answer is too late is for the provider to say.
func (d *Dispute) Answerable() error {
	switch {
	case d.Status != DisputeOpen:
		return ErrDisputeClosed
	case d.Response == UnderReview && !d.AnsweredAt.IsZero():
		return ErrDisputeAnswered
	}
	return nil
}

// Acceptable says why the merchant cannot accept the dispute, or nil. One that is lost may be accepted again: nothing is left
// to be done then.
func (d *Dispute) Acceptable() error {
	if d.Status == DisputeWon {
		return ErrDisputeClosed
	}
	return nil
}

// AnswerDispute records evidence that the provider has, and how the dispute stands with it.
func (c *Case) AnswerDispute(of id.Dispute, e Evidence, r DisputeReport, ids DisputeIDs, now time.Time) error {
	if c.FindDispute(of) == nil {
		return fault.Missing("dispute")
	}
	if err := c.ReportDispute(r, ids, now); err != nil {
		return err
	}
	d := c.FindDispute(of)
	d.Evidence, d.AnsweredAt, d.UpdatedAt = e, now, now
	return nil
}

// Unanswered says why the provider did not take an answer to a dispute that stands like this.
func (r DisputeReport) Unanswered() error {
	if r.Status != DisputeOpen {
		return ErrDisputeClosed
	}
	return ErrDisputeAnswered
}
