package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Haggling is the contract of ports.Haggling.
func Haggling(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"a first question finds the product alone":  haggleFirst,
		"a saved answer is found again":             haggleFound,
		"a follow-up takes its item from the quote": haggleFollowUp,
		"the prior quote is the latest on the item": hagglePrior,
		"a product that is not on sale":             haggleOffSale,
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
		"what a client tried out is counted":        haggleProbed,
		"nothing hides what a client tried out":     haggleHidden,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

func haggleFirst(s *shop) {
	p := s.product(3, 0)
	s.keep(p, "north", 4)
	for _, a := range []ports.HaggleAsk{{Product: p.ID, Quantity: 1}, ask(id.Session{}, p, 2)} {
		h := s.load(a)
		want := ports.Haggle{Product: p, Stock: map[id.Variant]int{p.Variants[0].ID: 7, p.Variants[1].ID: 0}}
		h.Product = s.sameProduct(h.Product, p)
		if len(h.Cart) == 0 {
			h.Cart = nil
		}
		same(s.t, "haggle", h, want)
	}
}

// sameProduct returns want if got is the product as the catalogue has it.
func (s *shop) sameProduct(got, want *catalog.Product) *catalog.Product {
	s.t.Helper()
	stored, err := s.Products.Get(s.ctx, s.project.ID, want.ID)
	s.must(err)
	same(s.t, "product", got, stored)
	return want
}

func haggleFound(s *shop) {
	p := s.product(5)
	r := s.answer(s.newSession(), p, 2, pointer(usd(82_00)))
	s.must(s.Haggling.Save(s.ctx, r))

	h := s.load(ask(r.Session.ID, p, 2))
	same(s.t, "session", h.Session, r.Session)
	same(s.t, "prior", h.Prior, r.Quote)
	same(s.t, "last seq", h.LastSeq, 1)
	same(s.t, "history", s.visit(r.Session.ID).History, []negotiation.Entry{r.Entry})
	if h.Quote != nil || len(h.Cart) != 0 {
		s.t.Errorf("found a quote %v or a cart %v", h.Quote, h.Cart)
	}
	if h = s.load(ask(r.Session.ID, p, 3)); h.Prior != nil {
		s.t.Error("a quote on 2 pieces is prior to one on 3")
	}
	h = s.load(ports.HaggleAsk{Session: r.Session.ID, Product: p.ID, Quantity: 2})
	same(s.t, "prior of the only variant", h.Prior, r.Quote)
}

func haggleFollowUp(s *shop) {
	p := s.product(5, 6)
	r := s.answer(s.session(), p, 2, pointer(usd(82_00)))
	s.must(s.Haggling.Save(s.ctx, r))

	h := s.load(ports.HaggleAsk{Session: r.Session.ID, Quote: r.Quote.Snapshot().ID})
	same(s.t, "quote", h.Quote, r.Quote)
	same(s.t, "prior", h.Prior, r.Quote)
	s.sameProduct(h.Product, p)
	same(s.t, "stock", h.Stock, map[id.Variant]int{p.Variants[0].ID: 5, p.Variants[1].ID: 6})

	again := r.Quote.Snapshot()
	again.Progress.BestOffer = usd(83_00)
	entry := r.Entry
	entry.ID, entry.Seq = random[id.Decision](), 2
	s.must(s.Haggling.Save(s.ctx, ports.HaggleResult{Session: r.Session, Quote: negotiation.Rehydrate(again), Entry: entry}))
	h = s.load(ports.HaggleAsk{Session: r.Session.ID, Quote: again.ID})
	same(s.t, "quote after the second answer", h.Quote.Snapshot(), again)
	same(s.t, "last seq", h.LastSeq, 2)
}

func hagglePrior(s *shop) {
	p, sess := s.product(5), s.session()
	first := s.answer(sess, p, 1, nil)
	s.must(s.Haggling.Save(s.ctx, first))
	second := s.answer(sess, p, 1, nil)
	s.must(s.Haggling.Save(s.ctx, second))

	h := s.load(ports.HaggleAsk{Session: sess.ID, Quote: first.Quote.Snapshot().ID})
	same(s.t, "state of the first", h.Quote.Snapshot().State, negotiation.Superseded)
	same(s.t, "prior", h.Prior, second.Quote)
}

func haggleOffSale(s *shop) {
	p, gone := s.product(5), s.product(5)
	r := s.answer(s.session(), p, 1, nil)
	s.must(s.Haggling.Save(s.ctx, r))
	_, err := s.Products.Update(s.ctx, s.project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Status = catalog.Archived
		return ports.ProductWrite{Product: p}, nil
	})
	s.must(err)
	s.must(s.Products.Delete(s.ctx, s.project.ID, gone.ID, noon))
	for _, a := range []ports.HaggleAsk{ask(id.Session{}, p, 1), ask(id.Session{}, gone, 1)} {
		if h := s.load(a); h.Product != nil {
			s.t.Errorf("found %+v", h.Product)
		}
	}
	h := s.load(ports.HaggleAsk{Session: r.Session.ID, Quote: r.Quote.Snapshot().ID})
	if h.Product != nil || h.Quote == nil {
		s.t.Errorf("a follow-up found product %v and quote %v", h.Product, h.Quote)
	}
}

