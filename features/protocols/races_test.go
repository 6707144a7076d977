package protocols

import (
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// TestManyUpdates has many requests replace one checkout at the same time. Each is answered with the checkout as it made it,
// never with an error of the transport.
func TestManyUpdates(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		s := openShop(t, serve(t, engine.URL(t)), "USD", 10_000)
		agent := s.agent(t, schema.V20260825, ucp.REST)
		got, err := agent.open(t.Context(), cart{lines: []line{{item: s.items[0], quantity: 1}}, to: places[1], way: atOnce})
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
