package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// Orders is the contract of ports.Orders.
func Orders(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"an order comes back as it was placed": orderRoundTrip,
		"unknown and foreign orders":           orderUnknown,
		"a return is kept":                     returnKept,
		"a refused return leaves no trace":     returnRefused,
		"what was read belongs to the reader":  orderNoAliasing,
		"racing returns of one piece":          returnRace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

// order pays for pieces of a new product.
func (s *shop) order(quantity int) *order.Order {
	s.t.Helper()
	p, sess := s.product(50), s.session()
	return s.pay(s.checkout(sess, line(p, quantity), agreedLine(p, s.agree(sess, p, 1))))
}

func (s *shop) orderByID(o id.Order) *order.Order {
	s.t.Helper()
	got, err := s.Orders.ByID(s.ctx, s.project.ID, o)
	s.must(err)
	return got
}

// sameOrder compares dates as the shop's calendar shows them, and everything else as it is.
func sameOrder(t testing.TB, got, want *order.Order) {
	t.Helper()
	for _, f := range []struct {
		what      string
		got, want time.Time
	}{
		{"ships on", got.Fulfillment.ShipsOn, want.Fulfillment.ShipsOn},
		{"delivers from", got.Fulfillment.DeliversFrom, want.Fulfillment.DeliversFrom},
		{"delivers by", got.Fulfillment.DeliversBy, want.Fulfillment.DeliversBy},
	} {
		same(t, f.what, f.got.Format(time.RFC3339), f.want.Format(time.RFC3339))
	}
	flat := *got
	flat.Fulfillment.ShipsOn, flat.Fulfillment.DeliversFrom = want.Fulfillment.ShipsOn, want.Fulfillment.DeliversFrom
	flat.Fulfillment.DeliversBy = want.Fulfillment.DeliversBy
	same(t, "order", &flat, want)
}

func orderRoundTrip(s *shop) {
	want := s.order(2)
	sameOrder(s.t, s.orderByID(want.ID), want)
	got, err := s.Orders.ByCheckout(s.ctx, s.project.ID, want.Checkout)
	s.must(err)
	sameOrder(s.t, got, want)
}

func orderUnknown(s *shop) {
	foreign := openShop(s.t, s.Stores)
	theirs := foreign.order(1)
	foreign.requestReturn(theirs.ID, 1)
	for _, unknown := range []id.Order{random[id.Order](), theirs.ID} {
		_, err := s.Orders.ByID(s.ctx, s.project.ID, unknown)
		wantFault(s.t, err, fault.NotFound, "order_not_found")
		_, err = s.Orders.Case(s.ctx, s.project.ID, unknown)
		wantFault(s.t, err, fault.NotFound, "order_not_found")
		_, err = s.Orders.Change(s.ctx, s.project.ID, unknown, wish(1))
		wantFault(s.t, err, fault.NotFound, "order_not_found")
	}
	for _, unknown := range []id.Checkout{random[id.Checkout](), theirs.Checkout} {
		_, err := s.Orders.ByCheckout(s.ctx, s.project.ID, unknown)
		wantFault(s.t, err, fault.NotFound, "order_not_found")
	}
	_, err := s.Orders.ReturnByID(s.ctx, s.project.ID, random[id.Return]())
	wantFault(s.t, err, fault.NotFound, "return_not_found")
}

// carryOn changes the case of an order.
func (s *shop) carryOn(o id.Order, change func(*order.Case) error) *order.Case {
	s.t.Helper()
	c, err := s.Orders.Change(s.ctx, s.project.ID, o, change)
	s.must(err)
	return c
}

func (s *shop) orderCase(o id.Order) *order.Case {
	s.t.Helper()
	c, err := s.Orders.Case(s.ctx, s.project.ID, o)
	s.must(err)
	return c
}

// wish asks to return pieces of the first line.
func wish(quantity int) func(*order.Case) error {
	return func(c *order.Case) error {
		first := c.Order.Lines[0]
		items := []order.ReturnItem{{Product: first.Product, Variant: first.Variant, Quantity: quantity, Reason: "too small"}}
		terms := order.Terms{WindowDays: 30, Conditions: "Unused."}
		_, err := c.RequestReturn(random[id.Return](), items, "by post", terms, random[id.Event](), noon.Add(time.Hour))
		return err
	}
}

// requestReturn asks to return pieces of the first line.
func (s *shop) requestReturn(o id.Order, quantity int) *order.Return {
	s.t.Helper()
	c := s.carryOn(o, wish(quantity))
	return &c.Returns[len(c.Returns)-1]
}

func returnKept(s *shop) {
	o := s.order(3)
	first := s.requestReturn(o.ID, 1)
	second := s.carryOn(o.ID, func(c *order.Case) error {
		asked := *o
		asked.Sequence++ // the first return was announced
		sameOrder(s.t, c.Order, &asked)
		same(s.t, "earlier returns", c.Returns, []order.Return{*first})
		return wish(2)(c)
	}).Returns[1]
	for _, want := range []*order.Return{first, &second} {
		got, err := s.Orders.ReturnByID(s.ctx, s.project.ID, want.ID)
		s.must(err)
		same(s.t, "return", got, want)
	}
	foreign := openShop(s.t, s.Stores)
	_, err := s.Orders.ReturnByID(s.ctx, foreign.project.ID, first.ID)
	wantFault(s.t, err, fault.NotFound, "return_not_found")
}

func returnRefused(s *shop) {
	o := s.order(1)
	_, err := s.Orders.Change(s.ctx, s.project.ID, o.ID, func(c *order.Case) error {
		c.Order.Email = "changed@example.com"
		s.must(wish(1)(c))
		s.must(c.Refund(random[id.Refund](), nil, "", noon))
		return errPlain
	})
	same(s.t, "error", err, errPlain)
	left := s.orderCase(o.ID)
	sameOrder(s.t, left.Order, o)
	same(s.t, "returns and refunds", len(left.Returns)+len(left.Refunds), 0)
}

func orderNoAliasing(s *shop) {
	o := s.order(1)
	want := s.orderByID(o.ID)
	o.Lines[0].Quantity = 99
	s.orderByID(o.ID).Lines[0].Quantity = 98
	sameOrder(s.t, s.orderByID(o.ID), want)
	r := s.requestReturn(o.ID, 1)
	r.Items[0].Quantity = 97
	got, err := s.Orders.ReturnByID(s.ctx, s.project.ID, r.ID)
	s.must(err)
	same(s.t, "returned pieces", got.Items[0].Quantity, 1)
}

func returnRace(s *shop) {
	o := s.order(4) // 5 pieces in two lines
	winners := s.race("validation_error", func(int) error {
		_, err := s.Orders.Change(s.ctx, s.project.ID, o.ID, wish(1))
		return err
	})
	same(s.t, "returns", winners, 5)
}
