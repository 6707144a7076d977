package porttest

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Purchase is the contract of ports.Purchase: the writes of paying a checkout.
func Purchase(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*Shop){
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
		"what is always available takes no stock": purchaseAlwaysAvailable,
		"a backorder is taken beyond the stock":   purchaseBackorder,
		"racing backorders all succeed":           purchaseBackorderRace,
		"a policy changed while stock is taken":   purchasePolicyChanged,
		"digital items without shipping":          purchaseDigital,
		"racing claims of one checkout":           purchaseRaceCheckout,
		"racing checkouts for the last pieces":    purchaseRaceStock,
		"racing checkouts for one token":          purchaseRaceToken,
		"racing settlements of one attempt":       purchaseRaceSettle,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(OpenShop(t, stores))
		})
	}
}

// takesOf allocates what the checkout needs.
func takesOf(c *checkout.Checkout, levels []catalog.Level) []catalog.Reservation {
	takes, _ := catalog.Allocate(c.Needs(), levels)
	return takes
}

func purchaseStock(s *Shop) {
	p, archived, deleted := s.Product(3, 4), s.Product(5), s.Product(6)
	foreign := OpenShop(s.T, s.Stores).Product(7)
	s.Keep(p, "north", 2)
	_, err := s.Products.Update(s.Ctx, s.Project.ID, archived.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Status = catalog.Archived
		return ports.ProductWrite{Product: p}, nil
	})
	s.Must(err)
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, deleted.ID, Noon))

	var needs []catalog.Need
	for _, product := range []*catalog.Product{p, archived, deleted, foreign} {
		for _, v := range product.Variants {
			needs = append(needs, catalog.Need{Variant: v.ID, Quantity: 1})
		}
	}
	c := s.Checkout(s.Session(), Line(p, 1))
	want, err := s.Inventory.LevelsOf(s.Ctx, s.Project.ID, []id.Product{p.ID})
	s.Must(err)
	var got []catalog.Level
	s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) (err error) {
		if _, none, _, err := tx.LockWithStock(s.Ctx, c.ID(), nil, nil); err != nil || len(none) > 0 {
			s.T.Errorf("no needs find %v, %v", none, err)
		}
		var locked *checkout.Checkout
		locked, got, _, err = tx.LockWithStock(s.Ctx, c.ID(), needs, []string{"session", "client"})
		Same(s.T, "checkout", locked, c)
		return err
	}))
	Same(s.T, "levels", got, want)
	Same(s.T, "number of levels", len(got), 3)
}

func purchaseClaim(s *Shop) {
	p, other := s.Product(3), s.Product(9)
	s.Keep(p, "north", 4)
	s.MustClaim(s.Checkout(s.Session(), Line(p, 4), Line(other, 1), Line(p, 1)))
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 0, "north": 2})
	Same(s.T, "stock", s.Stock(other), map[string]int{"main": 8})
}

func purchaseMost(s *Shop) {
	p := s.Product(make([]int, checkout.MaxLines)...)
	var lines []checkout.Line
	var levels []ports.StockSet
	for _, v := range p.Variants {
		l := Line(p, 3)
		l.Variant, l.SKU = v.ID, v.SKU
		lines = append(lines, l)
		levels = append(levels, ports.StockSet{
			SKU:      v.SKU,
			Location: "main",
			Quantity: 3,
		})
	}
	_, err := s.Inventory.Set(s.Ctx, s.Project.ID, levels)
	s.Must(err)
	c := s.MustClaim(s.Checkout(s.Session(), lines...))
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 0})
	s.Must(s.Settle(c.ID(), s.Declined))
	Same(s.T, "stock put back", s.Stock(p), map[string]int{"main": 3})
	o := s.Pay(c)
	Same(s.T, "lines", len(s.orderByID(o.ID).Lines), checkout.MaxLines)
}

