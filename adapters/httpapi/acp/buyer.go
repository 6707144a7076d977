package acp

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/session"
)

// buyerContext is what a buyer's agent says of the buyer (spec 2.8, 2.11).
type buyerContext struct {
	LoyaltyTier     string `json:"loyalty_tier,omitempty" example:"gold" doc:"bronze, silver, gold or platinum; other words mean nothing."`
	PurchaseHistory int    `json:"purchase_history,omitempty" example:"12" doc:"Number of earlier purchases."`
	Urgency         string `json:"urgency,omitempty" example:"flexible" doc:"flexible, normal or high; other words mean nothing."`
	Location        string `json:"location,omitempty" example:"US"`
}

// What a claim can hold. Anything beyond is nonsense, which counts as not said (decisions 9).
const (
	longestClaim  = 200
	mostPurchases = 1_000_000
)

// fromAPIBuyerContext is nil where nothing was said.
func fromAPIBuyerContext(b *buyerContext) *session.Claims {
	if b == nil {
		return nil
	}
	claims := &session.Claims{
		LoyaltyTier: sensible(b.LoyaltyTier), Location: sensible(b.Location), Urgency: sensible(b.Urgency),
	}
	if b.PurchaseHistory > 0 && b.PurchaseHistory <= mostPurchases {
		claims.PurchaseHistory = b.PurchaseHistory
	}
	return claims
}

func sensible(word string) string {
	if utf8.RuneCountInString(word) > longestClaim || strings.ContainsRune(word, 0) {
		return ""
	}
	return word
}

// fromQueryBuyerContext reads the JSON object that a query parameter holds.
func fromQueryBuyerContext(text string) (*session.Claims, error) {
	if text == "" {
		return nil, nil
	}
	var b *buyerContext
	if err := json.Unmarshal([]byte(text), &b); err != nil || b == nil {
		return nil, fault.New(fault.Malformed, "invalid_request", "The request's parameters are invalid.").
			With("buyer_context", "must be a JSON object with loyalty_tier, purchase_history, urgency and location")
	}
	return fromAPIBuyerContext(b), nil
}
