package stripe

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.DisputeResponder = (*Provider)(nil)

// SubmitEvidence updates the dispute with evidence and submits it at once: "typically, you may only submit evidence once".
// Updating "any field in the hash will submit all fields". Sources: docs.stripe.com/api/disputes/update and
// docs.stripe.com/api/disputes/object, read November 2026.
func (p *Provider) SubmitEvidence(ctx ports.Outbound, a ports.PaymentAccount, r ports.DisputeRequest) (ports.DisputeReply, error) {
	params := &api.DisputeUpdateParams{Evidence: toEvidence(r.Evidence), Submit: api.Bool(true)}
	params.SetIdempotencyKey(responseKey(r))
	return p.respond(ctx, a, r, holds(r.Evidence), func() (*api.Dispute, error) {
		return p.client(a).V1Disputes.Update(ctx, r.Dispute, params)
	})
}

// AcceptDispute closes the dispute: "the status of the dispute will change from needs_response to lost. Closing a dispute is
// irreversible." Source: docs.stripe.com/api/disputes/close, read November 2026. A closed inquiry is no dispute, and
// withdrew no money.
func (p *Provider) AcceptDispute(ctx ports.Outbound, a ports.PaymentAccount, r ports.DisputeRequest) (ports.DisputeReply, error) {
	params := &api.DisputeCloseParams{}
	params.SetIdempotencyKey("accept " + r.Dispute)
	given := func(d *api.Dispute) bool {
		return d.Status == api.DisputeStatusLost || d.Status == api.DisputeStatusWarningClosed
	}
	return p.respond(ctx, a, r, given, func() (*api.Dispute, error) { return p.client(a).V1Disputes.Close(ctx, r.Dispute, params) })
}

// respond sends a response if Stripe waits for one. done reports whether Stripe has the response to a dispute.
func (p *Provider) respond(ctx ports.Outbound, a ports.PaymentAccount, r ports.DisputeRequest, done func(*api.Dispute) bool, send func() (*api.Dispute, error)) (ports.DisputeReply, error) {
	began := p.clock.Now()
	found, err := try(ctx, func() (*api.Dispute, error) { return p.client(a).V1Disputes.Retrieve(ctx, r.Dispute, nil) })
	if err == nil && disputeResponses[found.Status] == order.ResponseNeeded {
		found, err = try(ctx, send)
	}
	if err != nil {
		return ports.DisputeReply{}, refusedResponse(err)
	}
	ahead, _ := p.remote.Skew()
	// Events of the same second are newer: their times are whole seconds, and ours is an estimate.
	news := newsOfDispute(found, began.Add(ahead).Add(-time.Second).Truncate(time.Second))
	if news.Dispute == nil {
		return ports.DisputeReply{}, errUnreadableAnswer
	}
	return ports.DisputeReply{Report: *news.Dispute, Done: done(found)}, nil
}

// refusedResponse returns a ports.DisputeRefusal if Stripe has refused the request.
func refusedResponse(err error) error {
	var refusal *api.Error
	if credentialsRefused(err) || unclear(err) || !errors.As(err, &refusal) {
		return redacted(err)
	}
	return &ports.DisputeRefusal{Code: cmp.Or(string(refusal.Code), string(refusal.Type), "refused")}
}

// responseKey returns an idempotency key, which is the same for the same evidence.
func responseKey(r ports.DisputeRequest) string {
	e := r.Evidence
	sum := sha256.Sum256([]byte(strings.Join([]string{e.Product, e.Carrier, e.TrackingNumber, e.ShippedOn, e.Communication, e.Receipt, e.Note}, "\x00")))
	return "evidence " + r.Dispute + " " + hex.EncodeToString(sum[:8])
}

// toEvidence assigns each text to Stripe's field. Stripe expects receipts and communication as files, so their texts go into
// the field for "any additional evidence or statements".
func toEvidence(e order.Evidence) *api.DisputeUpdateEvidenceParams {
	params := &api.DisputeUpdateEvidenceParams{}
	for _, field := range []struct {
		to   **string
		text string
	}{
		{&params.ProductDescription, e.Product},
		{&params.ShippingCarrier, e.Carrier},
		{&params.ShippingTrackingNumber, e.TrackingNumber},
		{&params.ShippingDate, e.ShippedOn},
		{&params.UncategorizedText, statement(e)},
	} {
		if field.text != "" {
			*field.to = &field.text
		}
	}
	return params
}

// statement returns the texts that have no field of their own. It does not change a single note.
func statement(e order.Evidence) string {
	var parts []string
	if e.Note != "" {
		parts = append(parts, e.Note)
	}
	if e.Receipt != "" {
		parts = append(parts, "Receipt: "+e.Receipt)
	}
	if e.Communication != "" {
		parts = append(parts, "Communication with the customer:\n"+e.Communication)
	}
	return strings.Join(parts, "\n\n")
}

// holds reports whether Stripe has submitted this evidence.
func holds(e order.Evidence) func(*api.Dispute) bool {
	return func(d *api.Dispute) bool {
		if d.Evidence == nil || d.EvidenceDetails == nil || d.EvidenceDetails.SubmissionCount == 0 {
			return false
		}
		same := func(theirs, ours string) bool { return strings.TrimSpace(theirs) == strings.TrimSpace(ours) }
		return same(d.Evidence.ProductDescription, e.Product) && same(d.Evidence.ShippingTrackingNumber, e.TrackingNumber) &&
			same(d.Evidence.UncategorizedText, statement(e))
	}
}
