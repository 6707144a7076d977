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

// edge holds the limits between the network and the use cases. There is one in a process.
type edge struct {
	address      func(*http.Request) netip.Addr
	managed      ports.Limiter
	bought, gate ports.Limiter // nil: buyers are not limited

	merchants, buyers, payments, downloads *wire.Lane

	platforms *bulkhead.Room // for merchants' requests that wait for platforms and providers
	finalizes *bulkhead.Room // for finalizes that wait for payments of the same client
}

// platformShares limits requests that connect accounts. Few merchants do that at the same time.
var platformShares = bulkhead.Shares{
	Places: 64,
	Tenant: 8,
	Target: 8,
}

// finalizeShares limits finalizes that wait until fewer payments of their client are in flight. A target is a client of one
// shop.
var finalizeShares = bulkhead.Shares{
	Places: paymentPlaces,
	Tenant: paymentPlaces / 4,
	Target: paymentPlaces / 4,
}

// Sizes of the lanes. Operations have fewer places than the pool has connections, so that payments, sign-in and background
// work find a connection even if operations block each other. Merchants and buyers have separate places. Payments wait for
// providers, up to 8 s each, mostly without a connection. Downloads last as long as their readers take, so they have few
// places.
//
// One tenant gets at most four fifths of an operations lane, a quarter of the payments lane, and half of the downloads lane.
const (
	operationPlaces = 16
	paymentPlaces   = 256
	downloadPlaces  = 4
)

// operations returns the sizes of the merchants' and the buyers' lanes. Together they leave four connections free, or half of
// a small pool. Merchants get a quarter of the places, buyers the rest.
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
		managed:   countedLimiter{limiter, a.metrics, "management"},
		merchants: a.lane("management", merchants, share(merchants)),
		buyers:    a.lane("acp", buyers, share(buyers)),
		payments:  a.lane("payments", paymentPlaces, paymentPlaces/4),
		downloads: a.lane("downloads", downloadPlaces, downloadPlaces/2),
		platforms: bulkhead.NewRoom(platformShares),
		finalizes: bulkhead.NewRoom(finalizeShares),
	}
	if !a.limits.acpOff {
		// It has its own memory, because anybody can fill it and must not evict entries of the other limiter.
		gate, err := ratelimit.New("", a.log)
		if err != nil {
			return err
		}
		a.edge.bought, a.edge.gate = countedLimiter{limiter, a.metrics, "acp"}, countedLimiter{gate, a.metrics, "acp"}
	}
	return nil
}

// share returns how many places of a lane one tenant may have: all but a fifth.
func share(places int) int { return max(1, places-max(1, places/5)) }

func (a *App) lane(name string, places, share int) *wire.Lane {
	return wire.NewLane(places, share, func() { a.metrics.Shed(name) })
}

// countedLimiter is a limiter that counts refusals in the metrics.
type countedLimiter struct {
	limiter *ratelimit.Limiter
	metrics *telemetry.Metrics
	api     string
}

func (c countedLimiter) Allow(ctx context.Context, key string, r ports.Rate) ports.Verdict {
	return c.note(c.limiter.Allow(ctx, key, r))
}

func (c countedLimiter) AllowN(ctx context.Context, key string, r ports.Rate, n int) ports.Verdict {
	return c.note(c.limiter.AllowN(ctx, key, r, n))
}

func (c countedLimiter) Peek(ctx context.Context, key string, r ports.Rate) ports.Verdict {
	return c.note(c.limiter.Peek(ctx, key, r))
}

func (c countedLimiter) note(v ports.Verdict) ports.Verdict {
	if !v.Allowed {
		c.metrics.RateLimitRefused(c.api)
	}
	return v
}
