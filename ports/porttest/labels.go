package porttest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// Labels is the contract of ports.Labels.
func Labels(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"a label comes back as it was stored":  labelRoundTrip,
		"a test label is another one":          labelTest,
		"nothing stored without a label":       labelNothing,
		"a failed change leaves no trace":      labelFailedChange,
		"one of sixteen claims a label":        labelRace,
		"a canceled order gets no label":       labelAfterCancel,
		"labels of unknown and foreign orders": labelUnknown,
		"labels go with their project":         labelDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

func (s *shop) label(o *order.Order, test bool) *order.Label {
	s.t.Helper()
	l, err := s.Labels.Find(s.ctx, s.project.ID, o.ID, test)
	s.must(err)
	return l
}

func labelWish(through id.Integration) order.LabelWish {
	return order.LabelWish{Integration: through, Carrier: "ups", Service: "ups_ground", Grams: 1200}
}

// claimLabel takes an order's label in hand.
func (s *shop) claimLabel(o id.Order, test bool, w order.LabelWish, now time.Time) (*order.Label, error) {
	return s.Labels.Change(s.ctx, s.project.ID, o, test, func(o *order.Order, l *order.Label) (*order.Label, error) {
		if err := o.Shippable(); err != nil {
			return nil, err
		}
		if l == nil {
			l = order.NewLabel(random[id.Label](), o, test, now)
		}
		return l, l.Claim(w, now)
	})
}

func labelRoundTrip(s *shop) {
	o, w := s.order(1), labelWish(random[id.Integration]())
	if l := s.label(o, false); l != nil {
		s.t.Fatalf("there is %+v already", l)
	}
	claimed, err := s.claimLabel(o.ID, false, w, noon)
	s.must(err)
	same(s.t, "claimed", s.label(o, false), claimed)
	same(s.t, "its lease", claimed.DueAt, noon.Add(order.LabelLease))
	again, err := s.claimLabel(o.ID, false, w, claimed.DueAt)
	s.must(err)
	same(s.t, "is of nobody knows what", again.Unsure, true)
	same(s.t, "claimed again", s.label(o, false), again)
	sold := order.LabelSold{
		Remote: "72513480", Carrier: "ups", Service: "ups_2day", TrackingNumber: "1Z\\'9é", Price: usd(7_25), PDF: []byte("%PDF \x00\xff"),
	}
	bought, err := s.Labels.Change(s.ctx, s.project.ID, o.ID, false, func(loaded *order.Order, l *order.Label) (*order.Label, error) {
		sameOrder(s.t, loaded, o)
		same(s.t, "to be changed", l, again)
		l.Buy(sold, noon.Add(time.Second))
		l.Told = true
		return l, nil
	})
	s.must(err)
	same(s.t, "bought", s.label(o, false), bought)
	same(s.t, "id", bought.ID, claimed.ID)
	same(s.t, "price", bought.Price, sold.Price)
	same(s.t, "pdf", bought.PDF, sold.PDF)
}

func labelTest(s *shop) {
	o, w := s.order(1), labelWish(random[id.Integration]())
	w.Test = true
	test, err := s.claimLabel(o.ID, true, w, noon)
	s.must(err)
	same(s.t, "test label", s.label(o, true), test)
	if l := s.label(o, false); l != nil {
		s.t.Errorf("the test label is found as %+v", l)
	}
	w.Test = false
	_, err = s.claimLabel(o.ID, false, w, noon)
	s.must(err)
	same(s.t, "test label beside the other", s.label(o, true), test)
}

func labelNothing(s *shop) {
	o := s.order(1)
	got, err := s.Labels.Change(s.ctx, s.project.ID, o.ID, false, func(*order.Order, *order.Label) (*order.Label, error) { return nil, nil })
	s.must(err)
	if got != nil || s.label(o, false) != nil {
		s.t.Errorf("stored %+v", got)
	}
}

func labelFailedChange(s *shop) {
	o := s.order(1)
	claimed, err := s.claimLabel(o.ID, false, labelWish(random[id.Integration]()), noon)
	s.must(err)
	_, err = s.Labels.Change(s.ctx, s.project.ID, o.ID, false, func(_ *order.Order, l *order.Label) (*order.Label, error) {
		l.Carrier = "other"
		return l, errPlain
	})
	same(s.t, "error", err, errPlain)
	same(s.t, "label", s.label(o, false), claimed)
}

func labelRace(s *shop) {
	o, w := s.order(1), labelWish(random[id.Integration]())
	var won atomic.Pointer[order.Label]
	winners := s.race("label_in_progress", func(int) error {
		l, err := s.claimLabel(o.ID, false, w, noon)
		if err == nil {
			won.Store(l)
		}
		return err
	})
	same(s.t, "winners", winners, 1)
	same(s.t, "label", s.label(o, false), won.Load())
}

// An order that is canceled while its label is asked for is canceled, or has its label in hand.
func labelAfterCancel(s *shop) {
	o := s.order(1)
	refund := random[id.Refund]()
	errs := together(2, func(i int) error {
		if i == 0 {
			_, err := s.Orders.Change(s.ctx, s.project.ID, o.ID, func(c *order.Case) error { return c.Cancel(refund, "", random[id.Event](), noon) })
			return err
		}
		_, err := s.claimLabel(o.ID, false, labelWish(random[id.Integration]()), noon)
		return err
	})
	s.must(errs[0])
	if errs[1] != nil {
		wantFault(s.t, errs[1], fault.Conflict, "order_canceled")
	}
	if l := s.label(o, false); (l == nil) != (errs[1] != nil) {
		s.t.Errorf("claimed with %v, stored %+v", errs[1], l)
	}
	_, err := s.claimLabel(o.ID, false, labelWish(random[id.Integration]()), noon.Add(time.Hour))
	wantFault(s.t, err, fault.Conflict, "order_canceled")
}

func labelUnknown(s *shop) {
	foreign := openShop(s.t, s.Stores)
	theirs := foreign.order(1)
	_, err := foreign.claimLabel(theirs.ID, false, labelWish(random[id.Integration]()), noon)
	s.must(err)
	for _, unknown := range []id.Order{random[id.Order](), theirs.ID} {
		_, err := s.claimLabel(unknown, false, labelWish(random[id.Integration]()), noon)
		wantFault(s.t, err, fault.NotFound, "order_not_found")
		if l, err := s.Labels.Find(s.ctx, s.project.ID, unknown, false); l != nil || err != nil {
			s.t.Errorf("found %+v, %v", l, err)
		}
	}
}

func labelDelete(s *shop) {
	o := s.order(1)
	_, err := s.claimLabel(o.ID, false, labelWish(random[id.Integration]()), noon)
	s.must(err)
	s.deleteProject()
	if l := s.label(o, false); l != nil {
		s.t.Errorf("%+v outlives its project", l)
	}
}
