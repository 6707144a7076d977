// Package fairness tests that a price does not follow from who the buyer is. Pairs of buyers do the same in one shop but have
// different names, e-mail addresses, delivery addresses, network addresses, locations, messages, agents, User-Agents, languages and
// protocols. Each answer must be the same for both. The package uses only the server's public interfaces.
//
//	go test ./features/fairness                              1,000 negotiations
//	FAIRNESS=100000 go test -timeout 60m ./features/fairness that many: make fairness
//	FAIRNESS_SEED=7 FAIRNESS_PAIR=12 go test …               one pair of an earlier run
//
// What may move a price is the same for both buyers of a pair: the claimed loyalty tier is part of what they do. The limit on
// probing counts sessions by network address, so each negotiation has an address of its own. Names, e-mail addresses and delivery
// addresses reach the shop with a checkout, so they differ only between buyers who reach a deal. A negotiation costs about five
// milliseconds of CPU time. A test of app/haggling compares more sales, policies and messages, without HTTP.
package fairness

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// fewNegotiations is how many negotiations are made unless FAIRNESS says otherwise.
const fewNegotiations = 1_000

// mostReported is how many differences are reported.
const mostReported = 10

func number(t *testing.T, variable string, unset int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return unset
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPrices_sameForEveryBuyer(t *testing.T) {
	t.Parallel()
	seed, pairs := number(t, "FAIRNESS_SEED", rand.IntN(1_000_000)), number(t, "FAIRNESS", fewNegotiations)/2
	s := openShop(t)
	first := 0
	if only := number(t, "FAIRNESS_PAIR", -1); only >= 0 {
		first, pairs = only, only+1
	}
	var next, steps, deals, countered, rejected, differences atomic.Int64
	next.Store(int64(first))
	played := make([]atomic.Int64, len(protocols))
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for n := next.Add(1) - 1; n < int64(pairs) && differences.Load() < mostReported; n = next.Add(1) - 1 {
				p := s.newPair(uint64(seed), uint64(n))
				one, err := s.play(t.Context(), p.does, p.one)
				if err != nil {
					t.Errorf("seed %d, pair %d, %+v by %+v: %v", seed, n, p.does, p.one, err)
					return
				}
				two, err := s.play(t.Context(), p.does, p.two)
				if err != nil {
					t.Errorf("seed %d, pair %d, %+v by %+v: %v", seed, n, p.does, p.two, err)
					return
				}
				played[p.one.protocol].Add(1)
				played[p.two.protocol].Add(1)
				steps.Add(int64(len(one)))
				for _, answer := range one {
					switch answer.status {
					case checkedOut:
						deals.Add(1)
					case "countered":
						countered.Add(1)
					case "rejected":
						rejected.Add(1)
					}
				}
				if !slices.Equal(one, two) {
					differences.Add(1)
					t.Errorf("FAIRNESS_SEED=%d FAIRNESS_PAIR=%d: %+v\n%+v\n\tgot %+v\n%+v\n\tgot %+v", seed, n, p.does, p.one, one, p.two, two)
				}
			}
		})
	}
	all.Wait()
	counts := ""
	for i, d := range protocols {
		counts += fmt.Sprintf(", %d over %s", played[i].Load(), d.name)
		if pairs-first >= 100 && played[i].Load() == 0 {
			t.Errorf("no negotiation over %s", d.name)
		}
	}
	if pairs-first >= 100 && (deals.Load() == 0 || deals.Load() == int64(pairs-first)) {
		t.Errorf("%d deals in %d pairs: the offers are no test", deals.Load(), pairs-first)
	}
	if pairs-first >= 100 && (10*countered.Load() < int64(pairs-first) || 10*rejected.Load() < int64(pairs-first)) {
		t.Errorf("%d countered and %d rejected offers in %d pairs: the offers are no test", countered.Load(), rejected.Load(), pairs-first)
	}
	t.Logf("seed %d: %d negotiations in pairs of two buyers%s; %d answers compared, %d of them countered and %d rejected, %d pairs with a deal, %d differences",
		seed, 2*(pairs-first), counts, steps.Load(), countered.Load(), rejected.Load(), deals.Load(), differences.Load())
}

// A buyer who claims a tier gets another price. Without that, equal prices would show nothing.
func TestPrices_loyaltyMovesThem(t *testing.T) {
	t.Parallel()
	s, p := openShop(t), (*pair)(nil)
	for n := uint64(0); p == nil || p.one.protocol != own || s.items[p.does.item].fixed; n++ {
		p = s.newPair(1, n)
	}
	p.does.offers, p.does.tier = []int64{0}, ""
	plain, err := s.play(t.Context(), p.does, p.one)
	must(t, err)
	p.does.tier = "gold"
	p.one.address = p.two.address
	gold, err := s.play(t.Context(), p.does, p.one)
	must(t, err)
	if gold[0].price >= plain[0].price {
		t.Errorf("%d with a claimed tier, %d without", gold[0].price, plain[0].price)
	}
}

