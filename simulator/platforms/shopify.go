package platforms

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
)

// shopify is an online shop.
type shopify struct {
	*side
	*shop
	consents
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

func openShopify(p *Platforms) *shopify {
	s := &shopify{shop: &shop{config: p.config, stream: 1, unit: time.Second}, tokens: map[string][]string{}}
	s.bucket = bucket{available: p.config.ShopifyBucket, size: p.config.ShopifyBucket, restore: p.config.ShopifyRestore, at: p.config.Now()}
	s.side = p.side(Shopify, s.shop, func(_ int, text string) any { return map[string]any{"errors": text} })
	s.name = shopifyName
	s.event = s.tell
	s.hooks.send = s.post
	s.bulk.shopify = s
	s.routeConsent("/admin/oauth/authorize", "Shopify", p.config.Shop, s.approve)
	s.route("POST", "/admin/oauth/access_token", "token", s.token)
	s.route("POST", "/admin/api/{version}/graphql.json", "", s.graphql)
	p.mux.HandleFunc("GET /shopify/bulk/{file}", s.bulk.download)
	return s
}

// sign is hex HMAC-SHA256 over the parameters, sorted and joined.
func (s *shopify) sign(q url.Values) string {
	var parts []string
	for name := range q {
		parts = append(parts, name+"="+q.Get(name))
	}
	slices.Sort(parts)
	mac := hmac.New(sha256.New, []byte(s.p.config.ClientSecret))
	mac.Write([]byte(strings.Join(parts, "&")))
	return hex.EncodeToString(mac.Sum(nil))
}

func (s *shopify) approve(c *call, made consent) url.Values {
	shop := s.p.config.Shop
	host := "admin.shopify.com/store/" + strings.TrimSuffix(shop, ".myshopify.com")
	back := url.Values{
		"code": {s.give(made)}, "shop": {shop}, "timestamp": {strconv.FormatInt(s.p.config.Now().Unix(), 10)},
		"host": {base64.RawStdEncoding.EncodeToString([]byte(host))},
	}
	if state := c.URL.Query().Get("state"); state != "" {
		back.Set("state", state)
	}
	back.Set("hmac", s.sign(back))
	return back
}

// token takes the code as a form or as JSON.
func (s *shopify) token(c *call) answer {
	var asked struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Code   string `json:"code"`
	}
	if !readJSON(c.body, &asked) {
		form, _ := url.ParseQuery(string(c.body))
		asked.ID, asked.Secret, asked.Code = form.Get("client_id"), form.Get("client_secret"), form.Get("code")
	}
	refused := func(code, text string) answer {
		return answer{status: http.StatusBadRequest, body: map[string]any{"error": code, "error_description": text}}
	}
	if asked.ID != s.p.config.ClientID || asked.Secret != s.p.config.ClientSecret {
		return refused("invalid_client", "The client id or the client secret is wrong.")
	}
	made, good := s.take(asked.Code, s.p.config.Now())
	if !good || made.client != asked.ID {
		return refused("invalid_request", "The authorization code was not found or was already used.")
	}
	token := "shpat_" + randomText(24)
	s.mu.Lock()
	s.tokens[token] = strings.Fields(made.scope)
	s.mu.Unlock()
	return ok(map[string]any{"access_token": token, "scope": strings.ReplaceAll(made.scope, " ", ",")})
}

func (s *shopify) revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// scopes of the token that was sent.
func (s *shopify) scopes(c *call) ([]string, bool) {
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

func shopifyName(topic string, c Changed) string {
	switch resourceOf(topic) {
	case "products":
		return strconv.Itoa(productBase + c.index)
	case "inventory":
		return strconv.Itoa(itemBase+c.index) + ":" + strconv.Itoa(locationNumbers[c.location])
	case "customers":
		return strconv.Itoa(customerBase + c.index)
	}
	return strconv.Itoa(orderBase + c.index)
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
