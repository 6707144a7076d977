package acp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/acp"
	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 5_000_000, time.UTC) // a Monday

// The shop sells a jacket in two variants, for 100.00 and 110.00, and a mug for 12.95.
var (
	jacket, mug       = named[id.Product](1), named[id.Product](2)
	green, red, plain = named[id.Variant](1), named[id.Variant](2), named[id.Variant](3)
)

func named[T id.ID[K], K id.Kind](n byte) T { return id.New[T, K]([16]byte{n, n}) }

func usd(minor int64) money.Amount          { return money.Of(minor, money.USD) }
func optionalUSD(minor int64) *money.Amount { return new(usd(minor)) }

// shop is the API on fakes, with its log.
type shop struct {
	*fakeStore
	t      *testing.T
	api    http.Handler
	log    *bytes.Buffer
	schema *schemas
}

func openShop(t *testing.T, change ...func(*commerce.Services)) *shop {
	t.Helper()
	log := &bytes.Buffer{}
	s := &shop{
		fakeStore: stocked(),
		t:         t,
		log:       log,
	}
	services := s.services(slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	for _, c := range change {
		c(&services)
	}
	mux := http.NewServeMux()
	api := wire.NewAPI(mux, wire.Config{Title: "Haggle", Version: "1"})
	acp.Register(api, &services)
	s.api = wire.Handler(mux, wire.Watch{Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	s.schema = compile(t, api)
	return s
}

func stocked() *fakeStore {
	settings := project.DefaultSettings()
	front := project.DefaultStorefront(settings)
	front.Description, front.FreeShippingThreshold = "All for rain", optionalUSD(10000)
	s := &fakeStore{
		shop: &project.Project{
			ID:             named[id.Project](1),
			Name:           "Rainy <b>Days</b>",
			Slug:           "demo",
			Settings:       settings,
			Storefront:     front,
			CatalogVersion: 1,
		},
		now: noon,
		products: map[id.Product]*catalog.Product{
			jacket: {
				ID: jacket, SKU: "J", Name: "Rain jacket", Description: "Keeps dry", Brand: "Nimbus", Category: "outdoor/rain-jackets",
				Price: usd(10000), Cost: optionalUSD(3141), CompetitorPrice: optionalUSD(9277), Negotiable: true,
				Images:     []catalog.Image{{URL: "/images/j.jpg", Alt: "A jacket"}, {URL: "https://cdn.example.com/j2.jpg", Alt: "Its back"}},
				Attributes: map[string]string{"material": "nylon"},
				Variants: []catalog.Variant{
					{ID: green, SKU: "J-G", Size: "M", Color: "Green"}, {ID: red, SKU: "J-R", Size: "L", Color: "Red", Price: optionalUSD(11000)},
				},
				Reviews: catalog.Reviews{
					Average: 450,
					Count:   12,
					Summary: "Dry.",
				}, Status: catalog.Active,
			},
			mug: {
				ID: mug, SKU: "M", Name: "Mug", Price: usd(1295), Negotiable: true, Status: catalog.Active,
				Variants: []catalog.Variant{{ID: plain, SKU: "M-1"}},
			},
		},
		levels: []catalog.Level{
			{Product: jacket, Variant: green, SKU: "J-G", Location: "main", Quantity: 7},
			{Product: mug, Variant: plain, SKU: "M-1", Location: "attic", Quantity: 2},
		},
		sessions: map[id.Session]*session.Session{}, carts: map[id.Session][]session.CartItem{},
		quotes: map[id.Quote]*negotiation.Quote{}, checkouts: map[id.Checkout]*checkout.Checkout{},
		orders: map[id.Order]*order.Order{}, followed: map[id.Order]*order.Case{},
		outcome: checkout.Paid{Provider: "ch_1", Label: "Visa ending in 4242"},
	}
	s.found = catalog.Found{
		Hits:  []catalog.Hit{{Product: s.products[jacket], Score: 870, Reasons: []string{"name: rain"}}},
		Total: 3, Confidence: 870,
		Facets: catalog.Facets{
			Brands: []catalog.Count{{Name: "Nimbus", Count: 3}}, Colors: []catalog.Count{{Name: "Green", Count: 2}},
			PriceRanges: []catalog.PriceRange{{Min: usd(0), Max: usd(10000), Count: 3}},
		},
	}
	s.goesWith = []ports.Complement{{Product: s.products[mug], Variant: s.products[mug].Variants[0]}}
	return s
}

func (s *shop) services(log *slog.Logger) commerce.Services {
	look, shelves, buys := fakeIndex{fakeStore: s.fakeStore}, fakeCatalog{fakeStore: s.fakeStore}, fakePurchases{fakeStore: s.fakeStore}
	stores := &ports.Stores{
		Storefronts: s.fakeStore,
		Catalog:     shelves,
		Inventory:   shelves,
		Sessions:    fakeSessions{s.fakeStore},
		Haggling:    fakeHaggles{s.fakeStore},
		Checkouts:   buys,
		Orders:      buys,
		Refunds:     buys,
	}
	router := &agents.Router{
		Active:   fakeAgents{},
		Programs: map[string]*agent.Program{agent.House: agents.Builtin},
		Log:      log,
	}
	find := discovery.New(discovery.Service{
		Stores:   stores,
		Agent:    router,
		Mandates: router,
		Index:    look,
		Cursors:  fakeVault{},
		Clock:    s.fakeStore,
		Entropy:  s.fakeStore,
	})
	tokens := ordertoken.Tokens{Secrets: s.fakeStore}
	return commerce.Services{
		Stores:        stores,
		ClientAddress: wire.ClientAddress(nil),
		Lane:          wire.NewLane(10, 10, nil),
		PaymentLane:   wire.NewLane(10, 10, nil),
		Storefronts:   s.fakeStore,
		Discovery:     find,
		Haggling: &haggling.Service{
			Stores:   stores,
			Agent:    router,
			Mandates: router,
			Index:    look,
			Clock:    s.fakeStore,
			Entropy:  s.fakeStore,
			Log:      log,
			Fresh:    find.Fresh,
		},
		Purchase: &purchase.Service{
			Stores:   stores,
			Agent:    router,
			Mandates: router,
			Gateway:  buys,
			Tokens:   tokens,
			Sandbox:  true,
			Clock:    s.fakeStore,
			Entropy:  s.fakeStore,
			Log:      log,
			Patience: 50 * time.Millisecond,
		},
		Aftersales: &aftersales.Service{
			Stores:  stores,
			Gateway: buys,
			Tokens:  tokens,
			Clock:   s.fakeStore,
			Entropy: s.fakeStore,
			Log:     log,
		},
		Clock:     s.fakeStore,
		Sandbox:   true,
		Address:   func(slug string) string { return "https://shops.example.com/p/" + slug },
		PublicURL: "https://shops.example.com",
	}
}

// answer is a response, its JSON decoded with the digits of its numbers.
type answer struct {
	status int
	header http.Header
	text   string
	json   map[string]any
}

// call sends a request, and validates the response against the OpenAPI document.
func (s *shop) call(method, path, text string) answer {
	s.t.Helper()
	request := httptest.NewRequest(method, "/p/demo"+path, strings.NewReader(text))
	if text != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return s.send(request)
}

func (s *shop) send(request *http.Request) answer {
	s.t.Helper()
	recorder := httptest.NewRecorder()
	s.api.ServeHTTP(recorder, request)
	response := recorder.Result()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := answer{
		status: response.StatusCode,
		header: response.Header,
		text:   string(text),
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") && len(text) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&a.json); err != nil {
			s.t.Fatalf("%s %s: %v in %s", request.Method, request.URL, err, text)
		}
		s.schema.check(s.t, request, a)
	}
	return a
}

// ok is call for requests that must succeed.
func (s *shop) ok(method, path, text string) answer {
	s.t.Helper()
	a := s.call(method, path, text)
	if a.status != http.StatusOK && a.status != http.StatusCreated {
		s.t.Fatalf("%s %s: %d %s\n%s", method, path, a.status, a.text, s.log)
	}
	return a
}

// at is the value at a path such as results.0.name, as JSON.
func (a answer) at(path string) string {
	var value any = a.json
	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(v) {
				return "nothing at " + path
			}
			value = v[i]
		default:
			return "nothing at " + path
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// text is the string at a path.
func (a answer) string(path string) string { return strings.Trim(a.at(path), `"`) }

// fault is a short form of an error: status, code, and the fields at fault.
func (a answer) fault() string {
	parts := []string{fmt.Sprint(a.status), a.string("error")}
	details, _ := a.json["details"].([]any)
	for _, d := range details {
		parts = append(parts, d.(map[string]any)["field"].(string))
	}
	return strings.Join(parts, " ")
}

// expect compares values at paths, as JSON.
func (a answer) expect(t *testing.T, want map[string]string) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got := a.at(path); got != want[path] {
			t.Errorf("%s: %s, want %s", path, got, want[path])
		}
	}
}

// names are the names of an object's fields.
func (a answer) names() string { return strings.Join(slices.Sorted(maps.Keys(a.json)), " ") }
