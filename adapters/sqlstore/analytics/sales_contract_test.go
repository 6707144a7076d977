package analytics_test

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
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Sales is the contract of ports.SalesReader.
func Sales(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"nothing was sold":                        salesNone,
		"pieces add up over orders and lines":     salesPieces,
		"canceled orders do not count":            salesCanceled,
		"companions are of two orders or more":    salesTogether,
		"the most frequent companions come first": salesFirst,
		"sales belong to their project":           salesForeign,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func sales(s *porttest.Shop, limit int) ports.Sales {
	s.T.Helper()
	sold, err := s.Sales.Sales(s.Ctx, s.Project.ID, porttest.Noon, limit)
	s.Must(err)
	return sold
}

// soldTogether is an order of a piece of each product.
func soldTogether(s *porttest.Shop, products ...*catalog.Product) *order.Order {
	s.T.Helper()
	lines := make([]checkout.Line, len(products))
	for i, p := range products {
		lines[i] = porttest.Line(p, 1)
	}
	return s.Pay(s.Checkout(s.Session(), lines...))
}

func salesNone(s *porttest.Shop) {
	s.Product(5)
	sold := sales(s, 5)
	porttest.Same(s.T, "sold", []int{len(sold.Sold), len(sold.Together)}, []int{0, 0})
}

func salesPieces(s *porttest.Shop) {
	a, b := s.Product(90), s.Product(90)
	s.Sold(a, 2)
	s.Sold(a, 3)
	sess := s.Session()
	s.Pay(s.Checkout(sess, porttest.Line(b, 4), porttest.AgreedLine(b, s.Agree(sess, b, 1)))) // two lines of one product are no pair
	s.Pay(s.Checkout(sess, porttest.Line(b, 2), porttest.AgreedLine(b, s.Agree(sess, b, 1))))
	sold := sales(s, 5)
	porttest.Same(s.T, "pieces", sold.Sold, map[id.Product]int{a.ID: 5, b.ID: 8})
	porttest.Same(s.T, "companions", len(sold.Together), 0)
	later, err := s.Sales.Sales(s.Ctx, s.Project.ID, porttest.Noon.Add(time.Millisecond), 5)
	s.Must(err)
	porttest.Same(s.T, "sold later", len(later.Sold), 0)
}

func salesCanceled(s *porttest.Shop) {
	a, b := s.Product(90), s.Product(90)
	soldTogether(s, a, b)
	o := soldTogether(s, a, b)
	s.GaveBack(s.Sold(b, 3), 1) // money back is no cancellation
	s.CarryOn(o.ID, func(c *order.Case) error {
		return c.Cancel(porttest.Random[id.Refund](), "", porttest.Random[id.Event](), porttest.Noon)
	})
	sold := sales(s, 5)
	porttest.Same(s.T, "pieces", sold.Sold, map[id.Product]int{a.ID: 1, b.ID: 4})
	porttest.Same(s.T, "companions", len(sold.Together), 0)
}

func salesTogether(s *porttest.Shop) {
	a, b, c := s.Product(90), s.Product(90), s.Product(90)
	soldTogether(s, a, b)
	soldTogether(s, b, a)
	soldTogether(s, b, c)
	porttest.Same(s.T, "companions", sales(s, 5).Together, map[id.Product][]id.Product{a.ID: {b.ID}, b.ID: {a.ID}})
}

func salesFirst(s *porttest.Shop) {
	a, often, one, other := s.Product(90), s.Product(90), s.Product(90), s.Product(90)
	for range 3 {
		soldTogether(s, a, often)
	}
	for range 2 {
		soldTogether(s, one, a)
		soldTogether(s, other, a)
	}
	twice := []id.Product{one.ID, other.ID}
	slices.SortFunc(twice, func(a, b id.Product) int { return cmp.Compare(a.String(), b.String()) })
	porttest.Same(s.T, "all companions", sales(s, 3).Together[a.ID], []id.Product{often.ID, twice[0], twice[1]})
	porttest.Same(s.T, "two companions", sales(s, 2).Together[a.ID], []id.Product{often.ID, twice[0]})
}

func salesForeign(s *porttest.Shop) {
	a, b := s.Product(90), s.Product(90)
	soldTogether(s, a, b)
	soldTogether(s, a, b)
	porttest.Same(s.T, "sold elsewhere", len(sales(porttest.OpenShop(s.T, s.Stores), 5).Sold), 0)
}
