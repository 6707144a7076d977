package management

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

func (h *handlers) registerBuyers() {
	g := h.Group("Buyers", "finance", operation.HeaderProject)
	operation.Register(g, "create-buyer-token", "POST /v1/buyer-tokens", "Vouch for a buyer, whose agent then shows the token", h.createBuyerToken,
		operation.Created, operation.Scope("agents:write"))
	operation.Register(g, "export-buyer", "POST /v1/buyers/export", "Export what is kept of a buyer", h.exportBuyer)
	operation.Register(g, "erase-buyer", "POST /v1/buyers/erase", "Erase a buyer's personal data", h.eraseBuyer)
}

type buyerTokenInput struct {
	Body struct {
		Email     string `json:"email" doc:"By which the connected CRM and shop platforms know the buyer."`
		ExpiresIn int    `json:"expires_in,omitempty" doc:"In seconds, 60 to 86,400; left out: 3,600."`
	}
}

type buyerTokenOutput struct {
	Body struct {
		BuyerToken string    `json:"buyer_token" doc:"For buyer_context.buyer_token in the ACP API. Whoever has it counts as the buyer until it expires."`
		Email      string    `json:"email"`
		Tier       *string   `json:"loyalty_tier" nullable:"true" doc:"As the platforms know it at this moment; null: they do not."`
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
