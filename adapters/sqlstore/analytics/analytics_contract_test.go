package analytics_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Analytics is the contract of ports.Analytics. The adapter's own tests compare its figures with a naive count of
// random histories, because they can store records at any time.
func Analytics(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a sale is counted once":                     analyticsSale,
		"a fold changes no answer":                   analyticsFolded,
		"spans are half open":                        analyticsBounds,
		"money given back is of its own time":        analyticsRefunds,
		"a lost deal is shown until it is closed":    analyticsLost,
		"lost deals are shown in parts":              analyticsLostPages,
		"nothing of another project is counted":      analyticsForeign,
		"buyers, folds and readers at the same time": analyticsRaces,
		"names of products, deleted ones too":        analyticsNames,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func figures(s *porttest.Shop, p ports.Period) []ports.Span {
	s.T.Helper()
	spans, err := s.Analytics.Figures(s.Ctx, s.Project.ID, p)
	s.Must(err)
	return spans
}

// hour is the figures of the hour in which everything in a shop happens.
func hour(s *porttest.Shop) ports.Span {
	s.T.Helper()
	return figures(s, ports.Period{
		Bounds:   []time.Time{porttest.Noon, porttest.Noon.Add(time.Hour)},
		Sessions: true,
		Products: true,
	})[0]
}

func lostDeals(s *porttest.Shop, near int64, page ports.Page) ports.LostDeals {
	s.T.Helper()
	deals, err := s.Analytics.Lost(s.Ctx, s.Project.ID, ports.LostFilter{
		From:     porttest.Noon,
		To:       porttest.Noon.Add(time.Hour),
		Currency: "USD",
		Near:     near,
	}, page)
	s.Must(err)
	return deals
}

func analyticsSale(s *porttest.Shop) {
	p, sess := s.Product(50), s.Session()
	s.Session()
	o := s.Pay(s.Checkout(sess, porttest.Line(p, 2), porttest.AgreedLine(p, s.Agree(sess, p, 1))))
	got := hour(s)
	porttest.Same(s.T, "sessions", got.Sessions, int64(2))
	porttest.Same(s.T, "buyers", got.Buyers, int64(1))
	porttest.Same(s.T, "funnel", []int64{got.Negotiations, got.Offered, got.Deals, got.Opened, got.Paid}, []int64{1, 1, 1, 1, 1})
	porttest.Same(s.T, "discounts", got.DealDiscounts, map[int]int64{50: 1})
	porttest.Same(s.T, "paid", []int64{got.Orders, got.Units, got.Gross, got.Goods, got.List}, []int64{1, 3, o.Total.Minor(), o.Subtotal.Minor(), 300_00})
	porttest.Same(s.T, "cost", []int64{got.Known, got.Cost}, []int64{95_00, 60_00})
	porttest.Same(s.T, "product", got.Products, map[string]analytics.Sold{p.ID.String(): {Units: 3, List: 300_00, Goods: 295_00, Known: 95_00, Cost: 60_00}})
}

func analyticsFolded(s *porttest.Shop) {
	p, sess := s.Product(50), s.Session()
	var before []ports.Span
	for _, step := range []func(){
		func() { s.Must(s.Haggling.Save(s.Ctx, s.Answer(sess, p, 2, nil))) },
		func() { s.Must(s.Haggling.Save(s.Ctx, s.Answer(sess, p, 2, porttest.Pointer(porttest.USD(70_00))))) },
		func() { s.Pay(s.Checkout(sess, porttest.AgreedLine(p, s.Agree(sess, p, 2)))) },
		func() { s.GaveBack(s.Order(1), 5_00) },
	} {
		step()
		unfolded := hour(s)
		s.Fold()
		porttest.Same(s.T, "figures once folded", hour(s), unfolded)
		s.Fold()
		porttest.Same(s.T, "figures when there is nothing to fold", hour(s), unfolded)
		for _, earlier := range before {
			porttest.Same(s.T, "a step changed something", reflect.DeepEqual(earlier, unfolded), false)
		}
		before = append(before, unfolded)
	}
	last := before[len(before)-1]
	porttest.Same(s.T, "negotiations", []int64{last.Negotiations, last.Offers, last.Deals, last.Orders, last.Refunded}, []int64{2, 3, 2, 2, 5_00})
}

func analyticsBounds(s *porttest.Shop) {
	s.Order(1)
	for range 2 {
		spans := figures(s, ports.Period{Sessions: true, Bounds: []time.Time{
			porttest.Noon.Add(-time.Hour), porttest.Noon.Add(-time.Millisecond), porttest.Noon, porttest.Noon.Add(time.Millisecond), porttest.Noon.Add(time.Hour),
		}})
		for i, span := range spans {
			want := int64(0)
			if i == 2 {
				want = 1
			}
			porttest.Same(s.T, "counted", []int64{span.Orders, span.Negotiations, span.Sessions, span.Buyers}, []int64{want, want, want, want})
		}
		s.Fold()
	}
}

func analyticsRefunds(s *porttest.Shop) {
	s.GaveBack(s.Sold(s.Product(9), 1), 3)
	spans := figures(s, ports.Period{Bounds: []time.Time{porttest.Noon, porttest.Noon.Add(time.Minute), porttest.Noon.Add(time.Hour)}})
	porttest.Same(s.T, "refunds", []int64{spans[0].Refunds, spans[1].Refunds, spans[1].Refunded, spans[0].Orders, spans[1].Orders}, []int64{0, 1, 3, 1, 0})
}

func analyticsLost(s *porttest.Shop) {
	p, sess := s.Product(50), s.Session()
	r := s.Answer(sess, p, 2, porttest.Pointer(porttest.USD(70_00)))
	s.Must(s.Haggling.Save(s.Ctx, r))
	floor := r.Entry.Bounds.Floor().Minor()
	below := (floor - 70_00) * 1000 / floor
	for range 2 {
		got := lostDeals(s, below+1, ports.Page{Limit: 10})
		porttest.Same(s.T, "lost", []int64{got.Count, got.AboveFloor, got.Offered, got.List}, []int64{1, 0, 140_00, 200_00})
		porttest.Same(s.T, "item", got.Examples[0].Item, r.Entry.Item)
		porttest.Same(s.T, "prices", []int64{got.Examples[0].Best, got.Examples[0].Floor}, []int64{70_00, floor})
		porttest.Same(s.T, "times", []bool{got.Examples[0].Began.Equal(porttest.Noon), got.Examples[0].Last.Equal(porttest.Noon)}, []bool{true, true})
		porttest.Same(s.T, "farther away", lostDeals(s, below-1, ports.Page{Limit: 10}).Count, int64(0))
		s.Fold()
	}
	s.Agree(sess, p, 2)
	for range 2 {
		porttest.Same(s.T, "lost after the deal", lostDeals(s, 500, ports.Page{Limit: 10}).Count, int64(0))
		s.Fold()
	}
}

func analyticsLostPages(s *porttest.Shop) {
	p := s.Product(50)
	for i := range 5 {
		s.Must(s.Haggling.Save(s.Ctx, s.Answer(s.Session(), p, 1, porttest.Pointer(porttest.USD(70_00)))))
		if i == 2 {
			s.Fold()
		}
	}
	all := lostDeals(s, 500, ports.Page{Limit: 5})
	seen := map[id.Session]bool{}
	for offset := 0; offset < 6; offset += 2 {
		part := lostDeals(s, 500, ports.Page{Limit: 2, Offset: offset})
		porttest.Same(s.T, "sum", part.Count, int64(5))
		for _, l := range part.Examples {
			seen[l.Item.Session] = true
		}
	}
	porttest.Same(s.T, "shown", []int{len(all.Examples), len(seen)}, []int{5, 5})
	porttest.Same(s.T, "past the end", len(lostDeals(s, 500, ports.Page{Limit: 2, Offset: 9}).Examples), 0)
}

func analyticsForeign(s *porttest.Shop) {
	foreign := porttest.OpenShop(s.T, s.Stores)
	p := foreign.Product(9)
	foreign.GaveBack(foreign.Order(1), 1)
	s.Must(foreign.Haggling.Save(s.Ctx, foreign.Answer(foreign.Session(), p, 1, porttest.Pointer(porttest.USD(70_00)))))
	for range 2 {
		porttest.Same(s.T, "figures", hour(s), ports.Span{})
		porttest.Same(s.T, "lost", lostDeals(s, 500, ports.Page{Limit: 10}).Count, int64(0))
		foreign.Fold()
	}
	names, err := s.Analytics.ProductNames(s.Ctx, s.Project.ID, []id.Product{p.ID})
	s.Must(err)
	porttest.Same(s.T, "names", len(names), 0)
}

func analyticsRaces(s *porttest.Shop) {
	p := s.Product(1000)
	s.Must(porttest.AtOnce(porttest.Racers, func(racer int) error {
		if racer%4 == 3 { // folds and reads, while the others buy
			for last := int64(0); last < 3*porttest.Racers/4*2; {
				if _, err := s.Analytics.Fold(s.Ctx); err != nil {
					return err
				}
				spans, err := s.Analytics.Figures(s.Ctx, s.Project.ID, ports.Period{Bounds: []time.Time{porttest.Noon, porttest.Noon.Add(time.Hour)}})
				if err != nil {
					return err
				}
				if spans[0].Deals < last {
					s.T.Errorf("%d deals became %d", last, spans[0].Deals)
				}
				last = spans[0].Deals
			}
			return nil
		}
		for range 2 {
			sess := s.Session()
			s.Pay(s.Checkout(sess, porttest.AgreedLine(p, s.Agree(sess, p, 1))))
		}
		return nil
	}))
	s.Fold()
	got := hour(s)
	porttest.Same(s.T, "counted", []int64{got.Sessions, got.Negotiations, got.Deals, got.Opened, got.Paid, got.Orders}, []int64{24, 24, 24, 24, 24, 24})
}

func analyticsNames(s *porttest.Shop) {
	p, gone := s.Product(1), s.Product(1)
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, gone.ID, porttest.Noon))
	names, err := s.Analytics.ProductNames(s.Ctx, s.Project.ID, []id.Product{p.ID, gone.ID, porttest.Random[id.Product]()})
	s.Must(err)
	porttest.Same(s.T, "names", names, map[id.Product]string{p.ID: "Tent", gone.ID: "Tent"})
}
