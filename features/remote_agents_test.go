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

// handling is what a scenario has of handlers of the merchant's own.
type handling struct {
	handler *handler
	offered time.Time       // when buyers began to offer at once
	waits   []time.Duration // how long each of them waited
	deals   []buyer.Agreement
}

// handler serves an agent's events: in the mode it is told, but for those whose answers a step says.
type handler struct {
	server *httptest.Server

	mu sync.Mutex
	*agent.Agent
	said map[string]string // answers by event
}

func startHandler(secret, mode string) (*handler, error) {
	behaving, err := agent.Open(agent.Config{Secret: secret, Mode: mode})
	h := &handler{Agent: behaving, said: map[string]string{}}
	h.server = httptest.NewServer(h)
	return h, err
}

func (w *world) stopHandling() {
	if w.handler != nil {
		w.handler.server.CloseClientConnections() // what hangs is not waited for
		w.handler.server.Close()
	}
}

func (h *handler) say(event, body string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said[event] = body
}

// ServeHTTP lets the agent check every request, and count it.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever asked has gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var asked struct{ Type string }
	_ = json.Unmarshal(body, &asked) // the agent judges it
	h.mu.Lock()
	said, known := h.said[asked.Type]
	behaving := h.Agent
	h.mu.Unlock()
	if !known {
		behaving.ServeHTTP(w, r)
		return
	}
	checked := httptest.NewRecorder()
	if behaving.ServeHTTP(checked, r); checked.Code != http.StatusOK {
		w.WriteHeader(checked.Code)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(said))
}

// hasHandler makes an agent, whose id is called "agent", with the handler for some events, and lets it serve the shop.
func (w *world) hasHandler(events, mode string) error {
	if err := w.hasAgent(`{"name": "Ann"}`); err != nil {
		return err
	}
	secret, _ := at(w.tape.last().value(), "secret")
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
		w.unjudged(),
	)
}

// handlerLearns takes the secret of the latest answer.
func (w *world) handlerLearns() error {
	secret, found := at(w.tape.last().value(), "secret")
	learnt, err := agent.Open(agent.Config{Secret: fmt.Sprint(secret)})
	if err != nil || !found {
		return fmt.Errorf("secret: %v, %w", found, err)
	}
	w.handler.mu.Lock()
	defer w.handler.mu.Unlock()
	w.handler.Agent = learnt
	return nil
}

func (w *world) offerAtOnce(n int, price, name string) error {
	body := fmt.Appendf(nil, `{"product_id": %q, "quantity": 1, "offer_price": %s}`, w.products[name].ID, price)
	visitor := w.visitor(w.shop.Slug)
	w.offered, w.waits = time.Now(), make([]time.Duration, n)
	w.atOnce(n, func(i int) error {
		from := time.Now()
		response, err := visitor.Do(w.ctx, "POST", "/acp/quote", nil, body)
		w.waits[i] = time.Since(from)
		if err == nil && !response.OK() {
			err = fmt.Errorf("it answered %d", response.Status)
		}
		return err
	})
	for _, err := range w.crowd {
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *world) answeredWithin(seconds int) error {
	if longest := slices.Max(w.waits); longest > time.Duration(seconds)*time.Second {
		return fmt.Errorf("one waited %s", longest)
	}
	return nil
}

// bargainInEveryWay sends a buyer of each strategy, who would pay up to the list price.
func (w *world) bargainInEveryWay(name string) error {
	limits := buyer.Limits{
		Opening:     decimal.FromInt(75),
		Reservation: decimal.FromInt(100),
		Patience:    5,
	}
	for _, make := range buyer.Strategies {
		if err := w.looksAt(name); err != nil {
			return err
		}
		var outcome buyer.Outcome
		err := w.must(func(b *shopper) {
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
