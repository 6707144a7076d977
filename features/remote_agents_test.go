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
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/agent"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// handlerState holds a scenario's remote agent handler and what buyers got from it.
type handlerState struct {
	handler     *handler
	offersBegan time.Time       // start of the concurrent offers
	waits       []time.Duration // how long each offer waited
	deals       []buyer.Agreement
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

func (w *world) closeHandler() {
	if w.handler != nil {
		w.handler.server.CloseClientConnections() // or Close would wait for hanging requests
		w.handler.server.Close()
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

// hasHandler creates an agent, named "agent", with a remote handler for some events, and activates it.
func (w *world) hasHandler(events, mode string) error {
	if err := w.createsAgent(`{"name": "Ann"}`); err != nil {
		return err
	}
	secret, _ := valueAt(w.recorder.last().value(), "secret")
	var err error
	if w.handler, err = startHandler(fmt.Sprint(secret), mode); err != nil {
		return err
	}
	var names []string
	if err := json.Unmarshal([]byte(events), &names); err != nil {
		return err
	}
	handlers := map[string]any{}
	for _, name := range names {
		handlers[name] = map[string]string{"type": "remote", "url": w.handler.server.URL + "/agent"}
	}
	return errors.Join(
		w.merchantSends("PATCH", agentsPath+"/$agent", encode(map[string]any{"handlers": handlers})),
		w.merchantSends("POST", agentsPath+"/$agent/activate", ""),
		w.unexpectedRefusal(),
	)
}

// handlerTakesSecret makes the handler verify requests with the secret of the latest answer.
func (w *world) handlerTakesSecret() error {
	secret, found := valueAt(w.recorder.last().value(), "secret")
	replacement, err := agent.Open(agent.Config{Secret: fmt.Sprint(secret)})
	if err != nil || !found {
		return fmt.Errorf("secret: %v, %w", found, err)
	}
	w.handler.mu.Lock()
	defer w.handler.mu.Unlock()
	w.handler.Agent = replacement
	return nil
}

func (w *world) offerConcurrently(n int, price, name string) error {
	body := fmt.Appendf(nil, `{"product_id": %q, "quantity": 1, "offer_price": %s}`, w.products[name].ID, price)
	client := w.buyerClient(w.shop.Slug)
	w.offersBegan, w.waits = time.Now(), make([]time.Duration, n)
	w.runConcurrently(n, func(i int) error {
		from := time.Now()
		response, err := client.Do(w.ctx, "POST", "/acp/quote", nil, body)
		w.waits[i] = time.Since(from)
		if err == nil && !response.OK() {
			err = fmt.Errorf("it answered %d", response.Status)
		}
		return err
	})
	for _, err := range w.concurrentErrs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *world) allAnsweredWithin(seconds int) error {
	if longest := slices.Max(w.waits); longest > time.Duration(seconds)*time.Second {
		return fmt.Errorf("one waited %s", longest)
	}
	return nil
}

// bargainWithEveryStrategy lets a buyer of each strategy, who would pay up to the list price, negotiate and pay.
func (w *world) bargainWithEveryStrategy(name string) error {
	limits := buyer.Limits{
		Opening:     decimal.FromInt(75),
		Reservation: decimal.FromInt(100),
		Patience:    5,
	}
	for _, make := range buyer.Strategies {
		if err := w.arrivesLookingAt(name); err != nil {
			return err
		}
		var outcome buyer.Outcome
		err := w.mustAct(func(b *shopper) {
			outcome = b.Haggle(make(limits))
			b.InitCheckout(b.address).Pay("psp_spt", goodToken)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", make(limits).Name(), err)
		}
		if !outcome.Agreed || !w.shopper.Paid() {
			return fmt.Errorf("%s: agreed %v, paid %v", make(limits).Name(), outcome.Agreed, w.shopper.Paid())
		}
		w.deals = append(w.deals, *w.shopper.Agreement)
	}
	return nil
}
