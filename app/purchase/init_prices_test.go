package purchase_test

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// agreed adds an agreed quote for the shop's n-th product.
func (s *fixture) agreed(token string, n, quantity int, cents int64, change ...func(*negotiation.Snapshot)) {
	p := s.products[n]
	q := negotiation.Snapshot{
		ID:      id.New[id.Quote]([16]byte{byte(len(s.quotes) + 1)}),
		Project: s.project.ID,
		State:   negotiation.Agreed,
		Item: negotiation.Item{
			Session:  s.session.ID,
			Product:  p.ID,
			Variant:  p.Variants[0].ID,
			Quantity: quantity,
		},
		Bounds:     negotiation.RehydrateBounds(p.Price, p.Price, p.Price, p.Price),
		FinalPrice: usd(cents),
		TokenHash:  token,
		ValidUntil: noon.Add(time.Minute),
	}
	for _, c := range change {
		c(&q)
	}
	s.quotes = append(s.quotes, negotiation.Rehydrate(q))
}

// deals adds the quotes of the buyer's tokens, valid and invalid ones.
func (s *fixture) deals() {
	mug := s.products[2]
	s.agreed("tent", 0, 1, 90_00)
	s.agreed("jackets", 1, 2, 45_00)
	s.agreed("bundle", 0, 1, 92_00, func(q *negotiation.Snapshot) {
		q.WithBundle = true
		q.Bundle = &negotiation.Bundle{
			Product: mug.ID,
			Variant: mug.Variants[0].ID,
			Name:    mug.Name,
			Regular: usd(12_00),
			Price:   usd(8_00),
		}
	})
	s.agreed("late", 0, 1, 90_00, func(q *negotiation.Snapshot) { q.ValidUntil = noon })
	s.agreed("used", 0, 1, 90_00, func(q *negotiation.Snapshot) { q.RedeemedBy = id.New[id.Order]([16]byte{1}) })
	s.agreed("foreign", 0, 1, 90_00, func(q *negotiation.Snapshot) { q.Item.Session = id.New[id.Session]([16]byte{9}) })
	s.agreed("open", 0, 1, 90_00, func(q *negotiation.Snapshot) { q.State = negotiation.Open })
}

// want is the expected price of a line, in cents.
type want struct{ unit, original int64 }

func TestPrepareInit_prices(t *testing.T) {
	t.Parallel()
	s, _ := newFixture()
	tent, jacket, mug := s.products[0].ID, s.products[1].ID, s.products[2].ID
	small, large := s.products[1].Variants[0].ID, s.products[1].Variants[1].ID
	type items = []purchase.InitItem
	for name, test := range map[string]struct {
		token string
		items items
		want  []want
	}{
		"list price":                   {"", items{{Product: tent, Quantity: 2}}, []want{{100_00, 100_00}}},
		"list price said":              {"", items{{Product: tent, Quantity: 2, Price: price(100_00)}}, []want{{100_00, 100_00}}},
		"one token":                    {"tent", items{{Product: tent, Quantity: 1}}, []want{{90_00, 100_00}}},
		"one token and its price":      {"tent", items{{Product: tent, Quantity: 1, Price: price(90_00)}}, []want{{90_00, 100_00}}},
		"a token alone":                {"jackets", nil, []want{{45_00, 50_00}}},
		"a token finds its variant":    {"jackets", items{{Product: jacket, Quantity: 2}}, []want{{45_00, 50_00}}},
		"an item's own token":          {"", items{{Product: mug, Quantity: 1}, {Product: tent, Quantity: 1, TokenHash: "tent"}}, []want{{10_00, 10_00}, {90_00, 100_00}}},
		"an own token finds a variant": {"tent", items{{Product: jacket, Quantity: 2, TokenHash: "jackets"}, {Product: tent, Quantity: 1}}, []want{{45_00, 50_00}, {90_00, 100_00}}},
		"others beside a token":        {"tent", items{{Product: tent, Quantity: 1}, {Product: jacket, Variant: large, Quantity: 1}}, []want{{90_00, 100_00}, {50_00, 50_00}}},
		"a token is for one line":      {"tent", items{{Product: tent, Quantity: 1}, {Product: tent, Quantity: 1}}, []want{{90_00, 100_00}, {100_00, 100_00}}},
		"a bundle":                     {"bundle", nil, []want{{92_00, 100_00}, {8_00, 12_00}}},
		"a bundle's mug is one":        {"bundle", items{{Product: tent, Quantity: 1}, {Product: mug, Quantity: 2}}, []want{{92_00, 100_00}, {10_00, 10_00}}},
		"the same variant by name":     {"", items{{Product: jacket, Variant: small, Quantity: 2}}, []want{{50_00, 50_00}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service := newFixture()
			s.deals()
			c, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
				Session:   s.session.ID,
				TokenHash: test.token,
				Items:     test.items,
				Address:   home,
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []want
			for _, l := range c.Snapshot().Lines {
				got = append(got, want{l.Unit.Minor(), l.Original.Minor()})
				if l.Variant.IsZero() || (l.Unit != l.Original) == l.Quote.IsZero() {
					t.Errorf("line %+v", l)
				}
			}
			if !slices.Equal(got, test.want) || s.checkout != c {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// If the list price has fallen below the agreed price, the list price is charged, without savings. The buyer may name
// either price.
func TestPrepareInit_listPriceBelowAgreed(t *testing.T) {
	t.Parallel()
	for _, named := range []*money.Amount{nil, price(90_00), price(60_00)} {
		s, service := newFixture()
		s.deals()
		s.products[0].Price = usd(60_00)
		items := []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1, Price: named}}
		c, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
			Session:   s.session.ID,
			TokenHash: "tent",
			Items:     items,
			Address:   home,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Snapshot(); got.Subtotal != usd(60_00) || !got.Savings.IsZero() || got.Lines[0].Quote.IsZero() {
			t.Errorf("naming %v: subtotal %s, savings %s, quote %s", named, got.Subtotal, got.Savings, got.Lines[0].Quote)
		}
	}
}

// Savings are measured against the list price at the time of the agreement.
func TestPrepareInit_savingsAfterPriceChange(t *testing.T) {
	t.Parallel()
	s, service := newFixture()
	s.deals()
	s.products[0].Price = usd(200_00)
	c, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
		Session:   s.session.ID,
		TokenHash: "tent",
		Address:   home,
	})
	if err != nil || c.Snapshot().Savings != usd(10_00) {
		t.Errorf("%v, %v", c, err)
	}
}
