package boot

import (
	"context"
	"net/http"
	"net/netip"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/adapters/ratelimit"
	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/ports"
)

// edge is what stands between the network and the use cases, one for the process.
type edge struct {
	address      func(*http.Request) netip.Addr
	managed      ports.Limiter
	bought, gate ports.Limiter // nil: buyers are not limited

	merchants, buyers, payments, downloads *wire.Lane

	platforms *bulkhead.Room // where merchants' requests wait for platforms and providers
	finalizes *bulkhead.Room // where finalizes wait for payments of the same client
}

// platformShares bound requests that connect accounts: few merchants do at the same time.
var platformShares = bulkhead.Shares{
	Places: 64,
	Tenant: 8,
	Target: 8,
}

// finalizeShares bound finalizes that wait until fewer payments of their client are in flight. A target is a client
// of one shop.
var finalizeShares = bulkhead.Shares{
	Places: paymentPlaces,
	Tenant: paymentPlaces / 4,
	Target: paymentPlaces / 4,
}

// Places in the lanes. Operations have fewer than PostgreSQL has connections, so that payments, sign-in and
// background work find one however many operations wait for each other. Those of merchants and those of buyers
// have places that the others do not take. Payments wait for providers, up to 8 s each, most of it without a
// connection. Downloads last as long as their readers are slow, and so have few places.
//
// One tenant leaves a fifth of a lane to others, of the long waits of payments three quarters, and of downloads a
// half.
const (
	operationPlaces = 16
	paymentPlaces   = 256
	downloadPlaces  = 4
)

// operations leave four connections free, of few the half. Merchants have a quarter of them, buyers the others.
func (c Config) operations() (merchants, buyers int) {
	all := operationPlaces
	if c.Connections != 0 {
		all = min(operationPlaces, max(c.Connections-4, c.Connections/2))
	}
	merchants = max(1, all/4)
	return merchants, all - merchants
}

func (a *App) openEdge(limiter *ratelimit.Limiter) error {
	trusted, err := a.config.proxies()
	if err != nil {
		return err
	}
	merchants, buyers := a.config.operations()
	a.edge = edge{
		address:   wire.ClientAddress(trusted),
		managed:   counted{limiter, a.metrics, "management"},
		merchants: a.lane("management", merchants, share(merchants)),
		buyers:    a.lane("acp", buyers, share(buyers)),
		payments:  a.lane("payments", paymentPlaces, paymentPlaces/4),
		downloads: a.lane("downloads", downloadPlaces, downloadPlaces/2),
		platforms: bulkhead.NewRoom(platformShares),
		finalizes: bulkhead.NewRoom(finalizeShares),
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

// share is what one tenant may have of a lane's places: all but a fifth.
func share(places int) int { return max(1, places-max(1, places/5)) }

func (a *App) lane(name string, places, share int) *wire.Lane {
	return wire.NewLane(places, share, func() { a.metrics.Shed(name) })
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

func (c counted) TakeN(ctx context.Context, key string, r ports.Rate, n int) ports.Verdict {
	return c.note(c.limiter.TakeN(ctx, key, r, n))
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
