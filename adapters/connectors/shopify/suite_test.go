package shopify_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

func TestConnector(t *testing.T) {
	adaptertest.Connector(t, func(t *testing.T) adaptertest.ConnectorWorld {
		s := newFakeShop()
		p := adaptertest.NewPlatform(t, s)
		s.url, s.client = p.URL, p.Client()
		return adaptertest.ConnectorWorld{
			Connector:  s.at(systemClock{}),
			Connection: connection(t),
			Platform:   p,
			Secrets:    []string{secret},
			Resources:  []syncrun.Resource{syncrun.Products, syncrun.Inventory, syncrun.Customers, syncrun.Orders},
			Fill:       func(_ *testing.T, r syncrun.Resource, n int, since time.Time) []string { return s.fill(r, n, since) },
			Circle:     func(syncrun.Resource) { s.circle = true },
		}
	})
}

func TestConnector_oauthConnector(t *testing.T) {
	adaptertest.OAuthConnector(t, func(t *testing.T) adaptertest.OAuthWorld {
		s := newFakeShop()
		p := adaptertest.NewPlatform(t, s)
		s.url, s.client = p.URL, p.Client()
		return adaptertest.OAuthWorld{
			OAuthConnector: s.connector(),
			Platform:       p,
			Store:          store,
			Now:            func() time.Time { return noon },
			Secrets:        []string{secret},
			Visit: func(t *testing.T, address string) ports.CodeGrant {
				u, err := url.Parse(address)
				if err != nil || u.Path != "/admin/oauth/authorize" {
					t.Fatalf("%s: %v", address, err)
				}
				s.mu.Lock()
				s.made++
				code := fmt.Sprintf("code-%d", s.made)
				s.codes[code] = true
				s.mu.Unlock()
				q := u.Query()
				return ports.CodeGrant{
					Store:       store,
					RedirectURI: q.Get("redirect_uri"),
					Code:        code,
					State:       q.Get("state"),
					Callback:    callback(code, q.Get("state"), store, noon).Encode(),
				}
			},
		}
	})
}

func TestConnector_calledConnector(t *testing.T) {
	adaptertest.CalledConnector(t, func(t *testing.T) adaptertest.CalledWorld {
		s := newFakeShop()
		p := adaptertest.NewPlatform(t, s)
		s.url, s.client = p.URL, p.Client()
		return adaptertest.CalledWorld{
			CalledConnector: s.connector(),
			Connection:      connection(t),
			Platform:        p,
			Topic:           "orders/create",
			Timeless:        true,
			Hooks:           func() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.hooks) },
			Call: func(_ *testing.T, _ string, at time.Time) (ports.Call, string) {
				return call("orders/create", "d-"+stamp(at), at, `{"id": 820982911946154508, "name": "#1", "total_price": "1.00", "currency": "EUR", "source_identifier": null}`), "820982911946154508"
			},
		}
	})
}
