package protocols

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// place is a shipping address and its tax.
type place struct {
	country, region, postal string
	tax                     int64 // in thousandths of a percent
}

func (p place) own() *acp.Address {
	return &acp.Address{
		Name:       firstName + " " + lastName,
		Line1:      "1 Main St",
		City:       "Springfield",
		State:      p.region,
		PostalCode: p.postal,
		Country:    p.country,
	}
}

func (p place) ucp() ucp.Address {
	return ucp.Address{
		FirstName:  firstName,
		LastName:   lastName,
		Street:     "1 Main St",
		Locality:   "Springfield",
		Region:     p.region,
		PostalCode: p.postal,
		Country:    p.country,
	}
}

// places are the destinations that the shop serves, each with its own tax.
var places = []place{
	{"US", "NY", "10001", 8_875},
	{"US", "IL", "62701", 5_000},
	{"CA", "QC", "H2X 1Y4", 14_975},
	{"CA", "ON", "M5V 2T6", 13_000},
	{"DE", "", "10115", 19_000},
	{"AU", "NSW", "2000", 0},
}

// methods are the shipping options by place in minor units, cheapest first. Standard is free from a subtotal on.
var methods = map[string]map[string]int64{
	"":   {"standard": 599, "express": 1_499, "overnight": 2_999},
	"CA": {"standard": 1_250, "express": 3_001},
	"DE": {"standard": 0},
}

const freeFrom = 60_000

func shippingTo(country, method string) int64 {
	if price, own := methods[country][method]; own {
		return price
	}
	return methods[""][method]
}

// furnish sets the shop's shipping and tax rates.
func (s *shop) furnish(t testing.TB) {
	t.Helper()
	var rates, taxes []any
	for region, prices := range methods {
		if region == "" {
			region = "*"
		}
		for method, price := range prices {
			rates = append(rates, map[string]any{"region": region, "method": method, "price": s.decimal(price), "min_days": 1, "max_days": 5})
		}
	}
	for _, entry := range []struct {
		country, state string
		rate           string
	}{{"US", "NY", "8.875"}, {"US", "", "5"}, {"CA", "", "13"}, {"CA", "QC", "14.975"}, {"DE", "", "19"}} {
		tax := map[string]any{"country": entry.country, "rate": json.Number(entry.rate)}
		if entry.state != "" {
			tax["state"] = entry.state
		}
		taxes = append(taxes, tax)
	}
	_, err := s.merchant.PatchStorefront(t.Context(), s.project, merchant.Patch{
		"shipping_regions":        []string{"US", "CA", "DE", "AU"},
		"shipping_rates":          rates,
		"tax_rates":               taxes,
		"free_shipping_threshold": s.decimal(freeFrom),
	})
	must(t, err)
}

// compute returns the price of the cart by the rules, without the server's code.
func (c cart) compute() sums {
	var s sums
	for _, l := range c.lines {
		unit := l.item.price
		if l.deal != nil && l.deal.quantity == l.quantity {
			unit = l.deal.unit
		}
		s.subtotal += unit * int64(l.quantity)
		s.savings += (l.item.price - unit) * int64(l.quantity)
	}
	method := c.shipping
	if method == "" {
		method = "standard" // the cheapest everywhere
	}
	s.shipping = shippingTo(c.to.country, method)
	if method == "standard" && s.subtotal >= freeFrom {
		s.shipping = 0
	}
	s.tax = (s.subtotal*c.to.tax + 50_000) / 100_000
	s.total = s.subtotal + s.shipping + s.tax
	return s
}

// draw returns a random cart of one to five lines. Its deals are made over the protocols in turn, all in one session, and each
// is valid in every protocol.
func draw(ctx context.Context, s *shop, r *rand.Rand, buyers []buyer) (cart, error) {
	c := cart{to: places[r.IntN(len(places))], way: []way{atOnce, addressed, carted}[r.IntN(3)]}
	if r.IntN(2) == 0 {
		c.shipping = []string{"standard", "express", "overnight"}[r.IntN(3)]
	}
	for _, at := range r.Perm(len(s.items))[:1+r.IntN(5)] {
		c.lines = append(c.lines, line{item: s.items[at], quantity: 1 + r.IntN(1+r.IntN(12))})
	}
	if c.way == carted || r.IntN(3) == 0 {
		return c, nil
	}
	for i := range c.lines {
		l := &c.lines[i]
		if r.IntN(3) == 0 {
			continue
		}
		agreed, err := buyers[r.IntN(len(buyers))].haggle(ctx, c.session(), *l)
		if err != nil {
			return c, fmt.Errorf("agreeing on %d of %s: %w", l.quantity, l.item.variant, err)
		}
		l.deal = &agreed
		if r.IntN(8) == 0 {
			l.quantity++ // the deal is for a smaller quantity and does not apply
		}
	}
	if c.session() != "" && r.IntN(4) == 0 {
		c.useless = []string{"SUMMER20", "ct_000000000000000000000000000000"}[:1+r.IntN(2)]
	}
	return c, nil
}

