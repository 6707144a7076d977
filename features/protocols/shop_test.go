// Package protocols tests that Haggle's own protocol, UCP over REST in both versions and MCP give access to one shop: the same
// cart costs the same in each, a deal made in one can be redeemed in another but only once, and a checkout that is completed in
// two is charged once. It uses only the servers' public interfaces.
//
//	go test ./features/protocols                          everything, a few minutes
//	PROTOCOLS_SEED=7 go test ./features/protocols …       the random choices of an earlier run
package protocols

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// plenty is more stock than any test uses.
const plenty = 1_000_000

// shop is a project on a server.
type shop struct {
	url      string
	slug     string
	project  string
	currency string
	items    []item
	merchant *merchant.Client

	instrument string // the instrument that UCP pays with
}

// item is a variant on sale.
type item struct {
	product string
	variant string
	price   int64 // minor units
}

// publicHost is the host of the servers' public URL, from which the names of their own capabilities are derived.
const publicHost = "shops.example.com"

// serve starts a server behind a proxy, and returns the URL on which it listens. It trusts X-Forwarded-For, and its public URL
// is another one.
func serve(t testing.TB, databaseURL string, change ...func(*boot.Config)) string {
	t.Helper()
	address := freeAddress(t)
	boottest.Start(t, databaseURL, append([]func(*boot.Config){func(c *boot.Config) {
		c.Addr = address
		c.TrustedProxies = "127.0.0.0/8"
		c.PublicURL = "https://" + publicHost
	}}, change...)...)
	return "http://" + address
}

// freeAddress returns a free port at a random loopback address of this machine, so that no other program is given the same
// address meanwhile.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", boottest.Address())
	must(t, err)
	must(t, listener.Close())
	return listener.Addr().String()
}

var shops atomic.Int64

// openShop creates a shop with products at the list prices in minor units, two variants per product.
func openShop(t testing.TB, url, currency string, prices ...int64) *shop {
	t.Helper()
	s := &shop{
		url:        url,
		slug:       fmt.Sprintf("doors-%d", shops.Add(1)),
		currency:   currency,
		instrument: "token",
	}
	s.merchant = merchant.New(exchange.NewClient(exchange.Config{URL: url}), boottest.Key, "")
	project, err := s.merchant.CreateProject(t.Context(), merchant.NewProject{
		Name:     "Doors",
		Slug:     s.slug,
		Settings: &merchant.ProjectSettings{DefaultCurrency: currency},
	})
	must(t, err)
	s.project, s.merchant = project.ID, s.merchant.In(project.ID)
	for at := 0; at < len(prices); at += 2 {
		s.sell(t, fmt.Sprintf("ITEM-%d", at), prices[at:min(at+2, len(prices))])
	}
	return s
}

func (s *shop) sell(t testing.TB, sku string, prices []int64) {
	t.Helper()
	stock := plenty
	product := merchant.Product{
		Name:     "Lantern " + sku,
		SKU:      sku,
		Price:    s.decimal(prices[0]),
		Category: "outdoor/lights",
	}
	for i, price := range prices {
		own := s.decimal(price)
		product.Variants = append(product.Variants, merchant.Variant{
			SKU:      fmt.Sprintf("%s-%d", sku, i),
			Size:     []string{"S", "M"}[i],
			Price:    &own,
			Quantity: &stock,
		})
	}
	created, err := s.merchant.CreateProduct(t.Context(), product)
	must(t, err)
	for i, price := range prices {
		s.items = append(s.items, item{
			product: created.ID,
			variant: created.Variants[i].ID,
			price:   price,
		})
	}
}

// decimal converts minor units to the format of Haggle's own protocol.
func (s *shop) decimal(minor int64) decimal.Decimal {
	places := decimal.Places(s.currency)
	text := fmt.Sprintf("%0*d", places+1, minor)
	if places > 0 {
		text = text[:len(text)-places] + "." + text[len(text)-places:]
	}
	return decimal.MustParse(text)
}

// minor is the inverse of decimal.
func (s *shop) minor(amount decimal.Decimal) int64 {
	for range decimal.Places(s.currency) {
		amount = amount.Times(10)
	}
	return amount.Whole()
}

// orders counts the shop's orders.
func (s *shop) orders(t testing.TB) int {
	t.Helper()
	p, err := s.merchant.Project(context.Background(), s.project)
	must(t, err)
	return p.Statistics.Orders30D
}

// sends sends a request of the merchant and decodes the response into a struct, unless it is nil.
func (s *shop) sends(t testing.TB, method, path string, body, into any) {
	t.Helper()
	var text []byte
	if body != nil {
		var err error
		text, err = json.Marshal(body)
		must(t, err)
	}
	answer, err := s.merchant.Do(context.Background(), method, path, http.Header{}, text)
	must(t, err)
	if !answer.OK() {
		t.Fatalf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
	if into != nil {
		must(t, answer.Decode(into))
	}
}

// chance returns a random source with PROTOCOLS_SEED, or with a random seed that it logs.
func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("PROTOCOLS_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64N(1_000_000)
	}
	t.Logf("PROTOCOLS_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 19))
}

var callers atomic.Int64

// newCaller returns an unused client address.
func newCaller() string {
	n := callers.Add(1)
	return fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)
}

// onEngines runs a test on both database engines at once, in short mode only on SQLite.
func onEngines(t *testing.T, test func(*testing.T, boottest.Engine)) {
	t.Helper()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && engine.Name != "sqlite" {
				t.Skip("one engine will do")
			}
			test(t, engine)
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// joined formats a list on one line.
func joined[T any](list []T) string { return strings.Trim(fmt.Sprint(list), "[]") }
