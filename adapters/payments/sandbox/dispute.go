package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	_ ports.DisputeResponder = Provider{}
	_ ports.SandboxDisputes  = Provider{}
)

const (
	// respondWithin is the time that a merchant has for a response.
	respondWithin = 7 * 24 * time.Hour
	// disputeFee is the fee of a dispute in minor units.
	disputeFee = 15_00
	// winning and losing are the notes that decide a dispute at once, as in Stripe's test mode
	// (docs.stripe.com/testing#evidence, read November 2026).
	winning, losing = "winning_evidence", "losing_evidence"
)

var reasonForm = regexp.MustCompile(`^[a-z][a-z_]{0,49}$`)

// OpenDispute opens a dispute of a payment. If the payment is disputed already, it returns that dispute.
func (p Provider) OpenDispute(ctx ports.Outbound, of id.Project, charge, reason string, amount money.Amount) (order.DisputeReport, error) {
	if !reasonForm.MatchString(reason) {
		return order.DisputeReport{}, fault.Field("reason", "must be small letters and underscores, such as product_not_received")
	}
	now := p.Clock.Now()
	d, paid, err := p.Ledger.OpenDispute(ctx, of, ports.SandboxDispute{
		ID:       "du_sandbox_" + p.Entropy.Secret(10),
		Charge:   charge,
		Reason:   reason,
		Status:   order.DisputeOpen,
		Response: order.ResponseNeeded,
		Amount:   amount,
		OpenedAt: now,
		DueBy:    now.Add(respondWithin),
		At:       now,
	})
	switch {
	case err != nil:
		return order.DisputeReport{}, err
	case !paid:
		return order.DisputeReport{}, fault.Field("amount", "must be above 0 and at most what was paid")
	}
	return reportOf(d), nil
}

// SubmitEvidence stores evidence. The notes winning_evidence and losing_evidence decide the dispute. With other evidence it
// stays under review.
func (p Provider) SubmitEvidence(ctx ports.Outbound, _ ports.PaymentAccount, r ports.DisputeRequest) (ports.DisputeReply, error) {
	wanted := ports.SandboxDispute{
		ID:       r.Dispute,
		Status:   order.DisputeOpen,
		Response: order.UnderReview,
		Evidence: hashOf(r.Evidence),
		At:       p.Clock.Now(),
	}
	switch strings.TrimSpace(r.Evidence.Note) {
	case winning:
		wanted.Status, wanted.Response = order.DisputeWon, order.ResponseClosed
	case losing:
		wanted.Status, wanted.Response = order.DisputeLost, order.ResponseClosed
	}
	stored, err := p.Ledger.DecideDispute(ctx, r.Project, wanted)
	return ports.DisputeReply{Report: reportOf(stored), Done: stored.Evidence == wanted.Evidence}, err
}

// AcceptDispute closes a dispute as lost.
func (p Provider) AcceptDispute(ctx ports.Outbound, _ ports.PaymentAccount, r ports.DisputeRequest) (ports.DisputeReply, error) {
	stored, err := p.Ledger.DecideDispute(ctx, r.Project, ports.SandboxDispute{
		ID:       r.Dispute,
		Status:   order.DisputeLost,
		Response: order.ResponseClosed,
		At:       p.Clock.Now(),
	})
	return ports.DisputeReply{Report: reportOf(stored), Done: stored.Status == order.DisputeLost}, err
}

func hashOf(e order.Evidence) string {
	text, _ := json.Marshal(e)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// reportOf reports a dispute. The disputed amount and a fee are withdrawn, and a won dispute returns the amount.
func reportOf(d ports.SandboxDispute) order.DisputeReport {
	withdrawn := d.Amount
	if d.Status == order.DisputeWon {
		withdrawn = money.Zero(d.Amount.Currency())
	}
	return order.DisputeReport{
		Charge:    d.Charge,
		Provider:  d.ID,
		Status:    d.Status,
		Response:  d.Response,
		DueBy:     d.DueBy,
		Reason:    d.Reason,
		Amount:    d.Amount,
		Withdrawn: withdrawn,
		Fee:       money.Of(disputeFee, d.Amount.Currency()),
		At:        d.At,
	}
}
