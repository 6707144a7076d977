package boot_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agent/clearance"
)

// These tests start a server with the agent program of the kit's example.

// programShop is a shop whose agent can run a program for all events.
type programShop struct {
	apiClient
	acp, project, agent, tent string
}

// openProgramShop opens a shop with 100 tents at 200.00, with discounts of up to 40 %, and a lantern that is out of stock.
func openProgramShop(t *testing.T, database string, program *agent.Program) programShop {
	app := boottest.Start(t, database, func(c *boot.Config) { c.Programs = []*agent.Program{program} })
	demo, err := app.Demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := programShop{
		apiClient: apiClient{t, app.URL(), demo.Key},
		acp:       demo.ACP,
		project:   "X-Project-ID: " + demo.Project.String(),
	}
	s.call(http.StatusOK, "PATCH", "/v1/projects/"+demo.Project.String(), `{"settings": {"max_discount_percent": 40}}`)
	tent := s.call(http.StatusCreated, "POST", "/v1/catalog/products", `{"name": "Zanzibar tent", "sku": "Z-1", "price": 200, "quantity": 100}`, s.project)
	s.call(http.StatusCreated, "POST", "/v1/catalog/products", `{"name": "Zanzibar tent lantern", "sku": "Z-2", "price": 20, "quantity": 0}`, s.project)
	s.tent = fmt.Sprint(tent["id"])
	s.agent = fmt.Sprint(s.call(http.StatusOK, "GET", "/v1/agents", "", s.project)["data"].([]any)[0].(map[string]any)["id"])
	return s
}

// useProgram has the named program serve all events.
func (s programShop) useProgram(program string) {
	s.Helper()
	handler := fmt.Sprintf(`{"type": "builtin", "program": %q}`, program)
	s.call(http.StatusOK, "PATCH", "/v1/agents/"+s.agent,
		fmt.Sprintf(`{"handlers": {"search": %[1]s, "quote": %[1]s, "checkout": %[1]s, "finalize": %[1]s}}`, handler), s.project)
}

// buyer returns a client without a key.
func (s programShop) buyer() apiClient { return apiClient{s.T, s.acp, ""} }

