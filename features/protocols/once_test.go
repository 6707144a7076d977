package protocols

import (
	"context"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// TestDeal makes a deal over each protocol and redeems it over each other one, while every protocol has a checkout with it. The
// other checkouts get the protocol's error that the deal is used up, and are charged nothing.
func TestDeal(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		s := openShop(t, serve(t, engine.URL(t)), "USD", 10_000)
		orders := 0
		for made := range 4 {
			for redeemed := range 4 {
				if made == redeemed {
					continue
				}
				buyers := s.buyers(t)
				t.Run(buyers[made].String()+" to "+buyers[redeemed].String(), func(t *testing.T) { s.redeem(t, buyers, made, redeemed) })
				if orders++; s.orders(t) != orders {
					t.Errorf("there are %d orders, want %d", s.orders(t), orders)
				}
			}
		}
	})
}

// redeem makes a deal over one protocol and redeems it over another.
func (s *shop) redeem(t *testing.T, buyers []buyer, made, redeemed int) {
	ctx := t.Context()
	want := line{item: s.items[0], quantity: 2}
	agreed, err := buyers[made].haggle(ctx, "", want)
	must(t, err)
	if agreed.unit >= want.item.price {
		t.Fatalf("a deal at %d", agreed.unit)
	}
	want.deal = &agreed
	c := cart{
		lines: []line{want},
		to:    places[1],
		way:   atOnce,
	}
	held := make([]string, len(buyers))
	for i, d := range buyers {
		got, err := d.open(ctx, c)
		if held[i] = got.id; err != nil || got.price.savings != 2*(want.item.price-agreed.unit) {
			t.Fatalf("%s: %+v, %v", d, got, err)
		}
	}
	if done, err := buyers[redeemed].pay(ctx, held[redeemed], "", "spt_sandbox_ok"); err != nil || done.status != ucp.Completed {
		t.Fatalf("%s: %+v, %v", buyers[redeemed], done, err)
	}
	for i, d := range buyers {
		if i != redeemed {
			usedUp(t, d, held[i])
		}
		late(t, d, c)
	}
}

// usedUp tries to pay a checkout whose deal has been redeemed.
func usedUp(t *testing.T, d buyer, checkout string) {
	t.Helper()
	done, err := d.pay(t.Context(), checkout, "", "spt_sandbox_ok")
	if _, own := d.(*acpBuyer); own {
		if acp.CodeOf(err) != "token_redeemed" {
			t.Errorf("%s paid for a used deal: %+v, %v", d, done, err)
		}
		return
	}
	if err != nil || done.order != "" || done.status != ucp.Incomplete || !strings.Contains(done.said, "deal_redeemed") {
		t.Errorf("%s paid for a used deal: %+v, %v", d, done, err)
	}
}

// late tries to open a new checkout with a redeemed deal.
func late(t *testing.T, d buyer, c cart) {
	t.Helper()
	got, err := d.open(t.Context(), c)
	if _, own := d.(*acpBuyer); own {
		if acp.CodeOf(err) != "token_redeemed" {
			t.Errorf("%s opened a checkout with a used deal: %+v, %v", d, got, err)
		}
		return
	}
	if err != nil || got.price.savings != 0 || !strings.Contains(got.said, "deal_redeemed") {
		t.Errorf("%s opened a checkout with a used deal: %+v, %v", d, got, err)
	}
}

// gatePatience is longer than a charge takes to reach the gate on a busy machine.
const gatePatience = 30 * time.Second

// outcome is the response to one of two buyers.
type outcome struct {
	buyer buyer
	paid  paid
	err   error
}

// TestTwoCompletes completes one checkout over two protocols concurrently. The charge waits at the provider until both requests
// are sent and a third protocol shows the checkout in progress, so the two requests always overlap.
func TestTwoCompletes(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		b := openBank(t)
		s := openShop(t, serve(t, engine.URL(t), b.serves), "USD", 10_000)
		b.connect(t, s)
		orders := 0
		for first := range 4 {
			for second := range first {
				buyers := s.buyers(t)
				t.Run(buyers[first].String()+" and "+buyers[second].String(), func(t *testing.T) { s.completeTwice(t, b, buyers[first], buyers[second]) })
				if orders++; s.orders(t) != orders {
					t.Errorf("there are %d orders, want %d", s.orders(t), orders)
				}
			}
		}
	})
}

