package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Carts is the contract of ports.Carts, and of other ports' changes of a cart.
func Carts(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*Shop){
		"a cart comes back as it was stored":              cartRoundTrip,
		"a cart in a new session":                         cartOfNewSession,
		"an agreement takes the place of a line":          cartAgreement,
		"numbers of lines are not given twice":            cartNumbers,
		"what was read is what is replaced":               cartStale,
		"of racing carts one is stored after another":     cartRace,
		"a cart and an agreement at once":                 cartRaceWithAgreement,
		"unknown and foreign carts":                       cartUnknown,
		"a list price is that of now":                     cartListPrice,
		"a cart has one open checkout":                    cartCheckout,
		"racing checkouts of a cart":                      cartCheckoutRace,
		"what is bought leaves the cart":                  cartBought,
		"what a checkout without a cart buys stays there": cartNotBought,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(OpenShop(t, stores))
		})
	}
}

// AtList is a new line at the list price of 100.00.
func AtList(p *catalog.Product, quantity int) session.CartItem {
	return session.CartItem{
		Product:  p.ID,
		Variant:  p.Variants[0].ID,
		Name:     p.Name,
		Quantity: quantity,
		Price:    USD(100_00),
	}
}

// Cart reads the cart of a session.
func (s *Shop) Cart(of id.Session) ports.Cart {
	s.T.Helper()
	found, err := s.Carts.Cart(s.Ctx, s.Project.ID, ports.CartAsk{Session: of})
	s.Must(err)
	return found
}

func cartOf(c ports.Cart) session.Cart {
	return session.Cart{Items: c.Items, LineSeq: max(c.Session.LineSeq, c.LastLine)}
}

// PutCart replaces the cart as it is now.
func (s *Shop) PutCart(of *session.Session, items ...session.CartItem) []session.CartItem {
	s.T.Helper()
	now := s.Cart(of.ID)
	after := cartOf(now).Replace(items)
	s.Must(s.Carts.Replace(s.Ctx, ports.CartResult{
		Session: now.Session,
		Before:  now.Items,
		After:   after,
	}))
	return after.Items
}

func cartRoundTrip(s *Shop) {
	p, other, asked, sess := s.Product(5), s.Product(5), s.Product(5), s.Session()
	q := s.Agree(sess, other, 2)
	agreed := s.Cart(sess.ID).Items[0]
	want := s.PutCart(sess, AtList(p, 3), agreed, AtList(p, 1))
	found, err := s.Carts.Cart(s.Ctx, s.Project.ID, ports.CartAsk{Session: sess.ID, Products: []id.Product{asked.ID}})
	s.Must(err)
	Same(s.T, "items", found.Items, want)
	Same(s.T, "items of the visit", s.Visit(sess.ID).Cart, want)
	Same(s.T, "items of the haggle", s.Load(Ask(sess.ID, p, 1)).Cart, want)
	Same(s.T, "numbers", []int{want[0].Line, want[1].Line, want[2].Line}, []int{2, 1, 3})
	Same(s.T, "quotes", len(found.Quotes), 1)
	Same(s.T, "quote", found.Quotes[0].Snapshot(), q.Snapshot())
	Same(s.T, "products", len(found.Products), 3)
	if found.Session.LineSeq != 3 || found.Checkout != nil || found.Now.IsZero() {
		s.T.Errorf("read %+v at %s with checkout %v", found.Session, found.Now, found.Checkout)
	}
	found, err = s.Carts.Cart(s.Ctx, s.Project.ID, ports.CartAsk{Session: sess.ID, Tokens: []string{q.Snapshot().TokenHash}})
	s.Must(err)
	Same(s.T, "the quote of a line and a token", len(found.Quotes), 1)
	s.PutCart(sess)
	Same(s.T, "an empty cart", len(s.Cart(sess.ID).Items), 0)
	Same(s.T, "the deal's token", s.token(q).RedeemedBy, id.Order{})
}

func cartOfNewSession(s *Shop) {
	p, sess := s.Product(5), s.NewSession()
	found, err := s.Carts.Cart(s.Ctx, s.Project.ID, ports.CartAsk{Products: []id.Product{p.ID}})
	s.Must(err)
	if found.Session != nil || found.Now.IsZero() || len(found.Products) != 1 {
		s.T.Errorf("without a session: %+v", found)
	}
	bySKU, other := s.Product(5), s.Product(5)
	refs := []string{p.Variants[0].ID.String(), bySKU.Variants[0].SKU, other.ID.String(), other.SKU, "var_unknown", "prod_unknown", "unknown"}
	found, err = s.Carts.Cart(s.Ctx, s.Project.ID, ports.CartAsk{Refs: refs})
	s.Must(err)
	Same(s.T, "products by reference", len(found.Products), 3)
	basket, err := s.Haggling.Basket(s.Ctx, s.Project.ID, ports.BasketAsk{Refs: refs, Products: []id.Product{p.ID}})
	s.Must(err)
	Same(s.T, "products of a checkout by reference", len(basket.Products), 3)
	after := session.Cart{}.Replace([]session.CartItem{AtList(p, 1)})
	s.Must(s.Carts.Replace(s.Ctx, ports.CartResult{
		Session:    sess,
		NewSession: true,
		After:      after,
	}))
	got := s.Cart(sess.ID)
	Same(s.T, "items", got.Items, after.Items)
	sess.LineSeq = 1
	Same(s.T, "session", got.Session, sess)
}

