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

// DisputeRequest is what a provider is asked about one of its disputes.
type DisputeRequest struct {
	Project  id.Project
	Route    project.PaymentRoute
	Dispute  string         // the provider's id of it
	Evidence order.Evidence // to submit
}

// DisputeReply is how a dispute stands after a request.
type DisputeReply struct {
	Report order.DisputeReport
	// Done reports whether the provider has what it was asked to take: this very evidence, or the acceptance. If not, it
	// did not wait for a response, and nothing was sent.
	Done bool
}

// DisputeResponder takes a merchant's responses to disputes to one provider. Both methods ask how the dispute stands first, and
// send nothing unless the provider waits for a response. So they may be repeated: what an earlier call has done is found.
type DisputeResponder interface {
	// SubmitEvidence sends evidence, which cannot be changed later.
	SubmitEvidence(ctx Outbound, a PaymentAccount, r DisputeRequest) (DisputeReply, error)
	// AcceptDispute gives the dispute up: the buyer keeps the money. One that is lost already: Done.
	AcceptDispute(ctx Outbound, a PaymentAccount, r DisputeRequest) (DisputeReply, error)
}

// DisputeGateway is DisputeResponder for a route. Of a provider that takes no responses it returns ErrNoResponses.
type DisputeGateway interface {
	SubmitEvidence(ctx Outbound, r DisputeRequest) (DisputeReply, error)
	AcceptDispute(ctx Outbound, r DisputeRequest) (DisputeReply, error)
}

// SandboxDisputes has buyers of the sandbox dispute what they paid.
type SandboxDisputes interface {
	// OpenDispute disputes a charge, once, and tells how the dispute stands.
	OpenDispute(ctx Outbound, of id.Project, charge, reason string, amount money.Amount) (order.DisputeReport, error)
}

// ErrNoResponses means that a provider takes no responses to disputes from here.
var ErrNoResponses = errors.New("the provider takes no responses to disputes")

// DisputeRefusal means that a provider refused a response, and did nothing.
type DisputeRefusal struct{ Code string }

func (r *DisputeRefusal) Error() string {
	return "the provider refused the response to a dispute: " + r.Code
}
