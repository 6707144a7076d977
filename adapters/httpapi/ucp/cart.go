package ucp

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/baskets"
	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/ports"
)

const cartsPath = restPath + "/carts"

func (h *handlers) registerCarts() {
	wire.AddPrepared(h.mount, h.of(capability.Cart, huma.Operation{
		OperationID:   createCartID,
		Method:        http.MethodPost,
		Path:          cartsPath,
		DefaultStatus: http.StatusCreated,
		Summary:       "Create a cart",
	}), prepared(h, (*handlers).createCart))
	wire.AddReadOnly(h.mount, h.of(capability.Cart, huma.Operation{
		OperationID: "get_cart",
		Method:      http.MethodGet,
		Path:        cartsPath + "/{id}",
		Summary:     "Read a cart",
	}), plain(h, (*handlers).getCart))
	wire.AddPrepared(h.mount, h.of(capability.Cart, huma.Operation{
		OperationID: "update_cart",
		Method:      http.MethodPut,
		Path:        cartsPath + "/{id}",
		Summary:     "Replace a cart",
	}), prepared(h, (*handlers).updateCart))
	wire.AddPrepared(h.mount, h.of(capability.Cart, huma.Operation{
		OperationID: "cancel_cart",
		Method:      http.MethodPost,
		Path:        cartsPath + "/{id}/cancel",
		Summary:     "Empty a cart",
	}), prepared(h, (*handlers).cancelCart))
}

// cartBody is a cart. Its totals are estimates without shipping and tax.
type cartBody struct {
	UCP       envelope   `json:"ucp"`
	ID        string     `json:"id"`
	Currency  string     `json:"currency"`
	LineItems []lineItem `json:"line_items"`
	Buyer     *buyer     `json:"buyer,omitempty"`
	Totals    []total    `json:"totals"`
	Discounts *discounts `json:"discounts,omitempty"`
	Messages  []message  `json:"messages,omitempty"`
	ExpiresAt *wire.Time `json:"expires_at,omitempty"`
}

type cartInput struct {
	Body cartRequest
}

type cartRequest struct {
	LineItems   []lineRequest     `json:"line_items" maxItems:"50"`
	Buyer       *buyerRequest     `json:"buyer,omitempty"`
	Discounts   *discountsRequest `json:"discounts,omitempty"`
	Context     *contextRequest   `json:"context,omitempty"`
	Attribution attribution       `json:"attribution,omitempty"`
}

type onCart struct {
	ID string `path:"id" doc:"The cart's id."`
}

type updateCartInput struct {
	ID   string `path:"id" doc:"The cart's id."`
	Body cartRequest
}

const noCart = "There is no such cart."

func (h *handlers) createCart(ctx ports.Outbound, rq Request, in *cartInput) (plan[reply], error) {
	return h.putCart(ctx, rq, id.Session{}, in.Body, http.StatusCreated)
}

func (h *handlers) updateCart(ctx ports.Outbound, rq Request, in *updateCartInput) (plan[reply], error) {
	of, err := id.Parse[id.Session](in.ID)
	if err != nil {
		return h.settled(h.fail("not_found", noCart)), nil
	}
	return h.putCart(ctx, rq, of, in.Body, http.StatusOK)
}

func (h *handlers) putCart(ctx ports.Outbound, rq Request, of id.Session, r cartRequest, status int) (plan[reply], error) {
	a := asked{}
	if !rq.Caller.Platform.Active.Has(capability.Discount) {
		r.Discounts = nil // an extension that is not active is not read
	}
	a.Lenient = &pricing.LenientItems{Items: fromAPILines(r.LineItems), KeepDeals: r.Discounts.silent()}
	a.addBuyer(r.Buyer)
	a.addCodes(r.Discounts)
	prepared, err := h.Baskets.In(rq.Stores).PreparePut(ctx, rq.Caller.Shop, baskets.PutRequest{
		Session:    of,
		Lenient:    a.Lenient,
		Agent:      rq.Caller.Agent,
		Buyer:      &a.Buyer,
		Repeatable: rq.Keyed,
	})
	if errors.Is(err, pricing.ErrNothingSold) && !of.IsZero() {
		return h.settled(h.fail(checkout.ItemUnavailable.String(), "None of the items is sold here. The cart is unchanged.")), nil
	}
	if err != nil {
		return h.refusedPlan(rq, err)
	}
	return plan[reply]{Commit: func(ctx context.Context, st *ports.Stores) (*reply, error) {
		err := prepared.Commit(ctx, st)
		return &reply{Status: status, Body: h.putAnswer(rq, prepared, a)}, err
	}}, nil
}

// putAnswer returns a cart that was written. It says once why an agreed price was lost: messages about the same quote are left out.
func (h *handlers) putAnswer(rq Request, made *baskets.PreparedPut, a asked) cartBody {
	dropped := func(of id.Quote) bool {
		return slices.ContainsFunc(made.Dropped, func(d checkout.Dropped) bool { return d.Was.Quote == of })
	}
	kept := func(f pricing.Finding) bool { return f.Kind == checkout.DealNotUsed && f.Token > len(a.Lenient.Tokens) }
	b := made.Basket
	b.Warnings = slices.DeleteFunc(slices.Clone(b.Warnings), func(w baskets.Warning) bool { return dropped(w.Quote) })
	a.messages = append(a.messages, h.dropped(made.Dropped)...)
	return h.toAPICart(rq, &b, a, slices.DeleteFunc(slices.Clone(made.Findings), kept))
}

