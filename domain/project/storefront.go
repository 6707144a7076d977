package project

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/personalization"
)

// Storefront has the public data of a shop and the inputs of shipping, tax and returns
// (features/MANAGEMENT.md#storefront).
type Storefront struct {
	Description     string
	LogoURL         string
	ShippingRegions []string // ISO 3166 alpha-2 countries
	ShippingRates   []ShippingRate
	// FreeShippingThreshold is the subtotal from which standard shipping is free; nil: never.
	FreeShippingThreshold *money.Amount
	TaxRates              []TaxRate
	ReturnWindowDays      int
	ReturnConditions      string
	// CheckoutInstructions explain how a buyer can continue a checkout that an agent began without the agent: on the
	// shop's own site, by phone. The checkout's page shows them.
	CheckoutInstructions string
	Warehouses           []Warehouse
	// Personalization has the rules for loyalty and other personal signals of a price, by the buyer's region.
	Personalization personalization.Rules
}

// ShippingRate is the price of one method to one country, or to "*": all others.
type ShippingRate struct {
	Region  string
	Method  string // standard, express or overnight
	Price   money.Amount
	MinDays int
	MaxDays int
}

// TaxRate is the tax rate of a country, or of a state of it if State is not empty.
type TaxRate struct {
	Country string
	State   string
	Rate    Rate
}

// Rate is a tax rate in thousandths of a percent: 8875 is 8.875 %.
type Rate int64

// Of returns the tax on an amount, rounded half up to the minor unit.
func (r Rate) Of(a money.Amount) (money.Amount, error) {
	return a.Share(int64(r), 100_000, money.HalfUp)
}

// Warehouse is a stock location with a name. Location is its key in stock levels.
type Warehouse struct {
	Location   string
	Name       string
	Country    string
	PostalCode string // "": nothing can be rated and labelled from there
}

// Methods are the shipping methods, cheapest first.
var Methods = []string{"standard", "express", "overnight"}

// DefaultLocation is the location of stock without one.
const DefaultLocation = "main"

// DefaultStorefront returns a storefront that ships within the locale's country at flat rates, without tax.
func DefaultStorefront(s Settings) Storefront {
	regions := []string{"US"}
	if r := s.Region(); r != "" {
		regions = []string{r}
	}
	return Storefront{
		ShippingRegions:  regions,
		ShippingRates:    defaultRates(s.Currency),
		ReturnWindowDays: 30,
		ReturnConditions: "Unused and in its original packaging.",
		Warehouses: []Warehouse{{
			Location: DefaultLocation,
			Name:     "Main warehouse",
			Country:  regions[0],
		}},
		Personalization: personalization.DefaultRules(),
	}
}

// defaultRates returns rates of 5.99, 14.99 and 29.99 in currencies with cents, and of 599 … in those without.
func defaultRates(c money.Currency) []ShippingRate {
	scale := int64(1)
	for range max(0, c.Digits()-2) {
		scale *= 10
	}
	return []ShippingRate{
		{"*", "standard", money.Of(599*scale, c), 3, 5},
		{"*", "express", money.Of(1499*scale, c), 2, 2},
		{"*", "overnight", money.Of(2999*scale, c), 1, 1},
	}
}

// in returns the storefront after a change of currency, which resets its amounts.
func (f Storefront) in(s Settings) Storefront {
	f.ShippingRates = defaultRates(s.Currency)
	f.FreeShippingThreshold = nil
	return f
}

// ShipsTo reports whether the shop ships to the country.
func (f Storefront) ShipsTo(country string) bool { return slices.Contains(f.ShippingRegions, country) }

// Home returns the country that the shop sells from: that of its first warehouse, or else the first that it ships to.
func (f Storefront) Home() string {
	for _, w := range f.Warehouses {
		if w.Country != "" {
			return w.Country
		}
	}
	if len(f.ShippingRegions) > 0 {
		return f.ShippingRegions[0]
	}
	return ""
}

// Serves reports whether the shop ships to the country and has rates for it.
func (f Storefront) Serves(country string) bool {
	return f.ShipsTo(country) && len(f.RatesTo(country)) > 0
}

// NotServed returns the problem with a country that is not served, with those that are.
func (f Storefront) NotServed(country string) string {
	served := slices.DeleteFunc(slices.Clone(f.ShippingRegions), func(c string) bool { return !f.Serves(c) })
	if len(served) == 0 {
		return country + " is not in the shop's shipping_regions; this shop does not ship anywhere"
	}
	return country + " is not in the shop's shipping_regions; it ships to " + fault.Known(served)
}

