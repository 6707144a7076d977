package gallery

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// shop is the demo shop with content for every page.
type shop struct {
	t       *testing.T
	app     *boot.App
	url     string
	key     string
	project string
	known   map[string]string // values of wildcards in routes, and URLs by name

	owner, support, codeDue string // sessions
	report                  string // URL of the market report
}

const password = "correct horse battery"

func openShop(t *testing.T) *shop {
	t.Helper()
	there, err := platforms.Start("127.0.0.1:0", platforms.Config{
		Products:  12,
		Customers: 8,
		Orders:    6,
		Seed:      5,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = there.Close() })
	app := boottest.Start(t, "sqlite://"+filepath.Join(t.TempDir(), "gallery.db"), func(c *boot.Config) { c.AllowLoopback = true })
	demo, err := app.Demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{
		t:       t,
		app:     app,
		url:     app.URL(),
		key:     demo.Key,
		project: demo.Project.String(),
		known:   map[string]string{},
	}
	s.known["link"] = path(demo.Console)
	buyers := 40
	if os.Getenv("SCREENS") != "" {
		buyers = 10
	}
	if _, err := simulator.Run(t.Context(), simulator.Config{
		URL:         s.url,
		Project:     "demo",
		Buyers:      buyers,
		Seed:        5,
		Concurrency: 4,
		Protocol:    "acp",
	}); err != nil {
		t.Fatal(err)
	}
	s.staff()
	s.sell()
	s.listen()
	s.connectPlatform(there)
	s.importProducts()
	s.known["agent"], s.known["version"] = text(s.call("GET", "/v1/agents", ""), "data.0.id"), "1"
	s.key = boottest.Key
	s.call("POST", "/v1/projects", `{"name": "Bare Shelves", "slug": "bare"}`)
	if only := os.Getenv("SCREENS"); strings.Contains("market-report", only) {
		s.simulateMarket()
	}
	return s
}

// staff creates the members whose windows are opened.
func (s *shop) staff() {
	s.key = boottest.Key
	owner := s.hire("ada@example.com", "owner")
	s.owner = owner.Token
	s.known["member"] = s.hire("sam@example.com", "manager").Member
	s.support = s.hire("kim@example.com", "support").Token
	s.known["join"] = path(text(s.call("POST", "/v1/members/invitations", `{"email": "new@example.com", "role": "analyst"}`), "link"))
	s.known["password"] = path(text(s.call("POST", "/v1/members/"+s.known["member"]+"/password-link", ""), "link"))
	s.enrol()
}

func (s *shop) hire(email, role string) boottest.Session {
	s.t.Helper()
	made := s.call("POST", "/v1/members/invitations", fmt.Sprintf(`{"email": %q, "role": %q}`, email, role))
	in, err := boottest.MemberClient{App: s.app, Address: email}.Join(s.t.Context(), text(made, "link"), "Ada Example", password)
	if err != nil {
		s.t.Fatal(err)
	}
	return in
}

