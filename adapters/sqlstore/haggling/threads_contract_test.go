package haggling_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Threads is the contract of ports.Negotiations. The clock is stopped, so each test has a database of its own.
func Threads(t *testing.T, open porttest.Open) {
	for name, test := range map[string]func(*porttest.Shop){
		"a session's negotiations are found by name": threadsOfSession,
		"negotiations are summed up":                 threadsSums,
		"a state follows from answers and the clock": threadsStates,
		"a list is read in parts":                    threadsPages,
		"a filter narrows a list":                    threadsFilter,
		"named negotiations are listed":              threadsNamed,
		"a path is short":                            threadsPath,
		"nothing of another project is found":        threadsForeign,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := porttest.OpenShop(t, open(t))
			s.SetClock(porttest.Noon.Add(time.Minute))
			test(s)
		})
	}
}

func TestNegotiations(t *testing.T) { storetest.Suite(t, Threads) }

// shelves are the products of shops, in the order in which they were made.
var shelves sync.Map

// shelf is a product of the shop, by number.
func shelf(s *porttest.Shop, number int) *catalog.Product {
	s.T.Helper()
	known, _ := shelves.LoadOrStore(s.Project.ID, &[]*catalog.Product{})
	list := known.(*[]*catalog.Product)
	for len(*list) <= number {
		*list = append(*list, s.Product(1_000, 1_000))
	}
	return (*list)[number]
}

// offered stores the answer to an offer, in cents, some seconds after noon; 0 is a question of the price.
func offered(s *porttest.Shop, in *session.Session, quantity int, product int, cents int64, seconds int) negotiation.Entry {
	s.T.Helper()
	p := shelf(s, product)
	r := s.Answer(in, p, quantity, nil)
	if cents > 0 {
		r = s.Answer(in, p, quantity, porttest.Pointer(porttest.USD(cents)))
	}
	return say(s, r, s.ActiveAgent().ID, porttest.Noon.Add(time.Duration(seconds)*time.Second))
}

func newest(s *porttest.Shop, f ports.ThreadFilter, after *ports.ThreadPlace, limit int) ([]ports.Thread, *ports.ThreadPlace) {
	s.T.Helper()
	threads, next, err := s.Threads.Newest(s.Ctx, s.Project.ID, f, after, limit)
	s.Must(err)
	return threads, next
}

func threadsOfSession(s *porttest.Shop) {
	in := s.Session()
	first := offered(s, in, 1, 0, 0, 1)
	second := offered(s, in, 1, 0, 70_00, 2)
	third := offered(s, in, 2, 0, 70_00, 3)
	offered(s, s.Session(), 1, 0, 70_00, 4)
	got, err := s.Threads.Session(s.Ctx, s.Project.ID, id.NegotiationOf(in.ID))
	s.Must(err)
	porttest.Same(s.T, "decisions", got.Decisions, []negotiation.Link{{Entry: first}, {Entry: second}, {Entry: third}})
	porttest.Same(s.T, "total", got.Total, 3)
	porttest.Same(s.T, "agent", *got.Agent, in.Agent)
	porttest.Same(s.T, "orders", len(got.Orders), 0)
	var items []negotiation.Item
	for _, thread := range got.Threads {
		items = append(items, thread.Item)
	}
	porttest.Same(s.T, "items in the order in which they began", items, []negotiation.Item{first.Item, third.Item})

	paid := s.Session()
	p := s.Product(5)
	o := s.Pay(s.Checkout(paid, porttest.AgreedLine(p, s.Agree(paid, p, 1))))
	got, err = s.Threads.Session(s.Ctx, s.Project.ID, id.NegotiationOf(paid.ID))
	s.Must(err)
	porttest.Same(s.T, "orders of a paid one", got.Orders, []ports.OrderName{{ID: o.ID, Confirmation: o.Confirmation}})

	for _, none := range []id.Negotiation{id.NegotiationOf(s.Session().ID), porttest.Random[id.Negotiation]()} {
		if _, err := s.Threads.Session(s.Ctx, s.Project.ID, none); !fault.Is(err, "negotiation_not_found") {
			s.T.Errorf("a session without decisions: %v", err)
		}
	}
}

