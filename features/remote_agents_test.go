package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/agent"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// remoteAgentsContext runs the merchant's own handlers of an agent's events.
type remoteAgentsContext struct {
	*scenario

	handler     *handler
	offersBegan time.Time       // start of the concurrent offers
	waits       []time.Duration // how long each offer waited
	deals       []buyer.Agreement
	ucpPath     string // of the checkouts of a UCP agent
}

// handler serves an agent's events in the configured mode, except the events for which a step has set an answer.
type handler struct {
	server *httptest.Server

	mu sync.Mutex
	*agent.Agent
	answers map[string]string // answers by event
}

func startHandler(secret, mode string) (*handler, error) {
	opened, err := agent.Open(agent.Config{Secret: secret, Mode: mode})
	h := &handler{Agent: opened, answers: map[string]string{}}
	h.server = httptest.NewServer(h)
	return h, err
}

func (c *remoteAgentsContext) closeHandler() {
	if c.handler != nil {
		c.handler.server.CloseClientConnections() // or Close would wait for hanging requests
		c.handler.server.Close()
	}
}

func (h *handler) setAnswer(event, body string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answers[event] = body
}

// ServeHTTP passes every request to the agent, which verifies and counts it, and sends the answer that a step has set, if any.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has disconnected
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var event struct{ Type string }
	_ = json.Unmarshal(body, &event) // the agent validates the body
	h.mu.Lock()
	answer, isSet := h.answers[event.Type]
	current := h.Agent
	h.mu.Unlock()
	if !isSet {
		current.ServeHTTP(w, r)
		return
	}
	checked := httptest.NewRecorder()
	if current.ServeHTTP(checked, r); checked.Code != http.StatusOK {
		w.WriteHeader(checked.Code)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(answer))
}

// handlerEvents are an agent's events by the words of steps.
var handlerEvents = map[string]string{
	"searches":  "search",
	"quotes":    "quote",
	"checkouts": "checkout",
	"payments":  "finalize",
}

// hasHandler creates an agent, named "agent", with a remote handler for some events, and activates it. what is a list such as
// "searches, quotes and payments".
func (c *remoteAgentsContext) hasHandler(what, mode string) error {
	if err := c.agents.createsAgent(`{"name": "Ann"}`); err != nil {
		return err
	}
	secret, _ := valueAt(c.recorder.last().value(), "secret")
	var err error
	if c.handler, err = startHandler(fmt.Sprint(secret), mode); err != nil {
		return err
	}
	handlers := map[string]any{}
	for word := range strings.SplitSeq(strings.ReplaceAll(what, " and ", ", "), ", ") {
		event, known := handlerEvents[word]
		if !known {
			return fmt.Errorf("a handler has no %q", word)
		}
		handlers[event] = map[string]string{"type": "remote", "url": c.handler.server.URL + "/agent"}
	}
	return errors.Join(
		c.merchantSends("PATCH", agentsPath+"/$agent", encode(map[string]any{"handlers": handlers})),
		c.agentTakesOver("new"),
		c.unexpectedRefusal(),
	)
}

func (c *remoteAgentsContext) hasUnreachableHandler() error {
	handlers := map[string]any{}
	for _, event := range handlerEvents {
		handlers[event] = map[string]string{"type": "remote", "url": "http://127.0.0.1:1/agent"}
	}
	return errors.Join(
		c.agents.createsAgent(encode(map[string]any{"name": "Ann", "handlers": handlers})),
		c.agentTakesOver("new"),
	)
}

// agentVariables are the variables that hold the ids of agents, by the words of steps.
var agentVariables = map[string]string{"new": "$agent", "built-in": "$active"}

func (c *remoteAgentsContext) agentTakesOver(which string) error {
	return c.merchantSends("POST", agentsPath+"/"+agentVariables[which]+"/activate", "")
}

// handlerFinds sets the handler's answer to searches, a list of quoted names. A name that the shop does not sell has an
// unknown product id.
func (c *remoteAgentsContext) handlerFinds(list string) error {
	results := []any{}
	for name := range strings.SplitSeq(list, ", ") {
		name = strings.Trim(name, `"`)
		switch p, sold := c.products[name]; {
		case list == "nothing":
		case sold:
			results = append(results, map[string]any{"product_id": p.ID})
		default:
			results = append(results, map[string]any{"product_id": "prod_00000000000000000000000000", "name": name})
		}
	}
	c.handler.setAnswer("acp.search", encode(map[string]any{"results": results}))
	return nil
}

// handlerDecides sets the handler's answer to checkouts or payments.
func (c *remoteAgentsContext) handlerDecides(how, what, reason string) {
	answer := map[string]any{"approve": how == "approves"}
	if how == "holds" {
		answer["review"] = true
	}
	if reason != "" {
		answer["reason"] = reason
	}
	c.handler.setAnswer("acp."+handlerEvents[what], encode(answer))
}

// handlerTakesSecret makes the handler verify requests with the secret of the latest answer.
func (c *remoteAgentsContext) handlerTakesSecret() error {
	secret, found := valueAt(c.recorder.last().value(), "secret")
	replacement, err := agent.Open(agent.Config{Secret: fmt.Sprint(secret)})
	if err != nil || !found {
		return fmt.Errorf("secret: %v, %w", found, err)
	}
	c.handler.mu.Lock()
	defer c.handler.mu.Unlock()
	c.handler.Agent = replacement
	return nil
}

func (c *remoteAgentsContext) offerConcurrently(n int, price, name string) error {
	body := fmt.Appendf(nil, `{"product_id": %q, "quantity": 1, "offer_price": %s}`, c.products[name].ID, price)
	client := c.buyerClient(c.shop.Slug)
	c.offersBegan, c.waits = time.Now(), make([]time.Duration, n)
	c.runConcurrently(n, func(i int) error {
		from := time.Now()
		response, err := client.Do(c.ctx, "POST", "/acp/quote", nil, body)
		c.waits[i] = time.Since(from)
		if err == nil && !response.OK() {
			err = fmt.Errorf("it answered %d", response.Status)
		}
		return err
	})
	for _, err := range c.concurrentErrs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *remoteAgentsContext) allAnsweredWithin(seconds int) error {
	if longest := slices.Max(c.waits); longest > time.Duration(seconds)*time.Second {
		return fmt.Errorf("one waited %s", longest)
	}
	return nil
}

// bargainWithEveryStrategy lets a buyer of each strategy, who would pay up to the list price, negotiate and pay.
func (c *remoteAgentsContext) bargainWithEveryStrategy(name string) error {
	limits := buyer.Limits{
		Opening:     decimal.FromInt(75),
		Reservation: decimal.FromInt(100),
		Patience:    5,
	}
	for _, make := range buyer.Strategies {
		if err := c.buyers.arrivesLookingAt(name); err != nil {
			return err
		}
		var outcome buyer.Outcome
		err := c.mustAct(func(b *shopper) {
			outcome = b.Haggle(make(limits))
			b.InitCheckout(b.address).Pay("psp_spt", goodToken)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", make(limits).Name(), err)
		}
		if !outcome.Agreed || !c.shopper.Paid() {
			return fmt.Errorf("%s: agreed %v, paid %v", make(limits).Name(), outcome.Agreed, c.shopper.Paid())
		}
		c.deals = append(c.deals, *c.shopper.Agreement)
	}
	return nil
}
