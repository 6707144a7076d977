package boot

import (
	"context"
	"net/http"
	"net/netip"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/adapters/ratelimit"
	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/ports"
)

// edge is what stands between the network and the use cases, one for the process.
type edge struct {
	address      func(*http.Request) netip.Addr
	managed      ports.Limiter
	bought, gate ports.Limiter // nil: buyers are not limited

	operations, payments, downloads *wire.Lane
}

// Places in the lanes. Operations have fewer than PostgreSQL has connections, so that payments, sign-in and
// background work find one however many operations wait for each other. Payments wait for providers, up to
// 8 s each, most of it without a connection, and have places that nothing else takes. Downloads last as long
// as their readers are slow, and so have few places of their own.
const (
	operationPlaces = 16
	paymentPlaces   = 256
	downloadPlaces  = 4
)

// operations leave four connections free, of few the half.
func (c Config) operations() int {
	if c.Connections == 0 {
		return operationPlaces
	}
	return min(operationPlaces, max(c.Connections-4, c.Connections/2))
}

func (a *App) openEdge(limiter *ratelimit.Limiter) error {
	trusted, err := a.config.proxies()
	if err != nil {
		return err
	}
	a.edge = edge{
		address:    wire.ClientAddress(trusted),
		managed:    counted{limiter, a.metrics, "management"},
		operations: wire.NewLane(a.config.operations(), func() { a.metrics.Shed("operations") }),
		payments:   wire.NewLane(paymentPlaces, func() { a.metrics.Shed("payments") }),
		downloads:  wire.NewLane(downloadPlaces, func() { a.metrics.Shed("downloads") }),
	}
	if !a.limits.acpOff {
		// In memory of its own: what anybody can make it remember takes no one else's place.
		gate, err := ratelimit.New("", a.log)
		if err != nil {
			return err
		}
		a.edge.bought, a.edge.gate = counted{limiter, a.metrics, "acp"}, counted{gate, a.metrics, "acp"}
	}
	return nil
}

// counted tells the metrics of refusals.
type counted struct {
	limiter *ratelimit.Limiter
	metrics *telemetry.Metrics
	api     string
}

func (c counted) Take(ctx context.Context, key string, r ports.Rate) ports.Verdict {
	return c.note(c.limiter.Take(ctx, key, r))
}

func (c counted) Look(ctx context.Context, key string, r ports.Rate) ports.Verdict {
	return c.note(c.limiter.Look(ctx, key, r))
}

func (c counted) note(v ports.Verdict) ports.Verdict {
	if !v.Allowed {
		c.metrics.RateLimitRefused(c.api)
	}
	return v
}
