package features

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// protocolAgent is a buyer's agent that negotiates over UCP or MCP, which have the same requests and answers.
type protocolAgent struct {
	scenario    *scenario
	protocol    string
	status      int
	answer      map[string]any // the latest
	negotiation map[string]any // the latest answer that is a negotiation
	checkout    map[string]any // the latest checkout
}

func negotiationSteps(sc stepRegistry, s *scenario) {
	a := &protocolAgent{scenario: s}
	sc.Given(`^an agent that speaks (UCP|MCP)$`, func(protocol string) { a.protocol = protocol })
	sc.Step(`^the agent goes on over (UCP|MCP)$`, func(protocol string) { a.protocol = protocol })
	sc.Step(`^the agent asks for the price of (\d+) of the "([^"]*)"$`, a.asksPrice)
	sc.When(`^the agent asks for the price of 1 of the item "([^"]*)"$`, func(ref string) error { return a.start(s.expand(ref), 1) })
	sc.Step(`^the agent offers (\S+) (\S+)$`, a.offers)
	sc.When(`^the agent accepts (\S+) (\S+)$`, a.accepts)
	sc.Step(`^the agent accepts the standing price$`, a.acceptsCurrentPrice)
	sc.Step(`^the agent gives up because of "([^"]*)"$`, a.givesUp)
	sc.Step(`^the agent reads the negotiation$`, func() error { return a.call("GET", "/negotiations/{id}", "get_negotiation", "", nil) })
	sc.When(`^the agent reads the negotiation "([^"]*)"$`, func(id string) error {
		a.negotiation = map[string]any{"id": id}
		return a.call("GET", "/negotiations/{id}", "get_negotiation", "", nil)
	})
	sc.Step(`^the agent checks out what was agreed$`, a.checksOut)
	sc.Step(`^the agent checks out (\d+) of the "([^"]*)" by the code$`, a.checksOutByCode)
	sc.Step(`^the agent pays$`, a.pays)
	sc.Then(`^the agent is answered:$`, func(table *godog.Table) error { return s.checkTable(a.answer, table) })
	sc.When(`^the buyer redeems the agent's code for (\d+) of the "([^"]*)"$`, a.redeemsOverACP)
}

func (a *protocolAgent) asksPrice(quantity int, name string) error {
	return a.start(a.scenario.products[name].Variants[0].ID, quantity)
}

func (a *protocolAgent) start(item string, quantity int) error {
	a.negotiation = nil
	return a.call("POST", "/negotiations", "start_negotiation", "", map[string]any{"item": map[string]any{"id": item}, "quantity": quantity})
}

func minorAmount(amount, currency string) (map[string]any, error) {
	d, err := decimal.Parse(amount)
	if err != nil {
		return nil, err
	}
	minor := json.Number(strings.Replace(twoDecimals(d.String()), ".", "", 1))
	n, err := minor.Int64()
	return map[string]any{"amount": n, "currency": currency}, err
}

// twoDecimals formats a price with two decimals.
func twoDecimals(text string) string {
	whole, part, _ := strings.Cut(text, ".")
	return whole + "." + (part + "00")[:2]
}

func (a *protocolAgent) offers(amount, currency string) error {
	offer, err := minorAmount(amount, currency)
	if err != nil {
		return err
	}
	return a.call("POST", "/negotiations/{id}/offers", "make_offer", "", map[string]any{"offer": offer})
}

func (a *protocolAgent) accepts(amount, currency string) error {
	offer, err := minorAmount(amount, currency)
	if err != nil {
		return err
	}
	return a.accept(offer)
}

func (a *protocolAgent) acceptsCurrentPrice() error { return a.accept(a.negotiation["standing_price"]) }

func (a *protocolAgent) accept(price any) error {
	return a.call("POST", "/negotiations/{id}/accept", "accept_offer", "", map[string]any{"price": price})
}

func (a *protocolAgent) givesUp(reason string) error {
	return a.call("POST", "/negotiations/{id}/decline", "decline_offer", "", map[string]any{"reason": reason})
}

func (a *protocolAgent) checksOut() error {
	return a.opensCheckout(map[string]any{"cart_id": a.negotiation["cart_id"], "line_items": []any{}})
}

func (a *protocolAgent) checksOutByCode(quantity int, name string) error {
	line := map[string]any{"item": map[string]any{"id": a.scenario.products[name].Variants[0].ID}, "quantity": quantity}
	return a.opensCheckout(map[string]any{"line_items": []any{line}, "discounts": map[string]any{"codes": []any{a.code()}}})
}

func (a *protocolAgent) code() string {
	deal, _ := a.negotiation["deal"].(map[string]any)
	code, _ := deal["code"].(string)
	return code
}

func (a *protocolAgent) opensCheckout(body map[string]any) error {
	body["buyer"] = map[string]any{"email": "ada@example.com"}
	body["fulfillment"] = map[string]any{"methods": []any{map[string]any{"type": "shipping", "destinations": []any{map[string]any{
		"first_name": "Ada", "last_name": "Byron", "street_address": "1 Main St", "address_locality": "Austin", "address_region": "TX",
		"postal_code": "78701", "address_country": "US",
	}}}}}
	err := a.call("POST", "/checkout-sessions", "create_checkout", "checkout", body)
	a.checkout = a.answer
	return err
}

func (a *protocolAgent) pays() error {
	instrument := map[string]any{
		"id":         "pi_1",
		"handler_id": "psp_spt",
		"type":       "token",
		"credential": map[string]any{"type": "token", "token": "spt_sandbox_ok"},
	}
	a.negotiation["id"] = a.checkout["id"]
	return a.call("POST", "/checkout-sessions/{id}/complete", "complete_checkout", "checkout",
		map[string]any{"payment": map[string]any{"instruments": []any{instrument}}})
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

// call sends a request over the agent's protocol. Over MCP, body names the tool argument that holds the fields; "" makes each
// field an argument.
func (a *protocolAgent) call(method, path, tool, body string, fields map[string]any) error {
	id, _ := a.negotiation["id"].(string)
	shop := a.scenario.app.URL() + "/p/" + a.scenario.shop.Slug
	var request any = fields
	address := shop + "/ucp" + strings.Replace(path, "{id}", id, 1)
	if a.protocol == "MCP" {
		method, address, request = "POST", shop+"/mcp", toolCall(tool, body, id, strings.Contains(path, "{id}"), fields)
	}
	answer, err := a.send(method, address, request)
	if err != nil {
		return err
	}
	if a.protocol == "MCP" {
		result, _ := answer["result"].(map[string]any)
		if answer, _ = result["structuredContent"].(map[string]any); answer == nil {
			return fmt.Errorf("%s has no result: %d %v", tool, a.status, a.answer)
		}
	}
	a.answer = answer
	if _, isNegotiation := answer["standing_price"]; isNegotiation {
		a.negotiation = answer
	}
	return nil
}

func toolCall(tool, body, id string, named bool, fields map[string]any) any {
	arguments := map[string]any{"meta": map[string]any{"idempotency-key": randomLetters(32)}}
	if named {
		arguments["id"] = id
	}
	if body != "" {
		arguments[body] = fields
	} else {
		for name, value := range fields {
			arguments[name] = value
		}
	}
	return map[string]any{
		"jsonrpc": "2.0",
		"id":      1,
		"method":  "tools/call",
		"params":  map[string]any{"name": tool, "arguments": arguments},
	}
}

func (a *protocolAgent) send(method, address string, request any) (answer map[string]any, err error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(a.scenario.ctx, method, address, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("UCP-Agent", `profile="https://haggle.invalid/agent"`)
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
