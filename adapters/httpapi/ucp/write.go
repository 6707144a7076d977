package ucp

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

const checkoutsPath = restPath + "/checkout-sessions"

func (h *handlers) registerCheckouts() {
	create := h.of(capability.Checkout, huma.Operation{
		OperationID:   createCheckoutID,
		Method:        http.MethodPost,
		Path:          checkoutsPath,
		DefaultStatus: http.StatusCreated,
		Summary:       "Create a checkout",
	})
	wire.AddPrepared(h.mount, create, prepared(h, (*handlers).createCheckout))
	wire.AddReadOnly(h.mount, h.of(capability.Checkout, huma.Operation{
		OperationID: "get_checkout",
		Method:      http.MethodGet,
		Path:        checkoutsPath + "/{id}",
		Summary:     "Read a checkout",
	}), plain(h, (*handlers).getCheckout))
	wire.AddPrepared(h.mount, h.of(capability.Checkout, huma.Operation{
		OperationID: "update_checkout",
		Method:      http.MethodPut,
		Path:        checkoutsPath + "/{id}",
		Summary:     "Replace a checkout",
	}), prepared(h, (*handlers).updateCheckout))
	complete := h.of(capability.Checkout, huma.Operation{
		OperationID: completeCheckoutID,
		Method:      http.MethodPost,
		Path:        checkoutsPath + "/{id}/complete",
		Summary:     "Pay a checkout",
	})
	complete.Lane = h.PaymentLane
	complete.Finish = h.signing()
	wire.AddPhased(h.mount, complete, phased(h, (*handlers).completeCheckout))
	wire.AddAtomic(h.mount, h.of(capability.Checkout, huma.Operation{
		OperationID: cancelCheckoutID,
		Method:      http.MethodPost,
		Path:        checkoutsPath + "/{id}/cancel",
		Summary:     "Cancel a checkout",
	}), plain(h, (*handlers).cancelCheckout))
}

type checkoutInput struct {
	Body createRequest
}

type createRequest struct {
	CartID string `json:"cart_id,omitempty" maxLength:"200" doc:"The cart to buy. Its lines replace those of the request: send []."`
	ReplaceRequest
}

// ReplaceRequest is exported because Huma ignores embedded types that are not.
type ReplaceRequest struct {
	LineItems   []lineRequest       `json:"line_items" maxItems:"50"`
	Buyer       *buyerRequest       `json:"buyer,omitempty"`
	Discounts   *discountsRequest   `json:"discounts,omitempty"`
	Fulfillment *fulfillmentRequest `json:"fulfillment,omitempty"`
	Context     *contextRequest     `json:"context,omitempty"`
	Attribution attribution         `json:"attribution,omitempty"`
}

type onCheckout struct {
	ID string `path:"id" doc:"The checkout's id."`
}

type updateInput struct {
	ID   string `path:"id" doc:"The checkout's id."`
	Body ReplaceRequest
}

func (h *handlers) createCheckout(ctx ports.Outbound, rq Request, in *checkoutInput) (plan[reply], error) {
	a := h.fromAPICheckout(rq, in.Body.LineItems, in.Body.Buyer, in.Body.Discounts, in.Body.Fulfillment)
	a.Repeatable = rq.Keyed
	if in.Body.CartID != "" {
		cart, err := id.Parse[id.Session](in.Body.CartID)
		if err != nil {
			return h.settled(h.fail("not_found", noCart)), nil
		}
		a.Session, a.FromCart, a.Lenient, a.codes = cart, true, &pricing.LenientItems{}, nil
	}
	prepared, err := h.Purchase.In(rq.Stores).PrepareInit(ctx, rq.Caller.Shop, a.InitRequest)
	if a.Option != "" && notAnOption(err) {
		a = a.withoutOption()
		prepared, err = h.Purchase.In(rq.Stores).PrepareInit(ctx, rq.Caller.Shop, a.InitRequest)
	}
	if err != nil {
		return h.refusedPlan(rq, err)
	}
	status := http.StatusCreated
	if prepared.Existed() {
		status = http.StatusOK
	}
	return plan[reply]{Commit: func(ctx context.Context, st *ports.Stores) (*reply, error) {
		err := prepared.Commit(ctx, st)
		if prepared.Existed() {
			err = raced(err)
		}
		a.messages = append(a.messages, tooFew(prepared.Short)...)
		return h.answer(rq, status, prepared.Checkout, a, prepared.Findings), err
	}}, nil
}

