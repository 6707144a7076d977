package porttest

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Purchase is the contract of ports.Purchase: what moves together when a checkout is paid.
func Purchase(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"stock is listed by variant and location": purchaseStock,
		"a claim takes stock":                     purchaseClaim,
		"a checkout of the most lines":            purchaseMost,
		"stock that is not there is not taken":    purchaseShort,
		"put back restores exactly":               purchasePutBack,
		"put back on a full level":                purchasePutBackOnFull,
		"an order redeems its tokens":             purchaseOrder,
		"a bundle's token is one token":           purchaseBundle,
		"a reserved token is nobody else's":       purchaseReserved,
		"a released token is free again":          purchaseReleased,
		"a checkout becomes one order":            purchaseOnce,
		"stock of a variant dropped meanwhile":    purchaseDropped,
		"a count includes what attempts hold":     purchaseHeldSet,
		"a count below what attempts hold":        purchaseHeldBelow,
		"a product's quantity is a count":         purchaseHeldWritten,
		"a count races with attempts":             purchaseHeldRace,
		"counts, attempts and moves in any order": purchaseHeldProperty,
		"racing claims of one checkout":           purchaseRaceCheckout,
		"racing checkouts for the last pieces":    purchaseRaceStock,
		"racing checkouts for one token":          purchaseRaceToken,
		"racing settlements of one attempt":       purchaseRaceSettle,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

// takesOf allocates what the checkout needs.
func takesOf(c *checkout.Checkout, levels []catalog.Level) []catalog.Take {
	takes, _ := catalog.Allocate(c.Needs(), levels)
	return takes
}

func purchaseStock(s *shop) {
	p, archived, deleted := s.product(3, 4), s.product(5), s.product(6)
	foreign := openShop(s.t, s.Stores).product(7)
	s.keep(p, "north", 2)
	_, err := s.Products.Update(s.ctx, s.project.ID, archived.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Status = catalog.Archived
		return ports.ProductWrite{Product: p}, nil
	})
	s.must(err)
	s.must(s.Products.Delete(s.ctx, s.project.ID, deleted.ID, noon))

	var needs []catalog.Need
	for _, product := range []*catalog.Product{p, archived, deleted, foreign} {
		for _, v := range product.Variants {
			needs = append(needs, catalog.Need{Variant: v.ID, Quantity: 1})
		}
	}
	want, err := s.Inventory.LevelsOf(s.ctx, s.project.ID, []id.Product{p.ID})
	s.must(err)
	var got []catalog.Level
	s.must(s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) (err error) {
		if none, err := tx.Stock(s.ctx, nil, nil); err != nil || len(none) > 0 {
			s.t.Errorf("no needs find %v, %v", none, err)
		}
		got, err = tx.Stock(s.ctx, needs, []string{"session", "client"})
		return err
	}))
	same(s.t, "levels", got, want)
	same(s.t, "number of levels", len(got), 3)
}

func purchaseClaim(s *shop) {
	p, other := s.product(3), s.product(9)
	s.keep(p, "north", 4)
	s.mustClaim(s.checkout(s.session(), line(p, 4), line(other, 1), line(p, 1)))
	same(s.t, "stock", s.stock(p), map[string]int{"main": 0, "north": 2})
	same(s.t, "stock", s.stock(other), map[string]int{"main": 8})
}

func purchaseMost(s *shop) {
	p := s.product(make([]int, checkout.MaxLines)...)
	var lines []checkout.Line
	var levels []ports.StockSet
	for _, v := range p.Variants {
		l := line(p, 3)
		l.Variant, l.SKU = v.ID, v.SKU
		lines = append(lines, l)
		levels = append(levels, ports.StockSet{SKU: v.SKU, Location: "main", Quantity: 3})
	}
	_, err := s.Inventory.Set(s.ctx, s.project.ID, levels)
	s.must(err)
	c := s.mustClaim(s.checkout(s.session(), lines...))
	same(s.t, "stock", s.stock(p), map[string]int{"main": 0})
	s.must(s.settle(c.ID(), s.declined))
	same(s.t, "stock put back", s.stock(p), map[string]int{"main": 3})
	o := s.pay(c)
	same(s.t, "lines", len(s.orderByID(o.ID).Lines), checkout.MaxLines)
}

