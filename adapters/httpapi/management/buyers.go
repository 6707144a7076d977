package management

import (
	"context"
	"encoding/json"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/finance"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerBuyers() {
	g := h.Group("Buyers", "finance", operation.HeaderProject)
	operation.Register(g, "create-buyer-token", "POST /v1/buyer-tokens", "Create a token that confirms a buyer's identity to the shop", h.createBuyerToken,
		operation.Created, operation.Scope("agents:write"))
	operation.Register(g, "export-buyer", "POST /v1/buyers/export", "Export a buyer's personal data", h.exportBuyer)
	operation.Register(g, "erase-buyer", "POST /v1/buyers/erase", "Erase a buyer's personal data", h.eraseBuyer)
}

type buyerTokenInput struct {
	Body struct {
		Email     string `json:"email" doc:"The address by which the connected CRM and shop platforms know the buyer."`
		ExpiresIn int    `json:"expires_in,omitempty" doc:"In seconds, 60 to 86,400. Default: 3,600."`
	}
}

type buyerTokenOutput struct {
	Body struct {
		BuyerToken string    `json:"buyer_token" doc:"For buyer_context.buyer_token in the ACP API. Anyone who has it counts as the buyer until it expires."`
		Email      string    `json:"email"`
		Tier       *string   `json:"loyalty_tier" nullable:"true" doc:"The tier that the platforms know at this moment. Null: unknown."`
		Purchases  int       `json:"purchase_history"`
		ExpiresAt  wire.Time `json:"expires_at"`
	}
}

func (h *handlers) createBuyerToken(ctx context.Context, rq operation.Request, in *buyerTokenInput) (*buyerTokenOutput, error) {
	life := time.Duration(in.Body.ExpiresIn) * time.Second
	token, err := h.Buyers.In(rq.Stores).Vouch(ctx, rq.Caller.Project.ID, in.Body.Email, life)
	if err != nil {
		return nil, err
	}
	out := &buyerTokenOutput{}
	out.Body.BuyerToken, out.Body.Email, out.Body.Purchases = token.Text, token.Email, token.Member.Purchases
	out.Body.ExpiresAt = wire.ToTime(token.Expires)
	out.Body.Tier = wire.ToOptional(token.Member.Tier)
	name, _, err := h.Buyers.In(rq.Stores).Subject(rq.Caller.Project.ID, token.Email)
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, name)
	return out, nil
}

type exportBuyerInput struct {
	operation.WithMFA
	Body struct {
		Email  string `json:"email" doc:"The buyer's e-mail address, in any case."`
		Offset int    `json:"offset,omitempty" minimum:"0" doc:"next_offset of the previous response."`
	}
}

type exportBuyerOutput struct {
	Body struct {
		Subject    string                `json:"subject" example:"buyer_00112233445566778899aabbccddeeff" doc:"The buyer's pseudonym in the audit log."`
		Orders     []finance.OrderDetail `json:"orders" doc:"With their payments, returns, refunds and disputes."`
		Checkouts  []checkoutView        `json:"checkouts" doc:"Checkouts without an order."`
		Sessions   []sessionView         `json:"sessions" doc:"The sessions of those orders and checkouts."`
		Events     []any                 `json:"events" doc:"Events about these orders and checkouts, as sent to receivers."`
		Platforms  []copiedView          `json:"platforms" doc:"The buyer's data from connected platforms. Only in the last part."`
		NextOffset *int                  `json:"next_offset" nullable:"true" doc:"The offset of the next part. Null: this is the last one."`
	}
}

type checkoutView struct {
	ID        string              `json:"id"`
	Status    string              `json:"status" enum:"incomplete,ready,processing,pending,expired,canceled"`
	Lines     []finance.OrderLine `json:"lines"`
	Total     wire.Money          `json:"total"`
	Currency  string              `json:"currency" example:"USD"`
	Address   finance.AddressView `json:"shipping_address"`
	Buyer     buyerView           `json:"buyer" doc:"As the buyer's agent sent it before payment."`
	Email     string              `json:"email"`
	Notes     string              `json:"notes"`
	CreatedAt wire.Time           `json:"created_at"`
}

