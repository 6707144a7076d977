package haggling_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Haggling is the contract of ports.Haggling.
func Haggling(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a first question finds the product alone":  haggleFirst,
		"a saved answer is found again":             haggleFound,
		"a follow-up takes its item from the quote": haggleFollowUp,
		"the prior quote is the latest on the item": hagglePrior,
		"a product that is not on sale":             haggleOffSale,
		"an item by any of its names":               haggleByName,
		"a quote's id names its session":            haggleByQuote,
		"what is declined stays declined":           haggleDeclined,
		"unknown and foreign things are nil":        haggleForeign,
		"the record comes back complete":            haggleRecord,
		"a quote comes back complete":               haggleQuote,
		"an agreed variant replaces its cart item":  haggleCart,
		"a stale answer leaves no trace":            haggleStale,
		"of racing answers one is stored":           haggleRace,
		"a session that is gone":                    haggleGone,
		"an extension meanwhile is not undone":      haggleExtended,
		"what was read belongs to the reader":       haggleNoAliasing,
		"quotes are found by token":                 haggleTokens,
		"what a checkout is opened of":              haggleBasket,
		"prices that a session has agreed on":       agreedPrices,
		"what a client tried out is counted":        haggleProbed,
		"nothing hides what a client tried out":     haggleHidden,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func haggleFirst(s *porttest.Shop) {
	p := s.Product(3, 0)
	s.Keep(p, "north", 4)
	for _, a := range []ports.HaggleAsk{{Product: p.ID, Quantity: 1}, porttest.Ask(id.Session{}, p, 2)} {
		h := s.Load(a)
		want := ports.Haggle{Product: p, Stock: map[id.Variant]int{p.Variants[0].ID: 7, p.Variants[1].ID: 0}}
		h.Product = sameProduct(s, h.Product, p)
		if len(h.Cart) == 0 {
			h.Cart = nil
		}
		porttest.Same(s.T, "haggle", h, want)
	}
}

// sameProduct returns want if got is the product as the catalogue has it.
func sameProduct(s *porttest.Shop, got, want *catalog.Product) *catalog.Product {
	s.T.Helper()
	stored, err := s.Products.Get(s.Ctx, s.Project.ID, want.ID)
	s.Must(err)
	porttest.Same(s.T, "product", got, stored)
	return want
}

func haggleFound(s *porttest.Shop) {
	p := s.Product(5)
	r := s.Answer(s.NewSession(), p, 2, porttest.Pointer(porttest.USD(82_00)))
	s.Must(s.Haggling.Save(s.Ctx, r))

	h := s.Load(porttest.Ask(r.Session.ID, p, 2))
	porttest.Same(s.T, "session", h.Session, r.Session)
	porttest.Same(s.T, "prior", h.Prior, r.Quote)
	porttest.Same(s.T, "last seq", h.LastSeq, 1)
	porttest.Same(s.T, "history", s.Visit(r.Session.ID).History, []negotiation.Entry{r.Entry})
	if h.Quote != nil || len(h.Cart) != 0 {
		s.T.Errorf("found a quote %v or a cart %v", h.Quote, h.Cart)
	}
	if h = s.Load(porttest.Ask(r.Session.ID, p, 3)); h.Prior != nil {
		s.T.Error("a quote on 2 pieces is prior to one on 3")
	}
	h = s.Load(ports.HaggleAsk{
		Session:  r.Session.ID,
		Product:  p.ID,
		Quantity: 2,
	})
	porttest.Same(s.T, "prior of the only variant", h.Prior, r.Quote)
}

func haggleFollowUp(s *porttest.Shop) {
	p := s.Product(5, 6)
	r := s.Answer(s.Session(), p, 2, porttest.Pointer(porttest.USD(82_00)))
	s.Must(s.Haggling.Save(s.Ctx, r))

	h := s.Load(ports.HaggleAsk{Session: r.Session.ID, Quote: r.Quote.Snapshot().ID})
	porttest.Same(s.T, "quote", h.Quote, r.Quote)
	porttest.Same(s.T, "prior", h.Prior, r.Quote)
	sameProduct(s, h.Product, p)
	porttest.Same(s.T, "stock", h.Stock, map[id.Variant]int{p.Variants[0].ID: 5, p.Variants[1].ID: 6})

	again := r.Quote.Snapshot()
	again.Progress.BestOffer = porttest.USD(83_00)
	entry := r.Entry
	entry.ID, entry.Seq = porttest.Random[id.Decision](), 2
	s.Must(s.Haggling.Save(s.Ctx, ports.HaggleResult{
		Session: r.Session,
		Quote:   negotiation.Rehydrate(again),
		Entry:   entry,
	}))
	h = s.Load(ports.HaggleAsk{Session: r.Session.ID, Quote: again.ID})
	porttest.Same(s.T, "quote after the second answer", h.Quote.Snapshot(), again)
	porttest.Same(s.T, "last seq", h.LastSeq, 2)
}

func hagglePrior(s *porttest.Shop) {
	p, sess := s.Product(5), s.Session()
	first := s.Answer(sess, p, 1, nil)
	s.Must(s.Haggling.Save(s.Ctx, first))
	second := s.Answer(sess, p, 1, nil)
	s.Must(s.Haggling.Save(s.Ctx, second))

	h := s.Load(ports.HaggleAsk{Session: sess.ID, Quote: first.Quote.Snapshot().ID})
	porttest.Same(s.T, "state of the first", h.Quote.Snapshot().State, negotiation.Superseded)
	porttest.Same(s.T, "prior", h.Prior, second.Quote)
}

func haggleOffSale(s *porttest.Shop) {
	p, gone := s.Product(5), s.Product(5)
	r := s.Answer(s.Session(), p, 1, nil)
	s.Must(s.Haggling.Save(s.Ctx, r))
	_, err := s.Products.Update(s.Ctx, s.Project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Status = catalog.Archived
		return ports.ProductWrite{Product: p}, nil
	})
	s.Must(err)
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, gone.ID, porttest.Noon))
	for _, a := range []ports.HaggleAsk{porttest.Ask(id.Session{}, p, 1), porttest.Ask(id.Session{}, gone, 1)} {
		if h := s.Load(a); h.Product != nil {
			s.T.Errorf("found %+v", h.Product)
		}
	}
	h := s.Load(ports.HaggleAsk{Session: r.Session.ID, Quote: r.Quote.Snapshot().ID})
	if h.Product != nil || h.Quote == nil {
		s.T.Errorf("a follow-up found product %v and quote %v", h.Product, h.Quote)
	}
}

