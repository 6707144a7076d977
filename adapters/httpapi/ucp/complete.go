package ucp

import (
	"errors"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

type completeInput struct {
	ID   string `path:"id" doc:"The checkout's id."`
	Body struct {
		Payment paymentRequest `json:"payment"`
	}
}

type paymentRequest struct {
	Instruments []instrumentRequest `json:"instruments,omitempty" maxItems:"20" doc:"Exactly one."`
}

type instrumentRequest struct {
	ID         string             `json:"id" minLength:"1" maxLength:"200" doc:"The agent's own id for it."`
	HandlerID  string             `json:"handler_id" minLength:"1" maxLength:"200" doc:"The id of one of the checkout's ucp.payment_handlers."`
	Type       string             `json:"type" minLength:"1" maxLength:"200" doc:"One of the handler's available_instruments."`
	Selected   bool               `json:"selected,omitempty"`
	Credential *credentialRequest `json:"credential,omitempty"`
}

type credentialRequest struct {
	Type  string `json:"type" minLength:"1" maxLength:"200" doc:"token, or as the handler specifies."`
	Token string `json:"token" minLength:"1" maxLength:"500" writeOnly:"true" doc:"A token of the handler, created for this purchase. Never a card number."`
}

// completeCheckout pays with the instrument of the request. It is idempotent per checkout.
func (h *handlers) completeCheckout(ctx ports.Outbound, rq Request, in *completeInput) (*completion, error) {
	answer, err := h.complete(ctx, rq, in)
	if err != nil {
		return nil, err
	}
	done := &completion{
		Status:     answer.Status,
		RetryAfter: answer.RetryAfter,
		Body:       answer.Body,
	}
	if c, ok := answer.Body.(checkoutBody); ok && c.Status == statuses[checkout.Processing] {
		done.RetryAfter = askAgain
	}
	return done, nil
}

func (h *handlers) complete(ctx ports.Outbound, rq Request, in *completeInput) (*reply, error) {
	of, err := id.Parse[id.Checkout](in.ID)
	if err != nil {
		return h.found(h.fail("not_found", noCheckout))
	}
	shop := rq.Caller.Shop
	services := h.Purchase.In(rq.Stores)
	before, _, err := services.Get(ctx, shop, namedCheckout(rq, of))
	if err != nil {
		return h.missing(err)
	}
	method, token, problem := h.paidBy(shop, in.Body.Payment)
	if problem != nil {
		return h.read(ctx, rq, of, problem)
	}
	result, err := services.Finalize(ctx, shop, purchase.FinalizeRequest{
		Checkout: of,
		Agent:    rq.Caller.Agent,
		Revision: before.Revision(),
		Method:   method,
		Token:    token,
		Client:   rq.Caller.Payer,
		Hook:     h.hookOf(rq),
		Physical: true,
	})
	if err == nil {
		err = failpoint.At(ctx, failpoint.BeforeAnswer)
	}
	if err != nil {
		return h.notCompleted(ctx, rq, of, err)
	}
	switch r := result.(type) {
	case purchase.Placed:
		return h.placed(ctx, rq, of, r)
	case purchase.Declined:
		return h.declined(ctx, rq, r)
	}
	return nil, errors.New("ucp: a payment ended in an unknown result")
}

// hookOf returns the webhook of the agent's platform for orders, in the version that it speaks, or the zero value if there is
// none.
func (h *handlers) hookOf(rq Request) checkout.Hook {
	url := rq.Caller.Platform.Profile.OrderHook(rq.Caller.Platform.Active)
	if url == "" || !rq.Caller.Agent.Verified && rq.Caller.Shop.Settings.AgentsSign(h.Sandbox) {
		return checkout.Hook{}
	}
	if h.version == April {
		return checkout.Hook{Protocol: checkout.ByUCPApril, URL: url}
	}
	return checkout.Hook{Protocol: checkout.ByUCP, URL: url}
}

func (h *handlers) placed(ctx ports.Outbound, rq Request, of id.Checkout, p purchase.Placed) (*reply, error) {
	c := p.Checkout
	if c == nil {
		var err error
		if c, _, err = h.Purchase.In(rq.Stores).Get(ctx, rq.Caller.Shop, namedCheckout(rq, of)); err != nil {
			return nil, err
		}
	}
	return h.found(h.toAPICheckout(rq, shown{
		checkout: c,
		order:    p.Order,
		nameless: !p.Payer && !c.ShowsBuyer(), // a request with another token may be a stranger's
		payer:    p.Payer,
	}))
}

// declined answers with the checkout after a declined payment, which may be final.
func (h *handlers) declined(ctx ports.Outbound, rq Request, d purchase.Declined) (*reply, error) {
	if d.Status != checkout.Canceled {
		return h.read(ctx, rq, d.Checkout, nil) // its messages include the payment
	}
	return h.read(ctx, rq, d.Checkout, &message{
		Type:     "error",
		Code:     "payment_failed",
		Path:     "$.payment",
		Content:  "The payment was declined, and the checkout is canceled. Create a new one.",
		Severity: unrecoverable,
	})
}

// notCompleted answers with the reason why a checkout was not paid.
func (h *handlers) notCompleted(ctx ports.Outbound, rq Request, of id.Checkout, err error) (*reply, error) {
	var e *fault.Error
	switch {
	case errors.Is(err, purchase.ErrUnresolved), errors.Is(err, checkout.ErrProcessing):
		answer, err := h.read(ctx, rq, of, nil)
		return undecided(answer), err
	case errors.As(err, &e) && e.Code == "out_of_stock":
		return h.read(ctx, rq, of, &message{
			Type:     "error",
			Code:     "out_of_stock",
			Path:     linePathOf(e),
			Content:  e.Message, // its details have names of products
			Severity: recoverable,
		})
	case errors.Is(err, checkout.ErrDigital):
		return h.read(ctx, rq, of, nil) // its messages include the reason
	case errors.As(err, &e) && e.Code == "checkout_incomplete":
		return h.read(ctx, rq, of, nil) // its messages name the missing parts
	case errors.As(err, &e) && e.Code == "token_redeemed":
		return h.dealTaken(ctx, rq, of)
	}
	return h.unchanged(ctx, rq, of, err)
}

// undecided marks an answer whose payment had no known outcome when the request gave up. The checkout was read after that, so its
// state need not be the result of the request, unless it is paid.
func undecided(answer *reply) *reply {
	if answer == nil {
		return nil
	}
	if c, ok := answer.Body.(checkoutBody); !ok || c.Status != statuses[checkout.Completed] {
		answer.RetryAfter = askAgain
	}
	return answer
}

// dealTaken answers with a checkout whose agreed price another checkout uses. If an order has used it, this checkout is
// incomplete, with a message. If the other checkout is being paid, the price may become available again.
func (h *handlers) dealTaken(ctx ports.Outbound, rq Request, of id.Checkout) (*reply, error) {
	c, _, err := h.Purchase.In(rq.Stores).Get(ctx, rq.Caller.Shop, namedCheckout(rq, of))
	switch {
	case err != nil:
		return h.missing(err)
	case c.DealsLost():
		return h.read(ctx, rq, of, nil)
	}
	answer, err := h.read(ctx, rq, of, &message{
		Type: "error",
		Code: "deal_in_use",
		Path: "$.discounts.codes",
		Content: "Another checkout is being paid with an agreed price of this one. Nothing was charged here. If that payment fails, " +
			"this checkout can be completed: try again in a few seconds.",
		Severity: recoverable,
	})
	return undecided(answer), err
}

// linePathOf returns the path of the line that the first detail of a fault is about, such as items.0.quantity.
func linePathOf(e *fault.Error) string {
	if len(e.Details) == 0 {
		return ""
	}
	parts := strings.Split(e.Details[0].Field, ".")
	if len(parts) < 2 {
		return ""
	}
	return "$.line_items[" + parts[1] + "]"
}

// paidBy returns the method and token of the selected instrument, or of the only one.
func (h *handlers) paidBy(shop *project.Project, p paymentRequest) (method project.PaymentMethod, token string, problem *message) {
	wrong := func(content string) *message {
		return &message{
			Type:     "error",
			Code:     "invalid_payment_handler",
			Path:     "$.payment",
			Content:  content,
			Severity: recoverable,
		}
	}
	list := p.Instruments
	if selected := slices.DeleteFunc(slices.Clone(list), func(i instrumentRequest) bool { return !i.Selected }); len(selected) > 0 {
		list = selected
	}
	if len(list) != 1 {
		return method, "", wrong("Send exactly one instrument.")
	}
	for _, served := range shop.ServedMethods(h.Sandbox) {
		if ways[served].id == list[0].HandlerID {
			switch {
			case !slices.Contains(h.instruments(shop, served), list[0].Type):
				return method, "", wrong("The type of the instrument must be one of its handler's available_instruments.")
			case list[0].Credential == nil:
				return method, "", wrong("The instrument has no credential with a token.")
			}
			return served, list[0].Credential.Token, nil
		}
	}
	return method, "", wrong("handler_id must be the id of one of the checkout's payment handlers.")
}
