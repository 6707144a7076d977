package porttest

import (
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Analytics is the contract of ports.Analytics. What a naive count says of random histories is compared with
// by the adapter, which can store them at any time.
func Analytics(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
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
			test(openShop(t, stores))
		})
	}
}

func (s *shop) figures(p ports.Period) []ports.Span {
	s.t.Helper()
	spans, err := s.Analytics.Figures(s.ctx, s.project.ID, p)
	s.must(err)
	return spans
}

// hour is the figures of the hour in which everything in a shop happens.
func (s *shop) hour() ports.Span {
	s.t.Helper()
	return s.figures(ports.Period{Bounds: []time.Time{noon, noon.Add(time.Hour)}, Sessions: true, Products: true})[0]
}

func (s *shop) fold() {
	s.t.Helper()
	for more := true; more; {
		var err error
		more, err = s.Analytics.Fold(s.ctx)
		s.must(err)
	}
}

func (s *shop) lostDeals(near int64, page ports.Page) ports.LostDeals {
	s.t.Helper()
	deals, err := s.Analytics.Lost(s.ctx, s.project.ID, ports.LostFilter{From: noon, To: noon.Add(time.Hour), Currency: "USD", Near: near}, page)
	s.must(err)
	return deals
}

func analyticsSale(s *shop) {
	p, sess := s.product(50), s.session()
	s.session()
	o := s.pay(s.checkout(sess, line(p, 2), agreedLine(p, s.agree(sess, p, 1))))
	got := s.hour()
	same(s.t, "sessions", got.Sessions, int64(2))
	same(s.t, "buyers", got.Buyers, int64(1))
	same(s.t, "funnel", []int64{got.Negotiations, got.Offered, got.Deals, got.Opened, got.Paid}, []int64{1, 1, 1, 1, 1})
	same(s.t, "discounts", got.DealDiscounts, map[int]int64{50: 1})
	same(s.t, "paid", []int64{got.Orders, got.Units, got.Gross, got.Goods, got.List}, []int64{1, 3, o.Total.Minor(), o.Subtotal.Minor(), 300_00})
	same(s.t, "cost", []int64{got.Known, got.Cost}, []int64{95_00, 60_00})
	same(s.t, "product", got.Products, map[string]analytics.Sold{p.ID.String(): {Units: 3, List: 300_00, Goods: 295_00, Known: 95_00, Cost: 60_00}})
}

func analyticsFolded(s *shop) {
	p, sess := s.product(50), s.session()
	var before []ports.Span
	for _, step := range []func(){
		func() { s.must(s.Haggling.Save(s.ctx, s.answer(sess, p, 2, nil))) },
		func() { s.must(s.Haggling.Save(s.ctx, s.answer(sess, p, 2, pointer(usd(70_00))))) },
		func() { s.pay(s.checkout(sess, agreedLine(p, s.agree(sess, p, 2)))) },
		func() { s.gaveBack(s.order(1), 5_00) },
	} {
		step()
		unfolded := s.hour()
		s.fold()
		same(s.t, "figures once folded", s.hour(), unfolded)
		s.fold()
		same(s.t, "figures when there is nothing to fold", s.hour(), unfolded)
		for _, earlier := range before {
			same(s.t, "a step changed something", reflect.DeepEqual(earlier, unfolded), false)
		}
		before = append(before, unfolded)
	}
	last := before[len(before)-1]
	same(s.t, "negotiations", []int64{last.Negotiations, last.Offers, last.Deals, last.Orders, last.Refunded}, []int64{2, 3, 2, 2, 5_00})
}

func analyticsBounds(s *shop) {
	s.order(1)
	for range 2 {
		spans := s.figures(ports.Period{Sessions: true, Bounds: []time.Time{
			noon.Add(-time.Hour), noon.Add(-time.Millisecond), noon, noon.Add(time.Millisecond), noon.Add(time.Hour),
		}})
		for i, span := range spans {
			want := int64(0)
			if i == 2 {
				want = 1
			}
			same(s.t, "counted", []int64{span.Orders, span.Negotiations, span.Sessions, span.Buyers}, []int64{want, want, want, want})
		}
		s.fold()
	}
}

func analyticsRefunds(s *shop) {
	s.gaveBack(s.sold(s.product(9), 1), 3)
	spans := s.figures(ports.Period{Bounds: []time.Time{noon, noon.Add(time.Minute), noon.Add(time.Hour)}})
	same(s.t, "refunds", []int64{spans[0].Refunds, spans[1].Refunds, spans[1].Refunded, spans[0].Orders, spans[1].Orders}, []int64{0, 1, 3, 1, 0})
}

