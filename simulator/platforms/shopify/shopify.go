// Package shopify is the look-alike of Shopify: OAuth, the GraphQL API with its query costs, orders, bulk operations and
// webhooks. Data, faults and webhook delivery are those of package host.
package shopify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// Platform is an online shop.
type Platform struct {
	*host.Side
	*host.Shop
	host.Consents
	bulk   bulkOperations
	orders orderBook

	mu       sync.Mutex
	app      string              // kind of the app
	tokens   map[string]access   // by access token
	renewals map[string]*renewal // by refresh token
	bucket   bucket
}

// Shopify's first numbers.
const (
	productBase  = 7_000_000_001
	variantBase  = 42_000_000_001
	itemBase     = 44_000_000_001
	customerBase = 5_200_000_001
	orderBase    = 4_900_000_001
	levelBase    = 88_000_000_001
	hookBase     = 1_100_000_000
	shopNumber   = 61_234_567
)

var locationNumbers = [2]int{61_000_001, 61_000_002}
var locationNames = [2]string{"Portland warehouse", "Boulder store"}

// Open adds the platform to the host.
func Open(p *host.Host) *Platform {
	s := &Platform{
		Shop: &host.Shop{
			Config: p.Config,
			Stream: host.ShopifyStream,
			Unit:   time.Second,
		},
		tokens:   map[string]access{},
		renewals: map[string]*renewal{},
	}
	s.app = p.Config.ShopifyApp
	s.bucket = bucket{
		available: p.Config.ShopifyBucket,
		size:      p.Config.ShopifyBucket,
		restore:   p.Config.ShopifyRestore,
		at:        p.Config.Now(),
	}
	s.Side = p.Side(host.Shopify, s.Shop, func(_ int, text string) any { return map[string]any{"errors": text} })
	s.Name = shopifyName
	s.Event = s.webhookBodies
	s.Hooks.Send = s.post
	s.bulk.shopify = s
	s.orders = orderBook{
		all:     map[int]*purchase{},
		unique:  map[string]int{},
		results: map[string]repeated{},
		minute:  host.Window{Span: time.Minute, Limit: 5},
	}
	s.RouteConsent("/admin/oauth/authorize", "Shopify", p.Config.Shop, s.approve)
	s.Route("POST", "/admin/oauth/access_token", "token", s.token)
	s.Route("POST", "/admin/api/{version}/graphql.json", "", s.graphql)
	p.Mux.HandleFunc("GET /shopify/bulk/{file}", s.bulk.download)
	return s
}

// sign returns the hex HMAC-SHA256 of the parameters, sorted and joined.
func (s *Platform) sign(q url.Values) string {
	var parts []string
	for name := range q {
		parts = append(parts, name+"="+q.Get(name))
	}
	slices.Sort(parts)
	mac := hmac.New(sha256.New, []byte(s.Host.Config.ClientSecret))
	mac.Write([]byte(strings.Join(parts, "&")))
	return hex.EncodeToString(mac.Sum(nil))
}

func (s *Platform) approve(c *host.Call, made host.Consent) url.Values {
	shop := s.Host.Config.Shop
	host := "admin.shopify.com/store/" + strings.TrimSuffix(shop, ".myshopify.com")
	back := url.Values{
		"code": {s.Give(made)}, "shop": {shop}, "timestamp": {strconv.FormatInt(s.Host.Config.Now().Unix(), 10)},
		"host": {base64.RawStdEncoding.EncodeToString([]byte(host))},
	}
	if state := c.URL.Query().Get("state"); state != "" {
		back.Set("state", state)
	}
	back.Set("hmac", s.sign(back))
	return back
}

func gid(kind string, number int) string { return "gid://shopify/" + kind + "/" + strconv.Itoa(number) }

// numberOf parses a gid of a kind, or a plain number.
func numberOf(id, kind string) (int, bool) {
	text := strings.TrimPrefix(id, "gid://shopify/"+kind+"/")
	text, _, _ = strings.Cut(text, "?")
	n, err := strconv.Atoi(text)
	return n, err == nil
}

func shopifyName(topic string, c host.Changed) string {
	switch host.ResourceOf(topic) {
	case "products":
		return strconv.Itoa(productBase + c.Index)
	case "inventory":
		return strconv.Itoa(itemBase+c.Index) + ":" + strconv.Itoa(locationNumbers[c.Location])
	case "customers":
		return strconv.Itoa(customerBase + c.Index)
	}
	return strconv.Itoa(orderBase + c.Index)
}

// bucket is the leaky bucket of query costs.
type bucket struct {
	available, size, restore float64
	at                       time.Time
}

func (b *bucket) refill(now time.Time) {
	if now.After(b.at) {
		b.available = min(b.size, b.available+b.restore*now.Sub(b.at).Seconds())
		b.at = now
	}
}

func (b *bucket) take(cost float64, now time.Time) bool {
	b.refill(now)
	if cost > b.available {
		return false
	}
	b.available -= cost
	return true
}

func (b *bucket) giveBack(cost float64) { b.available = min(b.size, b.available+cost) }

func (b *bucket) show() map[string]any {
	return map[string]any{"maximumAvailable": b.size, "currentlyAvailable": float64(int(b.available)), "restoreRate": b.restore}
}
