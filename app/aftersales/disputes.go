package aftersales

import (
	"context"
	"errors"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Response is a merchant's response to a dispute that the provider has accepted and that is not recorded yet.
type Response struct {
	before   order.Dispute
	report   *order.DisputeReport // the dispute's new state; nil: unchanged
	evidence *order.Evidence      // nil: the dispute is accepted as lost
}

// SubmitEvidence sends evidence to the provider of a dispute, outside of any transaction. RecordResponse records it. If the
// process dies in between, a retry with the same evidence finds it at the provider. If the provider does not wait for a response
// any more, nothing is sent: SubmitEvidence records the dispute's state and returns order.ErrDisputeAnswered or
// order.ErrDisputeClosed.
func (s *Service) SubmitEvidence(ctx ports.Outbound, project id.Project, of id.Dispute, e order.Evidence) (*Response, error) {
	e = e.Trimmed()
	d, route, err := s.findDispute(ctx, project, of)
	if err != nil {
		return nil, err
	}
	if err := d.Answerable(); err != nil {
		return nil, err
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	report, err := s.respond(ctx, d, ports.DisputeRequest{
		Project:  project,
		Route:    route,
		Dispute:  d.Provider,
		Evidence: e,
	}, ports.DisputeGateway.SubmitEvidence)
	return &Response{
		before:   *d,
		report:   report,
		evidence: &e,
	}, err
}

// AcceptDispute accepts a dispute as lost at its provider. Otherwise it is like SubmitEvidence. A dispute that is lost already is
// unchanged.
func (s *Service) AcceptDispute(ctx ports.Outbound, project id.Project, of id.Dispute) (*Response, error) {
	d, route, err := s.findDispute(ctx, project, of)
	switch {
	case err != nil:
		return nil, err
	case d.Status == order.DisputeLost:
		return &Response{before: *d}, nil
	case d.Acceptable() != nil:
		return nil, d.Acceptable()
	}
	report, err := s.respond(ctx, d, ports.DisputeRequest{
		Project: project,
		Route:   route,
		Dispute: d.Provider,
	}, ports.DisputeGateway.AcceptDispute)
	return &Response{before: *d, report: report}, err
}

// findDispute returns a dispute and the route of its payment.
func (s *Service) findDispute(ctx context.Context, in id.Project, of id.Dispute) (*order.Dispute, project.PaymentRoute, error) {
	d, err := s.Disputes.DisputeByID(ctx, in, of)
	if err != nil {
		return nil, project.PaymentRoute{}, err
	}
	payment, err := s.Payments.PaymentByID(ctx, in, d.Payment)
	if err != nil {
		return nil, project.PaymentRoute{}, err
	}
	return d, payment.Route, nil
}

// respond sends a response to the provider, and returns the dispute's state after it.
func (s *Service) respond(ctx ports.Outbound, d *order.Dispute, r ports.DisputeRequest, ask func(ports.DisputeGateway, ports.Outbound, ports.DisputeRequest) (ports.DisputeReply, error)) (*order.DisputeReport, error) {
	gateway, ok := s.Gateway.(ports.DisputeGateway)
	if !ok {
		return nil, explainResponse(r.Route.Provider, ports.ErrNoResponses)
	}
	bounded, cancel := ctx.WithTimeout(refundTimeout)
	defer cancel()
	reply, err := ask(gateway, bounded, r)
	if err != nil {
		return nil, explainResponse(r.Route.Provider, err)
	}
	report := &reply.Report
	if report.At.Before(d.Reported) { // the request was sent after the recorded report
		report.At = d.Reported
	}
	if reply.Done {
		return report, nil
	}
	if err := s.RecordDispute(ctx.WithoutCancel(), r.Project, *report); err != nil {
		return nil, err
	}
	return nil, report.Unanswered()
}

// RecordResponse records a response, and returns the dispute.
func (s *Service) RecordResponse(ctx context.Context, r *Response) (*order.Dispute, error) {
	if r.report == nil {
		return &r.before, nil
	}
	now, ids := s.Clock.Now(), s.disputeIDs()
	c, err := s.Orders.Change(ctx, r.before.Project, r.before.Order, func(c *order.Case) error {
		if r.evidence == nil {
			return c.ReportDispute(*r.report, ids, now)
		}
		return c.AnswerDispute(r.before.ID, *r.evidence, *r.report, ids, now)
	})
	if err != nil {
		return nil, err
	}
	return c.FindDispute(r.before.ID), nil
}

func (s *Service) disputeIDs() order.DisputeIDs {
	return order.DisputeIDs{
		Dispute:    id.New[id.Dispute](s.Entropy.IDBits()),
		Opened:     s.newEventID(),
		Closed:     s.newEventID(),
		Withdrawal: id.New[id.Transaction](s.Entropy.IDBits()),
		Fee:        id.New[id.Transaction](s.Entropy.IDBits()),
	}
}

// explainResponse converts a provider's error to one that tells the merchant why the response was not accepted.
func explainResponse(provider string, err error) error {
	label := "The payment provider"
	if t, err := integration.ParseType(provider); err == nil {
		label = t.Label()
	}
	var known *fault.Error
	var refusal *ports.DisputeRefusal
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, ports.ErrNoResponses):
		return fault.New(fault.Conflict, "responses_not_supported", label+" does not accept responses to disputes through its API. Respond in your account there.").Because(err)
	case errors.Is(err, ports.ErrCredentialsRefused):
		return fault.New(fault.Conflict, "credentials_refused", label+" rejected the integration's credentials. Replace them.").Because(err)
	case errors.As(err, &refusal):
		return fault.New(fault.Conflict, "response_refused", label+" rejected the response: "+refusal.Code+".").Because(err)
	}
	return ports.Unanswered(label, err)
}
