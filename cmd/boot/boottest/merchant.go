package boottest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

// Merchant is a merchant with a project on a server. Its storefront has the slug shop.
type Merchant struct {
	testing.TB
	App     *boot.App
	Project string
}

// NewMerchant creates a project that sells in US dollars.
func NewMerchant(tb testing.TB, app *boot.App) *Merchant {
	tb.Helper()
	m := &Merchant{TB: tb, App: app}
	m.Project = m.Ask(201, "POST", "/v1/projects", `{"name": "shop", "slug": "shop", "settings": {"default_currency": "USD"}}`)["id"].(string)
	return m
}

// Ask sends a request as the merchant, and fails the test unless the response has the status.
func (m *Merchant) Ask(want int, method, path, body string) map[string]any {
	m.Helper()
	status, answer := m.Send(method, path, body)
	if status != want {
		m.Fatalf("%s %s: %d %v, want %d", method, path, status, answer, want)
	}
	return answer
}

// Send sends a request as the merchant.
func (m *Merchant) Send(method, path, body string) (status int, answer map[string]any) {
	m.Helper()
	r, err := http.NewRequestWithContext(m.Context(), method, m.App.URL()+path, strings.NewReader(body))
	if err != nil {
		m.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+Key)
	r.Header.Set("Content-Type", "application/json")
	if m.Project != "" && strings.HasPrefix(path, "/v1/") {
		r.Header.Set("X-Project-ID", m.Project)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		m.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if len(text) > 0 {
		if err := json.Unmarshal(text, &answer); err != nil {
			m.Fatalf("%s %s: %s", method, path, text)
		}
	}
	return response.StatusCode, answer
}

// Sync runs a sync of an integration, given by its path, and waits for its end.
func (m *Merchant) Sync(integration, body string) {
	m.Helper()
	run := integration + "/sync/" + m.Ask(202, "POST", integration+"/sync", body)["sync_id"].(string)
	m.Until("a sync is completed", func() bool { return m.Ask(200, "GET", run, "")["status"] == "completed" })
}

// Until polls until done returns true.
func (m *Merchant) Until(what string, done func() bool) {
	m.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			m.Fatalf("not in time: %s", what)
		}
	}
}

// Sell lets a buyer buy pieces of a product at list price, and returns the order's id.
func (m *Merchant) Sell(product string, pieces int) string {
	m.Helper()
	session := m.Ask(200, "POST", "/p/shop/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": 0.01}`, product))["session_id"]
	opened := m.Ask(200, "POST", "/p/shop/acp/checkout/init", fmt.Sprintf(`{"session_id": %q, "items": [{"product_id": %q, "quantity": %d}],
		"shipping_address": {"name": "Ada Buyer", "line1": "1 Main St", "city": "Springfield", "state": "CA", "postal_code": "90001", "country": "US"}}`,
		session, product, pieces))
	paid := m.Ask(200, "POST", "/p/shop/acp/checkout/finalize", fmt.Sprintf(
		`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "ada@example.com"}`, opened["checkout_id"]))
	order, _ := paid["order"].(map[string]any)
	if order == nil {
		m.Fatalf("%v", paid)
	}
	return fmt.Sprint(order["id"])
}

// Alerts returns the merchant's alerts about integrations.
func (m *Merchant) Alerts() (list []string) {
	m.Helper()
	for _, one := range m.Ask(200, "GET", "/v1/events?type=integration.error", "")["data"].([]any) {
		list = append(list, fmt.Sprint(one))
	}
	return list
}