// shop is a project with items on sale.
type shop struct {
	url      string
	items    []item
	profiles []string // addresses of agents' profiles
	serial   atomic.Uint32
}

type item struct {
	product string
	variant string
	price   int64 // minor units
	least   int64 // no offer below it is accepted
	fixed   bool
}

// listed are the items of the shop: prices, costs, competitors and stocks that exercise each part of a price.
var listed = []struct {
	name       string
	price      int64
	cost       int64
	competitor int64
	stock      int
	fixed      bool
}{
	{name: "Card", price: 8_00, stock: 40},
	{name: "Mug", price: 39_99, cost: 20_00, stock: 4},
	{name: "Lamp", price: 137_77, cost: 118_00, stock: 60},
	{name: "Chair", price: 249_00, competitor: 231_00, stock: 12},
	{name: "Tent", price: 1000_00, cost: 550_00, stock: 20},
	{name: "Bike", price: 2000_00, cost: 1703_00, competitor: 1980_00, stock: 3},
	{name: "Voucher", price: 50_00, stock: 100, fixed: true},
}

func openShop(t *testing.T) *shop {
	t.Helper()
	listener, err := net.Listen("tcp", boottest.Address())
	must(t, err)
	address := listener.Addr().String()
	must(t, listener.Close())
	boottest.Start(t, boottest.Engines[0].URL(t), func(c *boot.Config) {
		c.Addr = address
		c.TrustedProxies = "127.0.0.0/8"
		c.AllowLoopback = true
	})
	s := &shop{url: "http://" + address + "/p/fair", profiles: []string{
		"https://haggle.invalid/agent", "https://haggle.invalid/2026-04-08/agent", openProfile(t), openProfile(t),
	}}
	m := merchant.New(exchange.NewClient(exchange.Config{URL: "http://" + address}), boottest.Key, "")
	project, err := m.CreateProject(t.Context(), merchant.NewProject{Name: "Fair", Slug: "fair"})
	must(t, err)
	m = m.In(project.ID)
	for i, l := range listed {
		negotiable := !l.fixed
		product := merchant.Product{
			Name:       l.name,
			SKU:        fmt.Sprintf("ITEM-%d", i),
			Price:      toDecimal(l.price),
			Category:   "outdoor",
			Negotiable: &negotiable,
			Variants:   []merchant.Variant{{SKU: fmt.Sprintf("ITEM-%d-1", i), Quantity: &l.stock}},
		}
		if l.cost > 0 {
			product.Cost = new(toDecimal(l.cost))
		}
		if l.competitor > 0 {
			product.CompetitorPrice = new(toDecimal(l.competitor))
		}
		created, err := m.CreateProduct(t.Context(), product)
		must(t, err)
		s.items = append(s.items, item{
			product: created.ID,
			variant: created.Variants[0].ID,
			price:   l.price,
			least:   max(l.price*80/100, l.cost*110/100), // as new shops limit prices: 20% off, and 10% over cost
			fixed:   l.fixed,
		})
	}
	return s
}

// openProfile publishes the profile of an agent, and returns its address.
func openProfile(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"ucp": map[string]any{
				"version":          schema.V20260825,
				"services":         map[string]any{},
				"payment_handlers": map[string]any{},
				"capabilities": map[string]any{
					judge.Checkout:    capability("checkout", ""),
					judge.Discount:    capability("discount", judge.Checkout),
					judge.Fulfillment: capability("fulfillment", judge.Checkout),
					"com.haggle.negotiation.quote": []any{map[string]any{
						"version": "2026-12-01",
						"spec":    "https://haggle.com/negotiation",
						"schema":  "https://haggle.com/ucp/schemas/negotiation.json",
					}},
				},
			},
			"keys": []any{},
		})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/profile.json"
}

func capability(file, extends string) []any {
	entry := map[string]any{
		"version": schema.V20260825,
		"spec":    "https://ucp.dev/2026-08-25/specification/overview",
		"schema":  "https://ucp.dev/2026-08-25/schemas/shopping/" + file + ".json",
	}
	if extends != "" {
		entry["extends"] = extends
	}
	return []any{entry}
}

func toDecimal(minor int64) decimal.Decimal {
	return decimal.MustParse(fmt.Sprintf("%d.%02d", minor/100, minor%100))
}
