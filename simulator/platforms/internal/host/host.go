// Package host is what the look-alikes of platforms share: the server and its routes, scripted faults, webhooks, OAuth
// consent, and the data of the shop. It knows no platform's protocol.
package host

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

const Shopify = "shopify"

const HubSpot = "hubspot"

const ShipStation = "shipstation"

const Custom = "custom"

// PublicApp and CustomApp are the kinds of Shopify apps.
const (
	PublicApp = "public"
	CustomApp = "custom"
)

// Config configures the data and the limits of the platforms. The zero value is ready to use.
type Config struct {
	PublicURL string // scheme://host:port of the look-alike, for links; default: as the request was addressed
	Seed      uint64
	Products  int // at Shopify and the custom system each; default 200, negative for none
	Customers int // at each platform, including HubSpot's contacts; default 100
	Orders    int // at each platform, including HubSpot's deals; default 150

	ClientID, ClientSecret string // the OAuth app; default haggle-sandbox and haggle-sandbox-secret
	Shop                   string // Shopify's domain; default trailhead-outfitters.myshopify.com
	ShipStationKey         string // default shipstation-key
	ShipStationSecret      string // default shipstation-secret
	ShipStationV2Key       string // of API V2, which has no secret; default shipstation-v2-key
	CustomKey              string // default custom-key
	CustomReadOnly         bool   // the custom system takes no orders
	CustomNoItems          bool   // the custom system names stock by SKU, without item_id

	ShopifyVariants    int           // of Shopify's first product; default those of its kind
	Digital            []string      // SKUs that are not shipped, at all platforms
	ShopifyUntracked   []string      // SKUs whose inventory Shopify does not track
	ShopifyContinue    []string      // SKUs that Shopify continues to sell when out of stock
	ShopifyUnpublished []string      // SKUs whose products are not published to the Online Store
	ShopifyGiftCards   []string      // SKUs whose products are gift cards
	ShopifySubscribed  []string      // SKUs whose products are sold by subscription only
	ShopifyApp         string        // PublicApp, created since April 2026, or CustomApp; default PublicApp
	ShopifyVersions    []string      // accessible API versions, oldest first; default 2026-01, -04, -07 and -10
	ShopifyPaged       int           // objects of a connection that can be paged through; default 25,000
	ShopifyDenied      []string      // fields that the app is not approved for: "Customer.firstName", "Order.email"
	ShopifyNoBulk      bool          // the app may run no bulk queries
	ShopifyCurrency    string        // of the shop; default USD
	ShopifyLife        time.Duration // of an expiring access token; default 1 h
	ShopifyBucket      float64       // points; default 2000
	ShopifyRestore     float64       // points per second; default 100
	ShopifyMaxCost     int           // of one query; default 1000
	BulkTime           time.Duration // minimum duration of a bulk operation
	ShopifyDevelopment bool          // a development store: five orders a minute may be created
	ShopifySearchLag   time.Duration // delay until a search finds a new order
	ShopifyJobTime     time.Duration // duration of a job (orderCancel); 0: done when the mutation answers
	HubSpotLife        time.Duration // of an access token; default 30 min
	HubSpotDenied      []string      // optional scopes that the account does not grant
	HubSpotCurrency    string        // the only one of the account; default USD
	HubSpotStages      bool          // deal stages have custom ids, and another pipeline is listed first
	WooCommerceKey     string        // consumer key; default ck_woocommerce
	WooCommerceRead    bool          // the key may only read
	WooCommerceTax     int           // tax in percent on items and shipping; default none
	WooCommerceWhole   bool          // prices have no decimals, so that totals are rounded
	HubSpotPer10s      int           // requests in ten seconds; default 110
	ShipStationRate    int           // requests per minute; default 40
	LongPage           int64         // bytes of a long page; default 50 MB

	Now  func() time.Time // default time.Now
	HTTP *http.Client     // calls webhooks; default one with a timeout of 10 s
}

