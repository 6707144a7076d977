package haggling_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

func TestBundle(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	first := s.mustQuote(haggling.Request{Offer: offer(880_00)})
	b := first.Quote.Bundle
	if b == nil || b.Product != s.lantern.ID || b.Regular != usd(50_00) || b.Price.Minor() >= b.Regular.Minor() {
		t.Fatalf("suggested %+v", b)
	}
	s.lantern.Price = usd(80_00) // the suggested bundle stays as it was
	taken := s.mustQuote(haggling.Request{Ask: again(first), AddBundle: true})
	if s.index.asked != 1 || *taken.Quote.Bundle != *b || !taken.Quote.WithBundle {
		t.Errorf("the index was asked %d times, the bundle is %+v", s.index.asked, taken.Quote.Bundle)
	}
	counter := first.Decision.(negotiation.Countered).Price
	if taken.Decision != (negotiation.Accepted{Price: counter, By: negotiation.Commitment}) || taken.Token == "" {
		t.Errorf("%#v for a counter of %s", taken.Decision, counter)
	}
	saved := s.book.last()
	want := []session.CartItem{
		{Product: s.tent.ID, Variant: s.tent.Variants[0].ID, Name: "Tent", Quantity: 1, Price: counter, Quote: taken.Quote.ID},
		{Product: b.Product, Variant: b.Variant, Name: "Lantern", Quantity: 1, Price: b.Price, Quote: taken.Quote.ID},
	}
	if len(saved.Cart) != 2 || saved.Cart[0] != want[0] || saved.Cart[1] != want[1] {
		t.Errorf("cart %+v, want %+v", saved.Cart, want)
	}
	if saved.Event == nil || saved.Quote.Snapshot().TokenHash != id.Hash(taken.Token) {
		t.Errorf("event %v, token hash %s", saved.Event, saved.Quote.Snapshot().TokenHash)
	}
}

// A protocol without digital items suggests no digital bundle, and refuses one that another protocol suggested.
func TestBundle_digital(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	digital := func(s *fixture) {
		s.lantern.Variants[0].Digital = true
		s.index.complements = []ports.Complement{{Product: s.lantern, Variant: s.lantern.Variants[0]}}
	}
	digital(s)
	if b := s.mustQuote(haggling.Request{Offer: offer(880_00), Physical: true}).Quote.Bundle; b != nil {
		t.Fatalf("suggested %+v", b)
	}
	stove := product(3, "Stove", 40_00)
	s.index.complements = append(s.index.complements, ports.Complement{Product: stove, Variant: stove.Variants[0]})
	if b := s.mustQuote(haggling.Request{Offer: offer(880_00), Physical: true}).Quote.Bundle; b == nil || b.Product != stove.ID {
		t.Errorf("suggested %+v, want the stove", b)
	}
	s = newFixture(t)
	digital(s)
	first := s.mustQuote(haggling.Request{Offer: offer(880_00)})
	if b := first.Quote.Bundle; b == nil || !b.Digital {
		t.Fatalf("suggested %+v", b)
	}
	_, err := s.quote(haggling.Request{
		Ask:       again(first),
		AddBundle: true,
		Physical:  true,
	})
	expectFault(t, err, "validation_error", "add_bundle")
	if taken := s.mustQuote(haggling.Request{Ask: again(first), AddBundle: true}); !taken.Quote.WithBundle {
		t.Error("the protocol that suggested it does not take it")
	}
}

func TestBundle_notAdded(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	first := s.mustQuote(haggling.Request{Offer: offer(880_00)})
	agreed := s.mustQuote(haggling.Request{Ask: again(first), Offer: new(first.Decision.(negotiation.Countered).Price)})
	if len(s.book.last().Cart) != 1 || agreed.Quote.WithBundle {
		t.Errorf("cart %+v", s.book.last().Cart)
	}
}

func TestBundle_none(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*fixture){
		"nothing goes with it":     func(s *fixture) { s.index.complements = nil },
		"switched off":             func(s *fixture) { s.project.Settings.BundleSuggestions = false },
		"sold at list price only":  func(s *fixture) { s.lantern.Negotiable = false },
		"cost leaves no room":      func(s *fixture) { s.lantern.Cost = offer(49_00) },
		"negotiation switched off": func(s *fixture) { s.project.Settings.NegotiationEnabled = false },
		"no index": func(s *fixture) {
			s.service.Fresh = func(context.Context, *project.Project) error { return errors.New("no index") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			change(s)
			if a := s.mustQuote(haggling.Request{Offer: offer(880_00)}); a.Quote.Bundle != nil {
				t.Errorf("suggested %+v", a.Quote.Bundle)
			}
		})
	}
}

// A quote waits at most bundleTimeout for an index that is being built.
func TestBundle_slowIndex(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes, waits time.Duration
		bundled      bool
	}{
		"soon there": {200 * time.Millisecond, 200 * time.Millisecond, true},
		"too late":   {time.Minute, 250 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t)
				s.service.Fresh = func(ctx context.Context, _ *project.Project) error {
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(test.takes):
						return nil
					}
				}
				began := time.Now()
				a := s.mustQuote(haggling.Request{Offer: offer(880_00)})
				if took := time.Since(began); took != test.waits || (a.Quote.Bundle != nil) != test.bundled {
					t.Errorf("after %s with the bundle %+v", took, a.Quote.Bundle)
				}
			})
		})
	}
}
