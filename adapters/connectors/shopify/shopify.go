// Package shopify connects shops at Shopify: consent by OAuth, data by the Admin GraphQL API, news by
// webhooks. Records are named by plain numbers, the tails of Shopify's global ids, so that the API and the
// webhooks name the same. It only reads a shop, webhooks and our own orders apart.
package shopify

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

const name = "Shopify"

// Version of the Admin API that is asked for. A version comes each quarter and is accessible for a year and two weeks; after
// that, requests fall forward to the oldest accessible one (https://shopify.dev/docs/api/usage/versioning, read 2026-11-28).
// TestVersion_age fails when it is nine months old.
const Version = "2026-10"

var (
	_ ports.Connector       = (*Connector)(nil)
	_ ports.OAuthConnector  = (*Connector)(nil)
	_ ports.CalledConnector = (*Connector)(nil)
)

// Config of the connector. URL is in place of every shop's own address: a proxy or a look-alike. The client
// is the OAuth app, whose secret also signs webhooks. A custom app may have access tokens without an end, which
// Shopify takes from no public app.
//
// While the app's secret is rotated, what is signed with the PreviousSecret is taken, too.
type Config struct {
	PreviousSecret string
	Custom         bool
	URL            string
	ClientID       string
	ClientSecret   string
	Client         *http.Client
	Clock          ports.Clock
	Log            *slog.Logger // nil: nothing is logged
}

// Connector is for all shops.
type Connector struct {
	Config
	platform *connectors.Platform
	accounts bulkhead.Cache[string, *account] // by Connection.Key
}

// account is what was learnt of a shop while asking it. All of it may be forgotten.
type account struct {
	mu       sync.Mutex
	budget   budget
	costs    map[string]float64 // of queries, as Shopify announced them
	sizes    map[string]int     // of the pages that it can afford
	currency string
	asked    time.Time // for the currency
	defined  bool      // the metafield that our orders are found by
	served   string    // the version that answered last
	awaited  string    // the bulk operation that was asked for last
	pause    time.Duration
	variants map[string]*variantsRead
}

// New makes the connector.
func New(c Config) *Connector {
	c.URL = strings.TrimSuffix(c.URL, "/")
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	accounts := bulkhead.NewCache[string](connectors.KnownAccounts, func() *account {
		return &account{
			costs:    map[string]float64{},
			sizes:    map[string]int{},
			variants: map[string]*variantsRead{},
		}
	})
	return &Connector{
		Config:   c,
		platform: connectors.New(name, c.Client, c.Clock).Judging(c.judge),
		accounts: accounts,
	}
}

var storeForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,99}\.myshopify\.com$`)

var errNoStore = &ports.PlatformRefusal{Reason: "The shop's domain at Shopify is missing: my-shop.myshopify.com."}

// address is where a shop is asked. No other host is sent a secret.
func (c *Connector) address(store string) (string, error) {
	switch {
	case c.URL != "":
		return c.URL, nil
	case !storeForm.MatchString(store):
		return "", errNoStore
	}
	return "https://" + store, nil
}

const inspection = `query Shop {
  shop { id name myshopifyDomain currencyCode }
  currentAppInstallation { accessScopes { handle } }
}`

// Inspect asks for the shop.
func (c *Connector) Inspect(ctx ports.Outbound, conn ports.Connection) (integration.Config, error) {
	var found struct {
		Shop struct {
			ID              gid
			MyshopifyDomain string
			CurrencyCode    string
		}
		CurrentAppInstallation struct{ AccessScopes []struct{ Handle string } }
	}
	if err := c.ask(ctx, conn, inspection, nil, &found); err != nil {
		return integration.Config{}, err
	}
	if found.Shop.ID == "" {
		return integration.Config{}, c.platform.Failed("did not say whose account it is", nil)
	}
	return integration.Config{
		Account:        string(found.Shop.ID),
		Store:          strings.ToLower(found.Shop.MyshopifyDomain),
		Currency:       found.Shop.CurrencyCode,
		MayWriteOrders: slices.ContainsFunc(found.CurrentAppInstallation.AccessScopes, func(s struct{ Handle string }) bool { return s.Handle == "write_orders" }),
	}, nil
}

// serve notes which version has answered an account, and warns once if it is not the one that was asked for.
func (c *Connector) serve(ctx context.Context, key, version string) {
	if version == "" { // a proxy may drop the header
		return
	}
	a := c.accounts.Of(key)
	a.mu.Lock()
	before := a.served
	a.served = version
	a.mu.Unlock()
	if version != Version && version != before {
		c.Log.WarnContext(ctx, "Shopify answers with another version of its API than was asked for: this release is too old",
			"account", key, "asked", Version, "answered", version)
	}
}

// OtherVersion is the version of the API that answered the account last, if that is not the one that was asked for.
func (c *Connector) OtherVersion(key string) string {
	a := c.accounts.Of(key)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.served == Version {
		return ""
	}
	return a.served
}

// currencyLife is how long a shop's currency is believed. A merchant can hardly change it.
const currencyLife = 10 * time.Minute

// currency is what a shop's prices are in.
func (c *Connector) currency(ctx ports.Outbound, conn ports.Connection) (string, error) {
	a, now := c.accounts.Of(conn.Key), c.Clock.Now()
	a.mu.Lock()
	currency, fresh := a.currency, now.Sub(a.asked) < currencyLife
	a.mu.Unlock()
	if currency != "" && fresh {
		return currency, nil
	}
	shop, err := c.Inspect(ctx, conn)
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	a.currency, a.asked = shop.Currency, now
	a.mu.Unlock()
	return shop.Currency, nil
}

// refused reports whether Shopify will not do it, however often it is asked.
func refused(err error) bool {
	var r *ports.PlatformRefusal
	return errors.As(err, &r)
}
