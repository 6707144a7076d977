package exposure

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// The test calls every UCP operation and tool as every party that must not access what an agent created: agents of another
// shop, other agents of the same shop, and clients that claim to be the agent. The ids of others must behave like unknown ids.
func TestWallsBetweenAgents(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		file := filepath.Join(t.TempDir(), "platforms.json")
		if err := os.WriteFile(file, knownAgents(), 0o600); err != nil {
			t.Fatal(err)
		}
		app := boottest.Start(t, engine.URL(t), behindProxy, func(c *boot.Config) { c.UCPPlatforms = file })
		w := &agentWalls{
			T:     t,
			shop:  openTenant(t, app, app.URL()).stocked(),
			other: openTenant(t, app, app.URL()).stocked(),
		}
		all := w.registered()
		w.parties()
		var running sync.WaitGroup
		places := make(chan struct{}, 6)
		for _, o := range all {
			places <- struct{}{}
			running.Go(func() {
				defer func() { <-places }()
				w.visit(o)
			})
		}
		running.Wait()
		w.unchanged()
		t.Logf("%d operations, %d answers were judged", len(all), w.judged)
		if len(all) < 76 || w.judged < 700 {
			t.Errorf("only %d operations and %d answers were judged", len(all), w.judged)
		}
	})
}

// privates are values that only the agent that sent them and the merchant may see.
var privates = []string{"Zerlina", "Quietly", "zerlina@private.example", "77 Hidden Lane", "+1 303 555 0177"}

const privateBuyer = `"buyer": {"first_name": "Zerlina", "last_name": "Quietly", "email": "zerlina@private.example", "phone_number": "+1 303 555 0177"},
  "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "77 Hidden Lane", "address_locality": "Denver",
    "address_region": "CO", "postal_code": "80202", "address_country": "US"}]}]}`

// party sends requests with a key, with only a profile's name, or with neither.
type party struct {
	who, profile, key string
	slug              string
	ids               map[string]string // of what it created
}

type agentWalls struct {
	*testing.T
	shop, other *tenant
	owners      map[string]party // by protocol version
	intruders   map[string][]party
	before      map[string]string

	mu        sync.Mutex
	judged    int
	addresses int
}

// parties sets up the owners, their shop, and all parties that try to access what the owners created.
func (w *agentWalls) parties() {
	w.owners, w.intruders, w.before = map[string]party{}, map[string][]party{}, map[string]string{}
	for prefix := range agentVersions {
		owner, rival := profileOf("owner", prefix), profileOf("rival", prefix)
		w.owners[prefix] = w.opens(prefix, party{
			who:     "the owner",
			profile: owner,
			key:     w.agentKey(w.shop, owner),
			slug:    w.shop.ids["slug"],
		})
		for _, p := range []party{
			{who: "the owner, at another shop", profile: owner, key: w.agentKey(w.other, owner), slug: w.other.ids["slug"]},
			{who: "a stranger, at another shop", profile: rival, slug: w.other.ids["slug"]},
			{who: "another agent", profile: rival, key: w.agentKey(w.shop, rival), slug: w.shop.ids["slug"]},
			{who: "somebody under the owner's name", profile: owner, slug: w.shop.ids["slug"]},
			{who: "a stranger", profile: rival, slug: w.shop.ids["slug"]},
		} {
			w.intruders[prefix] = append(w.intruders[prefix], w.opens(prefix, p))
		}
		w.before[prefix] = w.dump(prefix)
	}
}

// stocked makes the tenant sell a product with enough stock for all parties.
func (s *tenant) stocked() *tenant {
	product := s.post("/v1/catalog/products", `{"name":"Plate","sku":"plate","price":100,"quantity":1000000}`)
	s.ids["product_id"], s.ids["variant_id"] = product.field("id"), product.field("variants.0.id")
	return s
}

func (w *agentWalls) agentKey(s *tenant, profile string) string {
	made := s.post("/v1/agent-keys", `{"name": "Key", "profile": "`+profile+`"}`)
	if s.err != nil {
		w.Fatal(s.err)
	}
	return made.field("key")
}

