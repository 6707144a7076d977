package acp

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/session"
)

// buyerContext is what a buyer's agent claims about the buyer (features/PROTOCOL.md#search and features/PROTOCOL.md#quotes).
type buyerContext struct {
	LoyaltyTier     string   `json:"loyalty_tier,omitempty" example:"gold" doc:"bronze, silver, gold or platinum; other values have no effect."`
	PurchaseHistory int      `json:"purchase_history,omitempty" example:"12" doc:"The number of earlier purchases."`
	Urgency         string   `json:"urgency,omitempty" example:"flexible" doc:"flexible, normal or high; other values have no effect."`
	Location        string   `json:"location,omitempty" example:"US"`
	ColorPreference []string `json:"color_preference,omitempty" example:"green,blue" doc:"Up to 20 colors that the buyer prefers. A search ranks products in one of them higher, and excludes none."`
	BuyerToken      string   `json:"buyer_token,omitempty" doc:"Confirms the buyer's identity: what the shop's own systems know of the buyer counts twice as much as a claim. An invalid token is 422."`
}

// These are the bounds of a claim. Anything beyond them is nonsense and is ignored (features/PROTOCOL.md#inputs-of-a-price).
const (
	longestClaim  = 50
	mostPurchases = 1_000_000
	longestColor  = 100
	mostColors    = 20
)

// recognize returns the agent's claims about the buyer, with what the shop knows about a buyer that the merchant vouches for. It
// returns nil if the request claims nothing.
func (h *handlers) recognize(ctx context.Context, rq Request, b *buyerContext) (*session.Claims, error) {
	claims := fromAPIBuyerContext(b)
	if b == nil || b.BuyerToken == "" {
		return claims, nil
	}
	var err error
	claims.Member, err = h.Buyers.In(rq.Stores).Recognize(ctx, rq.Caller.Shop.ID, b.BuyerToken)
	return claims, err
}

func fromAPIBuyerContext(b *buyerContext) *session.Claims {
	if b == nil {
		return nil
	}
	claims := &session.Claims{
		LoyaltyTier: sensible(b.LoyaltyTier, longestClaim),
		Location:    sensible(b.Location, longestClaim),
		Urgency:     sensible(b.Urgency, longestClaim),
	}
	if b.PurchaseHistory > 0 && b.PurchaseHistory <= mostPurchases {
		claims.PurchaseHistory = b.PurchaseHistory
	}
	return claims
}

// fromAPIColors returns the colors that a buyer likes, at most mostColors of them.
func fromAPIColors(b *buyerContext) (colors []string) {
	if b == nil {
		return nil
	}
	for _, color := range b.ColorPreference[:min(len(b.ColorPreference), mostColors)] {
		if sensible(color, longestColor) != "" {
			colors = append(colors, color)
		}
	}
	return colors
}

func sensible(word string, longest int) string {
	if utf8.RuneCountInString(word) > longest || strings.ContainsRune(word, 0) {
		return ""
	}
	return word
}

// fromQueryBuyerContext reads the JSON object that a query parameter holds.
func fromQueryBuyerContext(text string) (*buyerContext, error) {
	if text == "" {
		return nil, nil
	}
	var b *buyerContext
	if err := json.Unmarshal([]byte(text), &b); err != nil || b == nil {
		return nil, wire.BadParameter("buyer_context", "must be a JSON object with loyalty_tier, purchase_history, urgency, location, color_preference and buyer_token")
	}
	return b, nil
}