func purchaseShort(s *Shop) {
	p, other := s.Product(2), s.Product(9)
	sess := s.Session()
	c := s.Checkout(sess, Line(other, 1), AgreedLine(p, s.Agree(sess, p, 2)))
	err := s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		locked, _, err := tx.Lock(s.Ctx, c.ID())
		if err != nil {
			return err
		}
		takes := []catalog.Reservation{
			{
				Variant:  other.Variants[0].ID,
				Location: "main",
				Quantity: 1,
			},
			{
				Variant:  p.Variants[0].ID,
				Location: "main",
				Quantity: 3,
			},
		}
		if err := locked.Claim(checkout.Payment{Method: project.SharedPaymentToken}, takes, Noon); err != nil {
			return err
		}
		return tx.Claim(s.Ctx, locked, s.Project.Version)
	})
	WantFault(s.T, err, fault.Conflict, "out_of_stock")
	Same(s.T, "checkout", s.Stored(c).Snapshot(), c.Snapshot())
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 2})
	Same(s.T, "stock", s.Stock(other), map[string]int{"main": 9})
	s.Pay(c)
}

func purchasePutBack(s *Shop) {
	p := s.Product(3)
	s.Keep(p, "north", 4)
	c := s.MustClaim(s.Checkout(s.Session(), Line(p, 5)))
	s.Keep(p, "east", 1)
	s.Must(s.Settle(c.ID(), s.Declined))
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 3, "north": 4, "east": 1})
	Same(s.T, "status", s.Stored(c).Status(), checkout.Pending)

	WantFault(s.T, s.Settle(c.ID(), s.Declined), fault.Conflict, "attempt_stale")
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 3, "north": 4, "east": 1})
}

// Stock that was set to the maximum while some was held does not grow when pieces come back.
func purchasePutBackOnFull(s *Shop) {
	p := s.Product(3)
	c := s.MustClaim(s.Checkout(s.Session(), Line(p, 2)))
	s.Keep(p, "main", catalog.MaxStock)
	s.Must(s.Settle(c.ID(), s.Declined))
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": catalog.MaxStock})
	Same(s.T, "status", s.Stored(c).Status(), checkout.Pending)
}

func purchaseOrder(s *Shop) {
	p, listed, unsold, sess := s.Product(5), s.Product(5), s.Product(5), s.Session()
	s.Must(s.Show(sess, p.ID, unsold.ID))
	q, kept := s.Agree(sess, p, 2), s.Agree(sess, unsold, 1)
	o := s.Pay(s.Checkout(sess, AgreedLine(p, q), Line(listed, 1)))

	Same(s.T, "redeemed by", s.token(q).RedeemedBy, o.ID)
	Same(s.T, "kept quote redeemed by", s.token(kept).RedeemedBy, id.Order{})
	v := s.Visit(sess.ID)
	left := CartItem(kept, unsold)
	left.Line = 2
	Same(s.T, "cart", v.Cart, []session.CartItem{left})
	Same(s.T, "shown", v.Shown, []session.Shown{{Product: p.ID, Accepted: true}, {Product: unsold.ID}})
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 3})

	s.Must(s.Show(sess, p.ID))
	Same(s.T, "shown again", s.Visit(sess.ID).Shown, v.Shown)
	again := s.Checkout(sess, AgreedLine(p, q))
	_, err := s.claim(again.ID())
	WantFault(s.T, err, fault.Conflict, "token_redeemed")
	Same(s.T, "checkout", s.Stored(again).Snapshot(), again.Snapshot())
	Same(s.T, "stock after the second claim", s.Stock(p), map[string]int{"main": 3})
}

func purchaseBundle(s *Shop) {
	p, extra, sess := s.Product(5), s.Product(5), s.Session()
	q := s.Agree(sess, p, 1)
	bundled := Line(extra, 1)
	bundled.Quote = q.Snapshot().ID
	o := s.Pay(s.Checkout(sess, AgreedLine(p, q), bundled))
	Same(s.T, "redeemed by", s.token(q).RedeemedBy, o.ID)
}

func purchaseReserved(s *Shop) {
	p, sess := s.Product(5), s.Session()
	q := s.Agree(sess, p, 1)
	first, second := s.Checkout(sess, AgreedLine(p, q)), s.Checkout(sess, AgreedLine(p, q))
	s.MustClaim(first)
	_, err := s.claim(second.ID())
	WantFault(s.T, err, fault.Conflict, "token_redeemed")
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 4})
	s.Must(s.Settle(first.ID(), func(c *checkout.Checkout) (ports.Settlement, error) { return s.Paid(c) }))
}