// opens makes a party create one of everything.
func (w *agentWalls) opens(prefix string, p party) party {
	w.Helper()
	tenant := w.shop
	if p.slug == w.other.ids["slug"] {
		tenant = w.other
	}
	item := `"item": {"id": "` + tenant.ids["variant_id"] + `"}, "quantity": 2`
	send := func(path, body string) reply {
		r, err := w.caller(p).retry("POST", "/p/"+p.slug+prefix+"/ucp"+path, body)
		if err != nil || r.field("ucp.status") != "success" {
			w.Fatalf("%s: %s %s: %v %d %s", p.who, path, body, err, r.status, r.body)
		}
		return r
	}
	agree := func() reply {
		asked := send("/negotiations", "{"+item+"}")
		price := `{"price": {"amount": ` + asked.field("standing_price.amount") + `, "currency": "USD"}}`
		return send("/negotiations/"+asked.field("id")+"/accept", price)
	}
	pay := func(checkout string) reply {
		return send("/checkout-sessions/"+checkout+"/complete", agentBodies["complete_checkout"][0])
	}
	bought := send("/checkout-sessions", `{"cart_id": "`+agree().field("cart_id")+`", "line_items": [], `+privateBuyer+`}`)
	placed := pay(bought.field("id"))
	deal := agree()
	p.ids = map[string]string{
		"product":     tenant.ids["product_id"],
		"variant":     tenant.ids["variant_id"],
		"paid":        bought.field("id"),
		"order":       placed.field("order.id"),
		"cart":        deal.field("cart_id"),
		"code":        deal.field("deal.code"),
		"negotiation": send("/negotiations", "{"+item+"}").field("id"),
		"checkout":    send("/checkout-sessions", `{"line_items": [{`+item+`}], `+privateBuyer+`}`).field("id"),
	}
	for kind, value := range p.ids {
		if value == "" {
			w.Fatalf("%s has no %s", p.who, kind)
		}
	}
	return p
}

// caller returns a caller for a party's requests, each time with another address.
func (w *agentWalls) caller(p party) caller {
	w.mu.Lock()
	w.addresses++
	address := fmt.Sprintf("2001:db9:%x::1", w.addresses)
	w.mu.Unlock()
	c := caller{w.T, w.shop.url, map[string]string{"X-Forwarded-For": address, "Content-Type": "application/json"}}
	if p.key != "" {
		return c.key(p.key)
	}
	if p.profile != "" {
		return c.with("UCP-Agent", `profile="`+p.profile+`"`)
	}
	return c
}

