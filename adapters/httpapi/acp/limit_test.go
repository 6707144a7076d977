package acp_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/acp"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/ports"
)

// limiter refuses one key, and remembers what it counted as "key per minute/burst".
type limiter struct {
	ports.Limiter
	refuses string
	counted []string
}

func (l *limiter) Allow(_ context.Context, key string, r ports.Rate) ports.Verdict {
	l.counted = append(l.counted, key+" "+strconv.Itoa(r.PerMinute)+"/"+strconv.Itoa(r.Burst))
	return ports.Verdict{
		Allowed:    key != l.refuses,
		Limit:      r.Burst,
		RetryAfter: time.Second,
	}
}

func (l *limiter) AllowN(ctx context.Context, key string, r ports.Rate, n int) ports.Verdict {
	if n != 1 {
		key += " times " + strconv.Itoa(n)
	}
	return l.Allow(ctx, key, r)
}

// Requests are counted by client address before the shop is looked up, because buyers can make up slugs, and then in the shop
// that was found, with another limiter.
func TestRegister_rateLimits(t *testing.T) {
	t.Parallel()
	const v4, v6, network, site = "198.51.100.7", "2001:db8:1:2::3", "2001:db8:1:2::/64", "2001:db8:1::/48"
	shop := "acp " + stocked().shop.ID.String() + " "
	for _, c := range []struct {
		name, from, slug, refuses string
		gate, counted             []string
		status                    int
	}{
		{"a shop", v4, "demo", "", []string{v4 + " 60/90"}, []string{shop + v4 + " 6/9"}, 200},
		{"a shop, from a site", v6, "demo", "", []string{network + " 60/90", site + " 600/900"}, []string{shop + network + " 6/9"}, 200},
		{"an invented shop", v4, "invented", "", []string{v4 + " 60/90"}, nil, 404},
		{"too many in the shop", v4, "demo", shop + v4, []string{v4 + " 60/90"}, []string{shop + v4 + " 6/9"}, 429},
		{"too many of the address", v4, "demo", v4, []string{v4 + " 60/90"}, nil, 429},
		{"too many of the network", v6, "demo", network, []string{network + " 60/90"}, nil, 429},
		{"too many of the site", v6, "demo", site, []string{network + " 60/90", site + " 600/900"}, nil, 429},
	} {
		gate, shops := &limiter{refuses: c.refuses}, &limiter{refuses: c.refuses}
		s := limited(t, c.from, gate, shops)
		out := httptest.NewRecorder()
		s.ServeHTTP(out, httptest.NewRequest("GET", "/p/"+c.slug+"/.well-known/acp/manifest.json", nil))
		if out.Code != c.status || !slices.Equal(gate.counted, c.gate) || !slices.Equal(shops.counted, c.counted) {
			t.Errorf("%s: %d, counted %q and then %q", c.name, out.Code, gate.counted, shops.counted)
		}
	}
}

// limited is the API for one client.
func limited(t *testing.T, from string, gate, shops ports.Limiter) http.Handler {
	t.Helper()
	services := (&shop{fakeStore: stocked(), t: t}).services(slog.New(slog.DiscardHandler))
	services.ClientAddress = func(*http.Request) netip.Addr { return netip.MustParseAddr(from) }
	services.Gate, services.Limiter, services.Rate = gate, shops, ports.Rate{PerMinute: 6, Burst: 9}
	mux := http.NewServeMux()
	acp.Register(wire.NewAPI(mux, wire.Config{Title: "Haggle", Version: "1"}), &services)
	return wire.Handler(mux, wire.Watch{Log: slog.New(slog.DiscardHandler)})
}
