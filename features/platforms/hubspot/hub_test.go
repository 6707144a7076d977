// Package hubspot tests whole servers with a simulated HubSpot, which is written from HubSpot's documentation of November 2026,
// over real HTTP and on both engines.
package hubspot

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// shop is a merchant with a project and products, whose server is connected to the simulated HubSpot.
type shop struct {
	*boottest.Merchant
	*platforms.Server
	database string
	crm      string // the integration's path
	product  string
}

func TestMain(m *testing.M) {
	boottest.AtOnce(8)
	os.Exit(m.Run())
}

// each runs a test on both engines, in parallel with other tests.
func each(t *testing.T, c platforms.Config, run func(*testing.T, *shop)) {
	t.Parallel()
	c.Products, c.Customers, c.Orders, c.HubSpotPer10s = 14, 3, 2, 10_000
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			there, err := platforms.Start("127.0.0.1:0", c)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = there.Close() })
			s := &shop{Server: there, database: engine.URL(t)}
			s.Merchant = boottest.NewMerchant(t, s.replica(t))
			s.connect()
			s.product = s.Ask(201, "POST", "/v1/catalog/products", `{"name": "Mug", "sku": "MUG-1", "price": 100, "category": "Kitchen", "quantity": 50}`)["id"].(string)
			run(t, s)
		})
	}
}

// replica starts another server on the shop's database.
func (s *shop) replica(t *testing.T) *boot.App {
	return boottest.Start(t, s.database, func(c *boot.Config) {
		c.AllowLoopback = true
		c.HubSpotURL = s.URL + "/hubspot"
	})
}

// connect connects the account by OAuth consent.
func (s *shop) connect() {
	s.Helper()
	s.crm = "/v1/integrations/" + s.Ask(201, "POST", "/v1/integrations/connect/complete", fmt.Sprintf(`{"type": "hubspot", "callback_query": %q}`, s.consent()))["id"].(string)
}

// consent returns the query of the redirect after the consent.
func (s *shop) consent() (query string) {
	s.Helper()
	at := s.Ask(200, "POST", "/v1/integrations/connect", `{"type": "hubspot", "redirect_uri": "http://127.0.0.1:3000/back"}`)["authorization_url"].(string)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	method, body := "POST", "approve=1"
	for !strings.HasPrefix(at, "http://127.0.0.1:3000/") {
		r, err := http.NewRequestWithContext(s.Context(), method, at, strings.NewReader(body))
		if err != nil {
			s.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := client.Do(r)
		if err != nil {
			s.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.Header.Get("Location") == "" {
			s.Fatalf("%d of %s: %s", response.StatusCode, at, text)
		}
		at, method, body = response.Header.Get("Location"), "GET", ""
	}
	u, err := url.Parse(at)
	if err != nil {
		s.Fatal(err)
	}
	return u.RawQuery
}

// written waits until the order's deal has a status and no work is left, except a retry.
func (s *shop) written(order, status string) (d map[string]any) {
	s.Helper()
	defer func() {
		if s.Failed() {
			s.Logf("%v", d)
		}
	}()
	s.Until("the deal is "+status, func() bool {
		d = s.Ask(200, "GET", "/v1/orders/"+order+"/crm-deal", "")
		return d["status"] == status && (d["next_attempt_at"] == nil || status == "written" && d["problem"] == nil)
	})
	return d
}

// deals returns the order's deals in HubSpot.
func (s *shop) deals(order string) (found []map[string]any) {
	s.Helper()
	for _, one := range s.State()["hubspot_deals"].([]any) {
		if d := one.(map[string]any); d["haggle_order_id"] == order && d["archived"] == false {
			found = append(found, d)
		}
	}
	return found
}

// deal returns the order's only deal.
func (s *shop) deal(order string) map[string]any {
	s.Helper()
	found := s.deals(order)
	if len(found) != 1 {
		s.Fatalf("%d deals: %v", len(found), found)
	}
	return found[0]
}

// shows waits until the order's only deal shows a state.
func (s *shop) shows(order, stage, amount string) {
	s.Helper()
	s.Until("the deal is "+stage+" with "+amount, func() bool {
		found := s.deals(order)
		return len(found) == 1 && found[0]["dealstage"] == stage && found[0]["amount"] == amount
	})
	s.written(order, "written")
}

// named waits until the order's only deal has the buyer's contact.
func (s *shop) named(order string) {
	s.Helper()
	s.Until("the deal has a contact", func() bool {
		found := s.deals(order)
		return len(found) == 1 && fmt.Sprint(found[0]["contacts"]) == "[ada@example.com]"
	})
}

func (s *shop) fails(f platforms.Fault) {
	s.Helper()
	f.Platform = platforms.HubSpot
	if err := s.Fault(f); err != nil {
		s.Fatal(err)
	}
}

func (s *shop) staff(c platforms.HubSpotChange) {
	s.Helper()
	c.Property = "haggle_order_id"
	if err := s.ChangeAtHubSpot(c); err != nil {
		s.Fatal(err)
	}
}

// total returns the order's total in the format of a deal.
func (s *shop) total(order string) string {
	s.Helper()
	return fmt.Sprintf("%.2f", s.Ask(200, "GET", "/v1/orders/"+order, "")["total"])
}

func (s *shop) refund(order, amount string) {
	s.Helper()
	payment := s.Ask(200, "GET", "/v1/orders/"+order, "")["payment"].(map[string]any)["id"]
	s.Ask(201, "POST", fmt.Sprintf("/v1/finance/payments/%v/refund", payment), `{"amount": `+amount+`}`)
}

// rests waits for as long as it would take to write a change.
func rests() { time.Sleep(1500 * time.Millisecond) }