type buyerView struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
	Phone     string `json:"phone"`
}

type sessionView struct {
	Buyer        buyerView         `json:"buyer" doc:"As the buyer's agent sent it with the cart."`
	Location     string            `json:"location" doc:"As the buyer's agent sent it."`
	Tier         string            `json:"loyalty_tier" doc:"As the buyer's agent sent it."`
	Purchases    int               `json:"purchase_history" doc:"As the buyer's agent sent it."`
	Urgency      string            `json:"urgency" doc:"As the buyer's agent sent it."`
	CreatedAt    *wire.Time        `json:"created_at" nullable:"true"`
	Negotiations []negotiationView `json:"negotiation" doc:"Each request and its answer, oldest first."`
}

type negotiationView struct {
	ID        string      `json:"id"`
	ProductID string      `json:"product_id"`
	VariantID string      `json:"variant_id"`
	Quantity  int         `json:"quantity"`
	Offer     *wire.Money `json:"offer" nullable:"true"`
	Message   *string     `json:"message" nullable:"true" doc:"The buyer's message."`
	Response  string      `json:"response" enum:"quote,accept,counter_offer,reject"`
	Price     *wire.Money `json:"price" nullable:"true"`
	CreatedAt wire.Time   `json:"created_at"`
}

type copiedView struct {
	IntegrationID string `json:"integration_id"`
	Resource      string `json:"resource" enum:"customers,orders,webhooks"`
	RemoteID      string `json:"remote_id" doc:"The platform's id of the record."`
	Content       any    `json:"content"`
}

func (h *handlers) exportBuyer(ctx context.Context, rq operation.Request, in *exportBuyerInput) (*exportBuyerOutput, error) {
	if err := h.ConfirmIfRequired(ctx, rq, in.MFACode); err != nil {
		return nil, err
	}
	found, err := h.Buyers.In(rq.Stores).Export(ctx, rq.Caller.Project.ID, in.Body.Email, in.Body.Offset)
	if err != nil {
		return nil, err
	}
	out := &exportBuyerOutput{}
	out.Body.Subject = found.Subject
	out.Body.Orders, out.Body.Sessions = wire.Each(found.Orders, finance.ToAPICase), wire.Each(found.Sessions, toAPIBuyerSession)
	out.Body.Checkouts, out.Body.Events = []checkoutView{}, []any{}
	for _, s := range found.Sessions {
		out.Body.Checkouts = append(out.Body.Checkouts, wire.Each(s.Checkouts, toAPICheckout)...)
		for _, e := range s.Events {
			out.Body.Events = append(out.Body.Events, e)
		}
	}
	out.Body.Platforms = wire.Each(found.Copied, func(c ports.CopiedRecord) copiedView {
		return copiedView{c.Integration.String(), c.Resource, c.Remote, json.RawMessage(c.Content)}
	})
	out.Body.NextOffset = wire.ToOptional(found.Next)
	operation.NoteTarget(rq, found.Subject)
	return out, nil
}

func toAPIBuyerSession(s ports.BuyerSession) sessionView {
	view := sessionView{Negotiations: wire.Each(s.Entries, toAPINegotiation)}
	if of := s.Session; of != nil {
		began := wire.ToTime(of.CreatedAt)
		view.Location, view.Tier, view.Purchases, view.Urgency = of.Claims.Location, of.Claims.LoyaltyTier, of.Claims.PurchaseHistory, of.Claims.Urgency
		view.CreatedAt = &began
		view.Buyer = toAPISaidBuyer(of.Buyer)
	}
	return view
}

func toAPISaidBuyer(b checkout.Buyer) buyerView { return buyerView{b.First, b.Last, b.Email, b.Phone} }

