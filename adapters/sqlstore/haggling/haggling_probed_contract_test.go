package haggling_test

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// haggleHidden: sessions about a product are counted however much their client asks besides.
func haggleHidden(s *porttest.Shop) {
	p, other := s.Product(5), s.Product(5)
	say := func(in *session.Session, about *catalog.Product, after time.Duration) {
		r := s.Answer(in, about, 1, porttest.Pointer(porttest.USD(1)))
		r.Entry.Client, r.Entry.At = "me", porttest.Noon.Add(after)
		s.Must(s.Haggling.Save(s.Ctx, r))
	}
	for range 3 {
		say(s.Session(), p, 0)
	}
	one, newest := s.Session(), s.Session()
	for i := range 40 {
		say(one, other, time.Minute+time.Duration(i)*time.Second)
		say(newest, p, time.Minute+time.Duration(i)*time.Second)
	}
	ask := ports.HaggleAsk{
		Product:      p.ID,
		Quantity:     1,
		Client:       "me",
		ProductSince: porttest.Noon,
		Sessions:     4,
	}
	porttest.Same(s.T, "probed", s.Load(ask).Probed, negotiation.Probed{Product: 4})
}

func haggleProbed(s *porttest.Shop) {
	p, other := s.Product(5), s.Product(5)
	say := func(in *session.Session, about *catalog.Product, offer int64, client string, at time.Time) {
		r := s.Answer(in, about, 1, porttest.Pointer(porttest.USD(offer)))
		r.Entry.Client, r.Entry.At = client, at
		s.Must(s.Haggling.Save(s.Ctx, r))
	}
	mine, before, foreign := s.Session(), s.Session(), porttest.OpenShop(s.T, s.Stores)
	say(mine, p, 1, "me", porttest.Noon)
	say(mine, p, 2, "me", porttest.Noon.Add(time.Second))
	say(mine, p, 99_99, "me", porttest.Noon.Add(2*time.Second))
	say(before, p, 1, "me", porttest.Noon.Add(-time.Hour))
	for range 3 {
		say(s.Session(), other, 1, "me", porttest.Noon.Add(-time.Minute))
	}
	say(s.Session(), p, 1, "me", porttest.Noon.Add(-25*time.Hour))
	say(s.Session(), p, 1, "another", porttest.Noon)
	say(s.Session(), p, 1, "", porttest.Noon)
	theirs := foreign.Answer(foreign.Session(), foreign.Product(1), 1, porttest.Pointer(porttest.USD(1)))
	theirs.Entry.Client = "me"
	s.Must(s.Haggling.Save(s.Ctx, theirs))

	quote := s.Load(porttest.Ask(mine.ID, p, 1)).Prior.Snapshot().ID
	since := porttest.Noon.Add(-24 * time.Hour)
	bought := s.Session()
	say(bought, p, 100_00, "me", porttest.Noon) // agreed, and not paid yet
	for _, c := range []struct {
		ask  ports.HaggleAsk
		want negotiation.Probed
	}{
		{ports.HaggleAsk{
			Session:      mine.ID,
			Product:      p.ID,
			Quantity:     1,
			Client:       "me",
			Since:        since,
			ProductSince: since,
			Sessions:     20,
		}, negotiation.Probed{
			Session: 2,
			Client:  6,
			Product: 2,
		}},
		{ports.HaggleAsk{
			Session:      mine.ID,
			Quote:        quote,
			Client:       "me",
			Since:        since,
			ProductSince: since,
			Sessions:     20,
		}, negotiation.Probed{
			Session: 2,
			Client:  6,
			Product: 2,
		}},
		{ports.HaggleAsk{
			Session:      before.ID,
			Product:      other.ID,
			Quantity:     1,
			Client:       "me",
			Since:        since,
			ProductSince: since,
			Sessions:     20,
		}, negotiation.Probed{
			Session: 1,
			Client:  6,
			Product: 3,
		}},
		{ports.HaggleAsk{
			Product:      p.ID,
			Quantity:     1,
			Client:       "me",
			Since:        since,
			ProductSince: since,
			Sessions:     20,
		}, negotiation.Probed{Client: 6, Product: 3}},
		{ports.HaggleAsk{
			Product:      p.ID,
			Quantity:     1,
			Client:       "me",
			Since:        porttest.Noon,
			ProductSince: porttest.Noon,
			Sessions:     20,
		}, negotiation.Probed{Client: 2, Product: 2}},
		{ports.HaggleAsk{
			Product:      p.ID,
			Quantity:     1,
			Client:       "me",
			ProductSince: since,
			Sessions:     2,
		}, negotiation.Probed{Product: 2}}, // of more
		{ports.HaggleAsk{
			Product:  p.ID,
			Quantity: 1,
			Client:   "me",
			Since:    since,
		}, negotiation.Probed{Client: 6}},
		{ports.HaggleAsk{
			Session:      mine.ID,
			Product:      p.ID,
			Quantity:     1,
			Client:       "nobody",
			Since:        since,
			ProductSince: since,
			Sessions:     20,
		}, negotiation.Probed{Session: 2}},
		{ports.HaggleAsk{
			Session:      mine.ID,
			Product:      p.ID,
			Quantity:     1,
			Since:        since,
			ProductSince: since,
			Sessions:     20,
		}, negotiation.Probed{Session: 2}},
		{ports.HaggleAsk{
			Product:      p.ID,
			Quantity:     1,
			Since:        since,
			ProductSince: since,
			Sessions:     20,
		}, negotiation.Probed{}},
	} {
		h := s.Load(c.ask)
		porttest.Same(s.T, "probed", h.Probed, c.want)
		if len(h.Stock) != 1 {
			s.T.Errorf("the stock is %v", h.Stock)
		}
	}
}
