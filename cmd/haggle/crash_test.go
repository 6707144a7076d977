package main

import (
	"context"
	"fmt"
	neturl "net/url"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const (
	crashBuyers = 30
	crashStock  = 36
)

// The server is killed while thirty buyers pay. After a restart every buyer retries and gets exactly one order, the stock is
// what was not sold, and the provider charged each checkout once.
func TestServeCmd_Run_killedDuringPayments(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			database := engine.URL(t)
			s := serve(t, database)
			shop := openCrashShop(t, s.url)
			buyers := make([]*buyer.Buyer, crashBuyers)
			for i := range buyers {
				buyers[i] = shop.buyerAtCheckout(t, s.url)
			}
			killDuring(t, s, buyers)
			again := serve(t, database)
			orders := payAgain(t, again.url, shop.slug, buyers)
			if len(orders) != crashBuyers {
				t.Errorf("%d orders for %d buyers", len(orders), crashBuyers)
			}
			shop.check(t, again.url, engine.Name, database)
		})
	}
}

// killDuring lets all buyers pay at the same time and kills the server when the fifth has its order.
func killDuring(t *testing.T, s *server, buyers []*buyer.Buyer) {
	t.Helper()
	paid := make(chan struct{}, len(buyers))
	var all sync.WaitGroup
	for _, b := range buyers {
		all.Go(func() {
			if b.Pay(acp.PSPToken, "spt_sandbox_ok").Paid() {
				paid <- struct{}{}
			}
		})
	}
	for range 5 {
		<-paid
	}
	if err := s.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if done := 5 + len(paid); done == len(buyers) {
		t.Fatalf("all %d buyers were done before the kill", done)
	}
}

// payAgain retries every finalize until it is decided, and returns the set of order ids.
func payAgain(t *testing.T, url, slug string, before []*buyer.Buyer) map[string]bool {
	t.Helper()
	var all sync.WaitGroup
	orders := make(chan string, len(before))
	for _, b := range before {
		all.Go(func() {
			client := acp.New(exchange.NewClient(exchange.Config{URL: url}), slug)
			request := acp.FinalizeRequest{CheckoutID: b.Checkout.CheckoutID, BuyerEmail: b.Email,
				Payment: acp.Payment{Method: acp.PSPToken, Token: "spt_sandbox_ok"}}
			for range 5 {
				answer, err := client.Finalize(context.Background(), request)
				if err == nil && answer.Status == acp.Success {
					if b.Finalized.Order.ID != "" && b.Finalized.Order.ID != answer.Order.ID {
						t.Errorf("checkout %s has the orders %s and %s", request.CheckoutID, b.Finalized.Order.ID, answer.Order.ID)
					}
					orders <- answer.Order.ID
					return
				}
				// Attempts that the crash left in flight count towards the payment limit of this address until they are
				// decided. In both cases the server has already waited for them as long as a request may wait.
				if code := acp.CodeOf(err); code != "checkout_processing" && code != "too_many_payments" {
					t.Errorf("finalize after the crash: %v %s", err, answer.Status)
					return
				}
			}
			t.Errorf("checkout %s was not decided in time", request.CheckoutID)
		})
	}
	all.Wait()
	close(orders)
	distinct := map[string]bool{}
	for id := range orders {
		distinct[id] = true
	}
	return distinct
}

type crashShop struct{ slug, project, product string }

func openCrashShop(t *testing.T, url string) crashShop {
	t.Helper()
	m := merchant.New(exchange.NewClient(exchange.Config{URL: url}), boottest.Key, "")
	p, err := m.CreateProject(t.Context(), merchant.NewProject{Name: "Crash shop", Slug: "crash-shop"})
	if err != nil {
		t.Fatal(err)
	}
	stock := crashStock
	product, err := m.In(p.ID).CreateProduct(t.Context(), merchant.Product{
		Name:     "Storm Lantern",
		SKU:      "LANTERN",
		Price:    decimal.MustParse("40"),
		Category: "outdoor/lights",
		Quantity: &stock,
	})
	if err != nil {
		t.Fatal(err)
	}
	return crashShop{"crash-shop", p.ID, product.ID}
}

func (s crashShop) buyerAtCheckout(t *testing.T, url string) *buyer.Buyer {
	t.Helper()
	b := buyer.New(context.Background(), acp.New(exchange.NewClient(exchange.Config{URL: url}), s.slug))
	b.Discover().SearchFor(acp.SearchRequest{Query: "lantern"}).View(s.product).Offer(decimal.MustParse("40"))
	b.InitCheckout(acp.Address{
		Name:       "A. Buyer",
		Line1:      "1 Main St",
		City:       "Springfield",
		State:      "IL",
		PostalCode: "62701",
		Country:    "US",
	})
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	return b
}

// check compares the stock and the project's statistics with the orders, and on PostgreSQL the provider's charges too.
func (s crashShop) check(t *testing.T, url, engine, database string) {
	t.Helper()
	m := merchant.New(exchange.NewClient(exchange.Config{URL: url}), boottest.Key, s.project)
	levels, err := m.Inventory(t.Context(), "LANTERN", merchant.Page{})
	if err != nil || len(levels.Data) != 1 || levels.Data[0].Quantity != crashStock-crashBuyers {
		t.Errorf("stock after %d orders of %d: %+v, %v", crashBuyers, crashStock, levels.Data, err)
	}
	p, err := m.Project(t.Context(), s.project)
	if err != nil || p.Statistics.Orders30D != crashBuyers || p.Statistics.Revenue30D != decimal.MustParse(fmt.Sprint(crashBuyers*4599)).Over(100) {
		t.Errorf("statistics: %+v, %v", p.Statistics, err)
	}
	if engine != "postgres" {
		return
	}
	u, err := neturl.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgserver.Shared(t).PSQL(strings.TrimPrefix(u.Path, "/"), "SELECT count(*), count(DISTINCT split_part(key, '-', 1)) FROM sandbox_charges WHERE result = 'paid'")
	if want := fmt.Sprintf("%d|%d", crashBuyers, crashBuyers); err != nil || got != want {
		t.Errorf("charges and charged checkouts: %s, %v; want %s", got, err, want)
	}
}
