package shopifycontract

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// Shopify refuses to show an order of which it has reported a change. The merchant is alerted once, and Shopify still hears of
// what happens to the order here.
func TestOrders_unreadable(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{Products: 12, Customers: 2, Orders: 2})
		p := before(t, there)
		s := open(t, database, there, p.URL)
		s.integration = s.connect()
		s.sync(s.integration, `{"full_sync": true}`)
		order := s.stocked(5).written()
		p.answers(func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
			if !bytes.Contains(body, []byte("OrderReversals")) {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"data": {"order": null}}`)
			return true
		})
		for _, amount := range []string{"5.00", "6.00"} {
			if _, err := s.RefundAtShopify(platforms.AdminRefund{Order: order, Amount: amount}); err != nil {
				t.Fatal(err)
			}
			s.orders()
			s.until("the merchant is alerted", func() bool { return len(s.told()) > 0 })
			s.written(order, "written")
		}
		if told := s.told(); len(told) != 1 || !strings.Contains(told[0], "was not read: Shopify does not have the order any more.") {
			t.Errorf("%v", told)
		}
		payment := s.ask(200, "GET", "/v1/orders/"+order, "")["payment"].(map[string]any)["id"]
		s.ask(201, "POST", "/v1/finance/payments/"+payment.(string)+"/refund", `{"amount": 7}`)
		s.until("Shopify knows of it", func() bool { return s.onlyOne(order)["refunded"] == "18.00" })
	})
}
