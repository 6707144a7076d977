package shopping_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
	"github.com/haggle-commerce/haggle/simulator/ucp/shopping"
)

var _ buyer.Shop = (*shopping.Shop)(nil)

type object = map[string]any

// shop sells one product for 100.00, accepts 92.00 from the second offer on, and ships for 5.00 or 15.00.
type shop struct {
	t       *testing.T
	version schema.Version
	profile json.RawMessage
	tamper  func(operation judge.Operation, answer object)

	mu       sync.Mutex
	price    int64
	used     int
	accepted bool
	declines int
	checkout object
	redeemed map[string]bool
}

const list, least = int64(10000), int64(9200)

func newShop(t *testing.T, version schema.Version, tamper func(judge.Operation, object)) (*shop, *httptest.Server) {
	t.Helper()
	body, err := os.ReadFile("../judge/testdata/messages.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[schema.Version]map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	s := &shop{
		t:        t,
		version:  version,
		profile:  all[version]["business_profile"],
		tamper:   tamper,
		price:    list,
		redeemed: map[string]bool{},
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server
}

// ServeHTTP decodes the operation and its body from both transports.
func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/.well-known/ucp") {
		_, _ = w.Write(s.profile)
		return
	}
	body := object{}
	_ = json.Unmarshal(text, &body)
	if r.URL.Path != "/mcp" {
		_ = json.NewEncoder(w).Encode(s.answer(operationOf(r), body))
		return
	}
	params := body["params"].(object)
	arguments := params["arguments"].(object)
	for _, payload := range []string{"checkout", "cart", "catalog"} {
		if inner, wrapped := arguments[payload].(object); wrapped {
			arguments = inner
		}
	}
	answer := s.answer(judge.Operation(params["name"].(string)), arguments)
	_ = json.NewEncoder(w).Encode(object{"jsonrpc": "2.0", "id": body["id"], "result": object{"structuredContent": answer}})
}

func operationOf(r *http.Request) judge.Operation {
	for suffix, operation := range map[string]judge.Operation{
		"/catalog/search":    judge.SearchCatalog,
		"/catalog/product":   judge.GetProduct,
		"/checkout-sessions": judge.CreateCheckout,
		"/complete":          judge.CompleteCheckout,
		"/negotiations":      judge.StartNegotiation,
		"/offers":            judge.MakeOffer,
		"/accept":            judge.AcceptOffer,
		"/orders/ord_1":      judge.GetOrder,
	} {
		if strings.HasSuffix(r.URL.Path, suffix) {
			return operation
		}
	}
	return judge.UpdateCheckout
}

func (s *shop) answer(operation judge.Operation, body object) object {
	var answer object
	switch operation {
	case judge.SearchCatalog:
		answer = object{"products": []any{product()}, "pagination": object{"has_next_page": false}}
	case judge.GetProduct:
		answer = object{"product": product()}
	case judge.StartNegotiation, judge.MakeOffer, judge.AcceptOffer:
		answer = s.negotiate(body)
	case judge.CreateCheckout, judge.UpdateCheckout:
		answer = s.open(operation, body)
	case judge.CompleteCheckout:
		answer = s.pay(body)
	case judge.GetOrder:
		answer = s.order()
	default:
		s.t.Errorf("%s", operation)
	}
	answer["ucp"] = object{"version": s.version, "status": "success", "payment_handlers": object{"com.haggle.sandbox": []any{object{"id": "psp_spt", "version": s.version}}},
		"capabilities": s.capabilities(operation)}
	if s.tamper != nil {
		s.tamper(operation, answer)
	}
	return answer
}

func (s *shop) capabilities(operation judge.Operation) object {
	names := map[judge.Operation][]string{
		judge.SearchCatalog:    {judge.Search},
		judge.GetProduct:       {judge.Lookup},
		judge.StartNegotiation: {"com.example.shop.negotiation.quote"},
		judge.MakeOffer:        {"com.example.shop.negotiation.quote"},
		judge.AcceptOffer:      {"com.example.shop.negotiation.quote"},
		judge.GetOrder:         {judge.Order},
	}[operation]
	if names == nil {
		names = []string{judge.Checkout, judge.Discount, judge.Fulfillment}
	}
	active := object{}
	for _, name := range names {
		version := string(s.version)
		if strings.HasPrefix(name, "com.") {
			version = "2026-12-01"
		}
		active[name] = []any{object{"version": version}}
	}
	return active
}

func dollars(amount int64) object { return object{"amount": amount, "currency": "USD"} }

func product() object {
	return object{"id": "prod_1", "title": "Shell", "description": object{"plain": "Dry."}, "price_range": object{"min": dollars(list), "max": dollars(list)},
		"variants": []any{object{"id": "var_1", "title": "M", "description": object{"plain": "M"}, "price": dollars(list), "availability": object{"available": true}}}}
}

func amountIn(body object, name string) int64 {
	money, _ := body[name].(object)
	amount, _ := money["amount"].(float64)
	return int64(amount)
}