func (h *handlers) getCart(ctx context.Context, rq Request, in *onCart) (*reply, error) {
	of, err := id.Parse[id.Session](in.ID)
	if err != nil {
		return h.found(h.fail("not_found", noCart))
	}
	b, err := h.Baskets.In(rq.Stores).Get(ctx, rq.Caller.Shop, baskets.Named{Session: of, Agent: rq.Caller.Agent})
	switch e, ok := business(err); {
	case err != nil && !ok:
		return nil, err
	case err != nil && e.Code == "session_expired":
		return h.found(h.fail("not_found", "The cart has expired. Create a new one."))
	case err != nil:
		return h.found(h.refusal(rq, e))
	}
	return h.found(h.toAPICart(rq, b, asked{}, nil))
}

// cancelCart empties a cart, and answers with its former contents.
func (h *handlers) cancelCart(ctx ports.Outbound, rq Request, in *onCart) (plan[reply], error) {
	of, err := id.Parse[id.Session](in.ID)
	if err != nil {
		return h.settled(h.fail("not_found", noCart)), nil
	}
	services, named := h.Baskets.In(rq.Stores), baskets.Named{Session: of, Agent: rq.Caller.Agent}
	before, err := services.Get(ctx, rq.Caller.Shop, named)
	if err != nil {
		return h.refusedPlan(rq, err)
	}
	prepared, err := services.PrepareCancel(ctx, rq.Caller.Shop, named)
	if err != nil {
		return h.refusedPlan(rq, err)
	}
	return plan[reply]{Commit: func(ctx context.Context, st *ports.Stores) (*reply, error) {
		return &reply{Status: http.StatusOK, Body: h.toAPICart(rq, before, asked{}, nil)}, prepared.Commit(ctx, st)
	}}, nil
}

func (h *handlers) toAPICart(rq Request, b *baskets.Basket, a asked, findings []pricing.Finding) cartBody {
	lines, rules := make([]checkout.Line, len(b.Lines)), rq.Caller.Shop.Storefront.Personalization
	notices := make([]*personalization.Notice, len(b.Lines))
	items := make([]lineItem, len(b.Lines))
	for i, l := range b.Lines {
		lines[i] = checkout.Line{
			ID:       l.Line,
			Quote:    l.Quote,
			Quantity: l.Quantity,
			Unit:     l.Unit,
			Original: l.Original,
			Token:    l.Token,
		}
		notices[i] = rules.Notice(l.Personal.Signals, l.Personal.Region)
		items[i] = lineItem{
			ID:       commerce.LineID(l.Line),
			Item:     item{l.Variant.String(), title(l.Name, l.Label), l.Original.Minor()},
			Quantity: l.Quantity,
			Totals:   lineTotals(l.Unit, l.Original, l.Quantity),
		}
	}
	body := cartBody{
		UCP:       h.success(rq, capability.Cart),
		ID:        b.Session.ID.String(),
		Currency:  b.Currency.Code(),
		LineItems: items,
		Buyer:     toAPIBuyer(b.Session.Buyer),
		Totals:    cartTotals(b),
		Messages:  slices.Concat(a.messages, personalizedLines(notices)),
		ExpiresAt: wire.ToKnownTime(b.Session.ExpiresAt),
	}
	if rq.Caller.Platform.Active.Has(capability.Discount) {
		body.Discounts = h.toAPIDiscounts(lines, a.codes)
	}
	for _, f := range findings {
		body.Messages = append(body.Messages, cartWarning(f, a))
	}
	for i, l := range b.Lines {
		if l.Digital {
			body.Messages = append(body.Messages, message{
				Type:    "warning",
				Code:    checkout.ItemUnavailable.String(),
				Path:    lineAt(i),
				Content: "The item is digital and cannot be sold over this protocol. Remove the line from the cart.",
			})
		}
	}
	for _, w := range b.Warnings {
		body.Messages = append(body.Messages, message{
			Type:    "warning",
			Code:    cartCodes[w.Problem],
			Path:    lineAt(w.Line),
			Content: cartProblems[w.Problem],
		})
	}
	body.Messages = append(body.Messages, tooFew(b.Short)...)
	return body
}

// cartWarning returns the warning about a finding in a cart's request.
func cartWarning(f pricing.Finding, a asked) message {
	m := message{
		Type:    "warning",
		Code:    f.Kind.String(),
		Content: problems[f.Kind],
	}
	switch {
	case f.Token > 0 && f.Token <= len(a.codes):
		m.Path = codePath(a.sent(f.Token))
	case f.Line > 0:
		m.Path = lineAt(f.Line - 1)
	}
	return m
}

// cartTotals are what the lines come to.
func cartTotals(b *baskets.Basket) []total {
	subtotal, savings := b.Subtotal()
	reduced := max(0, savings.Minor())
	list := []total{{"subtotal", "Subtotal", subtotal.Minor() + reduced}}
	if reduced > 0 {
		list = append(list, total{"items_discount", reductionText, -reduced})
	}
	return append(list, total{"total", "Estimated total", subtotal.Minor()})
}

var cartCodes = map[baskets.Problem]string{
	baskets.AgreementNotUsed: "deal_not_applied",
	baskets.AgreementExpired: "deal_expired",
	baskets.ItemUnavailable:  "item_unavailable",
}

var cartProblems = map[baskets.Problem]string{
	baskets.AgreementNotUsed: "An agreed price does not apply to this line. Send the item in exactly the agreed quantity, with the deal's code.",
	baskets.AgreementExpired: "The agreed price has expired. Negotiate again, or send the cart without the code.",
	baskets.ItemUnavailable:  "The item is no longer sold. Remove the line from the cart.",
}
