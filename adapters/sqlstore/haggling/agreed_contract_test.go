package haggling_test

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// agreedPrices: a basket has the session's agreements that can be redeemed, the newest first, whichever tokens are given.
func agreedPrices(s *porttest.Shop) {
	visit, tent, stove := s.Session(), s.Product(5), s.Product(5)
	agree := func(of *session.Session, p *catalog.Product, end time.Time) negotiation.Snapshot {
		s.T.Helper()
		r := s.Answer(of, p, 2, porttest.Pointer(porttest.USD(95_00)))
		q := r.Quote.Snapshot()
		q.ValidUntil = end
		r.Quote = negotiation.Rehydrate(q)
		s.Must(s.Haggling.Save(s.Ctx, r))
		return q
	}
	soon := time.Now().Add(time.Hour)
	first, second := agree(visit, tent, soon), agree(visit, stove, soon)
	agree(visit, s.Product(5), porttest.Noon)                             // its time is over
	s.Must(s.Haggling.Save(s.Ctx, s.Answer(visit, s.Product(5), 1, nil))) // only asked for
	agree(s.Session(), tent, soon)                                        // another session's
	want := []checkout.Agreement{agreement(second), agreement(first)}
	for _, ask := range []ports.BasketAsk{{Session: visit.ID}, {Tokens: []string{first.TokenHash}}} {
		found, err := s.Haggling.Basket(s.Ctx, s.Project.ID, ask)
		s.Must(err)
		porttest.Same(s.T, "agreements", found.Agreed, want)
	}
}

func agreement(q negotiation.Snapshot) checkout.Agreement {
	return checkout.Agreement{
		Quote:    q.ID,
		Product:  q.Item.Product,
		Variant:  q.Item.Variant,
		Quantity: q.Item.Quantity,
		Price:    q.FinalPrice,
	}
}
