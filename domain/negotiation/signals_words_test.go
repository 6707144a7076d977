package negotiation_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

func TestClaimsOf_strings(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"", "bronze", "silver", "gold", "platinum"} {
		if got := negotiation.ClaimsOf(session.Claims{LoyaltyTier: word}).Tier.String(); got != word {
			t.Errorf("%q reads %q", word, got)
		}
	}
	for word, want := range map[string]string{"": "", "normal": "", "whenever": "", "flexible": "flexible", "urgent": "urgent", "High ": "urgent"} {
		if got := negotiation.ClaimsOf(session.Claims{Urgency: word}).Urgency.String(); got != want {
			t.Errorf("%q reads %q, want %q", word, got, want)
		}
	}
}
