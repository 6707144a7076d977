package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// protocolAgent is a buyer's agent that negotiates and buys over UCP or MCP, which have the same requests and answers.
type protocolAgent struct {
	scenario    *scenario
	protocol    string         // UCP or MCP
	version     schema.Version // "" is the current one
	status      int
	answer      map[string]any // the latest
	negotiation map[string]any // the latest answer that is a negotiation
	checkout    map[string]any // the latest answer that is a checkout
	orderID     string
}

// protocolAgent returns the scenario's agent.
func (c *ucpContext) protocolAgent() *protocolAgent {
	if c.agent == nil {
		c.agent = &protocolAgent{scenario: c.scenario}
	}
	return c.agent
}

func (a *protocolAgent) speaks(protocol, version string) {
	a.protocol, a.version = protocol, schema.Version(version)
}

// protocolCall is a request over UCP, and the same over MCP.
type protocolCall struct {
	method, path string // path may contain {id}
	tool         string
	id           any
	member       string // argument of the tool that holds the fields; "" makes each field an argument
	fields       map[string]any
}

func (a *protocolAgent) asksPrice(quantity int, name string) error {
	return a.start(a.scenario.products[name].Variants[0].ID, quantity)
}

func (a *protocolAgent) start(item string, quantity int) error {
	a.negotiation = nil
	return a.call(protocolCall{
		method: "POST",
		path:   "/negotiations",
		tool:   "start_negotiation",
		fields: map[string]any{"item": map[string]any{"id": item}, "quantity": quantity},
	})
}

// minorUnits returns an amount such as "1.5" in cents.
func minorUnits(amount string) (int64, error) {
	d, err := decimal.Parse(amount)
	if err != nil {
		return 0, err
	}
	return json.Number(strings.Replace(twoDecimals(d.String()), ".", "", 1)).Int64()
}

// twoDecimals formats a price with two decimals.
func twoDecimals(text string) string {
	whole, part, _ := strings.Cut(text, ".")
	return whole + "." + (part + "00")[:2]
}

func (a *protocolAgent) offers(amount, currency string) error {
	n, err := minorUnits(amount)
	if err != nil {
		return err
	}
	return a.call(protocolCall{
		method: "POST",
		path:   "/negotiations/{id}/offers",
		tool:   "make_offer",
		id:     a.negotiation["id"],
		fields: map[string]any{"offer": map[string]any{"amount": n, "currency": currency}},
	})
}

func (a *protocolAgent) accepts(amount, currency string) error {
	n, err := minorUnits(amount)
	if err != nil {
		return err
	}
	return a.accept(map[string]any{"amount": n, "currency": currency})
}

func (a *protocolAgent) acceptsCurrentPrice() error { return a.accept(a.negotiation["standing_price"]) }

func (a *protocolAgent) accept(price any) error {
	return a.call(protocolCall{
		method: "POST",
		path:   "/negotiations/{id}/accept",
		tool:   "accept_offer",
		id:     a.negotiation["id"],
		fields: map[string]any{"price": price},
	})
}

func (a *protocolAgent) givesUp(reason string) error {
	return a.call(protocolCall{
		method: "POST",
		path:   "/negotiations/{id}/decline",
		tool:   "decline_offer",
		id:     a.negotiation["id"],
		fields: map[string]any{"reason": reason},
	})
}

func (a *protocolAgent) readsNegotiation() error { return a.readsNegotiationOf(a.negotiation["id"]) }

func (a *protocolAgent) readsNegotiationOf(id any) error {
	return a.call(protocolCall{
		method: "GET",
		path:   "/negotiations/{id}",
		tool:   "get_negotiation",
		id:     id,
	})
}

// code returns the code of the deal that the agent agreed on.
func (a *protocolAgent) code() string {
	code, _ := valueAt(a.negotiation, "deal.code")
	text, _ := code.(string)
	return text
}

// redeemsOverACP redeems the negotiation's code over ACP.
func (a *protocolAgent) redeemsOverACP(quantity int, name string) error {
	p := a.scenario.products[name]
	body, err := json.Marshal(map[string]any{
		"session_id": a.negotiation["cart_id"],
		"items": []any{map[string]any{
			"product_id": p.ID, "variant_id": p.Variants[0].ID, "quantity": quantity, "checkout_token": a.code(),
		}},
		"shipping_address": map[string]any{
			"name": "Ada Byron", "line1": "1 Main St", "city": "Austin", "state": "TX", "postal_code": "78701", "country": "US",
		},
	})
	if err != nil {
		return err
	}
	return a.scenario.sends("", "buyer", "POST", "/acp/checkout/init", string(body))
}

// call sends a request over the agent's protocol, and keeps the answer.
func (a *protocolAgent) call(c protocolCall) error {
	id, _ := c.id.(string)
	version, prefix := a.version, ""
	switch version {
	case "":
		version = schema.V20260825
	case schema.V20260408:
		prefix = "/" + string(version)
	}
	method, address := c.method, prefix+"/ucp"+strings.Replace(c.path, "{id}", id, 1)
	var request any
	if c.fields != nil {
		request = c.fields
	}
	if a.protocol == "MCP" {
		method, address, request = "POST", prefix+"/mcp", toolCall(c, id)
	}
	answer, err := a.send(ucpAgents[version], method, address, request)
	if err != nil {
		return err
	}
	if a.protocol == "MCP" {
		result, _ := answer["result"].(map[string]any)
		if answer, _ = result["structuredContent"].(map[string]any); answer == nil {
			return fmt.Errorf("%s has no result: %d %v", c.tool, a.status, a.answer)
		}
	}
	a.answer = answer
	if _, isNegotiation := answer["standing_price"]; isNegotiation {
		a.negotiation = answer
	}
	return nil
}

func toolCall(c protocolCall, id string) any {
	arguments := map[string]any{"meta": map[string]any{"idempotency-key": randomLetters(32)}}
	if strings.Contains(c.path, "{id}") {
		arguments["id"] = id
	}
	if c.member != "" {
		arguments[c.member] = c.fields
	} else {
		for name, value := range c.fields {
			arguments[name] = value
		}
	}
	return map[string]any{
		"jsonrpc": "2.0",
		"id":      1,
		"method":  "tools/call",
		"params":  map[string]any{"name": c.tool, "arguments": arguments},
	}
}

// send sends a request to a path of the shop, and keeps the status and the body of the answer.
func (a *protocolAgent) send(profile, method, path string, request any) (answer map[string]any, err error) {
	text := []byte("{}")
	if request != nil {
		if text, err = json.Marshal(request); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(a.scenario.ctx, method, a.scenario.app.URL()+"/p/"+a.scenario.shop.Slug+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("UCP-Agent", fmt.Sprintf("profile=%q", profile))
	sent, err := (&http.Client{Transport: retryTransport{a.scenario.server.transport}}).Do(r)
	if err != nil {
		return nil, err
	}
	defer sent.Body.Close()
	a.status = sent.StatusCode
	d := json.NewDecoder(sent.Body)
	d.UseNumber()
	err = d.Decode(&answer)
	a.answer = answer
	return answer, err
}

// shows checks fields of the latest answer, given as pairs of a path and what it must be.
func (a *protocolAgent) shows(pairs ...string) error {
	if err := a.scenario.checkFields(a.answer, pairs); err != nil {
		return errors.Join(err, fmt.Errorf("the answer is %d %s", a.status, encode(a.answer)))
	}
	return nil
}