func cartAgreement(s *Shop) {
	p, other, sess := s.Product(5), s.Product(5), s.Session()
	put := s.PutCart(sess, AtList(p, 3), AtList(p, 4), AtList(other, 1))
	deal := CartItem(s.Agree(sess, p, 1), p)
	deal.Line = 1
	Same(s.T, "in the place of the first line at list price", s.Cart(sess.ID).Items, []session.CartItem{put[1], put[2], deal})
	deal = CartItem(s.Agree(sess, p, 2), p)
	deal.Line = 1
	Same(s.T, "in the place of the agreement", s.Cart(sess.ID).Items, []session.CartItem{put[1], put[2], deal})
	third := s.Product(5)
	added := CartItem(s.Agree(sess, third, 1), third)
	added.Line = 4
	Same(s.T, "as a new line", s.Cart(sess.ID).Items, []session.CartItem{put[1], put[2], deal, added})
}

func cartNumbers(s *Shop) {
	p, other, sess := s.Product(9), s.Product(5), s.Session()
	s.PutCart(sess, AtList(p, 1), AtList(p, 2), AtList(p, 3))
	s.PutCart(sess)
	s.Agree(sess, other, 1)
	Same(s.T, "after three that are gone", s.Cart(sess.ID).Items[0].Line, 4)
	q := s.Agree(sess, p, 1)
	s.Pay(s.Checkout(sess, AgreedLine(p, q)))
	s.Agree(sess, p, 1)
	items := s.Cart(sess.ID).Items
	Same(s.T, "after one that was bought", items[len(items)-1].Line, 6)
	Same(s.T, "the next one", s.PutCart(sess, AtList(p, 1))[0].Line, 7)

	only := s.Session()
	s.Pay(s.Checkout(only, AgreedLine(p, s.Agree(only, p, 1))))
	Same(s.T, "after the only one was bought", s.PutCart(only, AtList(p, 1))[0].Line, 2)
}

func cartStale(s *Shop) {
	p, sess := s.Product(5), s.Session()
	s.PutCart(sess, AtList(p, 1), AtList(p, 2))
	read := s.Cart(sess.ID)
	cart := cartOf(read)
	replace := func(items ...session.CartItem) error {
		read.Session.LastActivity = Noon.Add(time.Minute)
		return s.Carts.Replace(s.Ctx, ports.CartResult{
			Session: read.Session,
			Touched: session.Touched{Time: true},
			Before:  read.Items,
			After:   cart.Replace(items),
		})
	}
	s.Agree(sess, p, 1) // takes the place of the first line
	want := s.Cart(sess.ID)
	WantFault(s.T, replace(), fault.Conflict, "stale")
	Same(s.T, "cart", s.Cart(sess.ID).Items, want.Items)
	Same(s.T, "session", s.Cart(sess.ID).Session, want.Session)

	s.PutCart(sess)
	s.PutCart(sess, AtList(p, 4))
	read.Items = nil // as if the cart had been read empty, before its line 3 was written
	WantFault(s.T, replace(AtList(p, 5)), fault.Conflict, "stale")
	WantFault(s.T, replace(), fault.Conflict, "stale")
	Same(s.T, "quantity", s.Cart(sess.ID).Items[0].Quantity, 4)
}

func cartRace(s *Shop) {
	p, sess := s.Product(5), s.Session()
	stored := s.Race("stale", func(racer int) error {
		for {
			now := s.Cart(sess.ID)
			quantity := 1
			for _, item := range now.Items {
				quantity += item.Quantity
			}
			after := cartOf(now).Replace([]session.CartItem{AtList(p, quantity)})
			err := s.Carts.Replace(s.Ctx, ports.CartResult{
				Session: now.Session,
				Before:  now.Items,
				After:   after,
			})
			if !fault.Is(err, "stale") {
				return err
			}
		}
	})
	Same(s.T, "stored", stored, Racers)
	items := s.Cart(sess.ID).Items
	if len(items) != 1 || items[0].Quantity != Racers || items[0].Line < Racers {
		s.T.Errorf("the cart is %+v", items)
	}
}

