package porttest

import (
	"sync"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Under stores a product's variants under a policy.
func (s *Shop) Under(p *catalog.Product, policy catalog.InventoryPolicy) *catalog.Product {
	s.T.Helper()
	for i := range p.Variants {
		p.Variants[i].InventoryPolicy = policy
	}
	s.Must(s.UpdateTo(ports.ProductWrite{Product: p}))
	stored, err := s.Products.Get(s.Ctx, s.Project.ID, p.ID)
	s.Must(err)
	Same(s.T, "policy", stored.Variants[0].InventoryPolicy, policy)
	return p
}

// counted returns the stock of the product's first variant, over all locations.
func (s *Shop) counted(p *catalog.Product) (quantity, oversold int) {
	s.T.Helper()
	shelves, err := s.Inventory.ShelvesOf(s.Ctx, s.Project.ID, []id.Product{p.ID})
	s.Must(err)
	for _, shelf := range shelves {
		if shelf.Variant == p.Variants[0].ID {
			quantity, oversold = quantity+shelf.Quantity, oversold+shelf.Oversold
		}
	}
	return quantity, oversold
}

func (s *Shop) wantCounted(p *catalog.Product, quantity, oversold int) {
	s.T.Helper()
	q, o := s.counted(p)
	Same(s.T, "quantity and oversold", [2]int{q, o}, [2]int{quantity, oversold})
}

// stockless stores a product without counted stock.
func (s *Shop) stockless(policy catalog.InventoryPolicy) *catalog.Product {
	s.T.Helper()
	p := s.Rich()
	p.Variants = p.Variants[:1]
	p.Variants[0].InventoryPolicy = policy
	s.Must(s.Products.Create(s.Ctx, ports.ProductWrite{Product: p}))
	return p
}

func purchaseAlwaysAvailable(s *Shop) {
	made, tracked := s.stockless(catalog.AlwaysAvailable), s.Product(2)
	c := s.MustClaim(s.Checkout(s.Session(), Line(made, 7), Line(tracked, 2)))
	Same(s.T, "takes", len(c.Snapshot().Taken), 2)
	Same(s.T, "taken", catalog.Stocked(c.Snapshot().Taken), []catalog.Reservation{
		{
			Variant:  tracked.Variants[0].ID,
			Location: project.DefaultLocation,
			Quantity: 2,
		},
	})
	s.wantCounted(made, 0, 0)
	s.wantCounted(tracked, 0, 0)
	// It becomes tracked while the payment is in flight: an attempt that took no stock puts none back.
	s.Under(made, catalog.Tracked)
	s.Must(s.Settle(c.ID(), s.Declined))
	s.wantCounted(made, 0, 0)
	s.wantCounted(tracked, 2, 0)
	_, err := s.claim(c.ID())
	if !fault.Is(err, "out_of_stock") {
		s.T.Errorf("tracked again: %v", err)
	}
}

func purchaseBackorder(s *Shop) {
	p := s.Under(s.Product(2), catalog.Backorder)
	first := s.MustClaim(s.Checkout(s.Session(), Line(p, 5)))
	s.wantCounted(p, 0, 3)
	second := s.MustClaim(s.Checkout(s.Session(), Line(p, 1)))
	s.wantCounted(p, 0, 4)
	s.Must(s.Settle(first.ID(), s.Declined))
	s.wantCounted(p, 1, 0)
	s.Must(s.Settle(second.ID(), s.Declined))
	s.wantCounted(p, 2, 0)

	none := s.stockless(catalog.Backorder)
	s.Pay(s.Checkout(s.Session(), Line(none, 3)))
	s.wantCounted(none, 0, 3)
}

func purchaseBackorderRace(s *Shop) {
	p := s.Under(s.Product(4), catalog.Backorder)
	checkouts := make([]*checkout.Checkout, Racers)
	for i := range checkouts {
		checkouts[i] = s.Checkout(s.Session(), Line(p, 1))
	}
	var all sync.WaitGroup
	for _, c := range checkouts {
		all.Go(func() {
			if _, err := s.claim(c.ID()); err != nil {
				s.T.Error(err)
			}
		})
	}
	all.Wait()
	s.wantCounted(p, 0, Racers-4)
	for _, c := range checkouts {
		s.Must(s.Settle(c.ID(), s.Declined))
	}
	s.wantCounted(p, 4, 0)
}

// Stock that was read under a backorder policy is not taken below zero after the policy has changed.
func purchasePolicyChanged(s *Shop) {
	p := s.Under(s.Product(1), catalog.Backorder)
	c := s.Checkout(s.Session(), Line(p, 3))
	var levels []catalog.Level
	s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) (err error) {
		_, levels, _, err = tx.LockWithStock(s.Ctx, c.ID(), c.Needs(), nil)
		return err
	}))
	takes, short := catalog.Allocate(c.Needs(), levels)
	Same(s.T, "short", len(short), 0)
	s.Under(p, catalog.Tracked)
	err := s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		locked, _, err := tx.Lock(s.Ctx, c.ID())
		if err != nil {
			return err
		}
		if err := locked.Claim(checkout.Payment{Method: project.SharedPaymentToken, Route: SandboxRoute}, takes, Noon); err != nil {
			return err
		}
		return tx.Claim(s.Ctx, locked, s.Project.Version)
	})
	if !fault.Is(err, "out_of_stock") {
		s.T.Errorf("taken below zero: %v", err)
	}
	s.wantCounted(p, 1, 0)
}

// A checkout of digital items has no shipping option, and its levels say whether its variants are still digital.
func purchaseDigital(s *Shop) {
	p := s.Product(3)
	digital := func(is bool) {
		for i := range p.Variants {
			p.Variants[i].Digital = is
		}
		s.Must(s.UpdateTo(ports.ProductWrite{Product: p}))
	}
	digital(true)
	line := Line(p, 2)
	line.Digital = true
	c := s.Checkout(s.Session(), line)
	Same(s.T, "selected", c.Snapshot().Selected, "")
	for _, is := range []bool{false, true} {
		digital(is)
		s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
			locked, levels, _, err := tx.LockWithStock(s.Ctx, c.ID(), c.Needs(), nil)
			if err != nil {
				return err
			}
			Same(s.T, "levels that are digital", len(levels) == 1 && levels[0].Digital, is)
			Same(s.T, "still digital", locked.StillDigital(levels) == nil, is)
			return nil
		}))
	}
	o := s.Pay(c)
	Same(s.T, "shipping", o.Shipping, USD(0))
	Same(s.T, "ships", o.RequiresShipping(), false)
}
