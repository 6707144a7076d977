package pricing_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	noon  = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	visit = id.New[id.Session]([16]byte{1})
)

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

// product returns product n with variants of SKU n-1, n-2 … that cost n × 10.00.
func product(n byte, variants byte) *catalog.Product {
	p := &catalog.Product{
		ID:    id.New[id.Product]([16]byte{n}),
		SKU:   fmt.Sprint(n),
		Name:  fmt.Sprint("Product ", n),
		Price: usd(int64(n) * 10_00),
	}
	for i := range variants {
		p.Variants = append(p.Variants, catalog.Variant{ID: id.New[id.Variant]([16]byte{n, i + 1}), SKU: fmt.Sprintf("%d-%d", n, i+1)})
	}
	return p
}

// agreed returns an agreed quote for a product's first variant at 90 % of its price. Its token's hash is the product's SKU.
func agreed(p *catalog.Product, quantity int, change func(*negotiation.Snapshot)) *negotiation.Quote {
	list := p.Price
	price := usd(list.Minor() * 9 / 10)
	s := negotiation.Snapshot{
		ID: id.New[id.Quote]([16]byte{p.ID.String()[5], byte(quantity)}),
		Item: negotiation.Item{
			Session:  visit,
			Product:  p.ID,
			Variant:  p.Variants[0].ID,
			Quantity: quantity,
		},
		State:      negotiation.Agreed,
		Bounds:     negotiation.RehydrateBounds(list, list, price, price),
		FinalPrice: price,
		TokenHash:  p.SKU,
		TokenSalt:  "salt",
		ValidUntil: noon.Add(time.Minute),
	}
	if change != nil {
		change(&s)
	}
	return negotiation.Rehydrate(s)
}

// describe returns lines and findings as text: "1: 2 of 1-1 at 9.00/10.00; deal_expired 0 1 0".
func describe(lines []checkout.Line, findings []pricing.Finding) string {
	var parts []string
	for _, l := range lines {
		parts = append(parts, fmt.Sprintf("%d: %d of %s at %s/%s", l.ID, l.Quantity, l.SKU, l.Unit, l.Original))
	}
	for _, f := range findings {
		parts = append(parts, fmt.Sprintf("%s %d %d %d", f.Kind, f.Item, f.Token, f.Line))
	}
	return strings.Join(parts, "; ")
}

// Digital items are left out, even if they belong to a bundle that was agreed on over another protocol.
func TestLenient_digital(t *testing.T) {
	t.Parallel()
	one, three := product(1, 1), product(3, 1)
	three.Variants[0].Digital = true
	bundle := agreed(one, 2, func(s *negotiation.Snapshot) {
		s.WithBundle = true
		s.Bundle = &negotiation.Bundle{
			Product: three.ID,
			Variant: three.Variants[0].ID,
			Regular: three.Price,
			Price:   usd(25_00),
		}
	})
	known := ports.Basket{
		Now:      noon,
		Products: []*catalog.Product{one, three},
		Quotes:   []*negotiation.Quote{bundle},
	}
	both := []pricing.Wanted{{Ref: "1-1", Quantity: 2}, {Ref: "3-1", Quantity: 1}}
	lines, findings, err := pricing.Lenient(pricing.LenientRequest{
		Session: visit,
		Items:   both,
		Tokens:  []string{"1"},
	}, known, nil)
	if got, want := describe(lines, findings), "0: 2 of 1-1 at 9.00/10.00; item_unavailable 2 0 0"; err != nil || got != want {
		t.Errorf("%s, want %s: %v", got, want, err)
	}
	_, _, err = pricing.Lenient(pricing.LenientRequest{Session: visit, Items: both[1:]}, known, nil)
	if !errors.Is(err, pricing.ErrNothingSold) {
		t.Errorf("digital alone: %v", err)
	}
}

