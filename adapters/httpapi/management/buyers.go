package management

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

func (h *handlers) registerBuyers() {
	register(h, "Buyers", operation{id: "create-buyer-token", method: "POST", path: "/v1/buyer-tokens", scope: "agents:write",
		on: headerProject, status: 201, summary: "Vouch for a buyer, whose agent then shows the token"}, (*handlers).createBuyerToken)
	register(h, "Buyers", operation{id: "export-buyer", method: "POST", path: "/v1/buyers/export", scope: "finance:write",
		on: headerProject, summary: "Export what is kept of a buyer"}, (*handlers).exportBuyer)
	register(h, "Buyers", operation{id: "erase-buyer", method: "POST", path: "/v1/buyers/erase", scope: "finance:write",
		on: headerProject, summary: "Erase a buyer's personal data"}, (*handlers).eraseBuyer)
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

func (h *handlers) createBuyerToken(ctx context.Context, rq Request, in *buyerTokenInput) (*buyerTokenOutput, error) {
	life := time.Duration(in.Body.ExpiresIn) * time.Second
	token, err := h.buyers(rq).Vouch(ctx, rq.Caller.project.ID, in.Body.Email, life)
	if err != nil {
		return nil, err
	}
	out := &buyerTokenOutput{}
	out.Body.BuyerToken, out.Body.Email, out.Body.Purchases = token.Text, token.Email, token.Member.Purchases
	out.Body.ExpiresAt = wire.ToTime(token.Expires)
	if token.Member.Tier != "" {
		out.Body.Tier = &token.Member.Tier
	}
	name, _, err := h.buyers(rq).Subject(rq.Caller.project.ID, token.Email)
	if err != nil {
		return nil, err
	}
	noteTarget(rq, name)
	return out, nil
}
