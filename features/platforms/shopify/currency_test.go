package shopify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// A shop with another currency than the project's is refused when it is connected, not when it is synced.
func TestCurrency_mismatch(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{Products: 2, ShopifyCurrency: "EUR"})
		s := open(t, database, there, "")
		status, answer := s.Send("POST", "/v1/integrations/connect/complete", s.consent())
		said := fmt.Sprint(answer)
		if status != 422 || !strings.Contains(said, "currency_mismatch") || !strings.Contains(said, "store_domain") || !strings.Contains(said, "EUR") || !strings.Contains(said, "USD") {
			t.Errorf("%d %v", status, answer)
		}
		if all := s.Ask(200, "GET", "/v1/integrations", ""); len(all["data"].([]any)) != 0 {
			t.Errorf("%v", all)
		}
		if euro := s.in(s.openProject("euro", "EUR")); euro.connect() == "" {
			t.Error("a project of the shop's currency cannot connect it")
		}
	})
}
