package features

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// agentKeys are a scenario's agent keys, by name.
type agentKeys map[string]struct {
	ID     string `json:"id"`
	Secret string `json:"key"`
}

// agentKeySteps create agent keys and send requests with them. A request has a profile only if the step names one.
func agentKeySteps(sc stepRegistry, s *scenario) {
	sc.Given(`^an agent key "([^"]*)" for (\S+)$`, func(name, profile string) error {
		return s.keys.createsAgentKey(s.merchantSends, name, profile)
	})
	sc.Given(`^in the other shop an agent key "([^"]*)" for (\S+)$`, func(name, profile string) error {
		return s.keys.createsAgentKey(s.sendsToOtherShop, name, profile)
	})
	const how = `((?:as \S+ )?with(?:out a key| the key "[^"]*"| the secret \S+))`
	sc.Step(`^`+how+` somebody sends ([A-Z]+) (/\S+)(?: (.+))?$`, s.keys.sendsWithKey)
	sc.Step(`^`+how+` a model calls (\w+) (\{.*\}) at (/\S+)$`, func(how, tool, arguments, path string) error {
		message, err := json.Marshal(map[string]any{
			"jsonrpc": "2.0",
			"id":      1,
			"method":  "tools/call",
			"params":  map[string]any{"name": tool, "arguments": json.RawMessage(s.expand(arguments))},
		})
		if err != nil {
			return err
		}
		return s.keys.sendsWithKey(how, http.MethodPost, path, string(message))
	})
	sc.When(`^`+how+` somebody has (\d+) payments declined$`, s.keys.paysDeclinedWithKey)
	sc.Step(`^`+how+` somebody pays for a checkout(?: at (/\S+))?$`, func(how, prefix string) error { return s.keys.paysWithKey(how, prefix, "$payment_ok") })
}

// declinedPayment is a payment that is declined and may be retried.
const declinedPayment = `{"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token",
  "credential": {"type": "token", "token": "spt_sandbox_decline_insufficient_funds"}}]}`

// paysDeclinedWithKey pays for a new checkout each time, so that only the client's limit can be reached, not a checkout's.
func (c *keysContext) paysDeclinedWithKey(how string, times int) error {
	for range times {
		if err := c.paysWithKey(how, "", declinedPayment); err != nil {
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