func haggleForeign(s *shop) {
	foreign := openShop(s.t, s.Stores)
	p := foreign.product(5)
	r := foreign.answer(foreign.session(), p, 1, nil)
	s.must(s.Haggling.Save(s.ctx, r))
	other := s.session()
	for _, a := range []ports.HaggleAsk{
		ask(r.Session.ID, p, 1),
		{Session: r.Session.ID, Quote: r.Quote.Snapshot().ID},
		{Session: random[id.Session](), Quote: random[id.Quote](), Product: random[id.Product](), Quantity: 1},
	} {
		h := s.load(a)
		if h.Session != nil || h.Quote != nil || h.Prior != nil || h.Product != nil || h.LastSeq != 0 || len(h.Stock) != 0 {
			s.t.Errorf("%+v found %+v", a, h)
		}
	}
	if h := s.load(ports.HaggleAsk{Session: other.ID, Quote: r.Quote.Snapshot().ID}); h.Quote != nil || h.Product != nil {
		s.t.Error("a quote of another session was found")
	}
}

func haggleRecord(s *shop) {
	p, sess := s.product(5), s.session()
	bare := s.answer(sess, p, 1, nil)
	bare.Entry.Signals.Cost, bare.Entry.Message = nil, ""
	s.must(s.Haggling.Save(s.ctx, bare))
	rejected := s.answer(sess, p, 1, pointer(usd(1)))
	rejected.Entry.Signals.Competitor = pointer(usd(98_00))
	rejected.Entry.Signals.CartValue = usd(12_34)
	rejected.Entry.Signals.Probed = negotiation.Probed{Session: 1, Client: 2, Product: 3}
	rejected.Entry.Agent, rejected.Entry.Handler, rejected.Entry.Fallback = random[id.Agent](), "remote", "agent_timeout"
	rejected.Entry.Proposal, rejected.Entry.Client = pointer(usd(90_00)), "client"
	s.must(s.Haggling.Save(s.ctx, rejected))
	if rejected.Entry.Response != "reject" || rejected.Entry.Offer == nil {
		s.t.Fatalf("not a rejection: %+v", rejected.Entry)
	}
	same(s.t, "history", s.visit(sess.ID).History, []negotiation.Entry{bare.Entry, rejected.Entry})
}

func haggleQuote(s *shop) {
	p, other := s.product(5), s.product(5)
	r := s.answer(s.session(), p, 2, pointer(usd(95_00)))
	snapshot := r.Quote.Snapshot()
	snapshot.Bundle = &negotiation.Bundle{
		Product: other.ID, Variant: other.Variants[0].ID, Name: other.Name, Regular: usd(100_00), Price: usd(90_00),
	}
	snapshot.WithBundle = true
	snapshot.Progress = negotiation.Progress{Rounds: 3, Moves: 2, BestOffer: usd(94_00), Counter: usd(96_00)}
	snapshot.ValidUntil = noon.Add(1234 * time.Millisecond)
	r.Quote = negotiation.Rehydrate(snapshot)
	s.must(s.Haggling.Save(s.ctx, r))
	same(s.t, "quote", s.load(ask(r.Session.ID, p, 2)).Prior.Snapshot(), snapshot)

	snapshot.Bundle, snapshot.WithBundle, snapshot.Progress.Counter = nil, false, money.Amount{}
	r.NewQuote, r.Quote, r.Superseded = false, negotiation.Rehydrate(snapshot), nil
	r.Entry.ID, r.Entry.Seq = random[id.Decision](), 2
	s.must(s.Haggling.Save(s.ctx, r))
	same(s.t, "changed quote", s.load(ask(r.Session.ID, p, 2)).Prior.Snapshot(), snapshot)
}

