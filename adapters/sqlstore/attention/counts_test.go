package attention_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports"
)

func TestAttention_Counts_limit(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		past := storetest.NewPast(1, p.ID, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 24*time.Hour)
		for len(past.Placed) < 3 {
			past.Visit()
		}
		past.Store(t, s)
		placed := len(past.Placed)
		for most, want := range map[int]int{1: 1, placed + 1: placed} {
			counts, err := s.Attention().Counts(t.Context(), p.ID, ports.WaitingKinds, most)
			if err != nil || counts[ports.OrderToShip] != want {
				t.Errorf("%d of %d orders to ship are counted where %d may be, want %d (%v)", counts[ports.OrderToShip], placed, most, want, err)
			}
			if _, any := counts[ports.ReturnRequested]; any {
				t.Errorf("there are no returns, and they are counted: %v", counts)
			}
		}
	})
}