func TestLenient(t *testing.T) {
	t.Parallel()
	one, two, three := product(1, 1), product(2, 2), product(3, 1)
	v := func(p *catalog.Product, i int) string { return p.Variants[i-1].ID.String() }
	bundle := agreed(one, 2, func(s *negotiation.Snapshot) {
		s.WithBundle = true
		s.Bundle = &negotiation.Bundle{
			Product: three.ID,
			Variant: three.Variants[0].ID,
			Regular: three.Price,
			Price:   usd(25_00),
		}
	})
	past := func(s *negotiation.Snapshot) { s.ValidUntil = noon }
	sold := func(s *negotiation.Snapshot) { s.RedeemedBy = id.New[id.Order]([16]byte{1}) }
	elsewhere := func(s *negotiation.Snapshot) { s.Item.Session = id.New[id.Session]([16]byte{9}) }
	before := []checkout.Line{
		{ID: 4, Variant: one.Variants[0].ID},
		{ID: 7, Variant: two.Variants[1].ID},
	}
	type want = pricing.Wanted
	for name, c := range map[string]struct {
		items  []want
		tokens []string
		quotes []*negotiation.Quote
		before []checkout.Line
		want   string
	}{
		"by variant":               {[]want{{0, v(two, 2), 3}}, nil, nil, nil, "0: 3 of 2-2 at 20.00/20.00"},
		"by product":               {[]want{{0, one.ID.String(), 1}}, nil, nil, nil, "0: 1 of 1-1 at 10.00/10.00"},
		"by SKU":                   {[]want{{0, "2-1", 1}}, nil, nil, nil, "0: 1 of 2-1 at 20.00/20.00"},
		"by the product's SKU":     {[]want{{0, "1", 1}}, nil, nil, nil, "0: 1 of 1-1 at 10.00/10.00"},
		"a product with two":       {[]want{{0, two.ID.String(), 1}, {0, "1", 1}}, nil, nil, nil, "0: 1 of 1-1 at 10.00/10.00; item_unavailable 1 0 0"},
		"too many":                 {[]want{{0, "1", 1001}}, nil, nil, nil, "0: 1000 of 1-1 at 10.00/10.00; quantity_adjusted 1 0 1"},
		"a deal":                   {[]want{{0, "3", 1}, {0, "1", 2}}, []string{"1"}, []*negotiation.Quote{agreed(one, 2, nil)}, nil, "0: 1 of 3-1 at 30.00/30.00; 0: 2 of 1-1 at 9.00/10.00"},
		"a deal, twice":            {[]want{{0, "1", 2}, {0, "1", 2}}, []string{"1", "1"}, []*negotiation.Quote{agreed(one, 2, nil)}, nil, "0: 2 of 1-1 at 9.00/10.00; 0: 2 of 1-1 at 10.00/10.00"},
		"another quantity":         {[]want{{0, "3", 1}, {0, "1", 3}}, []string{"1"}, []*negotiation.Quote{agreed(one, 2, nil)}, nil, "0: 1 of 3-1 at 30.00/30.00; 0: 3 of 1-1 at 10.00/10.00; deal_not_applicable 0 1 2"},
		"another item":             {[]want{{0, "3", 1}}, []string{"1"}, []*negotiation.Quote{agreed(one, 2, nil)}, nil, "0: 1 of 3-1 at 30.00/30.00; deal_not_applicable 0 1 0"},
		"past its time":            {[]want{{0, "1", 2}}, []string{"1"}, []*negotiation.Quote{agreed(one, 2, past)}, nil, "0: 2 of 1-1 at 10.00/10.00; deal_expired 0 1 0"},
		"used":                     {[]want{{0, "1", 2}}, []string{"1"}, []*negotiation.Quote{agreed(one, 2, sold)}, nil, "0: 2 of 1-1 at 10.00/10.00; deal_redeemed 0 1 0"},
		"of another session":       {[]want{{0, "1", 2}}, []string{"1"}, []*negotiation.Quote{agreed(one, 2, elsewhere)}, nil, "0: 2 of 1-1 at 10.00/10.00; deal_unknown 0 1 0"},
		"unknown":                  {[]want{{0, "1", 2}}, []string{"x"}, nil, nil, "0: 2 of 1-1 at 10.00/10.00; deal_unknown 0 1 0"},
		"with its bundle":          {[]want{{0, "3", 1}, {0, "1", 2}}, []string{"1"}, []*negotiation.Quote{bundle}, nil, "0: 1 of 3-1 at 25.00/30.00; 0: 2 of 1-1 at 9.00/10.00"},
		"a bundle without item":    {[]want{{0, "3", 1}}, []string{"1"}, []*negotiation.Quote{bundle}, nil, "0: 1 of 3-1 at 30.00/30.00; deal_not_applicable 0 1 0"},
		"lines that are named":     {[]want{{7, v(two, 2), 1}, {4, "1", 1}}, nil, nil, before, "7: 1 of 2-2 at 20.00/20.00; 4: 1 of 1-1 at 10.00/10.00"},
		"lines that are not":       {[]want{{0, v(two, 2), 1}, {0, v(two, 2), 1}}, nil, nil, before, "7: 1 of 2-2 at 20.00/20.00; 0: 1 of 2-2 at 20.00/20.00"},
		"a line of something else": {[]want{{7, "1", 1}, {99, "3", 1}}, nil, nil, before, "4: 1 of 1-1 at 10.00/10.00; 0: 1 of 3-1 at 30.00/30.00"},
		"a line named twice":       {[]want{{4, "1", 1}, {4, "1", 1}}, nil, nil, before, "4: 1 of 1-1 at 10.00/10.00; 0: 1 of 1-1 at 10.00/10.00"},
	} {
		known := ports.Basket{
			Now:      noon,
			Quotes:   c.quotes,
			Products: []*catalog.Product{one, two, three},
		}
		lines, findings, err := pricing.Lenient(pricing.LenientRequest{
			Session: visit,
			Items:   c.items,
			Tokens:  c.tokens,
		}, known, c.before)
		if got := describe(lines, findings); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}

// A checkout keeps the agreed price of a token that has expired.
func TestLenient_heldDealExpired(t *testing.T) {
	t.Parallel()
	p := product(1, 1)
	q := agreed(p, 2, func(s *negotiation.Snapshot) { s.ValidUntil = noon.Add(-time.Hour) })
	before := []checkout.Line{{ID: 1, Variant: p.Variants[0].ID, Quantity: 2, Quote: q.Snapshot().ID}}
	known := ports.Basket{
		Now:      noon,
		Quotes:   []*negotiation.Quote{q},
		Products: []*catalog.Product{p},
	}
	lines, findings, err := pricing.Lenient(pricing.LenientRequest{
		Session: visit,
		Items:   []pricing.Wanted{{Ref: "1", Quantity: 2}},
		Tokens:  []string{"1"},
	}, known, before)
	want := checkout.Token{Salt: "salt", Hash: "1"}
	if err != nil || len(findings) > 0 || lines[0].Unit != usd(9_00) || lines[0].Token != want {
		t.Errorf("%+v, %v, %v", lines, findings, err)
	}
}

func TestLenient_nothingSold(t *testing.T) {
	t.Parallel()
	_, findings, err := pricing.Lenient(pricing.LenientRequest{Items: []pricing.Wanted{{Ref: "var_1", Quantity: 1}}}, ports.Basket{}, nil)
	if err != pricing.ErrNothingSold || !slices.Equal(findings, []pricing.Finding{{Kind: checkout.ItemUnavailable, Item: 1}}) {
		t.Errorf("%v, %v", findings, err)
	}
}
