package syncing_test

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// BenchmarkKeep stores deliveries as the receiver of webhooks does: as many in a transaction as arrived meanwhile.
func BenchmarkKeep(b *testing.B) {
	for _, size := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
				p, n := storetest.StoreProject(b, s, 1).ID, 0
				for b.Loop() {
					list := make([]*integration.Delivery, size)
					for i := range list {
						n++
						list[i] = inboxDelivery(p, n)
					}
					if err := s.Inbox().Keep(b.Context(), list); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "deliveries/s")
			})
		})
	}
}

// BenchmarkClaimAndRecord claims deliveries and records their results.
func BenchmarkClaimAndRecord(b *testing.B) {
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		const size = 16
		p, n := storetest.StoreProject(b, s, 1).ID, 0
		for b.Loop() {
			b.StopTimer()
			list := make([]*integration.Delivery, size)
			for i := range list {
				n++
				list[i] = inboxDelivery(p, n)
			}
			if err := s.Inbox().Keep(b.Context(), list); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			claimed := storetest.ClaimAll(b, s.InboxQueue(), size)
			if len(claimed) != size {
				b.Fatal(len(claimed))
			}
			for _, l := range claimed {
				l.Item.Done()
				if err := s.Inbox().Record(b.Context(), l.Item, l.Until); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
