package checkout

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Cart is what a checkout is opened with. Line prices are decided before.
type Cart struct {
	Session id.Session
	Lines   []Line
	Address Address
}

// Open computes the totals of a cart and makes it payable until Validity has passed.
func Open(checkout id.Checkout, p *project.Project, cart Cart, now time.Time) (*Checkout, error) {
	if err := cart.check(p.Storefront); err != nil {
		return nil, err
	}
	subtotal, savings, err := sum(cart.Lines, p.Settings.Currency)
	if err != nil {
		return nil, tooLarge()
	}
	tax, err := p.Storefront.TaxTo(cart.Address.Country, cart.Address.State).Of(subtotal)
	if err != nil {
		return nil, tooLarge()
	}
	options := Options(p.Storefront, cart.Address.Country, subtotal)
	for _, o := range options {
		if subtotal.Minor()+o.Price.Minor()+tax.Minor() >= money.Limit {
			return nil, tooLarge()
		}
	}
	c := &Checkout{Snapshot{
		ID: checkout, Project: p.ID, Session: cart.Session, Status: Ready,
		Lines: cart.Lines, Address: cart.Address, Options: options, Selected: options[0].ID,
		Subtotal: subtotal, Tax: tax, Savings: savings,
		CreatedAt: now, ValidUntil: now.Add(Validity),
	}}
	return c, nil
}

func tooLarge() error { return fault.Field("items", "come to an amount that is too large") }

// Options are the ways of shipping to a country, cheapest method first. Standard shipping is free
// from the storefront's threshold.
func Options(f project.Storefront, country string, subtotal money.Amount) []Option {
	var options []Option
	for _, r := range f.RatesTo(country) {
		price := r.Price
		if r.Method == "standard" && FreeShipping(f, subtotal) {
			price = money.Zero(price.Currency())
		}
		name := strings.ToUpper(r.Method[:1]) + r.Method[1:] + " shipping"
		options = append(options, Option{r.Method, name, price, r.MinDays, r.MaxDays})
	}
	return options
}

// FreeShipping reports whether a subtotal reaches the storefront's threshold.
func FreeShipping(f project.Storefront, subtotal money.Amount) bool {
	return f.FreeShippingThreshold != nil && subtotal.Minor() >= f.FreeShippingThreshold.Minor()
}

func (cart Cart) check(f project.Storefront) error {
	c := fault.NewCheck()
	c.That(len(cart.Lines) >= 1 && len(cart.Lines) <= MaxLines, "items", "must have 1 to 50 items")
	for i, l := range cart.Lines {
		c.In("items").At(i).That(l.Quantity >= 1 && l.Quantity <= MaxQuantity, "quantity", "must be between 1 and 1,000")
	}
	a, at := cart.Address, c.In("shipping_address")
	for _, field := range []struct{ name, value string }{
		{"name", a.Name}, {"line1", a.Line1}, {"city", a.City}, {"postal_code", a.PostalCode},
	} {
		at.That(strings.TrimSpace(field.value) != "", field.name, "is required")
	}
	if at.That(a.Country != "", "country", "is required") {
		at.That(f.ShipsTo(a.Country) && len(f.RatesTo(a.Country)) > 0, "country", "is not a country this shop ships to")
	}
	return c.Err()
}

func sum(lines []Line, currency money.Currency) (subtotal, savings money.Amount, err error) {
	subtotal, savings = money.Zero(currency), money.Zero(currency)
	for _, l := range lines {
		price, err := l.Unit.Mul(int64(l.Quantity))
		if err != nil {
			return subtotal, savings, err
		}
		original, err := l.Original.Mul(int64(l.Quantity))
		if err != nil {
			return subtotal, savings, err
		}
		if subtotal, err = subtotal.Add(price); err != nil {
			return subtotal, savings, err
		}
		saved, err := original.Sub(price)
		if err != nil {
			return subtotal, savings, err
		}
		if savings, err = savings.Add(saved); err != nil {
			return subtotal, savings, err
		}
	}
	if subtotal.Minor() >= money.Limit || savings.Minor() >= money.Limit {
		return subtotal, savings, money.ErrOutOfRange
	}
	return subtotal, savings, nil
}

func needs(lines []Line) []catalog.Need {
	total := make(map[id.Variant]int, len(lines))
	for _, l := range lines {
		total[l.Variant] += l.Quantity
	}
	list := make([]catalog.Need, 0, len(total))
	for variant, quantity := range total {
		list = append(list, catalog.Need{Variant: variant, Quantity: quantity})
	}
	slices.SortFunc(list, func(a, b catalog.Need) int {
		return cmp.Compare(a.Variant.String(), b.Variant.String())
	})
	return list
}
