package cartmodel

import (
	"cmp"
	"flag"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// shares are the weights of the engines in the number of histories: SQLite is several times as fast.
var shares = map[string]int{"sqlite": 7, "postgres": 1}

// memory is a folder of files in memory.
const memory = "/dev/shm"

// TestHistories runs HISTORIES random histories (default 200), one engine's sequentially in one shop. A failure prints its
// seed: go test -run TestHistories/sqlite ./cmd/boot/cartmodel -rapid.seed=SEED.
func TestHistories(t *testing.T) {
	all, err := strconv.Atoi(cmp.Or(os.Getenv("HISTORIES"), "200"))
	if err != nil {
		t.Fatalf("HISTORIES: %v", err)
	}
	if _, err := os.Stat(memory); err == nil {
		t.Setenv("TMPDIR", memory) // waiting for a disk would find no more errors
	}
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			s := openShop(t, engine.URL(t))
			n := max(all*shares[engine.Name]/8, 1)
			must(flag.Set("rapid.checks", strconv.Itoa(n)))
			began := time.Now()
			rapid.Check(t, func(r *rapid.T) { s.history(t, r) })
			s.check(t)
			took := time.Since(began)
			t.Logf("%d histories, %.0f a second", n, float64(n)/took.Seconds())
		})
	}
}

// history runs one buyer's steps in random order, and then has every attempt decided.
func (s *shop) history(t *testing.T, r *rapid.T) {
	h := &history{
		T:     r,
		model: &model{shop: s},
		ctx:   t.Context(),
	}
	s.prepare(h)
	steps := map[string]func(*rapid.T){}
	for name, step := range map[string]func(){
		"put": h.putCart, "put again": h.putCart, "empty": h.emptyCart, "read": h.readCart, "haggle": h.haggle, "haggle again": h.haggle,
		"init": h.initItems, "init cart": h.initCart, "init cart again": h.initCart, "revise": h.revise, "pay": h.finalize, "pay again": h.finalize,
		"cancel": h.cancel, "wait": h.wait, "reprice": h.reprice,
	} {
		steps[name] = func(*rapid.T) { step() }
	}
	r.Repeat(steps)
	h.end()
}

// prepare starts a history with the initial list prices and random stock.
func (s *shop) prepare(h *history) {
	copy(s.stock, s.counted(h.ctx))
	for product, pieces := range s.stock {
		s.reprice(h.ctx, product, prices[product])
		if product == scarce {
			s.restock(h.ctx, product, rapid.IntRange(0, 6).Draw(h.T, "stock"))
		} else if pieces < plenty/2 {
			s.restock(h.ctx, product, plenty)
		}
	}
}

// end has every attempt in flight decided, and counts the orders.
func (h *history) end() {
	for at, p := range h.papers {
		if p.status == "processing" {
			h.shop.wait(time.Minute)
			h.takeUp(at, p.token == losesPaid)
		}
		if p.status == "processing" { // a retry may have failed
			h.shop.wait(time.Minute)
			h.takeUp(at, false)
		}
	}
	h.readCart()
	for at, p := range h.papers {
		h.compare(at)
		charges := 0
		for n := range p.attempt {
			if _, ok := h.shop.gateway.charged[checkout.AttemptKey(p.id, n+1)]; ok {
				charges++
			}
		}
		if paid := p.status == "completed"; charges > 1 || paid != (charges == 1) {
			h.fatal("checkout %d is %s and was charged %d times", at, p.status, charges)
		}
	}
	if len(h.shop.gateway.doubled) > 0 {
		h.fatal("one key, two amounts: %v", h.shop.gateway.doubled)
	}
	h.redeemed()
	if counted := h.shop.counted(h.ctx); !slices.Equal(counted, h.shop.stock) {
		h.fatal("there are %v in stock, want %v", counted, h.shop.stock)
	}
}

// redeemed compares which orders redeemed the deals.
func (h *history) redeemed() {
	for i, d := range h.deals {
		found, err := h.shop.store.Haggling().Basket(h.ctx, h.shop.project.ID, ports.BasketAsk{Tokens: []string{id.Hash(d.token)}})
		must(err)
		by := found.Quotes[0].Snapshot().RedeemedBy
		if d.redeemed == none {
			if !by.IsZero() {
				h.fatal("deal %d was redeemed by %s", i, by)
			}
			continue
		}
		o, err := h.shop.store.Orders().ByCheckout(h.ctx, h.shop.project.ID, h.papers[d.redeemed].id)
		if err != nil || o.ID != by {
			h.fatal("deal %d was redeemed by %s, want the order of checkout %d (%v)", i, by, d.redeemed, err)
		}
	}
}

// check verifies the store's invariants. The model's provider has no account there.
func (s *shop) check(t *testing.T) {
	v, err := s.store.Verify(t.Context(), s.now, nil)
	must(err)
	for _, found := range v.Violations() {
		if found.Says != "the provider did not take it" {
			t.Errorf("%+v", found)
		}
	}
}
