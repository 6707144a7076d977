package platforms

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
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
	p.control("POST /control/webhooks/lose", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(l Lose) (any, error) {
			n, err := p.Lose(l)
			return map[string]any{"lost": n}, err
		})
	})
	p.control("POST /control/orders", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(o NewOrder) (any, error) {
			id, err := p.AddOrder(o)
			return map[string]any{"id": id}, err
		})
	})
	p.control("POST /control/collect", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(parcel struct{ Tracking string }) (any, error) {
			return map[string]any{}, p.Collect(parcel.Tracking)
		})
	})
	p.routeShopifyAdmin()
	p.routeWooCommerceAdmin()
	p.routeCustomAdmin()
	p.routeHubSpotAdmin()
	p.control("POST /control/revoke", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(of struct{ Platform string }) (any, error) { return map[string]any{}, p.Revoke(of.Platform) })
	})
	p.control("POST /control/expire", func(_ *http.Request, body []byte) (any, error) {
		if len(body) == 0 {
			body = []byte(`{"platform": "hubspot"}`)
		}
		return ordered(body, func(of struct{ Platform string }) (any, error) { return map[string]any{}, p.Expire(of.Platform) })
	})
}

func (p *Platforms) control(pattern string, work func(*http.Request, []byte) (any, error)) {
	p.Mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		var shown any
		if err == nil {
			shown, err = work(r, body)
		}
		switch {
		case errors.Is(err, host.ErrNoWebhook):
			host.Answer{Status: http.StatusConflict, Body: map[string]any{"error": err.Error()}}.Write(w)
		case err != nil:
			host.Answer{Status: http.StatusUnprocessableEntity, Body: map[string]any{"error": err.Error()}}.Write(w)
		default:
			host.OK(shown).Write(w)
		}
	})
}

// ordered decodes a request body and passes it to work.
func ordered[T any](body []byte, work func(T) (any, error)) (any, error) {
	var asked T
	if !host.ReadJSON(body, &asked) {
		return nil, errors.New("the body is not the JSON that is expected here")
	}
	return work(asked)
}

func (p *Platforms) orderFault(f Fault) (any, error) {
	err := p.Fault(f)
	return map[string]any{"data": p.Faults()}, err
}

// Change makes random changes without calling webhooks.
func (p *Platforms) Change(c Change) ([]Changed, error) {
	s := p.Sides[c.Platform]
	if s == nil || s.Shop == nil {
		return nil, fmt.Errorf("nothing can be changed at %q", c.Platform)
	}
	if len(c.Topics) == 0 {
		c.Topics = host.Goods
		if s == p.hubspot.Side {
			c.Topics = []string{"customers/create", "customers/update", "orders/create"}
		}
	}
	list := []Changed{}
	err := s.Shop.Change(c.N, c.Seed, c.Topics, p.Config.Now, func(changed Changed) { list = append(list, changed) })
	return list, err
}

// Revoke revokes all tokens of a platform, as when a merchant removes the app.
func (p *Platforms) Revoke(platform string) error {
	switch platform {
	case Shopify:
		p.shopify.Revoke()
	case HubSpot:
		p.hubspot.Revoke()
	default:
		return fmt.Errorf("%q gives no tokens; order the fault refuse", platform)
	}
	return nil
}

// Expire expires a platform's access tokens. They can be refreshed.
func (p *Platforms) Expire(platform string) error {
	switch platform {
	case Shopify:
		p.shopify.Expire()
	case HubSpot:
		p.hubspot.Expire()
	default:
		return fmt.Errorf("%q gives no tokens that expire", platform)
	}
	return nil
}

// SetShopifyApp changes the kind of the Shopify app, as when one of Shopify's deadlines passes.
func (p *Platforms) SetShopifyApp(kind string) { p.shopify.SetApp(kind) }

// Collect makes the carrier scan a ShipStation parcel. Its label can no longer be voided.
func (p *Platforms) Collect(tracking string) error { return p.shipstation.Collect(tracking) }
