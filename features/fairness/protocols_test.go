package fairness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// step is what a buyer learns from an answer. Prices are in minor units for one piece.
type step struct {
	status string
	price  int64
	hint   int64 // of a rejection
}

// checkedOut is the status of the last step of a negotiation with a deal: the price in a checkout.
const checkedOut = "checkout"

// protocol has the requests that a buyer sends over one protocol.
type protocol struct {
	name     string
	ask      func(context.Context, *shop, *call) (step, error)
	checkout func(context.Context, *shop, *call) (int64, error)
}

const own = 0

var protocols = []protocol{
	{"Haggle's own protocol", askOwn, checkOutOwn},
	{"UCP", askUCP(overREST), checkOutUCP(overREST)},
	{"MCP", askUCP(overMCP), checkOutUCP(overMCP)},
}

// call is the state of a negotiation between two requests.
type call struct {
	identity
	item     item
	quantity int
	tier     string
	offer    int64
	message  string
	session  string
	quote    string
	token    string
	price    int64 // agreed
}

// play makes the offers of a behavior in a session of its own, up to the first deal, which it takes to a checkout. Each
// session begins with the first request here: where prices follow from a number that is drawn for a session, both buyers of
// a pair must be given the same one here.
func (s *shop) play(ctx context.Context, does behavior, who identity) ([]step, error) {
	c := &call{
		identity: who,
		item:     s.items[does.item],
		quantity: does.quantity,
		tier:     does.tier,
	}
	var steps []step
	for i, offer := range does.offers {
		c.offer, c.message = offer, who.messages[i]
		got, err := protocols[who.protocol].ask(ctx, s, c)
		if err != nil {
			return nil, fmt.Errorf("offer %d: %w", offer, err)
		}
		if steps = append(steps, got); c.token == "" {
			continue
		}
		c.price = got.price
		price, err := protocols[who.protocol].checkout(ctx, s, c)
		if err != nil {
			return nil, fmt.Errorf("checkout: %w", err)
		}
		return append(steps, step{status: checkedOut, price: price}), nil
	}
	return steps, nil
}

func askOwn(ctx context.Context, s *shop, c *call) (step, error) {
	body := map[string]any{
		"buyer_context": map[string]any{"loyalty_tier": c.tier, "location": c.location},
		"message":       c.message,
	}
	if c.quote == "" {
		body["product_id"], body["quantity"] = c.item.product, c.quantity
	} else {
		body["session_id"], body["quote_id"] = c.session, c.quote
	}
	if c.offer > 0 {
		body["offer_price"] = json.Number(toDecimal(c.offer).String())
	}
	var a struct {
		Status  string      `json:"status"`
		Session string      `json:"session_id"`
		Quote   string      `json:"quote_id"`
		Token   string      `json:"checkout_token"`
		Final   json.Number `json:"final_price"`
		Counter json.Number `json:"counter_price"`
		Offered json.Number `json:"offered_price"`
		Hint    json.Number `json:"floor_hint"`
	}
	if err := s.send(ctx, c, "/acp/quote", nil, body, &a); err != nil {
		return step{}, err
	}
	c.session, c.quote, c.token = a.Session, a.Quote, a.Token
	status := map[string]string{"accept": "accepted", "counter_offer": "countered", "reject": "rejected", "quote": "open"}[a.Status]
	got := step{status: status}
	for _, price := range []json.Number{a.Final, a.Counter, a.Offered} {
		if price != "" {
			got.price = minor(price)
		}
	}
	if a.Hint != "" {
		got.hint = minor(a.Hint)
	}
	return got, nil
}

func checkOutOwn(ctx context.Context, s *shop, c *call) (int64, error) {
	var a struct {
		Items []struct {
			Unit json.Number `json:"unit_price"`
		} `json:"items"`
	}
	err := s.send(ctx, c, "/acp/checkout/init", nil, map[string]any{
		"session_id":     c.session,
		"checkout_token": c.token,
		"buyer":          map[string]any{"email": c.email},
		"shipping_address": map[string]any{
			"name": c.name, "line1": "1 Main Street", "city": "Springfield", "state": c.state, "postal_code": "12345", "country": "US",
		},
	}, &a)
	if err != nil || len(a.Items) != 1 {
		return 0, fmt.Errorf("%d items: %w", len(a.Items), err)
	}
	return minor(a.Items[0].Unit), nil
}

// minor converts 12.5 to 1250.
func minor(n json.Number) int64 {
	f, err := n.Float64()
	if err != nil {
		return -1
	}
	return int64(f*100 + .5)
}

// binding sends an operation of UCP: to a REST path, or to a tool of MCP.
type binding func(ctx context.Context, s *shop, c *call, o operation, into any) error

type operation struct {
	path, tool string
	id         string // of what the operation is about
	payload    string // the tool's argument that has the body; "": the body's members are arguments
	body       map[string]any
}

