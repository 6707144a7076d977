// Package shopify connects Shopify shops with OAuth, the Admin GraphQL API and webhooks. The ids of records are
// the numbers at the end of Shopify's global ids, because webhooks contain only these. The package only reads from
// a shop, except that it registers webhooks and writes our own orders.
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

// Version is the version of the Admin API. Shopify releases one each quarter and supports it for a year and two weeks. After
// that, requests fall forward to the oldest accessible one (https://shopify.dev/docs/api/usage/versioning, read 2026-11-28).
// TestVersion_age fails when it is nine months old.
const Version = "2026-10"

var (
	_ ports.Connector       = (*Connector)(nil)
	_ ports.OAuthConnector  = (*Connector)(nil)
	_ ports.CalledConnector = (*Connector)(nil)
)

// Config holds the settings and dependencies of a Connector. URL replaces every shop's own address, for a proxy or a
// simulator. ClientID and ClientSecret are those of the OAuth app. The secret also signs webhooks. A Custom app may have
// access tokens that never expire, which Shopify does not accept from a public app.
//
// While the app's secret is rotated, signatures with the PreviousSecret are valid, too.
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

// Connector connects all shops.
type Connector struct {
	Config
	platform *connectors.Platform
	accounts bulkhead.Cache[string, *account] // by Connection.Key
}

// account caches what earlier answers of a shop have shown. All of it can be read again.
type account struct {
	mu       sync.Mutex
	budget   budget
	costs    map[string]float64 // of queries, as returned by Shopify
	sizes    map[string]int     // page sizes that the cost limit permits, by query
	currency string
	asked    time.Time // when the currency was read
	defined  bool      // the metafield with our order's id
	served   string    // the API version of the last answer
	awaited  string    // the bulk operation whose state was read last
	pause    time.Duration
	variants map[string]*variantsRead
}

// New returns a connector.
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

// address returns the base URL of a shop. Secrets are sent to no other host.
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

// Inspect reads the shop and the scopes of the app.
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

// noteVersion stores the API version of an answer, and logs a warning once if it is not the requested one.
func (c *Connector) noteVersion(ctx context.Context, key, version string) {
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

// OtherVersion returns the API version of the account's last answer if that is not the requested one, else "".
func (c *Connector) OtherVersion(key string) string {
	a := c.accounts.Of(key)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.served == Version {
		return ""
	}
	return a.served
}

// currencyLife is how long a shop's currency is cached. Merchants rarely change it.
const currencyLife = 10 * time.Minute

// currency returns the currency of a shop's prices.
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

// refused reports whether err is a PlatformRefusal, so that a retry does not help.
func refused(err error) bool {
	var r *ports.PlatformRefusal
	return errors.As(err, &r)
}
