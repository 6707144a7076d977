package haggling_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func threadsNamed(s *porttest.Shop) {
	one, two, three := s.Session(), s.Session(), s.Session()
	first := offered(s, one, 1, 0, 70_00, 1)
	other := offered(s, one, 1, 1, 70_00, 2)
	offered(s, two, 1, 0, 70_00, 3)
	last := offered(s, three, 1, 0, 70_00, 4)
	named := ports.ThreadFilter{Named: []id.Negotiation{
		id.NegotiationOf(one.ID),
		id.NegotiationOf(three.ID),
		porttest.Random[id.Negotiation](),
	}}
	items := func(threads []ports.Thread) (items []negotiation.Item) {
		for _, t := range threads {
			items = append(items, t.Item)
		}
		return items
	}
	threads, next := newest(s, named, nil, 2)
	porttest.Same(s.T, "the newest two of two sessions", items(threads), []negotiation.Item{last.Item, other.Item})
	threads, next = newest(s, named, next, 2)
	porttest.Same(s.T, "the rest", items(threads), []negotiation.Item{first.Item})
	porttest.Same(s.T, "next", next, (*ports.ThreadPlace)(nil))
	named.Product = shelf(s, 1).ID
	threads, _ = newest(s, named, nil, 2)
	porttest.Same(s.T, "of a product", items(threads), []negotiation.Item{other.Item})
}

// The decisions of named negotiations are looked up by an index, no matter how many others there are.
func TestNegotiations_namedByIndex(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		past := storetest.NewPast(5, p.ID, time.UnixMilli(0), time.Hour)
		for len(past.Decisions) < 5000 {
			past.Visit()
		}
		past.Store(t, s)
		names := make([]id.Negotiation, 25)
		for i := range names {
			names[i] = porttest.Random[id.Negotiation]()
		}
		statement, args := haggling.LookedAtNamed(p.ID, names)
		values, err := db.Plain(args)
		if err != nil {
			t.Fatal(err)
		}
		var plan string
		if s.DB.Dialect.OneTrip {
			storetest.Change(t, s, "RESET ROLE; ANALYZE decisions")
			texts := make([]string, len(values))
			for i, v := range values {
				texts[i] = fmt.Sprintf("'%v'", v)
			}
			types := strings.TrimSuffix(strings.Repeat("text, ", len(values)), ", ")
			plan = storetest.PlanOf(t, s, p.ID, "PREPARE named ("+types+") AS "+statement+"; EXPLAIN (COSTS OFF) EXECUTE named ("+
				strings.Join(texts, ", ")+"); DEALLOCATE named")
		} else {
			plan = storetest.PlanOf(t, s, p.ID, "EXPLAIN QUERY PLAN "+statement, values...)
		}
		if !strings.Contains(plan, "decisions_negotiation") || strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN decisions") ||
			strings.Contains(plan, "decisions_newest") {
			t.Errorf("%s\n%s", statement, plan)
		}
	})
}