func askUCP(send binding) func(context.Context, *shop, *call) (step, error) {
	return func(ctx context.Context, s *shop, c *call) (step, error) {
		o := operation{
			path: "/negotiations",
			tool: "start_negotiation",
			body: map[string]any{
				"item":     map[string]any{"id": c.item.variant},
				"quantity": c.quantity,
				"context":  map[string]any{"address_country": "US", "address_region": c.state},
			},
		}
		if c.quote != "" {
			o = operation{
				path: "/negotiations/" + c.quote + "/offers",
				tool: "make_offer",
				id:   c.quote,
				body: map[string]any{},
			}
		}
		o.body["message"] = c.message
		if c.offer > 0 {
			o.body["offer"] = map[string]any{"amount": c.offer, "currency": "USD"}
		}
		var a struct {
			ID     string `json:"id"`
			Cart   string `json:"cart_id"`
			Status string `json:"status"`
			Price  struct {
				Amount int64 `json:"amount"`
			} `json:"standing_price"`
			Hint struct {
				Amount int64 `json:"amount"`
			} `json:"hint"`
			Deal struct {
				Code string `json:"code"`
			} `json:"deal"`
			Messages any `json:"messages"`
		}
		if err := send(ctx, s, c, o, &a); err != nil {
			return step{}, err
		}
		if a.Status == "" {
			return step{}, fmt.Errorf("%s: no negotiation: %+v", o.path, a.Messages)
		}
		c.quote, c.session, c.token = a.ID, a.Cart, a.Deal.Code
		return step{
			status: a.Status,
			price:  a.Price.Amount,
			hint:   a.Hint.Amount,
		}, nil
	}
}

func checkOutUCP(send binding) func(context.Context, *shop, *call) (int64, error) {
	return func(ctx context.Context, s *shop, c *call) (int64, error) {
		var a struct {
			Lines []struct {
				Totals []struct {
					Type   string `json:"type"`
					Amount int64  `json:"amount"`
				} `json:"totals"`
			} `json:"line_items"`
		}
		err := send(ctx, s, c, operation{
			path:    "/checkout-sessions",
			tool:    "create_checkout",
			payload: "checkout",
			body: map[string]any{
				"line_items": []any{map[string]any{"item": map[string]any{"id": c.item.variant}, "quantity": c.quantity}},
				"discounts":  map[string]any{"codes": []any{c.token}},
				"buyer":      map[string]any{"first_name": c.name, "email": c.email},
				"fulfillment": map[string]any{"methods": []any{map[string]any{"type": "shipping", "destinations": []any{map[string]any{
					"first_name": c.name, "last_name": "Buyer", "street_address": "1 Main Street", "address_locality": "Springfield",
					"address_region": c.state, "postal_code": "12345", "address_country": "US",
				}}}}},
			},
		}, &a)
		if err != nil || len(a.Lines) != 1 {
			return 0, fmt.Errorf("%d lines: %w", len(a.Lines), err)
		}
		for _, total := range a.Lines[0].Totals {
			if total.Type == "total" {
				return total.Amount / int64(c.quantity), nil
			}
		}
		return 0, fmt.Errorf("no total in %+v", a.Lines)
	}
}

func overREST(ctx context.Context, s *shop, c *call, o operation, into any) error {
	return s.send(ctx, c, "/ucp"+o.path, http.Header{"UCP-Agent": {fmt.Sprintf("profile=%q", c.profile)}}, o.body, into)
}

func overMCP(ctx context.Context, s *shop, c *call, o operation, into any) error {
	arguments := map[string]any{"meta": map[string]any{"ucp-agent": map[string]any{"profile": c.profile}}}
	if o.id != "" {
		arguments["id"] = o.id
	}
	if o.payload != "" {
		arguments[o.payload] = o.body
	} else {
		for name, value := range o.body {
			arguments[name] = value
		}
	}
	var answer struct {
		Result struct {
			Content json.RawMessage `json:"structuredContent"`
		} `json:"result"`
		Error json.RawMessage `json:"error"`
	}
	err := s.send(ctx, c, "/mcp", http.Header{"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-06-18"}}, map[string]any{
		"jsonrpc": "2.0",
		"id":      1,
		"method":  "tools/call",
		"params":  map[string]any{"name": o.tool, "arguments": arguments},
	}, &answer)
	if err != nil {
		return err
	}
	if answer.Result.Content == nil {
		return fmt.Errorf("%s: %s", o.tool, answer.Error)
	}
	return json.Unmarshal(answer.Result.Content, into)
}

var client = &http.Client{Timeout: time.Minute, Transport: func() http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	return transport
}()}

// send posts a request from the buyer's address, and decodes the response.
func (s *shop) send(ctx context.Context, c *call, path string, header http.Header, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	for name, values := range header {
		request.Header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Forwarded-For", c.address)
	request.Header.Set("User-Agent", c.agent)
	if c.language != "" {
		request.Header.Set("Accept-Language", c.language)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s: %d %s", path, response.StatusCode, answer)
	}
	return json.Unmarshal(answer, into)
}
