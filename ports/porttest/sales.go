package porttest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Sales is the contract of ports.SalesReader.
func Sales(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"nothing was sold":                        salesNone,
		"pieces add up over orders and lines":     salesPieces,
		"canceled orders do not count":            salesCanceled,
		"companions are of two orders or more":    salesTogether,
		"the most frequent companions come first": salesFirst,
		"sales belong to their project":           salesForeign,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

func (s *shop) sales(limit int) ports.Sales {
	s.t.Helper()
	sold, err := s.Sales.Sales(s.ctx, s.project.ID, noon, limit)
	s.must(err)
	return sold
}

// soldTogether is an order of a piece of each product.
func (s *shop) soldTogether(products ...*catalog.Product) *order.Order {
	s.t.Helper()
	lines := make([]checkout.Line, len(products))
	for i, p := range products {
		lines[i] = line(p, 1)
	}
	return s.pay(s.checkout(s.session(), lines...))
}

func salesNone(s *shop) {
	s.product(5)
	sold := s.sales(5)
	same(s.t, "sold", []int{len(sold.Sold), len(sold.Together)}, []int{0, 0})
}

func salesPieces(s *shop) {
	a, b := s.product(90), s.product(90)
	s.sold(a, 2)
	s.sold(a, 3)
	sess := s.session()
	s.pay(s.checkout(sess, line(b, 4), agreedLine(b, s.agree(sess, b, 1)))) // two lines of one product are no pair
	s.pay(s.checkout(sess, line(b, 2), agreedLine(b, s.agree(sess, b, 1))))
	sold := s.sales(5)
	same(s.t, "pieces", sold.Sold, map[id.Product]int{a.ID: 5, b.ID: 8})
	same(s.t, "companions", len(sold.Together), 0)
	later, err := s.Sales.Sales(s.ctx, s.project.ID, noon.Add(time.Millisecond), 5)
	s.must(err)
	same(s.t, "sold later", len(later.Sold), 0)
}

func salesCanceled(s *shop) {
	a, b := s.product(90), s.product(90)
	s.soldTogether(a, b)
	o := s.soldTogether(a, b)
	s.gaveBack(s.sold(b, 3), 1) // money back is no cancellation
	s.carryOn(o.ID, func(c *order.Case) error { return c.Cancel(random[id.Refund](), "", random[id.Event](), noon) })
	sold := s.sales(5)
	same(s.t, "pieces", sold.Sold, map[id.Product]int{a.ID: 1, b.ID: 4})
	same(s.t, "companions", len(sold.Together), 0)
}

func salesTogether(s *shop) {
	a, b, c := s.product(90), s.product(90), s.product(90)
	s.soldTogether(a, b)
	s.soldTogether(b, a)
	s.soldTogether(b, c)
	same(s.t, "companions", s.sales(5).Together, map[id.Product][]id.Product{a.ID: {b.ID}, b.ID: {a.ID}})
}

func salesFirst(s *shop) {
	a, often, one, other := s.product(90), s.product(90), s.product(90), s.product(90)
	for range 3 {
		s.soldTogether(a, often)
	}
	for range 2 {
		s.soldTogether(one, a)
		s.soldTogether(other, a)
	}
	twice := []id.Product{one.ID, other.ID}
	slices.SortFunc(twice, func(a, b id.Product) int { return cmp.Compare(a.String(), b.String()) })
	same(s.t, "all companions", s.sales(3).Together[a.ID], []id.Product{often.ID, twice[0], twice[1]})
	same(s.t, "two companions", s.sales(2).Together[a.ID], []id.Product{often.ID, twice[0]})
}

func salesForeign(s *shop) {
	a, b := s.product(90), s.product(90)
	s.soldTogether(a, b)
	s.soldTogether(a, b)
	same(s.t, "sold elsewhere", len(openShop(s.t, s.Stores).sales(5).Sold), 0)
}
