package checkout

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Cart is the content that a checkout is opened or revised with. Line prices are decided before. A line that was kept
// has its ID, and a new one has none.
type Cart struct {
	Session id.Session
	Lines   []Line
	Address Address
	Buyer   Buyer
	// Agent is the requesting agent. The agent that opened a checkout stays its agent.
	Agent agentid.Agent
	Hook  Hook
	// Option is the shipping option, which must be one of the options. "" keeps the selected one if it still exists, or
	// else selects the cheapest.
	Option string
	// Problems are those found when the lines were priced.
	Problems []Problem
	// Partial allows parts of the address to be missing. The checkout is incomplete until a revision adds them.
	Partial bool
	// Strict requires everything before the checkout is ready: also the buyer's email address, which may otherwise come
	// with the payment, and the region in countries whose addresses have one.
	Strict bool
	// FromCart means that the lines are those of the session's cart, which has at most one checkout that has not ended.
	// A revision does not change it.
	FromCart bool
}

// Open computes the totals of a cart. Once nothing is missing, the checkout can be paid until Validity has passed.
func Open(checkout id.Checkout, p *project.Project, cart Cart, now time.Time) (*Checkout, error) {
	c := &Checkout{Snapshot{
		ID:        checkout,
		Project:   p.ID,
		Session:   cart.Session,
		FromCart:  cart.FromCart,
		Agent:     cart.Agent,
		CreatedAt: now,
	}}
	if err := c.fill(p, cart, now); err != nil {
		return nil, err
	}
	return c, nil
}

// Revise replaces the whole cart of an open checkout and computes its totals at the prices of the new lines. Declined
// attempts still count.
func (c *Checkout) Revise(p *project.Project, cart Cart, now time.Time) error {
	if err := c.Revisable(now); err != nil {
		return err
	}
	revised := &Checkout{c.s}
	revised.remember()
	cart.Session = c.s.Session
	if err := revised.fill(p, cart, now); err != nil {
		return err
	}
	c.s = revised.s
	return nil
}

// fill sets a cart and everything computed from it.
func (c *Checkout) fill(p *project.Project, cart Cart, now time.Time) error {
	cart.Address = cart.Address.For(cart.Buyer)
	if cart.Strict {
		cart.Address.Country = Country(cart.Address.Country)
	}
	cart.Address.State = Region(cart.Address.Country, cart.Address.State)
	if cart.Strict || c.s.Address.ID != "" {
		cart.Address = cart.Address.named(c.s.Address, c.s.Revision+1)
	}
	if err := cart.check(p.Storefront); err != nil {
		return err
	}
	cart.Lines = Disclose(cart.Lines, p.Storefront.Personalization, cart.Address)
	subtotal, savings, err := sum(cart.Lines, p.Settings.Currency)
	if err != nil {
		return tooLarge()
	}
	tax, options, err := cart.delivery(p, subtotal)
	if err != nil {
		return err
	}
	for _, o := range options {
		if subtotal.Minor()+o.Price.Minor()+tax.Minor() >= money.Limit {
			return tooLarge()
		}
	}
	if subtotal.Minor()+tax.Minor() >= money.Limit {
		return tooLarge()
	}
	if cart.Option != "" && AllDigital(cart.Lines) {
		return fault.Field("shipping_option", "must be omitted: all items are digital, and nothing is shipped")
	}
	selected, err := selectFrom(options, cart.Option, c.s.Selected)
	if err != nil {
		return err
	}
	for i := range cart.Lines {
		if cart.Lines[i].ID == 0 {
			c.s.LineSeq++
			cart.Lines[i].ID = c.s.LineSeq
		}
	}
	c.s.Revision++
	c.s.CartProblems = number(cart.Problems, cart.Lines)
	c.s.Payment.Email = cart.Buyer.Email
	c.s.Lines, c.s.Address, c.s.Buyer, c.s.Strict, c.s.Hook = cart.Lines, cart.Address, cart.Buyer, cart.Strict, cart.Hook
	c.s.Options, c.s.Selected = options, selected
	c.s.Subtotal, c.s.Tax, c.s.Savings = subtotal, tax, savings
	c.s.Status = c.openStatus()
	c.s.ValidUntil = now.Add(Validity)
	if end := c.s.CreatedAt.Add(MaxAge); c.s.ValidUntil.After(end) {
		c.s.ValidUntil = end
	}
	return nil
}

// delivery computes the sales tax on a cart and its shipping options. Both are unknown, and the tax is zero, until the
// country is known. A cart of digital items has no options, and its tax is that of TaxedIn.
func (cart Cart) delivery(p *project.Project, subtotal money.Amount) (tax money.Amount, options []Option, err error) {
	if AllDigital(cart.Lines) {
		country, state := TaxedIn(p.Storefront, cart.Address)
		if tax, err = p.Storefront.TaxTo(country, state).Of(subtotal); err != nil {
			return tax, nil, tooLarge()
		}
		return tax, nil, nil
	}
	country := cart.Address.Country
	if !KnownCountry(country) || !p.Storefront.Serves(country) {
		return money.Zero(p.Settings.Currency), nil, nil
	}
	if tax, err = p.Storefront.TaxTo(country, cart.Address.State).Of(subtotal); err != nil {
		return tax, nil, tooLarge()
	}
	shipped, _, err := sum(slices.DeleteFunc(slices.Clone(cart.Lines), func(l Line) bool { return l.Digital }), p.Settings.Currency)
	if err != nil {
		return tax, nil, tooLarge()
	}
	return tax, Options(p.Storefront, country, shipped), nil
}

// selectFrom returns the wanted option, or the one selected before if it still exists, or the cheapest one.
func selectFrom(options []Option, wanted, before string) (string, error) {
	is := func(name string) bool {
		return slices.ContainsFunc(options, func(o Option) bool { return o.ID == name })
	}
	switch {
	case wanted != "" && !is(wanted):
		return "", unknownOption(options)
	case wanted != "":
		return wanted, nil
	case is(before):
		return before, nil
	case len(options) == 0:
		return "", nil
	}
	return options[0].ID, nil
}

func unknownOption(options []Option) error {
	if len(options) == 0 {
		return fault.Field("shipping_option", "must be omitted while the country is unknown")
	}
	known := make([]string, len(options))
	for i, o := range options {
		known[i] = o.ID
	}
	return fault.Field("shipping_option", "is not an option of this checkout; its options are "+fault.Known(known))
}

func tooLarge() error { return fault.Field("items", "add up to an amount that is too large") }

// Options returns the shipping options to a country, the cheapest method first. Standard shipping is free from the
// storefront's threshold.
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
	at := c.In("shipping_address")
	if AllDigital(cart.Lines) {
		cart.checkTaxed(f, at)
		return c.Err()
	}
	if !cart.Partial {
		for _, part := range cart.Address.Missing() {
			at.That(false, part, "is required, unless allow_incomplete is true")
		}
	}
	if country := cart.Address.Country; country != "" && !f.Serves(country) && !cart.Strict {
		at.That(false, "country", f.NotServed(country))
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
