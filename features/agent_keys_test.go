package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// agentKeys are a scenario's agent keys, by name.
type agentKeys map[string]struct {
	ID     string `json:"id"`
	Secret string `json:"key"`
}

// agentKeySteps create agent keys and send requests with them.
func agentKeySteps(sc stepRegistry, s *scenario) {
	sc.Given(`^the merchant accepts only signed requests of agents$`, func() error {
		return s.shops.setsPartField("/settings", "agents.authentication", `"signed"`)
	})
	sc.Given(`^an agent key "([^"]*)" for the UCP (\S+) agent$`, func(name, version string) error {
		return s.keys.createsAgentKey(s.merchantSends, name, agentProfile(version))
	})
	sc.Given(`^an agent key "([^"]*)" of the other shop$`, func(name string) error {
		return s.keys.createsAgentKey(s.sendsToOtherShop, name, agentProfile(""))
	})
	sc.When(`^the merchant revokes the agent key "([^"]*)"$`, func(name string) error {
		return s.merchantSends(http.MethodDelete, "/v1/agent-keys/$agent_key_"+name, "")
	})
	sc.When(`^the UCP (\S+) agent orders 1 of the "Trail Tent" (with the key "[^"]*")$`, s.keys.ordersWithKey)
	sc.When(`^a model's client creates a cart (with the key "[^"]*")$`, s.keys.createsCart)
	sc.When(`^(\d+) payments (with the key "[^"]*"|without a key) are declined$`, s.keys.paysDeclinedWithKey)

	sc.Then(`^the order can be read (with the key "[^"]*"), over REST and MCP$`, s.keys.orderCanBeRead)
	sc.Then(`^the order cannot be read over MCP without a signature$`, s.keys.orderIsHidden)
	sc.Then(`^the model's client (finds|does not find) the cart (with the key "[^"]*"|without a key)$`, s.keys.findsCart)
	sc.Then(`^requests (with the key "[^"]*") are (accepted|refused)$`, func(how, outcome string) error {
		return s.keys.requestsAre("", how, outcome)
	})
	sc.Then(`^requests of the UCP (\S+) agent (with the key "[^"]*") are (accepted|refused)$`, s.keys.requestsAre)
	sc.Then(`^a payment(?: over UCP (\S+))? (with the key "[^"]*"|without a key) (succeeds|is refused after too many declines)$`, s.keys.paymentEnds)
}

// agentProfile returns the profile of the agent that speaks a version of UCP; "" is the latest version.
func agentProfile(version string) string {
	if version == aprilVersion {
		return ucpAgents[schema.V20260408]
	}
	return ucpAgents[schema.V20260825]
}

// agentPrefix returns the prefix of the paths of a version of UCP.
func agentPrefix(version string) string {
	if version == aprilVersion {
		return "/" + aprilVersion
	}
	return ""
}

// named adds to how that a request names the agent of a version, which one without a key must do.
func named(how, version string) string {
	if strings.HasPrefix(how, "without") {
		return "as " + agentProfile(version) + " " + how
	}
	return how
}

// declinedPayment is a payment that is declined and may be retried.
const declinedPayment = `{"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token",
  "credential": {"type": "token", "token": "spt_sandbox_decline_insufficient_funds"}}]}`

// paysDeclinedWithKey pays for a new checkout each time, so that only the client's limit can be reached, not a checkout's.
func (c *keysContext) paysDeclinedWithKey(times int, how string) error {
	for range times {
		if err := c.paysWithKey(named(how, ""), "", declinedPayment); err != nil {
			return err
		}
	}
	return nil
}

