package ucp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// fakeShop answers with valid messages and checks the requests.
type fakeShop struct {
	t       *testing.T
	version schema.Version
	answers map[string]json.RawMessage
	stream  bool // MCP answers are event streams

	mu   sync.Mutex
	seen []seen
	next *canned // the next answer to any request
}

type seen struct {
	operation judge.Operation
	header    http.Header
	arguments map[string]json.RawMessage // over MCP
}

type canned struct {
	status int
	body   string
}

func newFakeShop(t *testing.T, version schema.Version) (*fakeShop, *httptest.Server) {
	t.Helper()
	body, err := os.ReadFile("judge/testdata/messages.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[schema.Version]map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	shop := &fakeShop{
		t:       t,
		version: version,
		answers: all[version],
	}
	server := httptest.NewServer(shop)
	t.Cleanup(server.Close)
	return shop, server
}

var restOperations = map[string]judge.Operation{
	"POST /ucp/catalog/search":                   judge.SearchCatalog,
	"POST /ucp/catalog/lookup":                   judge.LookupCatalog,
	"POST /ucp/catalog/product":                  judge.GetProduct,
	"POST /ucp/carts":                            judge.CreateCart,
	"PUT /ucp/carts/sess_1":                      judge.UpdateCart,
	"GET /ucp/carts/sess_1":                      judge.GetCart,
	"POST /ucp/carts/sess_1/cancel":              judge.CancelCart,
	"POST /ucp/checkout-sessions":                judge.CreateCheckout,
	"PUT /ucp/checkout-sessions/chk_1":           judge.UpdateCheckout,
	"GET /ucp/checkout-sessions/chk_1":           judge.GetCheckout,
	"POST /ucp/checkout-sessions/chk_1/complete": judge.CompleteCheckout,
	"POST /ucp/checkout-sessions/chk_1/cancel":   judge.CancelCheckout,
	"GET /ucp/orders/ord_1":                      judge.GetOrder,
	"POST /ucp/negotiations":                     judge.StartNegotiation,
	"POST /ucp/negotiations/quote_1/offers":      judge.MakeOffer,
	"POST /ucp/negotiations/quote_1/accept":      judge.AcceptOffer,
	"GET /ucp/negotiations/quote_1":              judge.GetNegotiation,
	"POST /ucp/negotiations/quote_1/decline":     judge.DeclineOffer,
}

func (s *fakeShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
	s.mu.Lock()
	next := s.next
	if !strings.HasSuffix(r.URL.Path, "/.well-known/ucp") {
		s.next = nil
	}
	s.mu.Unlock()
	switch {
	case r.URL.Path == ucp.ProfilePath("demo", s.version):
		_, _ = w.Write(s.answers["business_profile"])
	case next != nil:
		w.WriteHeader(next.status)
		_, _ = io.WriteString(w, next.body)
	case r.URL.Path == "/mcp":
		s.tool(w, r, body)
	default:
		operation, known := restOperations[r.Method+" "+r.URL.Path]
		if !known {
			s.t.Errorf("%s %s is no operation", r.Method, r.URL.Path)
		}
		s.note(seen{operation: operation, header: r.Header})
		if len(body) > 0 {
			s.judge(operation, body)
		}
		_, _ = w.Write(s.answer(operation))
	}
}

func (s *fakeShop) note(what seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, what)
}

func (s *fakeShop) last() seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[len(s.seen)-1]
}

func (s *fakeShop) judge(operation judge.Operation, body []byte) {
	if err := judge.New(s.version).Request(operation, judge.Capabilities{judge.Cart, judge.Discount, judge.Fulfillment}, body); err != nil {
		s.t.Errorf("%s %s: %s\n%v", s.version, operation, body, err)
	}
}

func (s *fakeShop) answer(operation judge.Operation) []byte {
	name := string(operation)
	switch {
	case strings.HasSuffix(name, "_checkout"):
		name = "create_checkout"
	case strings.HasSuffix(name, "_cart"):
		name = "create_cart"
	case s.answers[name] == nil:
		name = "make_offer"
	}
	return []byte(strings.ReplaceAll(string(s.answers[name]), "2026-12-01T10", "2199-12-01T10"))
}

func (s *fakeShop) tool(w http.ResponseWriter, r *http.Request, body []byte) {
	var call struct {
		ID     int `json:"id"`
		Method string
		Params struct {
			Name      judge.Operation
			Arguments map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &call); err != nil || call.Method != "tools/call" {
		s.t.Errorf("%s: %v", body, err)
	}
	if accept := r.Header.Get("Accept"); !strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream") {
		s.t.Errorf("Accept is %q", accept)
	}
	s.note(seen{call.Params.Name, r.Header, call.Params.Arguments})
	for _, payload := range []string{"cart", "checkout", "catalog"} {
		if sent := call.Params.Arguments[payload]; sent != nil && s.version == schema.V20260825 {
			s.judge(call.Params.Name, sent)
		}
	}
	answer := s.answer(call.Params.Name)
	text, _ := json.Marshal(string(answer))
	out, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{
		"structuredContent": json.RawMessage(answer),
		"content":           []any{map[string]any{"type": "text", "text": json.RawMessage(text)}},
	}})
	if s.stream {
		w.Header().Set("Content-Type", "text/event-stream")
		out = []byte("event: message\ndata: " + string(out) + "\n\n")
	}
	_, _ = w.Write(out)
}