func purchaseShort(s *shop) {
	p, other := s.product(2), s.product(9)
	sess := s.session()
	c := s.checkout(sess, line(other, 1), agreedLine(p, s.agree(sess, p, 2)))
	err := s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		locked, _, err := tx.Lock(s.ctx, c.ID())
		if err != nil {
			return err
		}
		takes := []catalog.Take{
			{Variant: other.Variants[0].ID, Location: "main", Quantity: 1},
			{Variant: p.Variants[0].ID, Location: "main", Quantity: 3},
		}
		if err := locked.Claim(checkout.Payment{Method: "psp_spt"}, takes, noon); err != nil {
			return err
		}
		return tx.Claim(s.ctx, locked)
	})
	wantFault(s.t, err, fault.Conflict, "out_of_stock")
	same(s.t, "checkout", s.stored(c).Snapshot(), c.Snapshot())
	same(s.t, "stock", s.stock(p), map[string]int{"main": 2})
	same(s.t, "stock", s.stock(other), map[string]int{"main": 9})
	s.pay(c)
}

func purchasePutBack(s *shop) {
	p := s.product(3)
	s.keep(p, "north", 4)
	c := s.mustClaim(s.checkout(s.session(), line(p, 5)))
	s.keep(p, "east", 1)
	s.must(s.settle(c.ID(), s.declined))
	same(s.t, "stock", s.stock(p), map[string]int{"main": 3, "north": 4, "east": 1})
	same(s.t, "status", s.stored(c).Status(), checkout.Pending)

	wantFault(s.t, s.settle(c.ID(), s.declined), fault.Conflict, "attempt_stale")
	same(s.t, "stock", s.stock(p), map[string]int{"main": 3, "north": 4, "east": 1})
}

// Stock that was set to the most there can be, while some was held, takes what comes back no further.
func purchasePutBackOnFull(s *shop) {
	p := s.product(3)
	c := s.mustClaim(s.checkout(s.session(), line(p, 2)))
	s.keep(p, "main", catalog.MaxStock)
	s.must(s.settle(c.ID(), s.declined))
	same(s.t, "stock", s.stock(p), map[string]int{"main": catalog.MaxStock})
	same(s.t, "status", s.stored(c).Status(), checkout.Pending)
}

func purchaseOrder(s *shop) {
	p, listed, unsold, sess := s.product(5), s.product(5), s.product(5), s.session()
	s.must(s.Sessions.Show(s.ctx, s.project.ID, sess.ID, []id.Product{p.ID, unsold.ID}))
	q, kept := s.agree(sess, p, 2), s.agree(sess, unsold, 1)
	o := s.pay(s.checkout(sess, agreedLine(p, q), line(listed, 1)))

	same(s.t, "redeemed by", s.token(q).RedeemedBy, o.ID)
	same(s.t, "kept quote redeemed by", s.token(kept).RedeemedBy, id.Order{})
	v := s.visit(sess.ID)
	same(s.t, "cart", v.Cart, []session.CartItem{cartItem(kept, unsold)})
	same(s.t, "shown", v.Shown, []session.Shown{{Product: p.ID, Accepted: true}, {Product: unsold.ID}})
	same(s.t, "stock", s.stock(p), map[string]int{"main": 3})

	s.must(s.Sessions.Show(s.ctx, s.project.ID, sess.ID, []id.Product{p.ID}))
	same(s.t, "shown again", s.visit(sess.ID).Shown, v.Shown)
	again := s.checkout(sess, agreedLine(p, q))
	_, err := s.claim(again.ID())
	wantFault(s.t, err, fault.Conflict, "token_redeemed")
	same(s.t, "checkout", s.stored(again).Snapshot(), again.Snapshot())
	same(s.t, "stock after the second claim", s.stock(p), map[string]int{"main": 3})
}

func purchaseBundle(s *shop) {
	p, extra, sess := s.product(5), s.product(5), s.session()
	q := s.agree(sess, p, 1)
	bundled := line(extra, 1)
	bundled.Quote = q.Snapshot().ID
	o := s.pay(s.checkout(sess, agreedLine(p, q), bundled))
	same(s.t, "redeemed by", s.token(q).RedeemedBy, o.ID)
}

func purchaseReserved(s *shop) {
	p, sess := s.product(5), s.session()
	q := s.agree(sess, p, 1)
	first, second := s.checkout(sess, agreedLine(p, q)), s.checkout(sess, agreedLine(p, q))
	s.mustClaim(first)
	_, err := s.claim(second.ID())
	wantFault(s.t, err, fault.Conflict, "token_redeemed")
	same(s.t, "stock", s.stock(p), map[string]int{"main": 4})
	s.must(s.settle(first.ID(), func(c *checkout.Checkout) (ports.Settlement, error) { return s.paid(c) }))
}