// RatesTo returns the shipping rates to a country, in the order of Methods: for each method its own rate, else that of
// "*".
func (f Storefront) RatesTo(country string) []ShippingRate {
	var rates []ShippingRate
	for _, method := range Methods {
		for _, region := range []string{country, "*"} {
			i := slices.IndexFunc(f.ShippingRates, func(r ShippingRate) bool {
				return r.Method == method && r.Region == region
			})
			if i >= 0 {
				rates = append(rates, f.ShippingRates[i])
				break
			}
		}
	}
	return rates
}

// TaxesByState reports whether a state of the country has its own tax rate.
func (f Storefront) TaxesByState(country string) bool {
	return slices.ContainsFunc(f.TaxRates, func(t TaxRate) bool { return t.Country == country && t.State != "" })
}

// TaxTo returns the tax rate of a destination: the state's, else the country's, else zero. "ca", "CA " and "US-CA" are
// the same state.
func (f Storefront) TaxTo(country, state string) Rate {
	rate := Rate(0)
	state = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(state)), country+"-")
	for _, t := range f.TaxRates {
		switch {
		case t.Country == country && state != "" && strings.EqualFold(t.State, state):
			return t.Rate
		case t.Country == country && t.State == "":
			rate = t.Rate
		}
	}
	return rate
}

// WarehouseName returns the name of a stock location, or the location itself if it has no name.
func (f Storefront) WarehouseName(location string) string {
	for _, w := range f.Warehouses {
		if w.Location == location {
			return w.Name
		}
	}
	return location
}

// Origin returns the postal code that goods at a stock location are shipped from: its own, or else that of the first
// warehouse that has one. "": none has one.
func (f Storefront) Origin(location string) string {
	first := ""
	for _, w := range f.Warehouses {
		if w.Location == location && w.PostalCode != "" {
			return w.PostalCode
		}
		first = cmp.Or(first, w.PostalCode)
	}
	return first
}

// StorefrontPatch is a partial change of the storefront.
type StorefrontPatch struct {
	Description           patch.Field[string]
	LogoURL               patch.Field[string]
	ShippingRegions       patch.Field[[]string]
	ShippingRates         patch.Field[[]ShippingRate]
	FreeShippingThreshold patch.Field[*money.Amount]
	TaxRates              patch.Field[[]TaxRate]
	ReturnWindowDays      patch.Field[int]
	ReturnConditions      patch.Field[string]
	CheckoutInstructions  patch.Field[string]
	Warehouses            patch.Field[[]Warehouse]
	Personalization       personalization.Patch
}

// Change applies a partial change completely or not at all.
func (f *Storefront) Change(p StorefrontPatch, s Settings) error {
	next, defaults := *f, DefaultStorefront(s)
	p.Description.Apply(&next.Description, defaults.Description)
	p.LogoURL.Apply(&next.LogoURL, defaults.LogoURL)
	p.ShippingRegions.Apply(&next.ShippingRegions, defaults.ShippingRegions)
	p.ShippingRates.Apply(&next.ShippingRates, defaults.ShippingRates)
	p.FreeShippingThreshold.Apply(&next.FreeShippingThreshold, defaults.FreeShippingThreshold)
	p.TaxRates.Apply(&next.TaxRates, defaults.TaxRates)
	p.ReturnWindowDays.Apply(&next.ReturnWindowDays, defaults.ReturnWindowDays)
	p.ReturnConditions.Apply(&next.ReturnConditions, defaults.ReturnConditions)
	p.CheckoutInstructions.Apply(&next.CheckoutInstructions, defaults.CheckoutInstructions)
	p.Warehouses.Apply(&next.Warehouses, defaults.Warehouses)
	p.Personalization.Apply(&next.Personalization)
	if err := next.check(s.Currency); err != nil {
		return err
	}
	*f = next
	return nil
}

var countryForm = regexp.MustCompile(`^[A-Z]{2}$`)

var postalForm = regexp.MustCompile(`^[\p{L}0-9][\p{L}0-9 -]{0,19}$`)

// LocationForm is the pattern of the key of a stock location.
var LocationForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

