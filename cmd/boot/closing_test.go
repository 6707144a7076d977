package boot_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
)

// startProviderWithWebhooks starts a simulated payment provider that sends webhooks.
func startProviderWithWebhooks(t *testing.T) *boottest.Provider {
	t.Helper()
	p := boottest.StartProvider(t)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return p
}

// closingShop is a shop with both payment providers that the test closes.
type closingShop struct {
	projectClient
	providers *boottest.Provider
	db        *sql.DB
	product   string
	session   any
}

func (c closingShop) buyer() apiClient { return apiClient{c.T, c.url + "/p/shop", ""} }

// open opens a checkout of one piece and returns its id and its total in cents.
func (c closingShop) open() (checkout string, total int) {
	c.Helper()
	opened := c.buyer().call(200, "POST", "/acp/checkout/init", fmt.Sprintf(`{"session_id": %q, "items": [{"product_id": %q, "quantity": 1}],
		"shipping_address": {"name": "A. Buyer", "line1": "1 Main St", "city": "Springfield", "state": "CA", "postal_code": "90001", "country": "US"}}`,
		c.session, c.product))
	return opened["checkout_id"].(string), int(math.Round(opened["summary"].(map[string]any)["total"].(float64) * 100))
}

func (c closingShop) pay(checkout, method, token, status string) {
	c.Helper()
	answer := c.buyer().call(200, "POST", "/acp/checkout/finalize", fmt.Sprintf(
		`{"checkout_id": %q, "payment": {"method": %q, "token": %q}, "buyer_email": "buyer@example.com"}`, checkout, method, token))
	if answer["status"] != status {
		c.Fatalf("paid with %s: %v, want %s", token, answer, status)
	}
}

// waitForCount waits until a query returns want.
func (c closingShop) waitForCount(want int, query string) {
	c.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var got int
		if err := c.db.QueryRow(query).Scan(&got); err == nil && got == want {
			return
		} else if time.Now().After(end) {
			c.Fatalf("%s: %d, %v, want %d", query, got, err, want)
		}
	}
}

func (c closingShop) exec(statements ...string) {
	c.Helper()
	for _, s := range statements {
		if _, err := c.db.Exec(s); err != nil {
			c.Fatalf("%s: %v", s, err)
		}
	}
}

// provider posts JSON to the simulated providers.
func (c closingShop) provider(path, body string) {
	c.Helper()
	send(c.T, request(c.T, "POST", c.providers.URL+path, body)).expect(c.T, 200)
}

// capture returns the id of PayPal's charge.
func (c closingShop) capture() string {
	c.Helper()
	var books struct {
		Charges []struct{ ID, Provider string }
	}
	if err := json.Unmarshal([]byte(get(c.T, c.providers.URL+"/ledger").body), &books); err != nil {
		c.Fatal(err)
	}
	for _, charge := range books.Charges {
		if charge.Provider == "paypal" {
			return charge.ID
		}
	}
	c.Fatalf("PayPal has no charge: %v", books)
	return ""
}

// chargeLate has Stripe charge an attempt that was declined.
func (c closingShop) chargeLate(of string, cents int, token string) {
	c.Helper()
	form := url.Values{
		"amount": {strconv.Itoa(cents)}, "currency": {"usd"}, "confirm": {"true"}, "shared_payment_granted_token": {token},
		"metadata[key]": {checkout.AttemptKey(id.Stored[id.Checkout](of), 1)},
	}
	r, err := http.NewRequestWithContext(c.Context(), "POST", c.providers.URL+"/v1/payment_intents", strings.NewReader(form.Encode()))
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "Bearer sk_test_merchant")
	send(c.T, r).expect(c.T, 200)
}

// After a shop was closed, webhooks and calls of its payment providers still work. Stripe reports a charge without an order, which
// is refunded, and PayPal a refund made at PayPal, which is booked. No events are sent but those about money. When the last
// charge is old enough, the credentials are erased.
func TestCloseProjects_lateChargeAndRefund(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			database, providers := engine.URL(t), startProviderWithWebhooks(t)
			app := boottest.Start(t, database, func(c *boot.Config) { c.StripeURL, c.PayPalURL = providers.URL, providers.URL })
			c := closingShop{
				projectClient: apiClient{t, app.URL(), boottest.Key}.openProject("shop"),
				providers:     providers,
				db:            boottest.Inspect(t, database),
			}
			for _, account := range []string{`"stripe", "credentials": {"api_key": "sk_test_merchant"`, `"paypal", "credentials": {"api_key": "client", "api_secret": "secret"`} {
				c.ask(201, "POST", "/v1/integrations/connect/api-key", `{"type": `+account+`}}`)
			}
			c.product = c.ask(201, "POST", "/v1/catalog/products", `{"name": "Trail Tent", "sku": "T-1", "price": 20, "quantity": 5}`)["id"].(string)
			c.session = c.buyer().call(200, "POST", "/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": null}`, c.product))["session_id"]
			bought, _ := c.open()
			c.pay(bought, "wallet_ba", providers.Agreement(t, ""), "success")
			declined, total := c.open()
			c.pay(declined, "psp_spt", providers.StripeToken(t, "decline:insufficient_funds"), "payment_failed")

			c.call(204, "DELETE", "/v1/projects/"+c.project, "", "X-Confirm-Delete: "+c.project)
			c.exec("UPDATE projects SET closing_at = 1")
			c.waitForCount(1, "SELECT count(*) FROM projects WHERE status = 'closed'")
			c.waitForCount(2, "SELECT count(*) FROM integrations WHERE status = 'connected' AND sealed IS NOT NULL")

			c.chargeLate(declined, total, providers.StripeToken(t, ""))
			c.waitForCount(1, "SELECT count(*) FROM orphan_charges WHERE status = 'refunded' AND refund <> ''")
			c.provider("/lookalike/refunds", fmt.Sprintf(`{"charge": %q, "amount": 700}`, c.capture()))
			c.waitForCount(1, "SELECT count(*) FROM payments WHERE refunded = 700")
			c.waitForCount(0, "SELECT count(*) FROM outbox WHERE type NOT IN ('payment.orphaned', 'money.unexplained')")

			c.exec("UPDATE payments SET created_at = 1", "UPDATE orphan_charges SET detected_at = 1", "UPDATE projects SET credentials_until = 1")
			c.waitForCount(0, "SELECT count(*) FROM integrations WHERE status <> 'disconnected' OR sealed IS NOT NULL")
			c.waitForCount(0, "SELECT count(*) FROM projects WHERE credentials_until IS NOT NULL")
		})
	}
}