// call calls an operation with ids in its places.
func (w *agentWalls) call(o agentOperation, p party, ids map[string]string) reply {
	body := o.body
	for kind, value := range ids {
		body = strings.ReplaceAll(body, "{"+kind+"}", value)
	}
	method, path := o.Method, strings.NewReplacer("{slug}", p.slug, "{id}", ids[o.target()]).Replace(o.Path)
	if o.mcp {
		method, path, body = "POST", "/p/"+p.slug+o.prefix+"/mcp", o.message(ids[o.target()], body)
	}
	r, err := w.caller(p).retry(method, path, body)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// visit tries one operation as every party.
func (w *agentWalls) visit(o agentOperation) {
	owner := w.owners[o.prefix]
	own := w.opens(o.prefix, owner)
	if r := w.call(o, owner, own.ids); !o.succeeded(r) {
		w.Errorf("%s, by the owner: %d %s", o, r.status, r.body)
	}
	for _, p := range w.intruders[o.prefix] {
		for _, kind := range o.places() {
			if p.slug == owner.slug && (kind == "variant" || kind == "product" || kind == "code") {
				continue // these belong to the shop, or to any holder: a deal's code is enough to redeem it
			}
			w.compare(o, p, kind, owner.ids[kind])
		}
	}
	if o.Name == "get_checkout" || o.Name == "get_order" {
		w.forget(o)
	}
}

// compare calls the operation with an owner's id and with an unknown one: the responses must not differ.
func (w *agentWalls) compare(o agentOperation, p party, kind, owners string) {
	var seen [2]string
	ids := maps.Clone(p.ids)
	ids[kind] = unknownLike(owners)
	w.call(o, p, ids) // changes the party's own things first, so that the compared calls do not
	for i, given := range []string{owners, ids[kind]} {
		ids[kind] = given
		r := w.call(o, p, ids)
		w.judge(o, p, r, given)
		body := strings.ReplaceAll(r.body, given, "GIVEN")
		seen[i] = fmt.Sprint(r.status, " ", moment.ReplaceAllString(newID.ReplaceAllString(secretCode.ReplaceAllString(body, "CODE"), "ID"), "TIME"))
		if o.target() == kind && !strings.Contains(r.body, `"not_found"`) {
			w.Errorf("%s, %s with the %s %s: %s", o, p.who, kind, given, r.body)
		}
	}
	if seen[0] != seen[1] {
		w.Errorf("%s, %s: the owner's %s is told from an unknown one:\n%s\n%s", o, p.who, kind, seen[0], seen[1])
	}
}

var secretCode = regexp.MustCompile(`\bct_[0-9a-z]+`)

// judge reports what a response must not contain: ids of the owner that were not in the request, and data of its buyer.
func (w *agentWalls) judge(o agentOperation, p party, r reply, given string) {
	w.mu.Lock()
	w.judged++
	w.mu.Unlock()
	if r.status >= 500 || r.status == http.StatusUnauthorized {
		w.Errorf("%s, %s: %d %s", o, p.who, r.status, r.body)
	}
	for kind, value := range w.owners[o.prefix].ids {
		shared := kind == "product" || kind == "variant"
		if value != given && !shared && strings.Contains(r.body, value) {
			w.Errorf("%s, %s: it tells the owner's %s: %s", o, p.who, kind, r.body)
		}
	}
	for _, text := range privates {
		if strings.Contains(r.body, text) && o.Name != "update_checkout" { // its response has the caller's own buyer
			w.Errorf("%s, %s: it tells %s: %s", o, p.who, text, r.body)
		}
	}
}

// forget reads a purchase as a caller without credentials, who may read it by its id: the buyer must not be in it.
func (w *agentWalls) forget(o agentOperation) {
	for _, p := range w.intruders[o.prefix] {
		if p.key != "" {
			continue
		}
		ids := maps.Clone(p.ids)
		ids["checkout"] = ids["paid"]
		r := w.call(o, party{
			who:     "somebody else",
			profile: profileOf("rival", o.prefix),
			slug:    p.slug,
		}, ids)
		if !o.succeeded(r) {
			w.Errorf("%s of %s: %d %s", o, p.who, r.status, r.body)
		}
		for _, text := range privates {
			if strings.Contains(r.body, text) {
				w.Errorf("%s of %s: it tells %s: %s", o, p.who, text, r.body)
			}
		}
	}
}

// dump returns everything that an owner created at first.
func (w *agentWalls) dump(prefix string) string {
	p, all := w.owners[prefix], ""
	for _, path := range []string{
		"/carts/" + p.ids["cart"], "/checkout-sessions/" + p.ids["checkout"], "/checkout-sessions/" + p.ids["paid"],
		"/orders/" + p.ids["order"], "/negotiations/" + p.ids["negotiation"],
	} {
		r, err := w.caller(p).retry("GET", "/p/"+p.slug+prefix+"/ucp"+path, "")
		if err != nil || r.field("ucp.status") != "success" {
			w.Fatalf("%s: %v %d %s", path, err, r.status, r.body)
		}
		all += path + " " + r.body + "\n"
	}
	return all
}

func (w *agentWalls) unchanged() {
	for prefix, before := range w.before {
		if now := w.dump(prefix); now != before {
			w.Errorf("what the owner made changed from\n%s\nto\n%s", before, now)
		}
	}
}