func haggleForeign(s *porttest.Shop) {
	foreign := porttest.OpenShop(s.T, s.Stores)
	p := foreign.Product(5)
	r := foreign.Answer(foreign.Session(), p, 1, nil)
	s.Must(s.Haggling.Save(s.Ctx, r))
	other := s.Session()
	for _, a := range []ports.HaggleAsk{
		porttest.Ask(r.Session.ID, p, 1),
		{Session: r.Session.ID, Quote: r.Quote.Snapshot().ID},
		{Session: porttest.Random[id.Session](), Quote: porttest.Random[id.Quote](), Product: porttest.Random[id.Product](), Quantity: 1},
	} {
		h := s.Load(a)
		if h.Session != nil || h.Quote != nil || h.Prior != nil || h.Product != nil || h.LastSeq != 0 || len(h.Stock) != 0 {
			s.T.Errorf("%+v found %+v", a, h)
		}
	}
	if h := s.Load(ports.HaggleAsk{Session: other.ID, Quote: r.Quote.Snapshot().ID}); h.Quote != nil || h.Product != nil {
		s.T.Error("a quote of another session was found")
	}
}

func haggleRecord(s *porttest.Shop) {
	p, sess := s.Product(5), s.Session()
	bare := s.Answer(sess, p, 1, nil)
	bare.Entry.Signals.Cost, bare.Entry.Message = nil, ""
	s.Must(s.Haggling.Save(s.Ctx, bare))
	rejected := s.Answer(sess, p, 1, porttest.Pointer(porttest.USD(1)))
	rejected.Entry.Signals.Competitor = porttest.Pointer(porttest.USD(98_00))
	rejected.Entry.Signals.CartValue = porttest.USD(12_34)
	rejected.Entry.Signals.Probed = negotiation.Probed{
		Session: 1,
		Client:  2,
		Product: 3,
	}
	rejected.Entry.Agent, rejected.Entry.Handler, rejected.Entry.Fallback = porttest.Random[id.Agent](), "remote", "agent_timeout"
	rejected.Entry.Proposal, rejected.Entry.Client = porttest.Pointer(porttest.USD(90_00)), "client"
	s.Must(s.Haggling.Save(s.Ctx, rejected))
	if rejected.Entry.Outcome != negotiation.OutcomeRejected || rejected.Entry.Offer == nil {
		s.T.Fatalf("not a rejection: %+v", rejected.Entry)
	}
	porttest.Same(s.T, "history", s.Visit(sess.ID).History, []negotiation.Entry{bare.Entry, rejected.Entry})
}

