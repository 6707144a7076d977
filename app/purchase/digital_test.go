package purchase_test

import (
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// digitalCheckout opens a checkout of a digital item, the mug, and if mixed of the tent, too.
func digitalCheckout(t *testing.T, mixed bool) (*fixture, *purchase.Service) {
	t.Helper()
	s, service := newFixture()
	s.products[2].Variants[0].Digital = true
	r := purchase.InitRequest{Session: s.session.ID, Items: items{{Product: s.products[2].ID, Quantity: 1}}}
	if mixed {
		r.Items, r.Address = append(r.Items, purchase.InitItem{Product: s.products[0].ID, Quantity: 1}), home
	}
	if _, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, r); err != nil {
		t.Fatal(err)
	}
	return s, service
}

func finalize(t *testing.T, s *fixture, service *purchase.Service, physical bool) (purchase.Result, error) {
	return service.Finalize(ports.NewOutbound(t.Context()), s.project, purchase.FinalizeRequest{
		Checkout: s.checkout.ID(),
		Method:   project.SharedPaymentToken,
		Token:    "tok_secret",
		Physical: physical,
	})
}

func TestFinalize_digital(t *testing.T) {
	t.Parallel()
	s, service := digitalCheckout(t, false)
	result, err := finalize(t, s, service, false)
	o := orderOf(result)
	if err != nil || o == nil || o.RequiresShipping() || !o.Address.IsZero() || o.Shipping.Minor() != 0 || !o.Lines[0].Digital {
		t.Fatalf("%+v, %v", o, err)
	}
}

// A protocol without digital items cannot pay a checkout that has some; the checkout is unchanged.
func TestFinalize_digitalNotSupported(t *testing.T) {
	t.Parallel()
	for _, mixed := range []bool{false, true} {
		s, service := digitalCheckout(t, mixed)
		before := s.checkout.Snapshot()
		if _, err := finalize(t, s, service, true); !errors.Is(err, checkout.ErrDigital) || s.charges != 0 {
			t.Errorf("mixed %v: %v, %d charges", mixed, err, s.charges)
		}
		if after := s.checkout.Snapshot(); after.Status != checkout.Ready || after.Revision != before.Revision {
			t.Errorf("mixed %v: %s, revision %d", mixed, after.Status, after.Revision)
		}
		if result, err := finalize(t, s, service, false); err != nil || orderOf(result) == nil {
			t.Errorf("mixed %v, over its own: %+v, %v", mixed, result, err)
		}
	}
}

// An item that was digital at init and is physical now is not sold, because the checkout lacks an address or shipping cost.
func TestFinalize_digitalBecamePhysical(t *testing.T) {
	t.Parallel()
	for _, mixed := range []bool{false, true} {
		s, service := digitalCheckout(t, mixed)
		total := s.checkout.Total()
		s.products[2].Variants[0].Digital = false
		if _, err := finalize(t, s, service, false); !errors.Is(err, checkout.ErrShippedNow) || s.charges != 0 {
			t.Errorf("mixed %v: %v, %d charges", mixed, err, s.charges)
		}
		s.products[2].Variants[0].Digital = true
		result, err := finalize(t, s, service, false)
		if o := orderOf(result); err != nil || o == nil || o.Total != total {
			t.Errorf("mixed %v, digital again: %+v, %v", mixed, o, err)
		}
	}
}

// An item that was physical at init and is digital now is sold with the shipping cost and address of the checkout.
func TestFinalize_physicalBecameDigital(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	total := s.checkout.Total()
	s.products[0].Variants[0].Digital = true
	result, err := finalize(t, s, service, false)
	o := orderOf(result)
	if err != nil || o == nil || o.Total != total || !o.RequiresShipping() || o.Address.Line1 == "" || !o.Shipping.IsPositive() {
		t.Errorf("%+v, %v", o, err)
	}
}

// A revision updates whether a line is digital, also that of a line which keeps its agreed price.
func TestPrepareRevise_digitalChanged(t *testing.T) {
	t.Parallel()
	s, service := haggled(t)
	s.products[0].Variants[0].Digital, s.products[2].Variants[0].Digital = true, true
	list := items{{Line: 1, Product: s.products[0].ID, Quantity: 1}, {Line: 2, Product: s.products[2].ID, Quantity: 1}}
	c, err := s.revise(t, service, with(list))
	if err != nil || !c.Digital() || c.Shipping().Minor() != 0 || c.Snapshot().Lines[0].Unit != usd(90_00) {
		t.Fatalf("%+v, %v", c, err)
	}
	s.products[0].Variants[0].Digital = false
	c, err = s.revise(t, service, with(list))
	if err != nil || c.Digital() || !c.HasDigital() || c.Snapshot().Selected == "" {
		t.Fatalf("%+v, %v", c, err)
	}
	if result, err := finalize(t, s, service, false); err != nil || orderOf(result) == nil {
		t.Errorf("%+v, %v", result, err)
	}
}