func haggleCart(s *shop) {
	p, other, sess := s.product(5), s.product(5), s.session()
	s.agree(sess, p, 1)
	kept := cartItem(s.agree(sess, other, 1), other)
	latest := cartItem(s.agree(sess, p, 3), p)
	want := []session.CartItem{kept, latest}
	same(s.t, "cart of the visit", s.visit(sess.ID).Cart, want)
	same(s.t, "cart of the haggle", s.load(ask(sess.ID, p, 1)).Cart, want)
}

func haggleStale(s *shop) {
	p, sess := s.product(5), s.session()
	late := s.answer(sess, p, 1, pointer(usd(95_00)))
	first := s.answer(sess, p, 1, pointer(usd(82_00)))
	s.must(s.Haggling.Save(s.ctx, first))
	before := s.visit(sess.ID)

	moved := *sess
	moved.Claims.Location = "elsewhere"
	late.Session, late.Superseded = &moved, first.Quote
	late.Superseded.Supersede()
	wantFault(s.t, s.Haggling.Save(s.ctx, late), fault.Conflict, "stale")
	after := s.visit(sess.ID)
	after.Now = before.Now
	same(s.t, "visit", after, before)
	same(s.t, "prior state", s.load(ask(sess.ID, p, 1)).Prior.Snapshot().State, negotiation.Open)
}

func haggleRace(s *shop) {
	p, sess := s.product(5), s.session()
	var answers [racers]ports.HaggleResult
	for i := range answers {
		answers[i] = s.answer(sess, p, 1, pointer(usd(95_00)))
	}
	winners := s.race("stale", func(i int) error { return s.Haggling.Save(s.ctx, answers[i]) })
	v := s.visit(sess.ID)
	if winners != 1 || len(v.History) != 1 || len(v.Cart) != 1 {
		s.t.Errorf("%d winners left history %+v and cart %+v", winners, v.History, v.Cart)
	}
}

func haggleGone(s *shop) {
	p := s.product(5)
	r := s.answer(s.newSession(), p, 1, nil)
	r.NewSession = false
	wantFault(s.t, s.Haggling.Save(s.ctx, r), fault.NotFound, "session_not_found")
}

func haggleExtended(s *shop) {
	p, sess := s.product(5), s.session()
	r := s.answer(sess, p, 1, nil)
	extended, err := s.Sessions.Update(s.ctx, s.project.ID, sess.ID, func(v *session.Session) error { return v.Extend(60, noon) })
	s.must(err)
	s.must(s.Haggling.Save(s.ctx, r))
	same(s.t, "end", s.visit(sess.ID).Session.ExpiresAt, extended.ExpiresAt)
}

func haggleNoAliasing(s *shop) {
	p, sess := s.product(5), s.session()
	r := s.answer(sess, p, 1, pointer(usd(95_00)))
	snapshot := r.Quote.Snapshot()
	snapshot.Bundle = &negotiation.Bundle{Product: p.ID, Variant: p.Variants[0].ID, Name: "Tent", Regular: usd(100_00), Price: usd(90_00)}
	r.Quote = negotiation.Rehydrate(snapshot)
	s.must(s.Haggling.Save(s.ctx, r))
	want := s.load(ask(sess.ID, p, 1))

	snapshot.Bundle.Name, r.Cart[0].Quantity = "changed after Save", 99
	read := s.load(ask(sess.ID, p, 1))
	read.Prior.Snapshot().Bundle.Name, read.Cart[0].Quantity = "changed after Load", 98
	read.Session.Claims.Location, read.Product.Name, read.Product.Variants[0].SKU = "changed", "changed", "changed"
	clear(read.Stock)
	same(s.t, "haggle", s.load(ask(sess.ID, p, 1)), want)
}

func haggleTokens(s *shop) {
	p, sess := s.product(5), s.session()
	agreed := s.agree(sess, p, 1)
	foreign := openShop(s.t, s.Stores)
	theirs := foreign.agree(foreign.session(), foreign.product(1), 1)
	own := agreed.Snapshot().TokenHash
	found, err := s.Haggling.ByToken(s.ctx, s.project.ID, []string{own, hash("unknown"), theirs.Snapshot().TokenHash, own})
	s.must(err)
	same(s.t, "found", found, []*negotiation.Quote{agreed})
	found, err = s.Haggling.ByToken(s.ctx, s.project.ID, nil)
	if err != nil || len(found) != 0 {
		s.t.Errorf("no tokens find %v, %v", found, err)
	}
}