func haggleQuote(s *porttest.Shop) {
	p, other := s.Product(5), s.Product(5)
	r := s.Answer(s.Session(), p, 2, porttest.Pointer(porttest.USD(95_00)))
	snapshot := r.Quote.Snapshot()
	snapshot.Bundle = &negotiation.Bundle{
		Product: other.ID,
		Variant: other.Variants[0].ID,
		Name:    other.Name,
		Regular: porttest.USD(100_00),
		Price:   porttest.USD(90_00),
	}
	snapshot.WithBundle = true
	snapshot.Progress = negotiation.Progress{
		Rounds:    3,
		Moves:     2,
		BestOffer: porttest.USD(94_00),
		Counter:   porttest.USD(96_00),
	}
	snapshot.ValidUntil = porttest.Noon.Add(1234 * time.Millisecond)
	r.Quote = negotiation.Rehydrate(snapshot)
	s.Must(s.Haggling.Save(s.Ctx, r))
	porttest.Same(s.T, "quote", s.Load(porttest.Ask(r.Session.ID, p, 2)).Prior.Snapshot(), snapshot)

	snapshot.Bundle, snapshot.WithBundle, snapshot.Progress.Counter = nil, false, money.Amount{}
	r.NewQuote, r.Quote, r.Superseded = false, negotiation.Rehydrate(snapshot), nil
	r.Entry.ID, r.Entry.Seq = porttest.Random[id.Decision](), 2
	s.Must(s.Haggling.Save(s.Ctx, r))
	porttest.Same(s.T, "changed quote", s.Load(porttest.Ask(r.Session.ID, p, 2)).Prior.Snapshot(), snapshot)
}

func haggleCart(s *porttest.Shop) {
	p, other, sess := s.Product(5), s.Product(5), s.Session()
	s.Agree(sess, p, 1)
	kept := porttest.CartItem(s.Agree(sess, other, 1), other)
	latest := porttest.CartItem(s.Agree(sess, p, 3), p)
	kept.Line, latest.Line = 2, 1
	want := []session.CartItem{kept, latest}
	porttest.Same(s.T, "cart of the visit", s.Visit(sess.ID).Cart, want)
	porttest.Same(s.T, "cart of the haggle", s.Load(porttest.Ask(sess.ID, p, 1)).Cart, want)
}

func haggleStale(s *porttest.Shop) {
	p, sess := s.Product(5), s.Session()
	late := s.Answer(sess, p, 1, porttest.Pointer(porttest.USD(95_00)))
	first := s.Answer(sess, p, 1, porttest.Pointer(porttest.USD(82_00)))
	s.Must(s.Haggling.Save(s.Ctx, first))
	before := s.Visit(sess.ID)

	moved := *sess
	moved.Claims.Location = "elsewhere"
	late.Session, late.Superseded = &moved, first.Quote
	late.Superseded.Supersede()
	porttest.WantFault(s.T, s.Haggling.Save(s.Ctx, late), fault.Conflict, "stale")
	after := s.Visit(sess.ID)
	after.Now = before.Now
	porttest.Same(s.T, "visit", after, before)
	porttest.Same(s.T, "prior state", s.Load(porttest.Ask(sess.ID, p, 1)).Prior.Snapshot().State, negotiation.Open)
}

func haggleRace(s *porttest.Shop) {
	p, sess := s.Product(5), s.Session()
	var answers [porttest.Racers]ports.HaggleResult
	for i := range answers {
		answers[i] = s.Answer(sess, p, 1, porttest.Pointer(porttest.USD(95_00)))
	}
	winners := s.Race("stale", func(i int) error { return s.Haggling.Save(s.Ctx, answers[i]) })
	v := s.Visit(sess.ID)
	if winners != 1 || len(v.History) != 1 || len(v.Cart) != 1 {
		s.T.Errorf("%d winners left history %+v and cart %+v", winners, v.History, v.Cart)
	}
}

func haggleGone(s *porttest.Shop) {
	p := s.Product(5)
	r := s.Answer(s.NewSession(), p, 1, nil)
	r.NewSession = false
	porttest.WantFault(s.T, s.Haggling.Save(s.Ctx, r), fault.NotFound, "session_not_found")
}

func haggleExtended(s *porttest.Shop) {
	p, sess := s.Product(5), s.Session()
	r := s.Answer(sess, p, 1, nil)
	r.Touched = session.Touched{Time: true, Claims: true}
	extended, err := s.Sessions.Update(s.Ctx, s.Project.ID, sess.ID, func(v *session.Session) error { return v.Extend(60, porttest.Noon) })
	s.Must(err)
	s.Must(s.Haggling.Save(s.Ctx, r))
	porttest.Same(s.T, "end", s.Visit(sess.ID).Session.ExpiresAt, extended.ExpiresAt)
}