func toAPINegotiation(e negotiation.Entry) negotiationView {
	return negotiationView{
		ID:        e.ID.String(),
		ProductID: e.Item.Product.String(),
		VariantID: e.Item.Variant.String(),
		Quantity:  e.Item.Quantity,
		Offer:     wire.ToOptionalMoney(e.Offer),
		Message:   wire.ToOptional(e.Message),
		Response:  commerce.Responses[e.Outcome],
		Price:     wire.ToOptionalMoney(e.Price),
		CreatedAt: wire.ToTime(e.At),
	}
}

func toAPICheckout(c *checkout.Checkout) checkoutView {
	s := c.Snapshot()
	return checkoutView{
		ID:        s.ID.String(),
		Status:    s.Status.String(),
		Lines:     wire.Each(s.Lines, finance.ToAPIOrderLine),
		Total:     wire.ToMoney(c.Total()),
		Currency:  c.Total().Currency().Code(),
		Address:   finance.ToAPIAddress(s.Address),
		Buyer:     toAPISaidBuyer(s.Buyer),
		Email:     s.Payment.Email,
		Notes:     s.Payment.Notes,
		CreatedAt: wire.ToTime(s.CreatedAt),
	}
}

type eraseBuyerInput struct {
	operation.WithMFA
	Body struct {
		Email string `json:"email" doc:"The buyer's e-mail address, in any case."`
	}
}

type eraseBuyerOutput struct {
	Body struct {
		Subject  string        `json:"subject" example:"buyer_00112233445566778899aabbccddeeff" doc:"The buyer's pseudonym in the audit log."`
		Complete bool          `json:"complete" doc:"False: repeat the request once the pending records are completed."`
		Erased   erasedView    `json:"erased"`
		Kept     int           `json:"kept_messages" doc:"Messages that are kept because the decision chain of an earlier release covers their text."`
		Pending  []pendingView `json:"pending" doc:"Open records, which are kept with their session."`
		Webhooks int           `json:"pending_webhooks" doc:"Platform webhook calls that name the buyer and are not processed yet."`
	}
}

type erasedView struct {
	Sessions  int `json:"sessions"`
	Orders    int `json:"orders"`
	Checkouts int `json:"checkouts" doc:"Open ones are canceled."`
	Events    int `json:"events"`
	Messages  int `json:"messages" doc:"Negotiation requests, with or without a text."`
	Platforms int `json:"platforms" doc:"Records of connected platforms. A platform that still has the buyer sends them again."`
}

type pendingView struct {
	OrderID    *string  `json:"order_id" nullable:"true"`
	CheckoutID string   `json:"checkout_id"`
	Reasons    []string `json:"reasons" enum:"not_delivered,refund_pending,dispute_open,return_requested,payment_undecided,orphan_charge_open"`
}

func (h *handlers) eraseBuyer(ctx context.Context, rq operation.Request, in *eraseBuyerInput) (*eraseBuyerOutput, error) {
	if err := h.ConfirmIfRequired(ctx, rq, in.MFACode); err != nil {
		return nil, err
	}
	done, err := h.Buyers.In(rq.Stores).Erase(ctx, rq.Caller.Project.ID, in.Body.Email)
	if err != nil {
		return nil, err
	}
	out := &eraseBuyerOutput{}
	out.Body.Subject, out.Body.Kept, out.Body.Webhooks = done.Subject, done.Kept, done.Waiting
	out.Body.Complete = !done.More && len(done.Pending) == 0 && done.Waiting == 0
	out.Body.Erased = erasedView{done.Sessions, done.Orders, done.Checkouts, done.Events, done.Messages, done.Copied}
	out.Body.Pending = wire.Each(done.Pending, func(p ports.PendingErasure) pendingView {
		return pendingView{wire.ToOptionalID(p.Order), p.Checkout.String(), p.Reasons}
	})
	operation.NoteTarget(rq, done.Subject)
	operation.NoteChange(rq, nil, out.Body.Erased)
	return out, nil
}
