// Package shopify is the look-alike of Shopify: OAuth, the GraphQL API with its costs, bulk operations and webhooks. The
// shop's data, faults and delivery of webhooks are those of package host.
package shopify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
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
	bulk bulkOperations

	mu     sync.Mutex
	tokens map[string][]string // scopes by access token
	bucket bucket
}

// Where Shopify's numbers start.
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
	s := &Platform{Shop: &host.Shop{Config: p.Config, Stream: host.ShopifyStream, Unit: time.Second}, tokens: map[string][]string{}}
	s.bucket = bucket{available: p.Config.ShopifyBucket, size: p.Config.ShopifyBucket, restore: p.Config.ShopifyRestore, at: p.Config.Now()}
	s.Side = p.Side(host.Shopify, s.Shop, func(_ int, text string) any { return map[string]any{"errors": text} })
	s.Name = shopifyName
	s.Event = s.tell
	s.Hooks.Send = s.post
	s.bulk.shopify = s
	s.RouteConsent("/admin/oauth/authorize", "Shopify", p.Config.Shop, s.approve)
	s.Route("POST", "/admin/oauth/access_token", "token", s.token)
	s.Route("POST", "/admin/api/{version}/graphql.json", "", s.graphql)
	p.Mux.HandleFunc("GET /shopify/bulk/{file}", s.bulk.download)
	return s
}

// sign is hex HMAC-SHA256 over the parameters, sorted and joined.
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

// token takes the code as a form or as JSON.
func (s *Platform) token(c *host.Call) host.Answer {
	var asked struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Code   string `json:"code"`
	}
	if !host.ReadJSON(c.Content, &asked) {
		form, _ := url.ParseQuery(string(c.Content))
		asked.ID, asked.Secret, asked.Code = form.Get("client_id"), form.Get("client_secret"), form.Get("code")
	}
	refused := func(code, text string) host.Answer {
		return host.Answer{Status: http.StatusBadRequest, Body: map[string]any{"error": code, "error_description": text}}
	}
	if asked.ID != s.Host.Config.ClientID || asked.Secret != s.Host.Config.ClientSecret {
		return refused("invalid_client", "The client id or the client secret is wrong.")
	}
	made, good := s.Take(asked.Code, s.Host.Config.Now())
	if !good || made.Client != asked.ID {
		return refused("invalid_request", "The authorization code was not found or was already used.")
	}
	token := "shpat_" + host.RandomText(24)
	s.mu.Lock()
	s.tokens[token] = strings.Fields(made.Scope)
	s.mu.Unlock()
	return host.OK(map[string]any{"access_token": token, "scope": strings.ReplaceAll(made.Scope, " ", ",")})
}

func (s *Platform) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// scopes of the token that was sent.
func (s *Platform) scopes(c *host.Call) ([]string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scopes, known := s.tokens[c.Header.Get("X-Shopify-Access-Token")]
	return scopes, known
}

func gid(kind string, number int) string { return "gid://shopify/" + kind + "/" + strconv.Itoa(number) }

// numberOf reads a gid of a kind, or a plain number.
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
