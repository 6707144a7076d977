package haggling_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// A quote is two round trips: one read, one write. The shop is in memory.
func TestHaggling_roundTrips(t *testing.T) {
	t.Parallel()
	s, w := storetest.WiredPostgres(t)
	sale := porttest.NewSale(t, storetest.Views(s))
	var first ports.HaggleResult
	if trips := w.Count(func() { first = sale.Quote() }); trips != 2 {
		t.Errorf("a first quote took %d round trips, want 2", trips)
	}
	if trips := w.Count(func() { sale.FollowUp(first) }); trips != 2 {
		t.Errorf("a follow-up took %d round trips, want 2", trips)
	}
}

// Recording the products that a search shows is one statement, no matter how many they are. Reading a product takes
// two: its row, and its variants with their stock. In a session there are four more: the session, its cart, its
// decisions and its last quote.
func TestHaggling_Load_statements(t *testing.T) {
	t.Parallel()
	s, count := storetest.CountedSQLite(t)
	shop := porttest.OpenShop(t, storetest.Views(s))
	visit, shown := shop.Session(), []id.Product{shop.Product(1).ID, shop.Product(2).ID, shop.Product(3).ID}
	load := func(ask ports.HaggleAsk) func() error {
		return func() error {
			_, err := s.Haggling().Load(t.Context(), shop.Project.ID, ask)
			return err
		}
	}
	steps := map[string]func() error{
		"show":    func() error { return shop.Show(visit, shown...) },
		"session": load(ports.HaggleAsk{Session: visit.ID}),
		"product": load(ports.HaggleAsk{Product: shown[0], Quantity: 1}),
		"in session": load(ports.HaggleAsk{
			Session:  visit.ID,
			Product:  shown[0],
			Quantity: 1,
		}),
	}
	for name, want := range map[string]int64{"show": 1, "session": 1, "product": 2, "in session": 6} {
		if n := count(func() { shop.Must(steps[name]()) }); n != want {
			t.Errorf("%s took %d statements, want %d", name, n, want)
		}
	}
}

func TestSessions_Keep_roundTrips(t *testing.T) {
	t.Parallel()
	s, w := storetest.WiredPostgres(t)
	sale := porttest.NewSale(t, storetest.Views(s))
	visit := sale.Visit().Session
	for touched, want := range map[session.Touched]int64{{}: 0, {Time: true}: 1, {Claims: true}: 1} {
		var err error
		if trips := w.Count(func() { err = s.Sessions().Keep(t.Context(), visit, touched) }); trips != want || err != nil {
			t.Errorf("%+v: %d round trips, %v", touched, trips, err)
		}
	}
}

func TestHaggling_Save_commitReplyLost(t *testing.T) {
	t.Parallel()
	s, w := storetest.WiredPostgres(t)
	sale := porttest.NewSale(t, storetest.Views(s))
	answer := sale.Answer()
	w.Deaf.Store(true)
	if err := s.Haggling().Save(t.Context(), answer); err != nil {
		t.Errorf("the answer was stored, but Save says %v", err)
	}
	if history := sale.Visit().History; len(history) != 1 {
		t.Errorf("%d answers were stored, want 1", len(history))
	}
}

func TestHaggling_Save_unknownEvent(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		answer := sale.Answer()
		answer.Event.Data = strangeEvent{}
		if err := s.Haggling().Save(t.Context(), answer); fault.KindOf(err) != fault.Internal || err == nil {
			t.Errorf("got %v, want an internal error", err)
		}
		if history := sale.Visit().History; len(history) != 0 {
			t.Errorf("stored %+v", history)
		}
	})
}

type strangeEvent struct{}

func (strangeEvent) Type() event.Type { return event.Type{} }

func TestHaggling_Save_staleNotAnnounced(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		late := sale.Answer()
		sale.Quote()
		if err := s.Haggling().Save(t.Context(), late); !fault.Is(err, "stale") {
			t.Fatalf("got %v, want stale", err)
		}
		if rows := storetest.Events(t, s, sale.Project()); len(rows) != 1 {
			t.Errorf("%d events, want the first answer's alone", len(rows))
		}
	})
}