func (c Config) withDefaults() Config {
	c.Seed = cmp.Or(c.Seed, 1)
	c.Products = max(0, cmp.Or(c.Products, 200))
	c.Customers = max(0, cmp.Or(c.Customers, 100))
	c.Orders = max(0, cmp.Or(c.Orders, 150))
	c.ClientID = cmp.Or(c.ClientID, "haggle-sandbox")
	c.ClientSecret = cmp.Or(c.ClientSecret, "haggle-sandbox-secret")
	c.Shop = cmp.Or(c.Shop, "trailhead-outfitters.myshopify.com")
	c.ShipStationKey = cmp.Or(c.ShipStationKey, "shipstation-key")
	c.ShipStationSecret = cmp.Or(c.ShipStationSecret, "shipstation-secret")
	c.ShipStationV2Key = cmp.Or(c.ShipStationV2Key, "shipstation-v2-key")
	c.CustomKey = cmp.Or(c.CustomKey, "custom-key")
	c.ShopifyApp = cmp.Or(c.ShopifyApp, PublicApp)
	if len(c.ShopifyVersions) == 0 {
		c.ShopifyVersions = []string{"2026-01", "2026-04", "2026-07", "2026-10"}
	}
	c.ShopifyPaged = cmp.Or(c.ShopifyPaged, 25_000)
	c.ShopifyCurrency = cmp.Or(c.ShopifyCurrency, "USD")
	c.ShopifyLife = cmp.Or(c.ShopifyLife, time.Hour)
	c.ShopifyBucket = cmp.Or(c.ShopifyBucket, 2000)
	c.ShopifyRestore = cmp.Or(c.ShopifyRestore, 100)
	c.ShopifyMaxCost = cmp.Or(c.ShopifyMaxCost, 1000)
	c.HubSpotLife = cmp.Or(c.HubSpotLife, 30*time.Minute)
	c.HubSpotCurrency = cmp.Or(c.HubSpotCurrency, "USD")
	c.HubSpotPer10s = cmp.Or(c.HubSpotPer10s, 110)
	c.ShipStationRate = cmp.Or(c.ShipStationRate, 40)
	c.WooCommerceKey = cmp.Or(c.WooCommerceKey, "ck_woocommerce")
	c.LongPage = cmp.Or(c.LongPage, 50<<20)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.HTTP == nil {
		c.HTTP = &http.Client{
			Timeout:       10 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return c
}

// Host serves the platforms: routes, faults, webhooks and request counts.
type Host struct {
	Config    Config
	Mux       *http.ServeMux
	Sides     map[string]*Side
	Calls     sync.WaitGroup // running webhook calls
	Stop      context.Context
	stopCalls context.CancelFunc

	names    []string // of the sides, in the order of their registration
	mu       sync.Mutex
	requests map[string]int
}

// New returns a host without platforms.
func New(config Config) *Host {
	p := &Host{
		Config:   config.withDefaults(),
		Mux:      http.NewServeMux(),
		Sides:    map[string]*Side{},
		requests: map[string]int{},
	}
	p.Stop, p.stopCalls = context.WithCancel(context.Background())
	return p
}

// ServeHTTP serves all platforms and the control endpoints.
func (p *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/control") {
		p.count(r.Method + " " + r.URL.Path)
	}
	p.Mux.ServeHTTP(w, r)
}

// Close ends running webhook calls.
func (p *Host) Close() {
	p.stopCalls()
	p.Calls.Wait()
}

func (p *Host) count(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests[what]++
}

// Requests returns the number of served requests, by "GET /custom/products" or by platform and resource as in
// "custom:products", which also distinguishes Shopify's queries.
func (p *Host) Requests(what string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[what]
}

// RequestCounts returns a copy of the counts of [Host.Requests].
func (p *Host) RequestCounts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.requests)
}

// Address returns the address of a platform, as the request was addressed.
func (p *Host) Address(platform string, r *http.Request) string {
	base := strings.TrimSuffix(p.Config.PublicURL, "/")
	if base == "" && r != nil {
		base = "http://" + r.Host
	}
	return base + "/" + platform
}