func (s programShop) offer(price, session string) map[string]any {
	s.Helper()
	return s.buyer().call(http.StatusOK, "POST", "/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": %s%s}`, s.tent, price, session))
}

// expect compares fields of a response. want alternates names and values.
func (s programShop) expect(answer map[string]any, want ...string) {
	s.Helper()
	for i := 0; i < len(want); i += 2 {
		if got := fmt.Sprint(answer[want[i]]); got != want[i+1] {
			s.Errorf("%s is %s, want %s: %v", want[i], got, want[i+1], answer)
		}
	}
}

// A merchant's own program negotiates over HTTP up to a paid order, and its decisions are recorded.
func TestOpenAgents_ownProgram(t *testing.T) {
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			s := openProgramShop(t, engine.URL(t), clearance.Program)
			if house := s.offer("null", ""); house["status"] != "quote" || house["offered_price"] == 180.0 {
				t.Errorf("before the agent serves: %v", house)
			}
			boottest.Tick()
			s.useProgram("clearance")

			asked := s.offer("null", "")
			s.expect(asked, "status", "quote", "offered_price", "180")
			session := fmt.Sprintf(`, "session_id": %q`, asked["session_id"])
			s.expect(s.offer("130", session), "status", "counter_offer", "counter_price", "155", "reasoning", "Met halfway.")
			agreed := s.offer("151", session)
			s.expect(agreed, "status", "accept", "final_price", "151", "message", "It is yours.")

			opened := s.buyer().call(http.StatusOK, "POST", "/acp/checkout/init", s.cart(agreed["session_id"], agreed["checkout_token"], 1))
			s.expect(opened["summary"].(map[string]any), "subtotal", "151", "savings", "49")
			paid := s.buyer().call(http.StatusOK, "POST", "/acp/checkout/finalize", fmt.Sprintf(
				`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "buyer@example.com"}`, opened["checkout_id"]))
			s.expect(paid, "status", "success")

			decided := s.call(http.StatusOK, "GET", "/v1/agents/"+s.agent+"/decisions", "", s.project)["data"].([]any)
			if len(decided) != 4 || !strings.Contains(fmt.Sprint(decided[0]), "builtin:clearance") || !strings.Contains(fmt.Sprint(decided[3]), agent.HouseHandler) {
				t.Errorf("%v", decided)
			}
		})
	}
}

func (s programShop) cart(session, token any, pieces int) string {
	covered := ""
	if token != nil {
		covered = fmt.Sprintf(`"checkout_token": %q,`, token)
	}
	return fmt.Sprintf(`{"session_id": %q, %s "items": [{"product_id": %q, "quantity": %d}], "shipping_address":
		{"name": "A. Buyer", "line1": "1 Main St", "city": "Springfield", "state": "CA", "postal_code": "90001", "country": "US"}}`, session, covered, s.tent, pieces)
}

// A program hides products and refuses checkouts, but cannot go below the shop's price floor.
func TestOpenAgents_ownProgramDecides(t *testing.T) {
	s := openProgramShop(t, sqlite(t), clearance.Program)
	lantern := func() bool {
		found := s.buyer().call(http.StatusOK, "POST", "/acp/search", `{"query": "zanzibar tent lantern"}`)
		return strings.Contains(fmt.Sprint(found["results"]), "Zanzibar tent lantern")
	}
	if !lantern() {
		t.Error("the house does not show what is gone")
	}
	s.useProgram("clearance")
	if lantern() {
		t.Error("the agent shows what is gone")
	}
	s.expect(s.offer("90", ""), "status", "reject") // below the floor, which the agent would not mind
	broken := s.buyer().call(http.StatusUnprocessableEntity, "POST", "/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 21, "offer_price": 0.5}`, s.tent))
	s.expect(broken, "error", "validation_error",
		"details", "[map[field:offer message:must be at least 1] map[field:quantity message:must be at most 20]]")
	session := s.offer("null", "")["session_id"]
	s.buyer().call(http.StatusOK, "POST", "/acp/checkout/init", s.cart(session, nil, 50))
	refused := s.buyer().call(http.StatusConflict, "POST", "/acp/checkout/init", s.cart(session, nil, 51))
	s.expect(refused, "error", "checkout_refused", "message", "We sell at most 50 pieces at once.")
}

// If a program panics, the built-in agent answers. The record shows the failure but not its message.
func TestOpenAgents_panickingProgram(t *testing.T) {
	clumsy := agent.MustProgram("clumsy",
		agent.OnACPEvent(agent.Search, func(context.Context, agent.SearchInput) (agent.SearchAnswer, error) { panic("at search") }),
		agent.OnACPEvent(agent.Quote, func(context.Context, agent.QuoteInput) (agent.QuoteAnswer, error) { panic("at quote") }))
	s := openProgramShop(t, sqlite(t), clumsy)
	s.useProgram("clumsy")
	if found := s.buyer().call(http.StatusOK, "POST", "/acp/search", `{"query": "zanzibar tent"}`); len(found["results"].([]any)) == 0 {
		t.Errorf("%v", found)
	}
	s.expect(s.offer("200", ""), "status", "accept", "final_price", "200")
	record := fmt.Sprint(s.call(http.StatusOK, "GET", "/v1/agents/"+s.agent+"/decisions", "", s.project))
	if !strings.Contains(record, "agent_failed") || strings.Contains(record, "at quote") {
		t.Error(record)
	}
}

// Two programs must not have the same name, nor the built-in program's.
func TestOpenAgents_duplicateProgramNames(t *testing.T) {
	namesake := agent.MustProgram(agent.House, agent.OnACPEvent(agent.Quote, func(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) {
		return in.House(), nil
	}))
	for name, programs := range map[string][]*agent.Program{
		"twice": {clearance.Program, clearance.Program}, "the house's": {namesake},
	} {
		app, err := boot.New(t.Context(), boot.Config{
			Addr:        "127.0.0.1:0",
			OpsAddr:     "127.0.0.1:0",
			DatabaseURL: sqlite(t),
			Env:         "sandbox",
			Programs:    programs,
		}, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err == nil {
			_ = app.Close()
			t.Errorf("%s: it starts", name)
		} else if !strings.Contains(err.Error(), "two agent programs") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