// completeTwice opens a checkout over one protocol, and completes it there and over another.
func (s *shop) completeTwice(t *testing.T, b *bank, buyers ...buyer) {
	got, err := buyers[0].open(t.Context(), cart{
		lines: []line{{item: s.items[0], quantity: 1}},
		to:    places[1],
		way:   atOnce,
	})
	must(t, err)
	token := b.token(t, s)
	answered, sent := make(chan outcome, 2), make(chan struct{}, 8)
	for _, d := range buyers {
		go func() {
			done, err := d.pay(whenSent(sent), got.id, "", token)
			answered <- outcome{d, done, err}
		}()
	}
	await(t, b.arrived, "a charge at the provider")
	await(t, sent, "the first complete")
	await(t, sent, "the second complete")
	s.readsInProgress(t, got.id)
	b.pass()
	orders := map[string]bool{}
	for range buyers {
		o := <-answered
		if o.err != nil || o.paid.status != ucp.Completed {
			t.Errorf("%s: %+v, %v", o.buyer, o.paid, o.err)
		}
		orders[o.paid.order] = true
	}
	for _, d := range buyers {
		again, err := d.pay(t.Context(), got.id, "", token)
		if orders[again.order] = true; err != nil {
			t.Errorf("%s once more: %v", d, err)
		}
	}
	if len(orders) != 1 || orders[""] {
		t.Errorf("the orders are %v", orders)
	}
	if taken := b.charges(t, token); len(taken) != 1 || taken[0].Status != "succeeded" || taken[0].Amount != got.price.total || len(b.arrived) > 0 {
		t.Errorf("the provider took %+v, want one of %d; %d more came", taken, got.price.total, len(b.arrived))
	}
}

// whenSent returns a context that reports each completely written request.
func whenSent(sent chan<- struct{}) context.Context {
	return httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { sent <- struct{}{} },
	})
}

func await(t *testing.T, event <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-event:
	case <-time.After(gatePatience):
		t.Fatalf("missing: %s", what)
	}
}

// readsInProgress reads a checkout whose charge is in progress at the provider.
func (s *shop) readsInProgress(t *testing.T, checkout string) {
	t.Helper()
	got, err := s.agent(t, schema.V20260825, ucp.REST).client.Checkout(t.Context(), checkout)
	if err != nil || got.Status != ucp.CompleteInProgress {
		t.Errorf("while the charge is under way the checkout is %q, %v", got.Status, err)
	}
}

// TestUnresolved completes a checkout whose charge succeeds without a response. A retry with the same key gets the order once
// the payment is looked up: the first response, with an unknown outcome, is not replayed.
func TestUnresolved(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		s := openShop(t, serve(t, engine.URL(t)), "USD", 10_000)
		for _, d := range s.buyers(t)[1:] {
			t.Run(d.String(), func(t *testing.T) {
				t.Parallel()
				got, err := d.open(t.Context(), cart{
					lines: []line{{item: s.items[0], quantity: 1}},
					to:    places[1],
					way:   atOnce,
				})
				must(t, err)
				key := "key-of-" + got.id
				first, err := d.pay(t.Context(), got.id, key, "spt_sandbox_lost_reply")
				if err != nil || first.status != ucp.CompleteInProgress {
					t.Fatalf("%+v, %v", first, err)
				}
				end := time.Now().Add(2 * gatePatience)
				for last := first; last.order == ""; time.Sleep(100 * time.Millisecond) {
					if last, err = d.pay(t.Context(), got.id, key, "spt_sandbox_lost_reply"); err != nil || time.Now().After(end) {
						t.Fatalf("%+v, %v", last, err)
					}
				}
			})
		}
	})
}
