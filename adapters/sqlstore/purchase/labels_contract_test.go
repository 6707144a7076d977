package purchase_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Labels is the contract of ports.Labels.
func Labels(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a label comes back as it was stored":   labelRoundTrip,
		"a test label is another one":           labelTest,
		"a voided label is followed by another": labelVoided,
		"one of sixteen voids a label":          labelVoidRace,
		"nothing stored without a label":        labelNothing,
		"a failed change leaves no trace":       labelFailedChange,
		"one of sixteen claims a label":         labelRace,
		"a canceled order gets no label":        labelAfterCancel,
		"labels of unknown and foreign orders":  labelUnknown,
		"labels go with their project":          labelDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func label(s *porttest.Shop, o *order.Order, test bool) *order.Label {
	s.T.Helper()
	l, err := s.Labels.Find(s.Ctx, s.Project.ID, o.ID, test)
	s.Must(err)
	return l
}

func labelWish(through id.Integration) order.LabelRequest {
	return order.LabelRequest{
		Integration: through,
		Carrier:     "ups",
		Service:     "ups_ground",
		Grams:       1200,
	}
}

// claimLabel claims an order's label.
func claimLabel(s *porttest.Shop, o id.Order, test bool, w order.LabelRequest, now time.Time) (*order.Label, error) {
	return s.Labels.Change(s.Ctx, s.Project.ID, o, test, func(o *order.Order, l *order.Label) (*order.Label, error) {
		if err := o.Shippable(); err != nil {
			return nil, err
		}
		if l == nil {
			l = order.NewLabel(porttest.Random[id.Label](), o, test, now)
		}
		return l, l.Claim(w, now)
	})
}

func labelRoundTrip(s *porttest.Shop) {
	o, w := s.Order(1), labelWish(porttest.Random[id.Integration]())
	if l := label(s, o, false); l != nil {
		s.T.Fatalf("there is %+v already", l)
	}
	claimed, err := claimLabel(s, o.ID, false, w, porttest.Noon)
	s.Must(err)
	porttest.Same(s.T, "claimed", label(s, o, false), claimed)
	porttest.Same(s.T, "its lease", claimed.DueAt, porttest.Noon.Add(order.LabelLease))
	again, err := claimLabel(s, o.ID, false, w, claimed.DueAt)
	s.Must(err)
	porttest.Same(s.T, "is of nobody knows what", again.Unsure, true)
	porttest.Same(s.T, "claimed again", label(s, o, false), again)
	sold := order.LabelSold{
		Remote:         "72513480",
		Carrier:        "ups",
		Service:        "ups_2day",
		TrackingNumber: "1Z\\'9é",
		Price:          porttest.USD(7_25),
		PDF:            []byte("%PDF \x00\xff"),
	}
	bought, err := s.Labels.Change(s.Ctx, s.Project.ID, o.ID, false, func(loaded *order.Order, l *order.Label) (*order.Label, error) {
		porttest.SameOrder(s.T, loaded, o)
		porttest.Same(s.T, "to be changed", l, again)
		l.Buy(sold, porttest.Noon.Add(time.Second))
		l.Told = true
		return l, nil
	})
	s.Must(err)
	porttest.Same(s.T, "bought", label(s, o, false), bought)
	porttest.Same(s.T, "id", bought.ID, claimed.ID)
	porttest.Same(s.T, "price", bought.Price, sold.Price)
	porttest.Same(s.T, "pdf", bought.PDF, sold.PDF)
	w.Test = true
	test, err := claimLabel(s, o.ID, true, w, porttest.Noon)
	s.Must(err)
	listed := *bought
	listed.PDF = nil
	list, err := s.Labels.List(s.Ctx, s.Project.ID, o.ID)
	s.Must(err)
	if len(list) == 2 && list[0].Test {
		list[0], list[1] = list[1], list[0]
	}
	porttest.Same(s.T, "listed", list, []*order.Label{&listed, test})
	unlabeled := s.Order(1)
	list, err = s.Labels.Lock(s.Ctx, s.Project.ID, []id.Order{unlabeled.ID, o.ID, porttest.Random[id.Order]()})
	s.Must(err)
	porttest.Same(s.T, "locked", list, []*order.Label{&listed})
}

// boughtLabel is the label of an order.
func boughtLabel(s *porttest.Shop, o *order.Order) *order.Label {
	s.T.Helper()
	_, err := claimLabel(s, o.ID, false, labelWish(porttest.Random[id.Integration]()), porttest.Noon)
	s.Must(err)
	l, err := s.Labels.Change(s.Ctx, s.Project.ID, o.ID, false, func(_ *order.Order, l *order.Label) (*order.Label, error) {
		l.Buy(order.LabelSold{
			Remote:         "7",
			Carrier:        "ups",
			Service:        "ups_2day",
			TrackingNumber: "1Z",
			Price:          porttest.USD(7_25),
		}, porttest.Noon)
		return l, nil
	})
	s.Must(err)
	return l
}

func labelVoided(s *porttest.Shop) {
	o := s.Order(1)
	first := boughtLabel(s, o)
	change := func(change func(*order.Order, *order.Label) (*order.Label, error)) *order.Label {
		l, err := s.Labels.Change(s.Ctx, s.Project.ID, o.ID, false, change)
		s.Must(err)
		porttest.Same(s.T, "stored", label(s, o, false), l)
		return l
	}
	claimed := change(func(o *order.Order, l *order.Label) (*order.Label, error) { return l, l.ClaimVoid(o, porttest.Noon) })
	porttest.Same(s.T, "its lease", claimed.VoidDueAt, porttest.Noon.Add(order.LabelLease))
	voided := change(func(_ *order.Order, l *order.Label) (*order.Label, error) {
		l.Void(porttest.Noon.Add(time.Second))
		return l, nil
	})
	porttest.Same(s.T, "when it was voided", voided.VoidedAt, porttest.Noon.Add(time.Second))
	later := porttest.Noon.Add(time.Hour)
	next := change(func(o *order.Order, l *order.Label) (*order.Label, error) {
		l = l.Next(porttest.Random[id.Label](), o, later)
		return l, l.Claim(labelWish(first.Integration), later)
	})
	porttest.Same(s.T, "when the next one was begun", next.CreatedAt, later)
	porttest.Same(s.T, "that it is another one", next.ID != first.ID, true)
	former := next.Find(first.ID)
	if former == nil {
		s.T.Fatalf("the first one is not known to %+v", next)
	}
	porttest.Same(s.T, "its price", former.Price, first.Price)
	porttest.Same(s.T, "when it was bought", former.BoughtAt, first.BoughtAt)
	// The next one has no price that the platform told.
	next = change(func(o *order.Order, l *order.Label) (*order.Label, error) {
		l.Buy(order.LabelSold{
			Remote:         "8",
			Carrier:        "ups",
			Service:        "ups_2day",
			TrackingNumber: "2Z",
		}, later)
		l.Void(later)
		return l.Next(porttest.Random[id.Label](), o, later), nil
	})
	porttest.Same(s.T, "how many there were", len(next.Former), 2)
	porttest.Same(s.T, "the first one's price", next.Find(first.ID).Price, first.Price)
}

func labelVoidRace(s *porttest.Shop) {
	o := s.Order(1)
	boughtLabel(s, o)
	winners := s.Race("label_in_progress", func(int) error {
		_, err := s.Labels.Change(s.Ctx, s.Project.ID, o.ID, false, func(o *order.Order, l *order.Label) (*order.Label, error) {
			return l, l.ClaimVoid(o, porttest.Noon)
		})
		return err
	})
	porttest.Same(s.T, "winners", winners, 1)
}

func labelTest(s *porttest.Shop) {
	o, w := s.Order(1), labelWish(porttest.Random[id.Integration]())
	w.Test = true
	test, err := claimLabel(s, o.ID, true, w, porttest.Noon)
	s.Must(err)
	porttest.Same(s.T, "test label", label(s, o, true), test)
	if l := label(s, o, false); l != nil {
		s.T.Errorf("the test label is found as %+v", l)
	}
	w.Test = false
	_, err = claimLabel(s, o.ID, false, w, porttest.Noon)
	s.Must(err)
	porttest.Same(s.T, "test label beside the other", label(s, o, true), test)
}

func labelNothing(s *porttest.Shop) {
	o := s.Order(1)
	got, err := s.Labels.Change(s.Ctx, s.Project.ID, o.ID, false, func(*order.Order, *order.Label) (*order.Label, error) { return nil, nil })
	s.Must(err)
	if got != nil || label(s, o, false) != nil {
		s.T.Errorf("stored %+v", got)
	}
}

func labelFailedChange(s *porttest.Shop) {
	o := s.Order(1)
	claimed, err := claimLabel(s, o.ID, false, labelWish(porttest.Random[id.Integration]()), porttest.Noon)
	s.Must(err)
	_, err = s.Labels.Change(s.Ctx, s.Project.ID, o.ID, false, func(_ *order.Order, l *order.Label) (*order.Label, error) {
		l.Carrier = "other"
		return l, porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	porttest.Same(s.T, "label", label(s, o, false), claimed)
}

func labelRace(s *porttest.Shop) {
	o, w := s.Order(1), labelWish(porttest.Random[id.Integration]())
	var won atomic.Pointer[order.Label]
	winners := s.Race("label_in_progress", func(int) error {
		l, err := claimLabel(s, o.ID, false, w, porttest.Noon)
		if err == nil {
			won.Store(l)
		}
		return err
	})
	porttest.Same(s.T, "winners", winners, 1)
	porttest.Same(s.T, "label", label(s, o, false), won.Load())
}

// An order that is canceled while its label is claimed is canceled, or has the claimed label.
func labelAfterCancel(s *porttest.Shop) {
	o := s.Order(1)
	refund := porttest.Random[id.Refund]()
	errs := porttest.Together(2, func(i int) error {
		if i == 0 {
			_, err := s.Orders.Change(s.Ctx, s.Project.ID, o.ID, func(c *order.Case) error { return c.Cancel(refund, "", porttest.Random[id.Event](), porttest.Noon) })
			return err
		}
		_, err := claimLabel(s, o.ID, false, labelWish(porttest.Random[id.Integration]()), porttest.Noon)
		return err
	})
	s.Must(errs[0])
	if errs[1] != nil {
		porttest.WantFault(s.T, errs[1], fault.Conflict, "order_canceled")
	}
	if l := label(s, o, false); (l == nil) != (errs[1] != nil) {
		s.T.Errorf("claimed with %v, stored %+v", errs[1], l)
	}
	_, err := claimLabel(s, o.ID, false, labelWish(porttest.Random[id.Integration]()), porttest.Noon.Add(time.Hour))
	porttest.WantFault(s.T, err, fault.Conflict, "order_canceled")
}

func labelUnknown(s *porttest.Shop) {
	foreign := porttest.OpenShop(s.T, s.Stores)
	theirs := foreign.Order(1)
	_, err := claimLabel(foreign, theirs.ID, false, labelWish(porttest.Random[id.Integration]()), porttest.Noon)
	s.Must(err)
	for _, unknown := range []id.Order{porttest.Random[id.Order](), theirs.ID} {
		_, err := claimLabel(s, unknown, false, labelWish(porttest.Random[id.Integration]()), porttest.Noon)
		porttest.WantFault(s.T, err, fault.NotFound, "order_not_found")
		if l, err := s.Labels.Find(s.Ctx, s.Project.ID, unknown, false); l != nil || err != nil {
			s.T.Errorf("found %+v, %v", l, err)
		}
		if list, err := s.Labels.List(s.Ctx, s.Project.ID, unknown); len(list) != 0 || err != nil {
			s.T.Errorf("listed %+v, %v", list, err)
		}
	}
}

func labelDelete(s *porttest.Shop) {
	o := s.Order(1)
	_, err := claimLabel(s, o.ID, false, labelWish(porttest.Random[id.Integration]()), porttest.Noon)
	s.Must(err)
	s.DeleteProject()
	if l := label(s, o, false); l != nil {
		s.T.Errorf("%+v outlives its project", l)
	}
}
