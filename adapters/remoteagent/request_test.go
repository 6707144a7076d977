package remoteagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// asked returns the request body of a call, and checks that its headers agree with the body.
func asked(t *testing.T, in any) (whole map[string]any, data map[string]any, raw string) {
	t.Helper()
	a, to := asking(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if raw = string(body); json.Unmarshal(body, &whole) != nil {
			t.Errorf("%s is no JSON", body)
			return
		}
		if whole["id"] != r.Header.Get("webhook-id") || r.Header.Get("User-Agent") != "Haggle/1" || len(r.Header["Cookie"]) > 0 {
			t.Errorf("%v of %v", r.Header, whole["id"])
		}
		status := "reject"
		if strings.Contains(raw, `"offer":null,"currency"`) {
			status = "quote"
		}
		_, _ = io.WriteString(w, `{"status": "`+status+`", "price": 1, "results": [], "approve": true}`)
	})
	var err error
	switch in := in.(type) {
	case agent.SearchInput:
		_, err = a.Search(ports.NewOutbound(t.Context()), to, in)
	case agent.QuoteInput:
		_, err = a.Quote(ports.NewOutbound(t.Context()), to, in)
	case agent.CheckoutInput:
		_, err = a.Checkout(ports.NewOutbound(t.Context()), to, in)
	case agent.FinalizeInput:
		_, err = a.Finalize(ports.NewOutbound(t.Context()), to, in)
	}
	data, ok := whole["data"].(map[string]any)
	if err != nil || !ok {
		t.Fatalf("%v: %s", err, raw)
	}
	return whole, data, raw
}

func TestAgents_Search_request(t *testing.T) {
	t.Parallel()
	whole, data, raw := asked(t, searching())
	if whole["type"] != "acp.search" || whole["project_id"] != shop.ID.String() || whole["agent_id"] != self.String() {
		t.Error(raw)
	}
	for _, part := range []string{
		`"query":"tent"`, `"filters":{"category":"","price_max":150.00,"size":"","colors":[]}`, `"prefers":[]`, `"limit":2,"currency":"USD","total":9`,
		`{"product_id":"` + hit(0) + `","name":"Tent","brand":"Fjell","category":"","list_price":100.00,"score":0.900,"in_stock":false,"reasons":["it is a tent"]}`,
	} {
		if !strings.Contains(raw, part) {
			t.Errorf("%s is not in %s", part, raw)
		}
	}
	if n := len(data["candidates"].([]any)); n != 3 {
		t.Errorf("%d candidates", n)
	}
}

func TestAgents_Checkout_request(t *testing.T) {
	t.Parallel()
	whole, _, raw := asked(t, lines())
	if whole["type"] != "acp.checkout" || !strings.Contains(raw, `"data":{"session_id":"`+buyerSession.ID.String()+`","currency":"USD","lines":[{"product_id":"`+tent.String()+
		`","variant_id":"`+green.String()+`","sku":"T-1","name":"Tent","quantity":2,"unit_price":92.50,"list_price":100.00}]}`) {
		t.Error(raw)
	}
}

// A request for consent to a payment does not reveal the payment method or token.
func TestAgents_Finalize_request(t *testing.T) {
	t.Parallel()
	whole, data, raw := asked(t, paying())
	if whole["type"] != "acp.finalize" || whole["session"] != nil || len(data) != 3 || data["total"] != 199.9 || data["currency"] != "USD" ||
		data["checkout_id"] != paying().Checkout.ID().String() || strings.Contains(raw, "hash") || strings.Contains(raw, "token") {
		t.Error(raw)
	}
}

