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
	for name, test := range map[string]func(*Shop){
		"an order comes back as it was placed": orderRoundTrip,
		"unknown and foreign orders":           orderUnknown,
		"a return is kept":                     returnKept,
		"a refused return leaves no trace":     returnRefused,
		"what was read belongs to the reader":  orderNoAliasing,
		"racing returns of one piece":          returnRace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(OpenShop(t, stores))
		})
	}
}

// Order pays for pieces of a new product.
func (s *Shop) Order(quantity int) *order.Order {
	s.T.Helper()
	p, sess := s.Product(50), s.Session()
	return s.Pay(s.Checkout(sess, Line(p, quantity), AgreedLine(p, s.Agree(sess, p, 1))))
}

func (s *Shop) orderByID(o id.Order) *order.Order {
	s.T.Helper()
	got, err := s.Orders.ByID(s.Ctx, s.Project.ID, o)
	s.Must(err)
	return got
}

// SameOrder compares dates as the shop's calendar shows them, and everything else as it is.
func SameOrder(t testing.TB, got, want *order.Order) {
	t.Helper()
	for _, f := range []struct {
		what      string
		got, want time.Time
	}{
		{"ships on", got.Fulfillment.ShipsOn, want.Fulfillment.ShipsOn},
		{"delivers from", got.Fulfillment.DeliversFrom, want.Fulfillment.DeliversFrom},
		{"delivers by", got.Fulfillment.DeliversBy, want.Fulfillment.DeliversBy},
	} {
		Same(t, f.what, f.got.Format(time.RFC3339), f.want.Format(time.RFC3339))
	}
	flat := *got
	flat.Fulfillment.ShipsOn, flat.Fulfillment.DeliversFrom = want.Fulfillment.ShipsOn, want.Fulfillment.DeliversFrom
	flat.Fulfillment.DeliversBy = want.Fulfillment.DeliversBy
	Same(t, "order", &flat, want)
}

func orderRoundTrip(s *Shop) {
	want := s.Order(2)
	SameOrder(s.T, s.orderByID(want.ID), want)
	got, err := s.Orders.ByCheckout(s.Ctx, s.Project.ID, want.Checkout)
	s.Must(err)
	SameOrder(s.T, got, want)
}

func orderUnknown(s *Shop) {
	foreign := OpenShop(s.T, s.Stores)
	theirs := foreign.Order(1)
	foreign.requestReturn(theirs.ID, 1)
	for _, unknown := range []id.Order{Random[id.Order](), theirs.ID} {
		_, err := s.Orders.ByID(s.Ctx, s.Project.ID, unknown)
		WantFault(s.T, err, fault.NotFound, "order_not_found")
		_, err = s.Orders.Case(s.Ctx, s.Project.ID, unknown)
		WantFault(s.T, err, fault.NotFound, "order_not_found")
		_, err = s.Orders.Change(s.Ctx, s.Project.ID, unknown, wish(1))
		WantFault(s.T, err, fault.NotFound, "order_not_found")
	}
	for _, unknown := range []id.Checkout{Random[id.Checkout](), theirs.Checkout} {
		_, err := s.Orders.ByCheckout(s.Ctx, s.Project.ID, unknown)
		WantFault(s.T, err, fault.NotFound, "order_not_found")
	}
	_, err := s.Orders.ReturnByID(s.Ctx, s.Project.ID, Random[id.Return]())
	WantFault(s.T, err, fault.NotFound, "return_not_found")
}

// CarryOn changes the case of an order.
func (s *Shop) CarryOn(o id.Order, change func(*order.Case) error) *order.Case {
	s.T.Helper()
	c, err := s.Orders.Change(s.Ctx, s.Project.ID, o, change)
	s.Must(err)
	return c
}

func (s *Shop) OrderCase(o id.Order) *order.Case {
	s.T.Helper()
	c, err := s.Orders.Case(s.Ctx, s.Project.ID, o)
	s.Must(err)
	return c
}

// wish asks to return pieces of the first line.
func wish(quantity int) func(*order.Case) error {
	return func(c *order.Case) error {
		first := c.Order.Lines[0]
		items := []order.ReturnItem{{
			Product:  first.Product,
			Variant:  first.Variant,
			Quantity: quantity,
			Reason:   "too small",
		}}
		terms := order.Terms{WindowDays: 30, Conditions: "Unused."}
		_, err := c.RequestReturn(Random[id.Return](), items, "by post", terms, Random[id.Event](), Noon.Add(time.Hour))
		return err
	}
}

// requestReturn asks to return pieces of the first line.
func (s *Shop) requestReturn(o id.Order, quantity int) *order.Return {
	s.T.Helper()
	c := s.CarryOn(o, wish(quantity))
	return &c.Returns[len(c.Returns)-1]
}

func returnKept(s *Shop) {
	o := s.Order(3)
	first := s.requestReturn(o.ID, 1)
	second := s.CarryOn(o.ID, func(c *order.Case) error {
		asked := *o
		asked.Sequence++ // the first return was announced
		SameOrder(s.T, c.Order, &asked)
		Same(s.T, "earlier returns", c.Returns, []order.Return{*first})
		return wish(2)(c)
	}).Returns[1]
	for _, want := range []*order.Return{first, &second} {
		got, err := s.Orders.ReturnByID(s.Ctx, s.Project.ID, want.ID)
		s.Must(err)
		Same(s.T, "return", got, want)
	}
	foreign := OpenShop(s.T, s.Stores)
	_, err := s.Orders.ReturnByID(s.Ctx, foreign.Project.ID, first.ID)
	WantFault(s.T, err, fault.NotFound, "return_not_found")
}

func returnRefused(s *Shop) {
	o := s.Order(1)
	_, err := s.Orders.Change(s.Ctx, s.Project.ID, o.ID, func(c *order.Case) error {
		c.Order.Email = "changed@example.com"
		s.Must(wish(1)(c))
		s.Must(c.Refund(Random[id.Refund](), nil, "", Noon))
		return ErrPlain
	})
	Same(s.T, "error", err, ErrPlain)
	left := s.OrderCase(o.ID)
	SameOrder(s.T, left.Order, o)
	Same(s.T, "returns and refunds", len(left.Returns)+len(left.Refunds), 0)
}

func orderNoAliasing(s *Shop) {
	o := s.Order(1)
	want := s.orderByID(o.ID)
	o.Lines[0].Quantity = 99
	s.orderByID(o.ID).Lines[0].Quantity = 98
	SameOrder(s.T, s.orderByID(o.ID), want)
	r := s.requestReturn(o.ID, 1)
	r.Items[0].Quantity = 97
	got, err := s.Orders.ReturnByID(s.Ctx, s.Project.ID, r.ID)
	s.Must(err)
	Same(s.T, "returned pieces", got.Items[0].Quantity, 1)
}

func returnRace(s *Shop) {
	o := s.Order(4) // 5 pieces in two lines
	winners := s.Race("validation_error", func(int) error {
		_, err := s.Orders.Change(s.Ctx, s.Project.ID, o.ID, wish(1))
		return err
	})
	Same(s.T, "returns", winners, 5)
}
