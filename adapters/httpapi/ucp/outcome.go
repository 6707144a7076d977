package ucp

import (
	"context"
	"errors"
	"net/http"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// found is an answer, whatever the business has to say.
func (h *handlers) found(body any) (*reply, error) {
	return &reply{Status: http.StatusOK, Body: body}, nil
}

// settled is a plan that writes nothing.
func (h *handlers) settled(body any) plan[reply] {
	return plan[reply]{Commit: func(context.Context, *ports.Stores) (*reply, error) { return h.found(body) }}
}

// business reports whether an error is an outcome that the protocol answers with 200: a refusal by a rule of the shop's. All
// others are the transport's.
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

// refusedPlan answers a request that makes no resource.
func (h *handlers) refusedPlan(rq Request, err error) (plan[reply], error) {
	e, ok := business(err)
	if !ok {
		return plan[reply]{}, err
	}
	return settledBy(&reply{Status: http.StatusOK, RetryAfter: untilPaid(e), Body: h.refusal(rq, e)}), nil
}

// raced is the error of a commit that another request was faster than. What it changed is read by a second preparation, which
// answers as if that request had come before: with the resource as it stands.
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

// unchangedPlan answers a request that could not change its checkout with the checkout.
func (h *handlers) unchangedPlan(ctx context.Context, rq Request, of id.Checkout, err error) (plan[reply], error) {
	answer, err := h.unchanged(ctx, rq, of, err)
	if err != nil {
		return plan[reply]{}, err
	}
	return settledBy(answer), nil
}

func (h *handlers) unchanged(ctx context.Context, rq Request, of id.Checkout, err error) (*reply, error) {
	e, ok := business(err)
	switch {
	case !ok:
		return nil, err
	case e.Kind == fault.NotFound:
		return h.found(h.refusal(rq, e))
	}
	m := message{Type: "error", Code: e.Code, Content: content(e), Severity: recoverable}
	switch {
	case errors.Is(err, checkout.ErrProcessing):
		m.Code = "complete_in_progress"
	case errors.Is(err, checkout.ErrCompleted):
		m.Type, m.Severity = "warning", "" // an error would have the agent begin anew, and buy twice
	case errors.Is(err, checkout.ErrCanceled), errors.Is(err, checkout.ErrExpired):
		m.Severity = unrecoverable
	case errors.Is(err, purchase.ErrNeedsReview):
		m.Severity = buyerReview
	}
	answer, err := h.read(ctx, rq, of, &m)
	if err != nil {
		return nil, err
	}
	answer.RetryAfter = untilPaid(e)
	return answer, nil
}

// untilPaid is the Retry-After of a request that a payment under way keeps from taking effect; "" for any other reason.
func untilPaid(why *fault.Error) string {
	if errors.Is(why, checkout.ErrProcessing) {
		return askAgain
	}
	return ""
}