func analyticsLost(s *shop) {
	p, sess := s.product(50), s.session()
	r := s.answer(sess, p, 2, pointer(usd(70_00)))
	s.must(s.Haggling.Save(s.ctx, r))
	floor := r.Entry.Bounds.Floor().Minor()
	below := (floor - 70_00) * 1000 / floor
	for range 2 {
		got := s.lostDeals(below+1, ports.Page{Limit: 10})
		same(s.t, "lost", []int64{got.Count, got.AboveFloor, got.Offered, got.List}, []int64{1, 0, 140_00, 200_00})
		same(s.t, "item", got.Examples[0].Item, r.Entry.Item)
		same(s.t, "prices", []int64{got.Examples[0].Best, got.Examples[0].Floor}, []int64{70_00, floor})
		same(s.t, "times", []bool{got.Examples[0].Began.Equal(noon), got.Examples[0].Last.Equal(noon)}, []bool{true, true})
		same(s.t, "farther away", s.lostDeals(below-1, ports.Page{Limit: 10}).Count, int64(0))
		s.fold()
	}
	s.agree(sess, p, 2)
	for range 2 {
		same(s.t, "lost after the deal", s.lostDeals(500, ports.Page{Limit: 10}).Count, int64(0))
		s.fold()
	}
}

func analyticsLostPages(s *shop) {
	p := s.product(50)
	for i := range 5 {
		s.must(s.Haggling.Save(s.ctx, s.answer(s.session(), p, 1, pointer(usd(70_00)))))
		if i == 2 {
			s.fold()
		}
	}
	all := s.lostDeals(500, ports.Page{Limit: 5})
	seen := map[id.Session]bool{}
	for offset := 0; offset < 6; offset += 2 {
		part := s.lostDeals(500, ports.Page{Limit: 2, Offset: offset})
		same(s.t, "sum", part.Count, int64(5))
		for _, l := range part.Examples {
			seen[l.Item.Session] = true
		}
	}
	same(s.t, "shown", []int{len(all.Examples), len(seen)}, []int{5, 5})
	same(s.t, "past the end", len(s.lostDeals(500, ports.Page{Limit: 2, Offset: 9}).Examples), 0)
}

func analyticsForeign(s *shop) {
	foreign := openShop(s.t, s.Stores)
	p := foreign.product(9)
	foreign.gaveBack(foreign.order(1), 1)
	s.must(foreign.Haggling.Save(s.ctx, foreign.answer(foreign.session(), p, 1, pointer(usd(70_00)))))
	for range 2 {
		same(s.t, "figures", s.hour(), ports.Span{})
		same(s.t, "lost", s.lostDeals(500, ports.Page{Limit: 10}).Count, int64(0))
		foreign.fold()
	}
	names, err := s.Analytics.ProductNames(s.ctx, s.project.ID, []id.Product{p.ID})
	s.must(err)
	same(s.t, "names", len(names), 0)
}

func analyticsRaces(s *shop) {
	p := s.product(1000)
	s.must(atOnce(racers, func(racer int) error {
		if racer%4 == 3 { // folds and reads, while the others buy
			for last := int64(0); last < 3*racers/4*2; {
				if _, err := s.Analytics.Fold(s.ctx); err != nil {
					return err
				}
				spans, err := s.Analytics.Figures(s.ctx, s.project.ID, ports.Period{Bounds: []time.Time{noon, noon.Add(time.Hour)}})
				if err != nil {
					return err
				}
				if spans[0].Deals < last {
					s.t.Errorf("%d deals became %d", last, spans[0].Deals)
				}
				last = spans[0].Deals
			}
			return nil
		}
		for range 2 {
			sess := s.session()
			s.pay(s.checkout(sess, agreedLine(p, s.agree(sess, p, 1))))
		}
		return nil
	}))
	s.fold()
	got := s.hour()
	same(s.t, "counted", []int64{got.Sessions, got.Negotiations, got.Deals, got.Opened, got.Paid, got.Orders}, []int64{24, 24, 24, 24, 24, 24})
}

func analyticsNames(s *shop) {
	p, gone := s.product(1), s.product(1)
	s.must(s.Products.Delete(s.ctx, s.project.ID, gone.ID, noon))
	names, err := s.Analytics.ProductNames(s.ctx, s.project.ID, []id.Product{p.ID, gone.ID, random[id.Product]()})
	s.must(err)
	same(s.t, "names", names, map[id.Product]string{p.ID: "Tent", gone.ID: "Tent"})
}