func threadsSums(s *porttest.Shop) {
	in := s.Session()
	asked := offered(s, in, 2, 0, 0, 1)
	low := offered(s, in, 2, 0, 70_00, 2)
	deal := offered(s, in, 2, 0, 99_00, 3)
	p := shelf(s, 0)
	threads, next := newest(s, ports.ThreadFilter{}, nil, 10)
	porttest.Same(s.T, "next", next, (*ports.ThreadPlace)(nil))
	porttest.Same(s.T, "threads", threads, []ports.Thread{{
		Item:    deal.Item,
		Product: p.Name,
		Variant: "A",
		State:   negotiation.ThreadDeal,
		Steps:   3,
		Path: []ports.ThreadStep{
			{Price: asked.Price},
			{Offer: low.Offer, Price: low.Price},
			{Offer: deal.Offer, Price: deal.Price},
		},
		Offer:    deal.Offer,
		Price:    *deal.Price,
		Deal:     deal.Price,
		List:     porttest.USD(100_00),
		Floor:    deal.Bounds.Floor(),
		Protocol: porttest.Pointer(agentid.Haggle),
		Began:    asked.At,
		Last:     deal.At,
	}})
}

func threadsStates(s *porttest.Shop) {
	open, declined, over, dealt := s.Session(), s.Session(), s.Session(), s.Session()
	offered(s, open, 1, 0, 70_00, 4)
	given := offered(s, declined, 1, 0, 70_00, 3)
	h := s.Load(ports.HaggleAsk{Session: declined.ID, Quote: given.Quote})
	_, err := h.Quote.Decline(negotiation.Reason{}, porttest.Noon.Add(4*time.Second))
	s.Must(err)
	s.Must(s.Haggling.Decline(s.Ctx, h.Quote))
	offered(s, over, 1, 0, 70_00, 2)
	_, err = s.Sessions.Update(s.Ctx, s.Project.ID, over.ID, func(v *session.Session) error {
		v.ExpiresAt = porttest.Noon.Add(time.Minute - session.Grace)
		return nil
	})
	s.Must(err)
	offered(s, dealt, 1, 0, 99_00, 1)
	states := func() (list []negotiation.ThreadState) {
		threads, _ := newest(s, ports.ThreadFilter{}, nil, 10)
		for _, thread := range threads {
			list = append(list, thread.State)
		}
		return list
	}
	porttest.Same(s.T, "states", states(), []negotiation.ThreadState{negotiation.ThreadOpen, negotiation.ThreadLeft, negotiation.ThreadLeft, negotiation.ThreadDeal})
	offered(s, declined, 1, 0, 71_00, 5)
	porttest.Same(s.T, "asked again", states()[0], negotiation.ThreadOpen)
	s.SetClock(porttest.Noon.Add(30*time.Minute + session.Grace))
	for i, state := range states()[:4] {
		if want := []negotiation.ThreadState{negotiation.ThreadLeft, negotiation.ThreadDeal}[i/3]; state != want {
			s.T.Errorf("state %d after the end is %v, want %v", i, state, want)
		}
	}
}

func threadsPages(s *porttest.Shop) {
	var want []negotiation.Item
	for i := range 7 {
		in := s.Session()
		e := offered(s, in, 1, 0, 70_00, i/3) // several at a time
		offered(s, in, 2, 0, 70_00, i/3)
		e2 := e.Item
		e2.Quantity = 2
		want = append(want, e.Item, e2)
	}
	all, _ := newest(s, ports.ThreadFilter{}, nil, 100)
	porttest.Same(s.T, "all", len(all), len(want))
	for _, limit := range []int{1, 3, 14, 20} {
		var read []ports.Thread
		var after *ports.ThreadPlace
		for range 20 {
			part, next := newest(s, ports.ThreadFilter{}, after, limit)
			read = append(read, part...)
			if after = next; next == nil {
				break
			}
		}
		porttest.Same(s.T, "in parts", read, all)
	}
	if !slices.IsSortedFunc(all, func(a, b ports.Thread) int { return b.Last.Compare(a.Last) }) {
		s.T.Errorf("not the newest first: %v", all)
	}
}

func threadsFilter(s *porttest.Shop) {
	one, two := s.Session(), s.Session()
	offered(s, one, 1, 0, 70_00, 1)
	offered(s, one, 1, 1, 99_00, 2)
	ucp := s.NewSession()
	ucp.Agent = ucp.Agent.Over(agentid.UCP)
	s.Must(s.Sessions.Create(s.Ctx, ucp))
	offered(s, ucp, 1, 1, 70_00, 3)
	offered(s, two, 1, 0, 70_00, 4)
	offered(s, two, 1, 0, 71_00, 5)
	at := func(seconds int) time.Time { return porttest.Noon.Add(time.Duration(seconds) * time.Second) }
	for name, c := range map[string]struct {
		f    ports.ThreadFilter
		want []int // seconds of the last step
	}{
		"all":      {ports.ThreadFilter{}, []int{5, 3, 2, 1}},
		"deals":    {ports.ThreadFilter{State: negotiation.ThreadDeal}, []int{2}},
		"open":     {ports.ThreadFilter{State: negotiation.ThreadOpen}, []int{5, 3, 1}},
		"left":     {ports.ThreadFilter{State: negotiation.ThreadLeft}, nil},
		"product":  {ports.ThreadFilter{Product: shelf(s, 1).ID}, []int{3, 2}},
		"protocol": {ports.ThreadFilter{Protocol: porttest.Pointer(agentid.UCP)}, []int{3}},
		"haggle":   {ports.ThreadFilter{Protocol: porttest.Pointer(agentid.Haggle)}, []int{5, 2, 1}},
		"from":     {ports.ThreadFilter{From: at(3)}, []int{5, 3}},
		"to":       {ports.ThreadFilter{To: at(5)}, []int{3, 2, 1}}, // two's last step is later
		"several": {ports.ThreadFilter{
			State:   negotiation.ThreadOpen,
			Product: shelf(s, 0).ID,
			From:    at(1),
			To:      at(2),
		}, []int{1}},
	} {
		threads, _ := newest(s, c.f, nil, 10)
		var got []int
		for _, thread := range threads {
			got = append(got, int(thread.Last.Sub(porttest.Noon).Seconds()))
		}
		porttest.Same(s.T, name, got, c.want)
	}
}