func (f *Storefront) check(currency money.Currency) error {
	c := fault.NewCheck()
	c.That(utf8.RuneCountInString(f.Description) <= 5000, "description", "must have at most 5,000 characters")
	c.That(f.LogoURL == "" || isHTTPS(f.LogoURL), "logo_url", "must be an https URL")
	c.That(len(f.ShippingRegions) >= 1 && len(f.ShippingRegions) <= 250, "shipping_regions", "must have 1 to 250 countries")
	for i, r := range f.ShippingRegions {
		c.In("shipping_regions").That(countryForm.MatchString(r), fmt.Sprint(i), "must be an ISO 3166 country code, in capitals")
	}
	c.That(!repeats(f.ShippingRegions), "shipping_regions", "must not repeat a country")
	f.checkRates(currency, c)
	f.checkTaxes(c)
	c.That(f.ReturnWindowDays >= 0 && f.ReturnWindowDays <= 3650, "return_window_days", "must be between 0 and 3,650")
	c.That(utf8.RuneCountInString(f.ReturnConditions) <= 2000, "return_conditions", "must have at most 2,000 characters")
	c.That(utf8.RuneCountInString(f.CheckoutInstructions) <= 2000, "checkout_instructions", "must have at most 2,000 characters")
	f.checkWarehouses(c)
	f.Personalization.Check(c.In("personalization"))
	return c.Err()
}

func (f *Storefront) checkRates(currency money.Currency, c fault.Check) {
	list := c.In("shipping_rates")
	seen := make(map[[2]string]bool)
	for i, r := range f.ShippingRates {
		at := list.At(i)
		at.That(r.Region == "*" || countryForm.MatchString(r.Region), "region", "must be a country code or *")
		at.That(slices.Contains(Methods, r.Method), "method", "must be standard, express or overnight")
		at.That(r.Price.Currency() == currency && !r.Price.IsNegative(), "price", "must be an amount of zero or more")
		at.That(r.MinDays >= 0 && r.MinDays <= r.MaxDays && r.MaxDays <= 365, "max_days", "must be at least min_days and at most 365")
		at.That(!seen[[2]string{r.Region, r.Method}], "method", "must not be repeated for this region")
		seen[[2]string{r.Region, r.Method}] = true
	}
	c.That(len(f.ShippingRates) <= 1000, "shipping_rates", "must have at most 1,000 entries")
	for _, region := range f.ShippingRegions {
		c.That(len(f.RatesTo(region)) > 0, "shipping_rates", "must have a rate for "+region+" or for *")
	}
	if t := f.FreeShippingThreshold; t != nil {
		c.That(t.Currency() == currency && !t.IsNegative(), "free_shipping_threshold", "must be an amount of zero or more")
	}
}

func (f *Storefront) checkTaxes(c fault.Check) {
	list := c.In("tax_rates")
	seen := make(map[[2]string]bool)
	for i, t := range f.TaxRates {
		at := list.At(i)
		at.That(countryForm.MatchString(t.Country), "country", "must be an ISO 3166 country code, in capitals")
		at.That(len(t.State) <= 50, "state", "must have at most 50 characters")
		at.That(t.Rate >= 0 && t.Rate <= 100_000, "rate", "must be between 0 and 100")
		at.That(!seen[[2]string{t.Country, t.State}], "state", "must not be repeated")
		seen[[2]string{t.Country, t.State}] = true
	}
	c.That(len(f.TaxRates) <= 1000, "tax_rates", "must have at most 1,000 entries")
}

func (f *Storefront) checkWarehouses(c fault.Check) {
	list := c.In("warehouses")
	var locations []string
	for i, w := range f.Warehouses {
		at := list.At(i)
		at.That(LocationForm.MatchString(w.Location), "location", "must be lower-case letters, digits, hyphens and underscores")
		at.That(w.Name != "" && utf8.RuneCountInString(w.Name) <= 200, "name", "must have 1 to 200 characters")
		at.That(w.Country == "" || countryForm.MatchString(w.Country), "country", "must be an ISO 3166 country code, in capitals")
		at.That(w.PostalCode == "" || postalForm.MatchString(w.PostalCode), "postal_code", "must be at most 20 letters, digits, spaces and hyphens")
		locations = append(locations, w.Location)
	}
	c.That(len(locations) <= 100, "warehouses", "must have at most 100 entries")
	c.That(!repeats(locations), "warehouses", "must not repeat a location")
}
