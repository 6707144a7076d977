package order

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

var (
	ErrDisputeClosed   = fault.New(fault.Conflict, "dispute_closed", "The dispute has been decided.")
	ErrDisputeAnswered = fault.New(fault.Conflict, "dispute_answered", "The provider already has a response to the dispute. Wait for its decision.")
)

// FindDispute returns a dispute of the case, or nil.
func (c *Case) FindDispute(of id.Dispute) *Dispute {
	i := slices.IndexFunc(c.Disputes, func(d Dispute) bool { return d.ID == of })
	if i < 0 {
		return nil
	}
	return &c.Disputes[i]
}

// Answerable returns why the merchant cannot answer the dispute, or nil. A dispute under review may be answered if no
// answer was recorded here, because an earlier answer may have reached the provider unrecorded; the provider then
// refuses. A passed deadline does not matter here either, because the provider decides whether an answer is too late.
func (d *Dispute) Answerable() error {
	switch {
	case d.Status != DisputeOpen:
		return ErrDisputeClosed
	case d.Response == UnderReview && !d.AnsweredAt.IsZero():
		return ErrDisputeAnswered
	}
	return nil
}

// Acceptable returns why the merchant cannot accept the dispute, or nil. A lost dispute may be accepted again, which
// changes nothing.
func (d *Dispute) Acceptable() error {
	if d.Status == DisputeWon {
		return ErrDisputeClosed
	}
	return nil
}

// AnswerDispute records evidence that the provider has received, and the resulting state of the dispute.
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

// Unanswered returns why the provider did not accept an answer to a dispute in this state.
func (r DisputeReport) Unanswered() error {
	if r.Status != DisputeOpen {
		return ErrDisputeClosed
	}
	return ErrDisputeAnswered
}