func purchaseReleased(s *shop) {
	p, sess := s.product(5), s.session()
	q := s.agree(sess, p, 1)
	first, second := s.checkout(sess, agreedLine(p, q)), s.checkout(sess, agreedLine(p, q))
	s.mustClaim(first)
	s.must(s.settle(first.ID(), s.declined))
	o := s.pay(second)
	same(s.t, "redeemed by", s.token(q).RedeemedBy, o.ID)
	_, err := s.claim(first.ID())
	wantFault(s.t, err, fault.Conflict, "token_redeemed")
}

func purchaseOnce(s *shop) {
	p, sess := s.product(5), s.session()
	c := s.checkout(sess, line(p, 1))
	o := s.pay(c)
	err := s.settle(c.ID(), func(done *checkout.Checkout) (ports.Settlement, error) {
		settlement, err := s.paid(checkout.Rehydrate(processing(done.Snapshot())))
		settlement.Checkout = done
		return settlement, err
	})
	if err == nil {
		s.t.Error("a second order of one checkout was stored")
	}
	got, err := s.Orders.ByCheckout(s.ctx, s.project.ID, c.ID())
	s.must(err)
	same(s.t, "order", got.ID, o.ID)
}

func processing(snapshot checkout.Snapshot) checkout.Snapshot {
	snapshot.Status = checkout.Processing
	return snapshot
}

func purchaseDropped(s *shop) {
	p := s.product(5, 5)
	c := s.mustClaim(s.checkout(s.session(), line(p, 2)))
	_, err := s.Products.Update(s.ctx, s.project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Variants = p.Variants[1:]
		return ports.ProductWrite{Product: p}, nil
	})
	s.must(err)
	s.must(s.settle(c.ID(), s.declined))
	same(s.t, "status", s.stored(c).Status(), checkout.Pending)
	same(s.t, "stock", s.stock(p), map[string]int{})
}

func purchaseRaceCheckout(s *shop) {
	p := s.product(100)
	c := s.checkout(s.session(), line(p, 2))
	winners := s.race("checkout_processing", func(int) error {
		_, err := s.claim(c.ID())
		return err
	})
	same(s.t, "winners", winners, 1)
	same(s.t, "stock", s.stock(p), map[string]int{"main": 98})
	same(s.t, "attempts", s.stored(c).Attempt(), 1)
}

func purchaseRaceStock(s *shop) {
	p, other := s.product(4), s.product(100)
	s.keep(p, "north", 3)
	var checkouts [racers]*checkout.Checkout
	for i := range checkouts {
		lines := []checkout.Line{line(p, 1), line(other, 1)}
		if i%2 == 1 {
			lines[0], lines[1] = lines[1], lines[0]
		}
		checkouts[i] = s.checkout(s.session(), lines...)
	}
	winners := s.race("out_of_stock", func(i int) error {
		_, err := s.claim(checkouts[i].ID())
		return err
	})
	same(s.t, "winners", winners, 7)
	same(s.t, "stock", s.stock(p), map[string]int{"main": 0, "north": 0})
	same(s.t, "other stock", s.stock(other), map[string]int{"main": 93})
}

func purchaseRaceToken(s *shop) {
	p, sess := s.product(100), s.session()
	q := s.agree(sess, p, 1)
	var checkouts [racers]*checkout.Checkout
	for i := range checkouts {
		checkouts[i] = s.checkout(sess, agreedLine(p, q))
	}
	winners := s.race("token_redeemed", func(i int) error {
		_, err := s.claim(checkouts[i].ID())
		return err
	})
	same(s.t, "winners", winners, 1)
	same(s.t, "stock", s.stock(p), map[string]int{"main": 99})
}

func purchaseRaceSettle(s *shop) {
	p := s.product(5)
	c := s.mustClaim(s.checkout(s.session(), line(p, 1)))
	var placed [racers]*order.Order
	winners := s.race("attempt_stale", func(i int) error {
		return s.settle(c.ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
			settlement, err := s.paid(c)
			placed[i] = settlement.Order
			return settlement, err
		})
	})
	same(s.t, "winners", winners, 1)
	got, err := s.Orders.ByCheckout(s.ctx, s.project.ID, c.ID())
	s.must(err)
	for _, o := range placed {
		if o != nil {
			same(s.t, "order", got.ID, o.ID)
		}
	}
}