// enrol enrolls a member's authenticator, and signs the member in up to the page that asks for the code.
func (s *shop) enrol() {
	in := s.hire("pat@example.com", "manager")
	before := s.key
	s.key = in.Token
	made := s.call("POST", "/v1/account/mfa", "")
	code, err := totp.GenerateCode(text(made, "secret"), time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	s.call("POST", "/v1/account/mfa/confirm", fmt.Sprintf(`{"code": %q}`, code))
	s.key = before
	due, err := boottest.MemberClient{App: s.app, Address: "pat"}.SignIn(s.t.Context(), "pat@example.com", password)
	if err != nil || !due.CodeDue {
		s.t.Fatalf("no code is due (%v)", err)
	}
	s.codeDue = due.Token
}

// sell creates orders, a return and a payment with an unknown outcome, and finds a negotiation.
func (s *shop) sell() {
	found := s.call("POST", "/p/demo/acp/search", `{"query": "tent", "limit": 1}`)
	product := text(found, "results.0.product_id")
	variant := text(s.call("GET", "/p/demo/acp/products/"+product, ""), "variants.0.id")
	items := fmt.Sprintf(`"items": [{"product_id": %q, "variant_id": %q, "quantity": 1}]`, product, variant)
	order := func(token string) (checkout string, paid map[string]any) {
		checkout = text(s.call("POST", "/p/demo/acp/checkout/init", `{`+items+`, "shipping_address": {"name": "Ada Buyer", "line1": "12 Harbor Street",
			"city": "Portland", "state": "OR", "postal_code": "97205", "country": "US"}, "buyer": {"email": "ada@example.com"}}`), "checkout_id")
		return checkout, s.send("POST", "/p/demo/acp/checkout/finalize", fmt.Sprintf(`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": %q}}`, checkout, token))
	}
	declined, _ := order("spt_sandbox_decline_insufficient_funds")
	s.known["checkout-page"] = "/p/demo/acp/checkout/" + declined + "/page"
	_, paid := order("spt_sandbox_ok_1")
	s.known["order"] = text(paid, "order.id")
	s.known["receipt"] = path(text(paid, "receipt_url"))
	_, sold := order("spt_sandbox_ok_2")
	back := text(sold, "order.id")
	s.call("POST", "/v1/orders/"+back+"/fulfillment", `{"status": "shipped", "carrier": "UPS", "tracking_number": "1Z999AA10123456784"}`)
	s.call("POST", "/v1/orders/"+back+"/fulfillment", `{"status": "delivered"}`)
	s.known["return"] = text(s.call("POST", "/p/demo/acp/returns", `{"order_id": "`+back+`", `+strings.Replace(items, `"quantity": 1`, `"quantity": 1, "reason": "Too small"`, 1)+`}`), "return_id")
	s.known["dispute"] = text(s.call("POST", "/v1/sandbox/disputes", `{"payment_id": "`+text(s.call("GET", "/v1/orders/"+back, ""), "payment.id")+`", "reason": "product_not_received", "amount": 20}`), "id")
	s.haggled()
}

// haggled finds an order whose price was negotiated. The page of its price path shows it.
func (s *shop) haggled() {
	orders, _ := s.call("GET", "/v1/orders?limit=50", "")["data"].([]any)
	for _, one := range orders {
		order, _ := one.(map[string]any)
		lines, _ := order["lines"].([]any)
		for _, l := range lines {
			line, _ := l.(map[string]any)
			paid, _ := line["unit_price"].(float64)
			list, _ := line["original_price"].(float64)
			if paid < list {
				s.known["order"], s.known["negotiation"] = text(order, "id"), text(order, "negotiation_id")
				return
			}
		}
	}
	s.t.Error("nobody haggled")
}

// listen creates a subscription whose URL no server has. No event is sent to it.
func (s *shop) listen() {
	s.known["subscription"] = text(s.call("POST", "/v1/event-subscriptions", `{"url": "https://hooks.invalid/haggle", "event_types": ["order.completed"]}`), "id", "subscription.id")
}

// connectPlatform connects the merchant's own system and syncs it. Some of its records are refused.
func (s *shop) connectPlatform(there *platforms.Server) {
	if err := there.Fault(platforms.Fault{
		Platform: "custom",
		Kind:     "bad_price",
		Times:    2,
	}); err != nil {
		s.t.Fatal(err)
	}
	made := s.call("POST", "/v1/integrations/connect/api-key", fmt.Sprintf(
		`{"type": "custom", "name": "Warehouse", "credentials": {"api_key": "custom-key"}, "config": {"base_url": %q, "sync_schedule": "@daily"}}`, there.URL+"/custom"))
	s.known["integration"], s.known["type"] = text(made, "id"), "custom"
	about := "/v1/integrations/" + s.known["integration"]
	s.call("POST", about+"/webhooks", `{"topic": "products/update"}`)
	s.known["sync"] = text(s.call("POST", about+"/sync", ""), "sync_id")
	for end := time.Now().Add(time.Minute); text(s.send("GET", about+"/sync/"+s.known["sync"], ""), "status") == "running"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("the sync does not end")
		}
	}
	s.known["preview"] = text(s.call("POST", about+"/sync", `{"preview": true, "full_sync": true}`), "sync_id")
	if _, err := there.Webhooks(s.t.Context(), platforms.Webhooks{
		Platform: "custom",
		Count:    3,
		Seed:     3,
	}); err != nil {
		s.t.Fatal(err)
	}
}

// importProducts previews a file with some invalid products.
func (s *shop) importProducts() {
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.url+"/v1/imports?dry_run=true", strings.NewReader("sku,name,price,cost\nM-1,Mug,12.50,99\nM-2,Mat,\"12,50\",\nM-3,,5,\n"))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "text/csv")
	s.known["job"] = text(s.answer(r), "id")
	for end := time.Now().Add(time.Minute); text(s.send("GET", "/v1/jobs/"+s.known["job"], ""), "status") != "succeeded"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("the import does not end")
		}
	}
	s.known["product"] = text(s.call("GET", "/v1/catalog/products?q=tent", ""), "data.0.id")
}

// simulateMarket writes a market report.
func (s *shop) simulateMarket() {
	dir := s.t.TempDir()
	command := exec.CommandContext(s.t.Context(), "go", "run", "./cmd/haggle-sim", "market", "--buyers", "400", "--html", filepath.Join(dir, "market.html"))
	command.Dir = filepath.Join("..", "..")
	if out, err := command.CombinedOutput(); err != nil {
		s.t.Errorf("no market report: %v\n%s", err, out)
		return
	}
	if _, err := os.Stat(filepath.Join(dir, "market.html")); err == nil {
		s.report = files(s.t, dir)
	}
}

func (s *shop) call(method, path, body string) map[string]any {
	s.t.Helper()
	answer := s.send(method, path, body)
	if _, failed := answer["error"]; failed {
		s.t.Fatalf("%s %s: %v", method, path, answer)
	}
	return answer
}

func (s *shop) send(method, path, body string) (answer map[string]any) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return s.answer(r)
}

// answer sends a request and returns the JSON response. Requests to the Management API have the merchant's key.
func (s *shop) answer(r *http.Request) (answer map[string]any) {
	s.t.Helper()
	if strings.HasPrefix(r.URL.Path, "/v1") {
		r.Header.Set("Authorization", "Bearer "+s.key)
		r.Header.Set("X-Project-ID", s.project)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(content) > 0 {
		if err := json.Unmarshal(content, &answer); err != nil {
			s.t.Fatalf("%s %s: %v: %.200s", r.Method, r.URL, err, content)
		}
	}
	return answer
}

// text returns the first of the fields, given by their paths, that exists.
func text(answer map[string]any, paths ...string) string {
	for _, path := range paths {
		var value any = answer
		for step := range strings.SplitSeq(path, ".") {
			switch v := value.(type) {
			case map[string]any:
				value = v[step]
			case []any:
				value = nil
				if step == "0" && len(v) > 0 {
					value = v[0]
				}
			}
		}
		if s, ok := value.(string); ok {
			return s
		}
	}
	return ""
}

// path returns the path of a URL.
func path(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	_, rest, _ = strings.Cut(rest, "/")
	return "/" + rest
}
