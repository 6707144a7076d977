package protocols

import (
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// TestManyUpdates replaces one checkout with many concurrent requests. Each response has the checkout as that request changed
// it, and none is a transport error.
func TestManyUpdates(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		s := openShop(t, serve(t, engine.URL(t)), "USD", 10_000)
		agent := s.agent(t, schema.V20260825, ucp.REST)
		got, err := agent.open(t.Context(), cart{
			lines: []line{{item: s.items[0], quantity: 1}},
			to:    places[1],
			way:   atOnce,
		})
		must(t, err)
		const many = 8
		for range 4 {
			var all sync.WaitGroup
			for n := range many {
				all.Go(func() {
					answer, err := agent.client.UpdateCheckout(t.Context(), got.id, ucp.CheckoutRequest{
						Lines: []ucp.Line{{Item: ucp.Item{ID: s.items[0].variant}, Quantity: n + 1}},
					})
					if err != nil || len(answer.Lines) != 1 || answer.Lines[0].Quantity != n+1 {
						t.Errorf("%d pieces: %+v, %v", n+1, answer, err)
					}
				})
			}
			all.Wait()
		}
	})
}

// TestKeyWhilePaying cancels and updates a checkout while it is being paid. The same requests with the same keys get another
// response once the payment has ended.
func TestKeyWhilePaying(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		b := openBank(t)
		s := openShop(t, serve(t, engine.URL(t), b.serves), "USD", 10_000)
		b.connect(t, s)
		agent := s.agent(t, schema.V20260825, ucp.REST)
		got, err := agent.open(t.Context(), cart{
			lines: []line{{item: s.items[0], quantity: 1}},
			to:    places[1],
			way:   atOnce,
		})
		must(t, err)
		cancel := func() (ucp.Checkout, error) {
			return agent.client.CancelCheckout(t.Context(), got.id, ucp.IdempotencyKey("the-key-of-a-cancel-0000001"))
		}
		update := func() (ucp.Checkout, error) {
			return agent.client.UpdateCheckout(t.Context(), got.id, ucp.CheckoutRequest{
				Lines: []ucp.Line{{Item: ucp.Item{ID: s.items[0].variant}, Quantity: 2}},
			}, ucp.IdempotencyKey("the-key-of-an-update-0000001"))
		}
		token, answered := b.token(t, s), make(chan outcome, 1)
		go func() {
			done, err := agent.pay(t.Context(), got.id, "", token)
			answered <- outcome{agent, done, err}
		}()
		await(t, b.arrived, "a charge at the provider")
		for _, send := range []func() (ucp.Checkout, error){cancel, update} {
			if c, err := send(); err != nil || codesOf(c.Messages) != "complete_in_progress" {
				t.Errorf("while it is paid: %+v, %v", c, err)
			}
		}
		b.pass()
		if o := <-answered; o.err != nil || o.paid.status != ucp.Completed {
			t.Fatalf("%+v", o)
		}
		for _, send := range []func() (ucp.Checkout, error){cancel, update} {
			if c, err := send(); err != nil || c.Status != ucp.Completed || codesOf(c.Messages) == "complete_in_progress" {
				t.Errorf("once it is paid: %+v, %v", c, err)
			}
		}
	})
}