// answer returns a checkout that a request wrote. Each message about a wrong code has the code's path in the request.
func (h *handlers) answer(rq Request, status int, c *checkout.Checkout, a asked, findings []pricing.Finding) *reply {
	for _, f := range findings {
		if f.Token > 0 && f.Token <= len(a.codes) {
			a.warn(f.Kind.String(), codePath(a.sent(f.Token)), problems[f.Kind])
		}
	}
	return &reply{Status: status, Body: h.toAPICheckout(rq, shown{
		checkout: c,
		codes:    a.codes,
		messages: a.messages,
	})}
}

func (h *handlers) updateCheckout(ctx ports.Outbound, rq Request, in *updateInput) (plan[reply], error) {
	of, err := id.Parse[id.Checkout](in.ID)
	if err != nil {
		return h.settled(h.fail("not_found", noCheckout)), nil
	}
	a := h.fromAPICheckout(rq, in.Body.LineItems, in.Body.Buyer, in.Body.Discounts, in.Body.Fulfillment)
	revise := func(a asked) (*purchase.PreparedRevision, error) {
		return h.Purchase.In(rq.Stores).PrepareRevise(ctx, rq.Caller.Shop, purchase.ReviseRequest{InitRequest: a.InitRequest, Checkout: of})
	}
	prepared, err := revise(a)
	if a.Option != "" && notAnOption(err) {
		a = a.withoutOption()
		prepared, err = revise(a)
	}
	if err != nil {
		return h.notUpdated(ctx, rq, of, err)
	}
	return plan[reply]{Commit: func(ctx context.Context, st *ports.Stores) (*reply, error) {
		err := raced(prepared.Commit(ctx, st))
		a.messages = slices.Concat(a.messages, h.dropped(prepared.Dropped), tooFew(prepared.Short))
		return h.answer(rq, http.StatusOK, prepared.Checkout, a, prepared.Findings), err
	}}, nil
}

func (h *handlers) getCheckout(ctx context.Context, rq Request, in *onCheckout) (*reply, error) {
	of, err := id.Parse[id.Checkout](in.ID)
	if err != nil {
		return h.found(h.fail("not_found", noCheckout))
	}
	return h.read(ctx, rq, of, nil)
}

// read answers with a checkout in its current state, with a message about why a request failed.
func (h *handlers) read(ctx context.Context, rq Request, of id.Checkout, about *message) (*reply, error) {
	c, o, err := h.Purchase.In(rq.Stores).Get(ctx, rq.Caller.Shop, namedCheckout(rq, of))
	if err != nil {
		return h.missing(err)
	}
	v := shown{
		checkout: c,
		order:    o,
		nameless: !c.ShowsBuyer(),
	}
	if about != nil {
		v.messages = append(v.messages, *about)
	}
	return h.found(h.toAPICheckout(rq, v))
}

const noCheckout = "There is no such checkout."

// namedCheckout names a checkout together with the agent that asks for it.
func namedCheckout(rq Request, of id.Checkout) purchase.Named {
	return purchase.Named{Checkout: of, Agent: rq.Caller.Agent}
}

func (h *handlers) cancelCheckout(ctx context.Context, rq Request, in *onCheckout) (*reply, error) {
	of, err := id.Parse[id.Checkout](in.ID)
	if err != nil {
		return h.found(h.fail("not_found", noCheckout))
	}
	c, err := h.Purchase.In(rq.Stores).Cancel(ctx, rq.Caller.Shop, namedCheckout(rq, of))
	if errors.Is(err, checkout.ErrCompleted) {
		return h.read(ctx, rq, of, &message{
			Type:     "error",
			Code:     "not_cancelable",
			Content:  "The checkout is paid, and its order is placed. It cannot be changed.",
			Severity: recoverable,
		})
	}
	if err != nil {
		return h.unchanged(ctx, rq, of, err)
	}
	return h.found(h.toAPICheckout(rq, shown{
		checkout: c,
		nameless: !c.ShowsBuyer(),
	}))
}