func client(t *testing.T, server *httptest.Server, version schema.Version, transport ucp.Transport) *ucp.Client {
	t.Helper()
	c, err := ucp.Discover(context.Background(), ucp.Config{
		Connection: exchange.NewClient(exchange.Config{URL: server.URL}),
		Shop:       "demo",
		Version:    version,
		Transport:  transport,
		Observers: []func(ucp.Call){func(call ucp.Call) {
			if call.Wrong != nil {
				t.Errorf("%s: %v", call.Operation, call.Wrong)
			}
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var lines = []ucp.Line{{Item: ucp.Item{ID: "var_1"}, Quantity: 2}}

// everything calls every operation and returns the first failure.
func everything(ctx context.Context, c *ucp.Client) error {
	var failed error
	check := func(got bool, err error) {
		if failed == nil && (err != nil || !got) {
			failed = errors.Join(errors.New("not read as it was sent"), err)
		}
	}
	found, err := c.Search(ctx, ucp.SearchRequest{Query: "shell", Pagination: &ucp.Page{Limit: 5}})
	check(err == nil && found.Products[0].Variants[0].Price == ucp.Money{Amount: 24950, Currency: "USD"} && found.Pagination.HasNext, err)
	found, err = c.Lookup(ctx, ucp.LookupRequest{IDs: []string{"var_1"}})
	check(err == nil && found.Products[0].Variants[0].Inputs[0].Match == "exact", err)
	product, err := c.Product(ctx, ucp.ProductRequest{ID: "var_1"})
	check(product.Title == "Rain shell" && product.Variants[0].InStock(), err)
	cart, err := c.CreateCart(ctx, ucp.CartRequest{Lines: lines})
	check(cart.ID == "sess_1" && cart.Totals.Of("total") == 44800, err)
	cart, err = c.UpdateCart(ctx, "sess_1", ucp.CartRequest{Lines: []ucp.Line{cart.Lines[0].Asked()}, Discounts: &ucp.Discounts{Codes: []string{"ct_abc"}}})
	check(cart.Discounts.Applied[0].Amount == 5100, err)
	cart, err = c.Cart(ctx, "sess_1")
	check(cart.Lines[0].Item.Price == 24950, err)
	_, err = c.CancelCart(ctx, "sess_1")
	check(true, err)
	checkout, err := c.CreateCheckout(ctx, ucp.CheckoutRequest{CartID: "sess_1"})
	check(checkout.Status == ucp.ReadyForComplete && !checkout.ExpiresAt.IsZero(), err)
	options, selected := checkout.Options()
	check(len(options) == 2 && selected == "standard" && options[0].Description.Plain == "3 to 5 business days", nil)
	checkout, err = c.UpdateCheckout(ctx, "chk_1", ucp.CheckoutRequest{Lines: []ucp.Line{checkout.Lines[0].Asked()}, Buyer: &ucp.Buyer{Email: "a@b.c"},
		Fulfillment: &ucp.Fulfillment{Methods: []ucp.Method{{ID: "shipping", Type: "shipping", LineItemIDs: []string{"li_1"}, Address: []ucp.Address{{Street: "1 Main St"}},
			Groups: []ucp.Group{{ID: "grp_1", Selected: "express"}}}}}})
	check(checkout.Totals.Of("total") == 48884, err)
	checkout, err = c.Checkout(ctx, "chk_1")
	handler, offered := checkout.UCP.Handler("psp_spt")
	check(offered && handler.Instruments[0].Type == "card", err)
	_, err = c.CompleteCheckout(ctx, "chk_1", ucp.CompleteRequest{Payment: ucp.Payment{Instruments: []ucp.Instrument{
		{ID: "i1", HandlerID: "psp_spt", Type: "card", Credential: &ucp.Credential{Type: "token", Token: "spt_sandbox_ok"}}}}})
	check(true, err)
	_, err = c.CancelCheckout(ctx, "chk_1")
	check(true, err)
	order, err := c.Order(ctx, "ord_1")
	check(order.Lines[0].Quantity.Fulfilled == 1 && order.Adjustments[0].Totals.Of("total") == -22400, err)
	dollars := ucp.Money{Amount: 20000, Currency: "USD"}
	negotiation, err := c.StartNegotiation(ctx, ucp.StartRequest{
		Item:     ucp.Item{ID: "var_1"},
		Quantity: 1,
		Offer:    &dollars,
	})
	check(negotiation.Status == ucp.Countered && negotiation.CurrentPrice.Amount == 22400 && negotiation.May("accept_offer"), err)
	_, err = c.MakeOffer(ctx, "quote_1", ucp.OfferRequest{Offer: dollars})
	check(true, err)
	_, err = c.AcceptOffer(ctx, "quote_1", ucp.AcceptRequest{Price: *negotiation.CurrentPrice})
	check(true, err)
	_, err = c.Negotiation(ctx, "quote_1")
	check(true, err)
	_, err = c.DeclineOffer(ctx, "quote_1", ucp.DeclineRequest{Reason: "price"})
	check(true, err)
	return failed
}

func TestClient_everyOperation(t *testing.T) {
	for _, version := range schema.Versions {
		for _, transport := range []ucp.Transport{ucp.REST, ucp.MCP} {
			for _, stream := range []bool{false, transport == ucp.MCP} {
				t.Run(string(version)+" "+string(transport), func(t *testing.T) {
					shop, server := newFakeShop(t, version)
					shop.stream = stream
					c := client(t, server, version, transport)
					if err := everything(context.Background(), c); err != nil {
						t.Error(err)
					}
					if len(shop.seen) != len(restOperations) {
						t.Errorf("%d of %d operations were asked for", len(shop.seen), len(restOperations))
					}
				})
			}
		}
	}
}

func TestClient_headersAndMeta(t *testing.T) {
	ctx := context.Background()
	shop, server := newFakeShop(t, schema.V20260825)
	rest := client(t, server, schema.V20260825, ucp.REST)
	_, _ = rest.CancelCheckout(ctx, "chk_1", ucp.IdempotencyKey("0123456789012345678901"))
	if header := shop.last().header; header.Get("UCP-Agent") != `profile="https://haggle.invalid/agent"` || header.Get("Idempotency-Key") != "0123456789012345678901" {
		t.Error(header)
	}
	_, _ = rest.Checkout(ctx, "chk_1")
	if key := shop.last().header.Get("Idempotency-Key"); key != "" {
		t.Errorf("a read has the key %q", key)
	}
	mcp := client(t, server, schema.V20260825, ucp.MCP)
	_, _ = mcp.UpdateCheckout(ctx, "chk_1", ucp.CheckoutRequest{Lines: lines}, ucp.IdempotencyKey("k"))
	sent := shop.last().arguments
	if string(sent["id"]) != `"chk_1"` || string(sent["meta"]) != `{"idempotency-key":"k","ucp-agent":{"profile":"https://haggle.invalid/agent"}}` {
		t.Errorf("%s", sent)
	}
}

func TestClient_errors(t *testing.T) {
	tests := []struct {
		name      string
		transport ucp.Transport
		answer    canned
		want      ucp.Error
	}{
		{"envelope", ucp.REST, canned{200, `{"ucp": {"version": "2026-08-25", "status": "error"}, "messages": [{"type": "error", "code": "not_found", "content": "no", "severity": "unrecoverable"}]}`},
			ucp.Error{
				HTTPStatus: 200,
				Code:       "not_found",
				Content:    "no",
			}},
		{"refused", ucp.REST, canned{424, `{"code": "profile_unreachable", "content": "no answer"}`},
			ucp.Error{
				HTTPStatus: 424,
				Code:       "profile_unreachable",
				Content:    "no answer",
			}},
		{"refused tool", ucp.MCP, canned{429, `{"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "slow down", "data": {"retry_after": 7}}}`},
			ucp.Error{
				HTTPStatus: 429,
				RPC:        -32000,
				Content:    "slow down",
				RetryAfter: 7 * time.Second,
			}},
		{"tool envelope", ucp.MCP, canned{200, `{"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"ucp": {"version": "2026-08-25", "status": "error"}, "messages": [{"type": "error", "code": "not_found", "content": "no", "severity": "unrecoverable"}]}}}`},
			ucp.Error{
				HTTPStatus: 200,
				Code:       "not_found",
				Content:    "no",
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			shop, server := newFakeShop(t, schema.V20260825)
			c := client(t, server, schema.V20260825, test.transport)
			shop.next = &test.answer
			_, err := c.Checkout(context.Background(), "chk_9")
			var got *ucp.Error
			if !errors.As(err, &got) {
				t.Fatal(err)
			}
			if got.Outcome() != (test.answer.status == 200) {
				t.Errorf("Outcome() is %v", got.Outcome())
			}
			messages := got.Messages
			got.Messages = nil
			if got.HTTPStatus != test.want.HTTPStatus || got.RPC != test.want.RPC || got.Code != test.want.Code || got.Content != test.want.Content || got.RetryAfter != test.want.RetryAfter {
				t.Errorf("%+v %v", got, messages)
			}
		})
	}
}

func TestClient_reportsWrongAnswers(t *testing.T) {
	shop, server := newFakeShop(t, schema.V20260825)
	var wrong error
	c, err := ucp.Discover(context.Background(), ucp.Config{
		Connection: exchange.NewClient(exchange.Config{URL: server.URL}),
		Shop:       "demo",
		Observers:  []func(ucp.Call){func(call ucp.Call) { wrong = call.Wrong }},
	})
	if err != nil {
		t.Fatal(err)
	}
	shop.next = &canned{200, strings.Replace(string(shop.answer(judge.GetCheckout)), "48884", "48885", 1)}
	if _, err := c.Checkout(context.Background(), "chk_1"); err != nil {
		t.Error(err)
	}
	if wrong == nil || !strings.Contains(wrong.Error(), "the total is 48885") {
		t.Error(wrong)
	}
}