// cartRaceWithAgreement: whatever comes first, the agreement is in the cart, unless the cart was replaced after it.
func cartRaceWithAgreement(s *Shop) {
	p, other, sess := s.Product(5), s.Product(5), s.Session()
	s.PutCart(sess, AtList(p, 1), AtList(other, 1))
	deal := s.Answer(sess, p, 1, Pointer(USD(95_00)))
	read := s.Cart(sess.ID)
	cart := cartOf(read)
	done := make(chan error, 1)
	go func() { done <- s.Haggling.Save(s.Ctx, deal) }()
	err := s.Carts.Replace(s.Ctx, ports.CartResult{
		Session: read.Session,
		Before:  read.Items,
		After:   cart.Replace([]session.CartItem{AtList(other, 2)}),
	})
	agreed := <-done
	for _, err := range []error{err, agreed} {
		if err != nil && !fault.Is(err, "stale") {
			s.T.Errorf("%v", err)
		}
	}
	quantities := map[int]int{}
	for _, item := range s.Cart(sess.ID).Items {
		quantities[item.Line] += item.Quantity
	}
	switch {
	case err == nil && agreed == nil && len(quantities) == 2, err != nil && agreed == nil && quantities[1] == 1 && quantities[2] == 1,
		err == nil && agreed != nil && quantities[3] == 2 && len(quantities) == 1:
	default:
		s.T.Errorf("the cart %v, the agreement %v, and then %v", err, agreed, quantities)
	}
}

func cartUnknown(s *Shop) {
	foreign := OpenShop(s.T, s.Stores)
	theirs := foreign.Session()
	foreign.PutCart(theirs, AtList(foreign.Product(1), 1))
	for _, unknown := range []id.Session{Random[id.Session](), theirs.ID} {
		if found := s.Cart(unknown); found.Session != nil || len(found.Items) != 0 {
			s.T.Errorf("found %+v", found)
		}
		visit := s.NewSession()
		visit.ID = unknown
		err := s.Carts.Replace(s.Ctx, ports.CartResult{Session: visit})
		WantFault(s.T, err, fault.NotFound, "session_not_found")
	}
}

func cartListPrice(s *Shop) {
	p, sess := s.Product(5), s.Session()
	s.PutCart(sess, AtList(p, 1))
	p = s.Get(p)
	p.Price = USD(120_00)
	s.Must(s.UpdateTo(ports.ProductWrite{Product: p}))
	Same(s.T, "price", s.Cart(sess.ID).Items[0].Price, USD(120_00))
	Same(s.T, "price of the visit", s.Visit(sess.ID).Cart[0].Price, USD(120_00))
}

// fromCart is a checkout of the session's cart that is not stored.
func (s *Shop) fromCart(sess *session.Session, lines ...checkout.Line) *checkout.Checkout {
	snapshot := s.newCheckout(sess, lines...).Snapshot()
	snapshot.FromCart = true
	return checkout.Rehydrate(snapshot)
}

func cartCheckout(s *Shop) {
	p, sess := s.Product(5), s.Session()
	first := s.fromCart(sess, Line(p, 1))
	s.Must(s.openCheckout(first))
	Same(s.T, "stored", s.Stored(first).Snapshot(), first.Snapshot())
	s.Must(s.openCheckout(s.newCheckout(sess, Line(p, 1)))) // one without the cart
	for _, status := range []checkout.Status{checkout.Ready, checkout.Processing, checkout.Pending} {
		switch status {
		case checkout.Processing:
			s.MustClaim(first)
		case checkout.Pending:
			s.Must(s.Settle(first.ID(), s.Declined))
		}
		Same(s.T, "the open one", s.Cart(sess.ID).Checkout.Snapshot(), s.Stored(first).Snapshot())
		Same(s.T, "its status", s.Stored(first).Status(), status)
		WantFault(s.T, s.openCheckout(s.fromCart(sess, Line(p, 1))), fault.Conflict, "stale")
	}
	s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		c, _, err := tx.Lock(s.Ctx, first.ID())
		s.Must(err)
		s.Must(c.Cancel())
		return tx.Save(s.Ctx, c, nil)
	}))
	if open := s.Cart(sess.ID).Checkout; open != nil {
		s.T.Errorf("%s after it was canceled", open.Status())
	}
	s.Must(s.openCheckout(s.fromCart(sess, Line(p, 1))))
	s.Must(s.openCheckout(s.fromCart(s.Session(), Line(p, 1))))
}

func cartCheckoutRace(s *Shop) {
	p, sess := s.Product(5), s.Session()
	opened := s.Race("stale", func(int) error { return s.openCheckout(s.fromCart(sess, Line(p, 1))) })
	Same(s.T, "opened", opened, 1)
}

func cartBought(s *Shop) {
	p, agreed, kept, sess := s.Product(9), s.Product(9), s.Product(9), s.Session()
	q := s.Agree(sess, agreed, 1)
	put := s.PutCart(sess, AtList(p, 2), s.Cart(sess.ID).Items[0], AtList(kept, 1))
	c := s.fromCart(sess, Line(p, 2), AgreedLine(agreed, q))
	s.Must(s.openCheckout(c))
	s.Pay(c)
	Same(s.T, "cart", s.Cart(sess.ID).Items, []session.CartItem{put[2]})
	Same(s.T, "the next line", s.PutCart(sess, AtList(p, 1))[0].Line, 4)
}

func cartNotBought(s *Shop) {
	p, sess := s.Product(9), s.Session()
	put := s.PutCart(sess, AtList(p, 2))
	s.Pay(s.Checkout(sess, Line(p, 2)))
	Same(s.T, "cart", s.Cart(sess.ID).Items, put)
}
