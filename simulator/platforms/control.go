package platforms

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

func (p *Platforms) routeControl() {
	p.control("GET /control/state", func(*http.Request, []byte) (any, error) { return p.State(), nil })
	p.control("GET /control/state/{platform}/{resource}", func(r *http.Request, _ []byte) (any, error) {
		list, err := p.Records(r.PathValue("platform"), r.PathValue("resource"))
		return map[string]any{"data": list}, err
	})
	p.control("GET /control/faults", func(*http.Request, []byte) (any, error) { return map[string]any{"data": p.Faults()}, nil })
	p.control("POST /control/faults", func(_ *http.Request, body []byte) (any, error) { return ordered(body, p.orderFault) })
	p.control("DELETE /control/faults", func(*http.Request, []byte) (any, error) {
		p.ClearFaults()
		return map[string]any{}, nil
	})
	p.control("POST /control/change", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(c Change) (any, error) {
			list, err := p.Change(c)
			return map[string]any{"data": list}, err
		})
	})
	p.control("GET /control/webhooks", func(*http.Request, []byte) (any, error) { return p.Hooks(), nil })
	p.control("POST /control/webhooks", func(r *http.Request, body []byte) (any, error) {
		return ordered(body, func(w Webhooks) (any, error) { return p.Webhooks(r.Context(), w) })
	})
	p.control("POST /control/orders", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(o NewOrder) (any, error) {
			id, err := p.AddOrder(o)
			return map[string]any{"id": id}, err
		})
	})
	p.control("POST /control/revoke", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(of struct{ Platform string }) (any, error) { return map[string]any{}, p.Revoke(of.Platform) })
	})
	p.control("POST /control/expire", func(*http.Request, []byte) (any, error) {
		p.hubspot.expire()
		return map[string]any{}, nil
	})
}

func (p *Platforms) control(pattern string, work func(*http.Request, []byte) (any, error)) {
	p.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		var shown any
		if err == nil {
			shown, err = work(r, body)
		}
		switch {
		case errors.Is(err, errNoWebhook):
			answer{status: http.StatusConflict, body: map[string]any{"error": err.Error()}}.write(w)
		case err != nil:
			answer{status: http.StatusUnprocessableEntity, body: map[string]any{"error": err.Error()}}.write(w)
		default:
			ok(shown).write(w)
		}
	})
}

// ordered reads what is asked for.
func ordered[T any](body []byte, work func(T) (any, error)) (any, error) {
	var asked T
	if !readJSON(body, &asked) {
		return nil, errors.New("the body is not the JSON that is expected here")
	}
	return work(asked)
}

func (p *Platforms) orderFault(f Fault) (any, error) {
	err := p.Fault(f)
	return map[string]any{"data": p.Faults()}, err
}

// Faults are those that have not been met yet.
func (p *Platforms) Faults() []Fault {
	list := []Fault{}
	for _, platform := range names {
		list = append(list, p.sides[platform].faults.list()...)
	}
	return list
}

// Hooks are the registered webhooks by platform.
func (p *Platforms) Hooks() map[string]any {
	all := map[string]any{}
	for _, platform := range names {
		all[platform] = append([]hook{}, p.sides[platform].hooks.list()...)
	}
	return all
}

// Change makes random changes and tells nobody of them.
func (p *Platforms) Change(c Change) ([]Changed, error) {
	s := p.sides[c.Platform]
	if s == nil || s.shop == nil {
		return nil, fmt.Errorf("nothing can be changed at %q", c.Platform)
	}
	if len(c.Topics) == 0 {
		c.Topics = goods
		if s == p.hubspot.side {
			c.Topics = []string{"customers/create", "customers/update", "orders/create"}
		}
	}
	list := []Changed{}
	err := s.shop.change(c.N, c.Seed, c.Topics, p.config.Now, func(changed Changed) { list = append(list, changed) })
	return list, err
}

// NewOrder is an order that the platform holds for somebody who gave it a reference; shipped or not.
type NewOrder struct {
	Platform  string `json:"platform"`
	Reference string `json:"reference"`
	Ship      bool   `json:"ship"`
}

// AddOrder adds an order, or ships the one with the reference that is there already. It gives the order's id.
func (p *Platforms) AddOrder(o NewOrder) (id string, err error) {
	s := p.sides[o.Platform]
	if s == nil || s.shop == nil {
		return "", fmt.Errorf("%q takes no orders this way", o.Platform)
	}
	s.shop.write(func(w *world) {
		n := -1
		for k := range w.orders {
			if o.Reference != "" && w.orders[k].reference == o.Reference {
				n = k
			}
		}
		m := newMaker(p.config.Seed, uint64(len(w.orders)))
		if n < 0 {
			n = len(w.orders)
			m.addOrder(w, s.shop.tick(p.config.Now(), 0))
			one := &w.orders[n]
			one.status, one.carrier, one.tracking, one.shipped, one.updated, one.reference = "paid", "", "", 0, one.placed, o.Reference
		}
		if o.Ship {
			m.ship(&w.orders[n], s.shop.tick(p.config.Now(), w.orders[n].updated))
		}
		id = s.shop.name("orders/updated", Changed{Topic: "orders/updated", index: n})
	})
	return id, nil
}

// Revoke makes every token of the platform worthless, as a merchant who removes the app does.
func (p *Platforms) Revoke(platform string) error {
	switch platform {
	case Shopify:
		p.shopify.revoke()
	case HubSpot:
		p.hubspot.revoke()
	default:
		return fmt.Errorf("%q gives no tokens; order the fault refuse", platform)
	}
	return nil
}

// Expire ends HubSpot's access tokens; they can be refreshed.
func (p *Platforms) Expire() { p.hubspot.expire() }