func threadsPath(s *porttest.Shop) {
	in := s.Session()
	var steps []ports.ThreadStep
	for i := range ports.MostPath + 6 {
		e := offered(s, in, 1, 0, int64(20_00+i*10), i)
		steps = append(steps, ports.ThreadStep{Offer: e.Offer, Price: e.Price})
	}
	threads, _ := newest(s, ports.ThreadFilter{}, nil, 1)
	porttest.Same(s.T, "steps", threads[0].Steps, len(steps))
	porttest.Same(s.T, "path", threads[0].Path, append(steps[:1:1], steps[len(steps)-ports.MostPath+1:]...))
}

func threadsForeign(s *porttest.Shop) {
	in := s.Session()
	offered(s, in, 1, 0, 70_00, 1)
	foreign := porttest.OpenShop(s.T, s.Stores)
	if _, err := foreign.Threads.Session(s.Ctx, foreign.Project.ID, id.NegotiationOf(in.ID)); !fault.Is(err, "negotiation_not_found") {
		s.T.Errorf("another project's: %v", err)
	}
	if threads, next := newest(foreign, ports.ThreadFilter{}, nil, 10); len(threads) > 0 || next != nil {
		s.T.Errorf("another project lists %v", threads)
	}
}

// A list that has looked at as many decisions as it may returns a place to go on from, even if it found nothing.
func TestNegotiations_Newest_lookedLimit(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, store *storetest.Store) {
		s := porttest.OpenShop(t, storetest.Views(store))
		for i := range 6 {
			offered(s, s.Session(), 1, i%2, 70_00, i)
		}
		reader := haggling.Negotiations{Store: store.DB, Looked: 2}
		found := 0
		var after *ports.ThreadPlace
		for range 4 {
			threads, next, err := reader.Newest(t.Context(), s.Project.ID, ports.ThreadFilter{Product: shelf(s, 0).ID}, after, 10)
			s.Must(err)
			found += len(threads)
			if len(threads) > 1 {
				t.Errorf("%d of two decisions", len(threads))
			}
			if after = next; next == nil {
				break
			}
		}
		if found != 3 || after != nil {
			t.Errorf("found %d, next %v", found, after)
		}
	})
}

// A negotiation that an earlier release stored without a name is named once, and can be found then.
func TestNegotiations_Name(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, store *storetest.Store) {
		s := porttest.OpenShop(t, storetest.Views(store))
		in := s.Session()
		offered(s, in, 1, 0, 70_00, 1)
		offered(s, in, 1, 0, 71_00, 2)
		name := id.NegotiationOf(in.ID)
		change := func(to any) error {
			return store.DB.Exec(t.Context(), s.Project.ID, "UPDATE decisions SET negotiation_id = $2 WHERE project_id = $1 AND seq = 1", s.Project.ID, to)
		}
		if change("neg_another") == nil {
			t.Error("a negotiation was named again")
		}
		undo := []string{"DROP INDEX decisions_negotiation", "ALTER TABLE decisions DROP COLUMN negotiation_id"}
		if !store.DB.Dialect.OneTrip {
			undo = append([]string{"DROP TRIGGER decisions_name"}, undo...)
		}
		storetest.Upgrade(t, store, 89, undo...)
		if _, err := s.Threads.Session(t.Context(), s.Project.ID, name); !fault.Is(err, "negotiation_not_found") {
			t.Errorf("without a name: %v", err)
		}
		for range 2 {
			if more, err := store.Negotiations().Name(t.Context()); more || err != nil {
				t.Errorf("naming: %t, %v", more, err)
			}
		}
		found, err := s.Threads.Session(t.Context(), s.Project.ID, name)
		s.Must(err)
		porttest.Same(t, "decisions", found.Total, 2)
	})
}