// haggleHidden: sessions about a product are counted however much their client asks besides.
func haggleHidden(s *shop) {
	p, other := s.product(5), s.product(5)
	say := func(in *session.Session, about *catalog.Product, after time.Duration) {
		r := s.answer(in, about, 1, pointer(usd(1)))
		r.Entry.Client, r.Entry.At = "me", noon.Add(after)
		s.must(s.Haggling.Save(s.ctx, r))
	}
	for range 3 {
		say(s.session(), p, 0)
	}
	one, newest := s.session(), s.session()
	for i := range 40 {
		say(one, other, time.Minute+time.Duration(i)*time.Second)
		say(newest, p, time.Minute+time.Duration(i)*time.Second)
	}
	ask := ports.HaggleAsk{Product: p.ID, Quantity: 1, Client: "me", ProductSince: noon, Sessions: 4}
	same(s.t, "probed", s.load(ask).Probed, negotiation.Probed{Product: 4})
}

func haggleProbed(s *shop) {
	p, other := s.product(5), s.product(5)
	say := func(in *session.Session, about *catalog.Product, offer int64, client string, at time.Time) {
		r := s.answer(in, about, 1, pointer(usd(offer)))
		r.Entry.Client, r.Entry.At = client, at
		s.must(s.Haggling.Save(s.ctx, r))
	}
	mine, before, foreign := s.session(), s.session(), openShop(s.t, s.Stores)
	say(mine, p, 1, "me", noon)
	say(mine, p, 2, "me", noon.Add(time.Second))
	say(mine, p, 99_99, "me", noon.Add(2*time.Second))
	say(before, p, 1, "me", noon.Add(-time.Hour))
	for range 3 {
		say(s.session(), other, 1, "me", noon.Add(-time.Minute))
	}
	say(s.session(), p, 1, "me", noon.Add(-25*time.Hour))
	say(s.session(), p, 1, "another", noon)
	say(s.session(), p, 1, "", noon)
	theirs := foreign.answer(foreign.session(), foreign.product(1), 1, pointer(usd(1)))
	theirs.Entry.Client = "me"
	s.must(s.Haggling.Save(s.ctx, theirs))

	quote := s.load(ask(mine.ID, p, 1)).Prior.Snapshot().ID
	since := noon.Add(-24 * time.Hour)
	bought := s.session()
	say(bought, p, 100_00, "me", noon) // agreed, and not paid yet
	for _, c := range []struct {
		ask  ports.HaggleAsk
		want negotiation.Probed
	}{
		{ports.HaggleAsk{Session: mine.ID, Product: p.ID, Quantity: 1, Client: "me", Since: since, ProductSince: since, Sessions: 20}, negotiation.Probed{Session: 2, Client: 6, Product: 2}},
		{ports.HaggleAsk{Session: mine.ID, Quote: quote, Client: "me", Since: since, ProductSince: since, Sessions: 20}, negotiation.Probed{Session: 2, Client: 6, Product: 2}},
		{ports.HaggleAsk{Session: before.ID, Product: other.ID, Quantity: 1, Client: "me", Since: since, ProductSince: since, Sessions: 20}, negotiation.Probed{Session: 1, Client: 6, Product: 3}},
		{ports.HaggleAsk{Product: p.ID, Quantity: 1, Client: "me", Since: since, ProductSince: since, Sessions: 20}, negotiation.Probed{Client: 6, Product: 3}},
		{ports.HaggleAsk{Product: p.ID, Quantity: 1, Client: "me", Since: noon, ProductSince: noon, Sessions: 20}, negotiation.Probed{Client: 2, Product: 2}},
		{ports.HaggleAsk{Product: p.ID, Quantity: 1, Client: "me", ProductSince: since, Sessions: 2}, negotiation.Probed{Product: 2}}, // of more
		{ports.HaggleAsk{Product: p.ID, Quantity: 1, Client: "me", Since: since}, negotiation.Probed{Client: 6}},
		{ports.HaggleAsk{Session: mine.ID, Product: p.ID, Quantity: 1, Client: "nobody", Since: since, ProductSince: since, Sessions: 20}, negotiation.Probed{Session: 2}},
		{ports.HaggleAsk{Session: mine.ID, Product: p.ID, Quantity: 1, Since: since, ProductSince: since, Sessions: 20}, negotiation.Probed{Session: 2}},
		{ports.HaggleAsk{Product: p.ID, Quantity: 1, Since: since, ProductSince: since, Sessions: 20}, negotiation.Probed{}},
	} {
		h := s.load(c.ask)
		same(s.t, "probed", h.Probed, c.want)
		if len(h.Stock) != 1 {
			s.t.Errorf("the stock is %v", h.Stock)
		}
	}
}
