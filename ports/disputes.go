package ports

import (
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// DisputeFilter narrows the list of disputes. Zero fields narrow nothing.
type DisputeFilter struct {
	Status   order.DisputeStatus
	Response order.DisputeResponse
	Order    id.Order
	From, To time.Time // when it was first reported: from, and before
}

// DisputePlace is a place in the list of disputes.
type DisputePlace struct {
	At      time.Time
	Dispute id.Dispute
}

// Disputes finds disputes.
type Disputes interface {
	DisputeByID(ctx context.Context, project id.Project, dispute id.Dispute) (*order.Dispute, error)
	// Disputes lists the newest first, from after a place on; nil: from the beginning. next is where the list goes on; nil:
	// that is all.
	Disputes(ctx context.Context, project id.Project, f DisputeFilter, after *DisputePlace, limit int) (list []order.Dispute, next *DisputePlace, err error)
}

// DisputeRequest is a request to a provider about one of its disputes.
type DisputeRequest struct {
	Project  id.Project
	Route    project.PaymentRoute
	Dispute  string         // the provider's id of it
	Evidence order.Evidence // to submit
}

// DisputeReply is the state of a dispute after a request.
type DisputeReply struct {
	Report order.DisputeReport
	// Done reports whether the provider has the response: this very evidence, or the acceptance. If not, it did not
	// wait for a response, and nothing was sent.
	Done bool
}

// DisputeResponder sends a merchant's responses to disputes to one provider. Both methods first read the state of the
// dispute, and send nothing unless the provider waits for a response. So they may be repeated: they find the effect of
// an earlier call.
type DisputeResponder interface {
	// SubmitEvidence sends evidence, which cannot be changed later.
	SubmitEvidence(ctx Outbound, a PaymentAccount, r DisputeRequest) (DisputeReply, error)
	// AcceptDispute concedes the dispute: the buyer keeps the money. One that is lost already: Done.
	AcceptDispute(ctx Outbound, a PaymentAccount, r DisputeRequest) (DisputeReply, error)
}

// DisputeGateway is DisputeResponder for a route. For a provider that accepts no responses it returns ErrNoResponses.
type DisputeGateway interface {
	SubmitEvidence(ctx Outbound, r DisputeRequest) (DisputeReply, error)
	AcceptDispute(ctx Outbound, r DisputeRequest) (DisputeReply, error)
}

// SandboxDisputes opens disputes of sandbox charges.
type SandboxDisputes interface {
	// OpenDispute disputes a charge, once, and returns the state of the dispute.
	OpenDispute(ctx Outbound, of id.Project, charge, reason string, amount money.Amount) (order.DisputeReport, error)
}

// ErrNoResponses means that a provider accepts no responses to disputes through its API.
var ErrNoResponses = errors.New("the provider takes no responses to disputes")

// DisputeRefusal means that a provider refused a response, and did nothing.
type DisputeRefusal struct{ Code string }

func (r *DisputeRefusal) Error() string {
	return "the provider refused the response to a dispute: " + r.Code
}