func (c *keysContext) paysWithKey(how, prefix, payment string) error {
	const wanted = `{"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}`
	if err := c.sendsWithKey(how, http.MethodPost, prefix+"/ucp/checkout-sessions", wanted); err != nil {
		return err
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(c.recorder.last().body, &made); err != nil {
		return err
	}
	return c.sendsWithKey(how, http.MethodPost, prefix+"/ucp/checkout-sessions/"+made.ID+"/complete", `{"payment": `+payment+`}`)
}

func (c *keysContext) paymentEnds(version, how, outcome string) error {
	if err := c.paysWithKey(named(how, version), agentPrefix(version), "$payment_ok"); err != nil {
		return err
	}
	if outcome == "succeeds" {
		return c.answerShows("status", `"completed"`)
	}
	return errors.Join(c.statusIs(http.StatusTooManyRequests), c.answerShows("code", `"too_many_declines"`))
}

// ordersWithKey orders one tent, and remembers the order's id.
func (c *keysContext) ordersWithKey(version, how string) error {
	prefix := agentPrefix(version)
	const wanted = `{"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, ` +
		`"fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", "address_locality": "Portland", ` +
		`"address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}`
	err := errors.Join(
		c.sendsWithKey(how, http.MethodPost, prefix+"/ucp/checkout-sessions", wanted),
		c.statusIs(http.StatusCreated),
		c.rememberAnswer("id"),
		c.sendsWithKey(how, http.MethodPost, prefix+"/ucp/checkout-sessions/$remembered_id/complete", `{"payment": $payment_ok}`),
		c.statusIs(http.StatusOK),
		c.rememberAnswer("order.id"),
	)
	if err == nil {
		c.remembered["agent_prefix"] = prefix
	}
	return err
}

func (c *keysContext) orderCanBeRead(how string) error {
	return errors.Join(
		c.sendsWithKey(how, http.MethodGet, c.remembered["agent_prefix"]+"/ucp/orders/$remembered_order_id", ""),
		c.statusIs(http.StatusOK),
		c.answerShows("id", `"$remembered_order_id"`),
		c.callsTool(how, "get_order", `{"id": "$remembered_order_id"}`, c.remembered["agent_prefix"]+"/mcp"),
		c.statusIs(http.StatusOK),
		c.answerShows("result.structuredContent.id", `"$remembered_order_id"`),
	)
}

func (c *keysContext) orderIsHidden() error {
	return errors.Join(
		c.ucp.modelSends("tools/call", `{"name": "get_order", "arguments": {"id": "$remembered_order_id"}}`, c.remembered["agent_prefix"]+"/mcp"),
		c.statusIs(http.StatusUnauthorized),
		c.answerShows("error.data.code", `"signature_missing"`),
	)
}

// createsCart creates a cart over MCP, and remembers its id.
func (c *keysContext) createsCart(how string) error {
	const wanted = `{"meta": {"idempotency-key": "0123456789012345678901"}, "cart": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}}`
	return errors.Join(
		c.callsTool(how, "create_cart", wanted, "/mcp"),
		c.statusIs(http.StatusOK),
		c.rememberAnswer("result.structuredContent.id"),
	)
}

func (c *keysContext) findsCart(whether, how string) error {
	const cart = "$remembered_result_structuredContent_id"
	want := []string{"result.structuredContent.id", `"` + cart + `"`}
	if whether == "does not find" {
		want = []string{"result.structuredContent.messages.0.code", `"not_found"`}
	}
	return errors.Join(
		c.callsTool(how, "get_cart", `{"id": "`+cart+`"}`, "/mcp"),
		c.statusIs(http.StatusOK),
		c.answerShows(want...),
	)
}

// requestsAre creates a cart over REST and searches over MCP. The requests name the agent of a version of UCP, unless it is "".
func (c *keysContext) requestsAre(version, how, outcome string) error {
	rest, meta := how, ""
	if version != "" {
		rest = "as " + agentProfile(version) + " " + how
		meta = fmt.Sprintf(`"meta": {"ucp-agent": {"profile": %q}}, `, agentProfile(version))
	}
	if err := c.sendsWithKey(rest, http.MethodPost, "/ucp/carts", `{"line_items": []}`); err != nil {
		return err
	}
	var err error
	if outcome == "refused" {
		err = errors.Join(c.statusIs(http.StatusUnauthorized), c.answerShows("code", `"agent_key_invalid"`))
	} else {
		err = c.statusIs(http.StatusCreated)
	}
	if err != nil {
		return err
	}
	if err := c.callsTool(how, "search_catalog", `{`+meta+`"catalog": {"query": "tent"}}`, "/mcp"); err != nil {
		return err
	}
	if outcome == "refused" {
		return errors.Join(c.statusIs(http.StatusUnauthorized), c.answerShows("error.data.code", `"agent_key_invalid"`))
	}
	return c.statusIs(http.StatusOK)
}

// callsTool calls a tool over MCP.
func (c *keysContext) callsTool(how, tool, arguments, path string) error {
	message, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0",
		"id":      1,
		"method":  "tools/call",
		"params":  map[string]any{"name": tool, "arguments": json.RawMessage(c.expand(arguments))},
	})
	if err != nil {
		return err
	}
	return c.sendsWithKey(how, http.MethodPost, path, string(message))
}

func (c *keysContext) createsAgentKey(send func(method, path, body string) error, name, profile string) error {
	if err := send(http.MethodPost, "/v1/agent-keys", fmt.Sprintf(`{"name": %q, "profile": %q}`, name, profile)); err != nil {
		return err
	}
	if err := c.unexpectedRefusal(); err != nil {
		return err
	}
	if c.agentKeys == nil {
		c.agentKeys = agentKeys{}
	}
	made := c.agentKeys[name]
	err := json.Unmarshal(c.recorder.last().body, &made)
	c.agentKeys[name] = made
	return err
}

func (c *keysContext) addAgentKeyVars(vars map[string]string) {
	for name, key := range c.agentKeys {
		vars["agent_key_"+name] = key.ID
	}
}

// sendsWithKey sends a request to the shop. how is any of "as PROFILE", and "with the key NAME", "with the secret SECRET" or
// "without a key".
func (c *keysContext) sendsWithKey(how, method, path, body string) error {
	path, body = c.expand(path), c.expand(body)
	r, err := http.NewRequestWithContext(c.ctx, method, c.app.URL()+"/p/"+c.shop.Slug+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	for words := strings.Fields(how); len(words) > 1; words = words[1:] {
		switch words[0] {
		case "as":
			r.Header.Set("UCP-Agent", fmt.Sprintf("profile=%q", words[1]))
		case "secret":
			r.Header.Set("Authorization", "Bearer "+words[1])
		case "key":
			made, known := c.agentKeys[strings.Trim(words[1], `"`)]
			if !known {
				return fmt.Errorf("there is no agent key %s", words[1])
			}
			r.Header.Set("Authorization", "Bearer "+made.Secret)
		}
	}
	response, err := (&http.Client{Transport: c.recorder}).Do(r)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil || strings.HasSuffix(path, "/mcp") || strings.HasPrefix(path, "/acp/") {
		return err
	}
	version, plain := ucpVersion(path)
	return checkUCPAnswer(version, method, plain, response.StatusCode, answer)
}