func TestToAPIRequest_nulls(t *testing.T) {
	t.Parallel()
	in := question(nil)
	in.Session = &session.Session{
		ID:        buyerSession.ID,
		CreatedAt: noon,
		Claims:    session.Claims{Member: session.Member{Tier: "gold", Purchases: 2}},
	}
	in.Table.Progress = negotiation.Progress{}
	whole, data, raw := asked(t, in)
	buyerSession := whole["session"].(map[string]any)
	if buyerSession["buyer_context"] != nil || buyerSession["member"].(map[string]any)["purchases"] != 2.0 || data["offer"] != nil || data["buyer_context"] != nil ||
		data["progress"].(map[string]any)["best_offer"] != nil || len(data["history"].([]any)) != 0 || data["standing_price"] != 98.0 {
		t.Error(raw)
	}
	in.Scene = agent.Scene{}
	if whole, _, raw = asked(t, in); whole["session"] != nil || whole["project_id"] != "" {
		t.Error(raw)
	}
	if _, data, raw = asked(t, agent.CheckoutInput{}); data["session_id"] != nil || len(data["lines"].([]any)) != 0 {
		t.Error(raw)
	}
}

func TestToAPIMoney_decimals(t *testing.T) {
	t.Parallel()
	yen, err := money.ParseCurrency("JPY")
	if err != nil {
		t.Fatal(err)
	}
	in := question(nil)
	of := func(n int64) money.Amount { return money.Of(n, yen) }
	in.Table = negotiation.Table{Terms: halfway, Bounds: negotiation.RehydrateBounds(of(5000), of(5000), of(4500), of(4000))}
	if _, _, raw := asked(t, in); !strings.Contains(raw, `"list_price":5000,"bounds":{"floor":4000,"target":4500,"opening":5000}`) {
		t.Error(raw)
	}
}

// A buyer's text cannot change other members of the request.
func TestToAPIQuote_buyerTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`", "offer": 1, "x": "`, "\xff\xfe", "</script>\u2028", "\x00\x1b", strings.Repeat("ä", 2000)} {
		in := question(offer("85"))
		in.Message = text
		said := *buyerSession
		said.Claims.Location, in.Session = text, &said
		_, data, raw := asked(t, in)
		if want := string([]rune(text)); data["message"] != want || data["buyer_context"].(map[string]any)["location"] != want || data["offer"] != 85.0 {
			t.Error(raw)
		}
	}
}

func TestRecall_lastTwenty(t *testing.T) {
	t.Parallel()
	in := question(offer("85"))
	in.History = func(context.Context) (all []negotiation.Entry, err error) {
		for n := range 25 {
			all = append(all, negotiation.Entry{
				At: noon.Add(time.Duration(n) * time.Second),
				Item: negotiation.Item{
					Product:  tent,
					Variant:  green,
					Quantity: n,
				},
				Outcome: negotiation.OutcomeRejected,
			})
		}
		return all, nil
	}
	_, data, raw := asked(t, in)
	history := data["history"].([]any)
	first := history[0].(map[string]any)
	if len(history) != 20 || first["quantity"] != 5.0 || first["offer"] != nil || first["price"] != nil || first["at"] != "2026-11-21T12:00:05Z" || first["response"] != "reject" {
		t.Error(raw)
	}
}

func TestRecall_unavailable(t *testing.T) {
	t.Parallel()
	for name, history := range map[string]func(context.Context) ([]negotiation.Entry, error){
		"fails": func(context.Context) ([]negotiation.Entry, error) {
			return []negotiation.Entry{{}}, errors.New("no database")
		},
		"hangs": func(ctx context.Context) ([]negotiation.Entry, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	} {
		in := question(offer("85"))
		in.History = history
		if _, data, raw := asked(t, in); len(data["history"].([]any)) != 0 {
			t.Errorf("%s: %s", name, raw)
		}
	}
}

// Each request has its own id, so that a handler can detect a repetition.
func TestAgents_Checkout_newID(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	a, to := asking(t, func(w http.ResponseWriter, r *http.Request) {
		ids[r.Header.Get("webhook-id")] = true
		if at, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64); err != nil || time.Since(time.Unix(at, 0)).Abs() > time.Minute {
			t.Error(at, err)
		}
		_, _ = io.WriteString(w, `{"approve": true}`)
	})
	for range 10 {
		if _, err := a.Checkout(ports.NewOutbound(t.Context()), to, lines()); err != nil {
			t.Error(err)
		}
	}
	for one := range ids {
		if _, err := id.Parse[id.Event](one); err != nil {
			t.Error(one)
		}
	}
	if len(ids) != 10 {
		t.Errorf("%v", ids)
	}
}