func (s *shop) negotiate(body object) object {
	offer := max(amountIn(body, "offer"), amountIn(body, "price"))
	answer := object{"id": "quote_1", "cart_id": "sess_1", "item": object{"id": "var_1", "title": "Shell", "list_price": dollars(list)}, "quantity": 1,
		"lines": []any{object{"item": object{"id": "var_1"}, "quantity": 1}}, "terms": object{}, "final": false, "expires_at": "2199-12-01T10:15:00Z",
		"buyer_actions": []any{"make_offer", "accept_offer", "decline_offer"}, "status": "countered"}
	switch {
	case offer >= s.price && s.used > 0:
		answer["status"], answer["buyer_actions"] = "accepted", []any{}
		answer["deal"] = object{"code": "ct_1", "unit_price": dollars(s.price), "quantity": 1, "expires_at": "2199-12-01T10:15:00Z"}
		s.accepted = true
	case s.used > 0:
		s.price = least
	}
	s.used++
	answer["rounds"] = object{"used": s.used, "allowed": 20}
	answer["standing_price"] = dollars(s.price)
	return answer
}

func entry(kind string, amount int64) object { return object{"type": kind, "amount": amount} }

func (s *shop) open(operation judge.Operation, body object) object {
	discounts, _ := body["discounts"].(object)
	reduced, line := int64(0), []any{entry("subtotal", list)}
	answer := object{"id": "chk_1", "currency": "USD", "links": []any{}, "expires_at": "2199-12-01T10:15:00Z", "continue_url": "https://shop.example.com/c"}
	totals := []any{entry("subtotal", list)}
	if codes, _ := discounts["codes"].([]any); len(codes) > 0 && s.accepted && !s.redeemed["ct_1"] {
		reduced = list - s.price
		line, totals = append(line, entry("items_discount", -reduced)), append(totals, entry("items_discount", -reduced))
		answer["discounts"] = object{"codes": codes, "applied": []any{object{"code": "ct_1", "title": "Agreed price", "amount": reduced, "method": "each",
			"allocations": []any{object{"path": "$.line_items[0]", "amount": reduced}}}}}
	}
	line = append(line, entry("total", list-reduced))
	answer["line_items"] = []any{object{"id": "li_1", "item": object{"id": "var_1", "title": "Shell", "price": list}, "quantity": 1, "totals": line}}
	if operation == judge.CreateCheckout {
		answer["status"], answer["totals"] = "incomplete", append(totals, object{"type": "total", "amount": list - reduced, "display_text": "Estimated total"})
		answer["messages"] = []any{object{"type": "error", "code": "missing", "content": "Where to?", "severity": "recoverable", "path": "$.fulfillment"}}
		return answer
	}
	selected, cost := "standard", int64(500)
	if text, _ := json.Marshal(body["fulfillment"]); strings.Contains(string(text), "express") {
		selected, cost = "express", 1500
	}
	answer["status"], answer["fulfillment"] = "ready_for_complete", s.shipping(selected)
	answer["totals"] = append(totals, entry("fulfillment", cost), entry("tax", 800), entry("total", list-reduced+cost+800))
	s.checkout = answer
	return answer
}

func (s *shop) shipping(selected string) object {
	destination := object{"id": "dest_1", "street_address": "1 Main St"}
	if s.version == schema.V20260825 {
		destination["type"] = "shipping_address"
	}
	return object{"methods": []any{object{"id": "shipping", "type": "shipping", "line_item_ids": []any{"li_1"}, "destinations": []any{destination}, "selected_destination_id": "dest_1",
		"groups": []any{object{"id": "grp_1", "line_item_ids": []any{"li_1"}, "selected_option_id": selected, "options": []any{
			object{"id": "standard", "title": "Standard", "totals": []any{entry("total", 500)}},
			object{"id": "express", "title": "Express", "totals": []any{entry("total", 1500)}}}}}}}}
}

func (s *shop) pay(body object) object {
	text, _ := json.Marshal(body)
	answer := object{}
	for name, value := range s.checkout {
		answer[name] = value
	}
	if strings.Contains(string(text), "decline") {
		s.declines++
		answer["messages"] = []any{object{"type": "error", "code": "payment_failed", "content": "Declined.", "severity": "recoverable", "path": "$.payment"}}
		return answer
	}
	delete(answer, "continue_url")
	answer["status"], answer["order"] = "completed", object{"id": "ord_1", "permalink_url": "https://shop.example.com/o"}
	s.redeemed["ct_1"] = true
	s.checkout = answer
	return answer
}

func (s *shop) order() object {
	return object{"id": "ord_1", "checkout_id": "chk_1", "permalink_url": "https://shop.example.com/o", "currency": "USD", "fulfillment": object{}, "totals": s.checkout["totals"],
		"line_items": []any{object{"id": "li_1", "item": object{"id": "var_1", "title": "Shell", "price": list}, "quantity": object{"total": 1, "fulfilled": 0},
			"totals": s.checkout["line_items"].([]any)[0].(object)["totals"], "status": "processing"}}}
}