func haggleNoAliasing(s *porttest.Shop) {
	p, sess := s.Product(5), s.Session()
	r := s.Answer(sess, p, 1, porttest.Pointer(porttest.USD(95_00)))
	snapshot := r.Quote.Snapshot()
	snapshot.Bundle = &negotiation.Bundle{
		Product: p.ID,
		Variant: p.Variants[0].ID,
		Name:    "Tent",
		Regular: porttest.USD(100_00),
		Price:   porttest.USD(90_00),
	}
	r.Quote = negotiation.Rehydrate(snapshot)
	s.Must(s.Haggling.Save(s.Ctx, r))
	want := s.Load(porttest.Ask(sess.ID, p, 1))

	snapshot.Bundle.Name, r.Cart[0].Quantity = "changed after Save", 99
	read := s.Load(porttest.Ask(sess.ID, p, 1))
	read.Prior.Snapshot().Bundle.Name, read.Cart[0].Quantity = "changed after Load", 98
	read.Session.Claims.Location, read.Product.Name, read.Product.Variants[0].SKU = "changed", "changed", "changed"
	clear(read.Stock)
	porttest.Same(s.T, "haggle", s.Load(porttest.Ask(sess.ID, p, 1)), want)
}

func haggleTokens(s *porttest.Shop) {
	p, sess := s.Product(5), s.Session()
	agreed := s.Agree(sess, p, 1)
	foreign := porttest.OpenShop(s.T, s.Stores)
	theirs := foreign.Agree(foreign.Session(), foreign.Product(1), 1)
	own := agreed.Snapshot().TokenHash
	found, err := s.Haggling.Basket(s.Ctx, s.Project.ID, ports.BasketAsk{Tokens: []string{own, porttest.Hash("unknown"), theirs.Snapshot().TokenHash, own}})
	s.Must(err)
	porttest.Same(s.T, "found", found.Quotes, []*negotiation.Quote{agreed})
	found, err = s.Haggling.Basket(s.Ctx, s.Project.ID, ports.BasketAsk{})
	if err != nil || len(found.Quotes) != 0 {
		s.T.Errorf("no tokens find %v, %v", found, err)
	}
}

func haggleBasket(s *porttest.Shop) {
	p, bundled, other, gone, sess := s.Product(5), s.Product(5), s.Product(5), s.Product(5), s.Session()
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, gone.ID, porttest.Noon))
	r := s.Answer(sess, p, 1, porttest.Pointer(porttest.USD(95_00)))
	q := r.Quote.Snapshot()
	q.WithBundle = true
	q.Bundle = &negotiation.Bundle{
		Product: bundled.ID,
		Variant: bundled.Variants[0].ID,
		Name:    "Mat",
		Regular: porttest.USD(100_00),
		Price:   porttest.USD(90_00),
	}
	r.Quote = negotiation.Rehydrate(q)
	s.Must(s.Haggling.Save(s.Ctx, r))
	s.Agree(sess, other, 1)

	foreign := porttest.OpenShop(s.T, s.Stores).Session()
	for name, c := range map[string]struct {
		ask  ports.BasketAsk
		want []id.Product
	}{
		"of a token": {ports.BasketAsk{Session: sess.ID, Tokens: []string{q.TokenHash}}, []id.Product{p.ID, bundled.ID}},
		"of a token and products": {ports.BasketAsk{
			Session:  sess.ID,
			Tokens:   []string{q.TokenHash},
			Products: []id.Product{other.ID, gone.ID},
		}, []id.Product{other.ID}},
		"of products":          {ports.BasketAsk{Session: sess.ID, Products: []id.Product{other.ID, p.ID, other.ID}}, []id.Product{p.ID, other.ID}},
		"of nothing":           {ports.BasketAsk{Session: sess.ID}, nil},
		"in a foreign session": {ports.BasketAsk{Session: foreign.ID, Products: []id.Product{p.ID}}, []id.Product{p.ID}},
	} {
		found, err := s.Haggling.Basket(s.Ctx, s.Project.ID, c.ask)
		s.Must(err)
		var products []id.Product
		for _, one := range found.Products {
			products = append(products, one.ID)
			if len(one.Variants) != 1 || found.Stock[one.Variants[0].ID] != 5 {
				s.T.Errorf("%s: a product has variants %+v, in stock are %v", name, one.Variants, found.Stock)
			}
		}
		byText := func(a, b id.Product) int { return strings.Compare(a.String(), b.String()) }
		slices.SortFunc(products, byText)
		slices.SortFunc(c.want, byText)
		porttest.Same(s.T, name+": products", products, c.want)
		porttest.Same(s.T, name+": quotes", len(found.Quotes), len(c.ask.Tokens))
		if foreign.ID == c.ask.Session {
			porttest.Same(s.T, name+": session", found.Session, (*session.Session)(nil))
			continue
		}
		porttest.Same(s.T, name+": session", found.Session, sess)
		if found.Now.IsZero() {
			s.T.Errorf("%s: no time", name)
		}
	}
}