func purchaseReleased(s *Shop) {
	p, sess := s.Product(5), s.Session()
	q := s.Agree(sess, p, 1)
	first, second := s.Checkout(sess, AgreedLine(p, q)), s.Checkout(sess, AgreedLine(p, q))
	s.MustClaim(first)
	s.Must(s.Settle(first.ID(), s.Declined))
	o := s.Pay(second)
	Same(s.T, "redeemed by", s.token(q).RedeemedBy, o.ID)
	_, err := s.claim(first.ID())
	WantFault(s.T, err, fault.Conflict, "token_redeemed")
}

func purchaseOnce(s *Shop) {
	p, sess := s.Product(5), s.Session()
	c := s.Checkout(sess, Line(p, 1))
	o := s.Pay(c)
	err := s.Settle(c.ID(), func(done *checkout.Checkout) (ports.Settlement, error) {
		settlement, err := s.Paid(checkout.Rehydrate(processing(done.Snapshot())))
		settlement.Checkout = done
		return settlement, err
	})
	if err == nil {
		s.T.Error("a second order of one checkout was stored")
	}
	got, err := s.Orders.ByCheckout(s.Ctx, s.Project.ID, c.ID())
	s.Must(err)
	Same(s.T, "order", got.ID, o.ID)
}

func processing(snapshot checkout.Snapshot) checkout.Snapshot {
	snapshot.Status = checkout.Processing
	return snapshot
}

func purchaseDropped(s *Shop) {
	p := s.Product(5, 5)
	c := s.MustClaim(s.Checkout(s.Session(), Line(p, 2)))
	_, err := s.Products.Update(s.Ctx, s.Project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Variants = p.Variants[1:]
		return ports.ProductWrite{Product: p}, nil
	})
	s.Must(err)
	s.Must(s.Settle(c.ID(), s.Declined))
	Same(s.T, "status", s.Stored(c).Status(), checkout.Pending)
	Same(s.T, "stock", s.Stock(p), map[string]int{})
}

func purchaseRaceCheckout(s *Shop) {
	p := s.Product(100)
	c := s.Checkout(s.Session(), Line(p, 2))
	winners := s.Race("checkout_processing", func(int) error {
		_, err := s.claim(c.ID())
		return err
	})
	Same(s.T, "winners", winners, 1)
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 98})
	Same(s.T, "attempts", s.Stored(c).Attempt(), 1)
}

func purchaseRaceStock(s *Shop) {
	p, other := s.Product(4), s.Product(100)
	s.Keep(p, "north", 3)
	var checkouts [Racers]*checkout.Checkout
	for i := range checkouts {
		lines := []checkout.Line{Line(p, 1), Line(other, 1)}
		if i%2 == 1 {
			lines[0], lines[1] = lines[1], lines[0]
		}
		checkouts[i] = s.Checkout(s.Session(), lines...)
	}
	winners := s.Race("out_of_stock", func(i int) error {
		_, err := s.claim(checkouts[i].ID())
		return err
	})
	Same(s.T, "winners", winners, 7)
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 0, "north": 0})
	Same(s.T, "other stock", s.Stock(other), map[string]int{"main": 93})
}

func purchaseRaceToken(s *Shop) {
	p, sess := s.Product(100), s.Session()
	q := s.Agree(sess, p, 1)
	var checkouts [Racers]*checkout.Checkout
	for i := range checkouts {
		checkouts[i] = s.Checkout(sess, AgreedLine(p, q))
	}
	winners := s.Race("token_redeemed", func(i int) error {
		_, err := s.claim(checkouts[i].ID())
		return err
	})
	Same(s.T, "winners", winners, 1)
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 99})
}

func purchaseRaceSettle(s *Shop) {
	p := s.Product(5)
	c := s.MustClaim(s.Checkout(s.Session(), Line(p, 1)))
	var placed [Racers]*order.Order
	winners := s.Race("attempt_stale", func(i int) error {
		return s.Settle(c.ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
			settlement, err := s.Paid(c)
			placed[i] = settlement.Order
			return settlement, err
		})
	})
	Same(s.T, "winners", winners, 1)
	got, err := s.Orders.ByCheckout(s.Ctx, s.Project.ID, c.ID())
	s.Must(err)
	for _, o := range placed {
		if o != nil {
			Same(s.T, "order", got.ID, o.ID)
		}
	}
}