// trip runs a buyer who negotiates, has one declined payment, and pays for express shipping.
func trip(t *testing.T, version schema.Version, transport ucp.Transport, tamper func(judge.Operation, object)) (*buyer.Buyer, *simulator.Witness, []string) {
	t.Helper()
	_, server := newShop(t, version, tamper)
	manifest := acp.Manifest{ACPVersion: "1", SupportedCurrencies: []string{"USD"}}
	manifest.Policies.NegotiationEnabled, manifest.Policies.MaxDiscountPercent = true, decimal.FromInt(30)
	witness := simulator.NewWitness(manifest)
	var wrong []string
	entered, err := shopping.Enter(context.Background(), shopping.Config{
		UCP: ucp.Config{
			Connection: exchange.NewClient(exchange.Config{URL: server.URL}),
			Shop:       "demo",
			Version:    version,
			Transport:  transport,
			Observers: []func(ucp.Call){func(call ucp.Call) {
				if call.Wrong != nil {
					wrong = append(wrong, fmt.Sprintf("%s: %v", call.Operation, call.Wrong))
				}
			}},
		},
		Currency:  "USD",
		Observers: []func(acp.Call){witness.Saw},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := buyer.New(context.Background(), entered)
	b.Manifest = manifest
	b.Search("shell").ViewResult(0)
	b.Haggle(buyer.Linear(buyer.Limits{
		Opening:     decimal.FromInt(80),
		Reservation: decimal.FromInt(95),
		Patience:    5,
	}))
	b.InitCheckout(acp.Address{
		Name:       "A B",
		Line1:      "1 Main St",
		City:       "Springfield",
		State:      "IL",
		PostalCode: "62701",
		Country:    "US",
	})
	b.PayShipping(acp.PSPToken, "spt_sandbox_decline_insufficient_funds", "express")
	b.PayShipping(acp.PSPToken, "spt_sandbox_ok", "express").ReadOrder()
	return b, witness, wrong
}

func TestShop_tripOverEveryTransport(t *testing.T) {
	for _, version := range schema.Versions {
		for _, transport := range []ucp.Transport{ucp.REST, ucp.MCP} {
			t.Run(string(version)+" "+string(transport), func(t *testing.T) {
				b, witness, wrong := trip(t, version, transport, nil)
				if b.Err() != nil || !b.Paid() {
					t.Fatalf("%v\n%s", b.Err(), b.Client().Transcript())
				}
				if total := decimal.MustParse("115"); b.Order.Summary.Total != total { // 92 + 15 + 8
					t.Errorf("total %s", b.Order.Summary.Total)
				}
				for _, breach := range witness.Breaches() {
					t.Error(breach)
				}
				for _, what := range wrong {
					t.Error(what)
				}
			})
		}
	}
}

func TestShop_witnessSeesBrokenPromises(t *testing.T) {
	tests := []struct {
		name   string
		tamper func(judge.Operation, object)
		rule   string
	}{
		{"the standing price rises", func(operation judge.Operation, answer object) {
			if operation == judge.MakeOffer && answer["status"] == "countered" {
				answer["standing_price"] = dollars(list + 1)
			}
		}, "counters never rise"},
		{"the deal is not in the price", func(operation judge.Operation, answer object) {
			if operation == judge.UpdateCheckout {
				answer["line_items"].([]any)[0].(object)["totals"] = []any{entry("subtotal", list), entry("total", list)}
			}
		}, "an item sells at the price agreed, or at list"},
		{"the total does not add up", func(operation judge.Operation, answer object) {
			if operation == judge.UpdateCheckout {
				totals := answer["totals"].([]any)
				totals[len(totals)-1] = entry("total", 99999)
			}
		}, "the total is subtotal + shipping + tax"},
		{"the order has another total", func(operation judge.Operation, answer object) {
			if operation == judge.GetOrder {
				answer["totals"] = []any{entry("subtotal", 1), entry("total", 1)}
			}
		}, "an order reads back as it was made"},
		{"a deal costs more than was offered", func(operation judge.Operation, answer object) {
			if deal, agreed := answer["deal"].(object); agreed {
				deal["unit_price"] = dollars(9900)
			}
		}, "an accepted price is at most the offer"},
		{"a standing price is not kept", func(operation judge.Operation, answer object) {
			if answer["status"] == "accepted" {
				answer["status"], answer["deal"] = "countered", nil
			}
		}, "offering the counter is accepted"},
		{"a floor is shown", func(operation judge.Operation, answer object) {
			if operation == judge.MakeOffer {
				answer["floor_price"] = 1
			}
		}, "no answer shows floor, target, cost or margin"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, witness, _ := trip(t, schema.V20260825, ucp.MCP, test.tamper)
			for _, breach := range witness.Breaches() {
				if breach.Rule == test.rule {
					return
				}
			}
			t.Errorf("not seen: %v", witness.Breaches())
		})
	}
}

func TestShop_verbsThatUCPHasNoWordsFor(t *testing.T) {
	b, _, _ := trip(t, schema.V20260825, ucp.REST, nil)
	if b.ReadSession(); !errors.Is(b.TakeErr(), errors.ErrUnsupported) {
		t.Error("reading a session is possible")
	}
	if b.SendBack(1, "no"); !errors.Is(b.TakeErr(), errors.ErrUnsupported) {
		t.Error("sending back is possible")
	}
}
