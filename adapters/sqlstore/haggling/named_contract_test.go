package haggling_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func haggleByName(s *porttest.Shop) {
	single, several, other := s.Product(5), s.Product(5, 6), s.Product(1)
	r := s.Answer(s.Session(), several, 2, porttest.Pointer(porttest.USD(82_00)))
	s.Must(s.Haggling.Save(s.Ctx, r))
	elsewhere := s.Answer(s.NewSession(), other, 1, nil)
	s.Must(s.Haggling.Save(s.Ctx, elsewhere))
	for ref, want := range map[string]struct {
		product id.Product
		prior   bool
	}{
		several.Variants[0].ID.String(): {several.ID, true},
		several.Variants[1].ID.String(): {several.ID, false},
		several.Variants[0].SKU:         {several.ID, several.Variants[0].SKU != ""},
		several.ID.String():             {several.ID, false}, // which variant is open
		single.ID.String():              {single.ID, false},
		single.Variants[0].ID.String():  {single.ID, false},
		"var_unknown":                   {},
		"prod_unknown":                  {},
		"no such SKU":                   {},
	} {
		if ref == "" {
			continue
		}
		h := s.Load(ports.HaggleAsk{
			Session:      r.Session.ID,
			Ref:          ref,
			Quantity:     2,
			Client:       "me",
			Since:        porttest.Noon,
			ProductSince: porttest.Noon,
			Sessions:     5,
		})
		if (h.Product != nil) != (want.product != id.Product{}) || h.Product != nil && h.Product.ID != want.product {
			s.T.Errorf("%s names %v", ref, h.Product)
		}
		if (h.Prior != nil) != want.prior {
			s.T.Errorf("%s has the prior quote %v", ref, h.Prior)
		}
		if h.Product != nil && len(h.Stock) != len(h.Product.Variants) {
			s.T.Errorf("%s has the stock %v", ref, h.Stock)
		}
	}
}

func haggleByQuote(s *porttest.Shop) {
	p := s.Product(5, 6)
	r := s.Answer(s.Session(), p, 2, porttest.Pointer(porttest.USD(82_00)))
	s.Must(s.Haggling.Save(s.Ctx, r))
	h := s.Load(ports.HaggleAsk{Quote: r.Quote.Snapshot().ID})
	porttest.Same(s.T, "session", h.Session.ID, r.Session.ID)
	porttest.Same(s.T, "quote", h.Quote, r.Quote)
	porttest.Same(s.T, "prior", h.Prior, r.Quote)
	porttest.Same(s.T, "last seq", h.LastSeq, 1)
	sameProduct(s, h.Product, p)
	if h := s.Load(ports.HaggleAsk{Quote: porttest.Random[id.Quote]()}); h.Quote != nil || h.Session != nil || h.Product != nil {
		s.T.Errorf("an unknown quote finds %+v", h)
	}
	foreign := porttest.OpenShop(s.T.(*testing.T), s.Stores)
	if h := foreign.Load(ports.HaggleAsk{Quote: r.Quote.Snapshot().ID}); h.Quote != nil || h.Session != nil || h.Product != nil {
		s.T.Errorf("another shop finds %+v", h)
	}
}

func haggleDeclined(s *porttest.Shop) {
	p := s.Product(5)
	r := s.Answer(s.Session(), p, 2, porttest.Pointer(porttest.USD(82_00)))
	s.Must(s.Haggling.Save(s.Ctx, r))
	q := negotiation.Rehydrate(r.Quote.Snapshot())
	if _, err := q.Decline(negotiation.ShippingCost, porttest.Noon.Add(time.Minute)); err != nil {
		s.T.Fatal(err)
	}
	s.Must(s.Haggling.Decline(s.Ctx, q))
	if err := s.Haggling.Decline(s.Ctx, q); !fault.Is(err, "stale") {
		s.T.Errorf("declined twice: %v", err)
	}
	porttest.Same(s.T, "quote", s.Load(ports.HaggleAsk{Quote: q.Snapshot().ID}).Quote, q)
	late := r // prepared before the quote was declined
	late.NewSession, late.NewQuote = false, false
	late.Entry.ID, late.Entry.Seq = porttest.Random[id.Decision](), 2
	if err := s.Haggling.Save(s.Ctx, late); !fault.Is(err, "stale") {
		s.T.Errorf("an answer on a quote that was declined meanwhile: %v", err)
	}
	porttest.Same(s.T, "quote after a late answer", s.Load(ports.HaggleAsk{Quote: q.Snapshot().ID}).Quote, q)
	agreed := s.Agree(s.Session(), p, 1)
	if err := s.Haggling.Decline(s.Ctx, agreed); !fault.Is(err, "stale") {
		s.T.Errorf("an accepted one: %v", err)
	}
}