// carts returns how many carts are drawn on each engine, 200 in all.
func carts() int {
	if n, err := strconv.Atoi(os.Getenv("CARTS")); err == nil {
		return n
	}
	return 100
}

// TestTotals prices random carts over every protocol: all prices are equal to the minor unit, and equal to the rules' result.
// Then each cart is paid over one of them, and the order has that total too.
func TestTotals(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		url := serve(t, engine.URL(t))
		r := chance(t)
		var seen tally
		for at, currency := range []string{"USD", "JPY", "BHD", "EUR"} {
			s := openShop(t, url, currency, 199, 2_499, 4_000, 7_333, 12_001, 24_950, 999, 61_005)
			s.furnish(t)
			n := carts()*(at+1)/4 - carts()*at/4
			for i := range n {
				if !s.compare(t, r, &seen) {
					t.Fatalf("cart %d of %d in %s", i, n, currency)
				}
			}
		}
		t.Logf("%d carts, %d with deals, %d with codes that do not apply, %d paid", seen.carts, seen.deals, seen.useless, seen.paid)
		if carts() >= 200 && (seen.deals*4 < seen.carts || seen.useless == 0 || seen.paid == 0) {
			t.Error("chance left something out")
		}
	})
}

// tally counts the drawn carts.
type tally struct{ carts, deals, useless, paid int }

// compare draws a cart and prices it over every protocol.
func (s *shop) compare(t *testing.T, r *rand.Rand, seen *tally) bool {
	ctx, buyers := t.Context(), s.buyers(t)
	c, err := draw(ctx, s, r, buyers)
	if err != nil {
		t.Errorf("%s", err)
		return false
	}
	want, good := c.compute(), true
	ids := make([]string, len(buyers))
	for i, d := range buyers {
		got, err := d.open(ctx, c)
		if ids[i] = got.id; err != nil || got.price != want {
			t.Errorf("%s: %+v (%s), %v; the rules say %+v for %+v", d, got.price, got.said, err, want, c)
			good = false
		}
	}
	seen.count(c)
	if good && c.applies() {
		at := r.IntN(len(buyers))
		seen.paid++
		return s.settle(t, buyers[at], ids[at], want)
	}
	return good
}

func (n *tally) count(c cart) {
	n.carts++
	if c.session() != "" {
		n.deals++
	}
	if !c.applies() {
		n.useless++
	}
}

// applies reports whether every code has an effect.
func (c cart) applies() bool {
	for _, l := range c.lines {
		if l.deal != nil && l.deal.quantity != l.quantity {
			return false
		}
	}
	return len(c.useless) == 0
}

// settle pays, and reads the order over UCP and over Haggle's own protocol.
func (s *shop) settle(t *testing.T, d buyer, checkout string, want sums) bool {
	ctx := t.Context()
	done, err := d.pay(ctx, checkout, "", "spt_sandbox_ok")
	if err != nil || done.status != ucp.Completed {
		t.Errorf("%s: paying: %+v, %v", d, done, err)
		return false
	}
	record, err := s.acp().client.Order(ctx, done.order)
	if err != nil || s.minor(record.Summary.Total) != want.total || s.minor(record.Payment.Amount) != want.total {
		t.Errorf("%s: the order has %+v, %v, want %+v", d, record.Summary, err, want)
		return false
	}
	order, err := s.agent(t, schema.V20260825, ucp.REST).client.Order(ctx, done.order)
	if err != nil || order.Totals.Of("total") != want.total || order.Totals.Of("tax") != want.tax {
		t.Errorf("%s: over UCP the order has %+v, %v, want %+v", d, order.Totals, err, want)
		return false
	}
	return true
}
