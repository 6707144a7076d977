package ucp

import (
	"context"
	"errors"
	"net/http"

	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// found answers with status 200, for every business outcome.
func (h *handlers) found(body any) (*reply, error) {
	return &reply{Status: http.StatusOK, Body: body}, nil
}

// settled returns a plan that writes nothing.
func (h *handlers) settled(body any) plan[reply] {
	return plan[reply]{Commit: func(context.Context, *ports.Stores) (*reply, error) { return h.found(body) }}
}

// business reports whether an error is an outcome that the protocol answers with 200: a refusal by a rule of the shop. All other
// errors are transport errors.
func business(err error) (*fault.Error, bool) {
	var e *fault.Error
	if !errors.As(err, &e) || e.Code == "stale" || fault.Is(err, ports.ProjectChanged) {
		return nil, false
	}
	switch e.Kind {
	case fault.NotFound, fault.Conflict, fault.Invalid:
		return e, e.RetryAfter == 0 || errors.Is(err, checkout.ErrProcessing)
	}
	return nil, false
}

// refusedPlan answers a refused request that has no resource to show.
func (h *handlers) refusedPlan(rq Request, err error) (plan[reply], error) {
	e, ok := business(err)
	if !ok {
		return plan[reply]{}, err
	}
	return settledBy(&reply{
		Status:     http.StatusOK,
		RetryAfter: untilPaid(e),
		Body:       h.refusal(rq, e),
	}), nil
}

// raced converts the error of a commit that lost against a concurrent request to ports.Stale, so that the operation is prepared
// again. The second preparation reads the other request's changes, and answers with the resource in its current state.
func raced(err error) error {
	var e *fault.Error
	if errors.As(err, &e) && e.Kind == fault.Conflict && !fault.Is(err, ports.ProjectChanged) {
		return ports.Stale
	}
	return err
}

func (h *handlers) refusal(rq Request, e *fault.Error) failure {
	code := codeOfFault(e)
	switch e.Kind {
	case fault.NotFound:
		return h.notFound(e)
	case fault.Conflict:
		if e.Code == "session_expired" {
			return h.fail("not_found", content(e))
		}
	case fault.Invalid:
		code = "invalid_input"
	}
	f := h.fail(code, content(e))
	if errors.Is(e, purchase.ErrNeedsReview) {
		f.Messages[0].Severity, f.ContinueURL = buyerReview, h.Address(rq.Caller.Shop.Slug)
	}
	return f
}

// notUpdated answers a refused update with the unchanged checkout. If the update itself is at fault, the checkout becomes
// incomplete: platforms look for errors only in incomplete checkouts, and would otherwise pay for the contents that they meant to
// replace.
func (h *handlers) notUpdated(ctx context.Context, rq Request, of id.Checkout, err error) (plan[reply], error) {
	e, ok := business(err)
	if !ok || e.Kind == fault.NotFound || overtaken(err) {
		answer, err := h.unchanged(ctx, rq, of, err)
		if err != nil {
			return plan[reply]{}, err
		}
		return settledBy(answer), nil
	}
	why := checkout.UpdateRefused
	var messages []message
	switch {
	case errors.Is(err, pricing.ErrNothingSold):
		why = checkout.ItemsRefused
	case errors.Is(err, checkout.ErrDestination):
		why = checkout.DestinationUnknown
	default:
		messages = append(messages, reason(e))
	}
	return plan[reply]{Commit: func(ctx context.Context, st *ports.Stores) (*reply, error) {
		c, err := h.Purchase.In(st).Refuse(ctx, rq.Caller.Shop, namedCheckout(rq, of), why)
		if err != nil {
			return nil, raced(err)
		}
		return h.found(h.toAPICheckout(rq, shown{
			checkout: c,
			messages: messages,
			nameless: !c.ShowsBuyer(),
		}))
	}}, nil
}

// overtaken reports whether an update failed because of the state that its checkout had reached by then.
func overtaken(err error) bool {
	for _, state := range []error{checkout.ErrProcessing, checkout.ErrCompleted, checkout.ErrCanceled, checkout.ErrExpired, checkout.ErrChanged} {
		if errors.Is(err, state) {
			return true
		}
	}
	return false
}

func (h *handlers) unchanged(ctx context.Context, rq Request, of id.Checkout, err error) (*reply, error) {
	e, ok := business(err)
	switch {
	case !ok:
		return nil, err
	case e.Kind == fault.NotFound:
		return h.found(h.refusal(rq, e))
	}
	m := reason(e)
	answer, err := h.read(ctx, rq, of, &m)
	if err != nil {
		return nil, err
	}
	answer.RetryAfter = untilPaid(e)
	return answer, nil
}

// reason returns the message why a request did not change its checkout.
func reason(e *fault.Error) message {
	m := message{
		Type:     "error",
		Code:     codeOfFault(e),
		Content:  content(e),
		Severity: recoverable,
	}
	switch {
	case errors.Is(e, checkout.ErrProcessing):
		m.Code = "complete_in_progress"
	case errors.Is(e, checkout.ErrCompleted):
		m.Type, m.Severity = "warning", "" // after an error the agent would start again, and buy twice
	case errors.Is(e, checkout.ErrCanceled), errors.Is(e, checkout.ErrExpired):
		m.Severity = unrecoverable
	case errors.Is(e, purchase.ErrNeedsReview):
		m.Severity = buyerReview
	}
	return m
}

// untilPaid returns the Retry-After of a request that fails because the checkout is being paid, and "" for any other reason.
func untilPaid(why *fault.Error) string {
	if errors.Is(why, checkout.ErrProcessing) {
		return askAgain
	}
	return ""
}
