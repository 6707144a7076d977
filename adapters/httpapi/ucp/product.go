package ucp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// These limits bound the products of a search, so that a tool's result stays under 256 KiB (decisions-interop, section on MCP).
const (
	mostVariants = 10
	mostValues   = 50 // of an option

	mostChoices = 500 // values of an option that one product shows
)

// product is a product at list prices. It reveals nothing about possible negotiated prices.
type product struct {
	ID          string          `json:"id"`
	Title       string          `json:"title"`
	Description described       `json:"description"`
	Categories  []category      `json:"categories,omitempty"`
	PriceRange  priceRange      `json:"price_range"`
	Media       []media         `json:"media,omitempty"`
	Options     []productOption `json:"options,omitempty"`
	Selected    []selected      `json:"selected,omitempty"`
	Variants    []variant       `json:"variants"`
	Rating      *rating         `json:"rating,omitempty"`
	Metadata    *metadata       `json:"metadata,omitempty"`
}

type variant struct {
	ID           string       `json:"id"`
	SKU          string       `json:"sku,omitempty"`
	Barcodes     []barcode    `json:"barcodes,omitempty"`
	Title        string       `json:"title"`
	Description  described    `json:"description"`
	Price        price        `json:"price"`
	Availability availability `json:"availability"`
	Options      []selected   `json:"options,omitempty"`
	Inputs       []lookedUp   `json:"inputs,omitempty"`
}

type described struct {
	Plain string `json:"plain"`
}

type category struct {
	Value    string `json:"value"`
	Taxonomy string `json:"taxonomy"`
}

// price is a price for one piece, in minor units.
type price struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

type priceRange struct {
	Min price `json:"min"`
	Max price `json:"max"`
}

type media struct {
	Type    string `json:"type"`
	URL     string `json:"url" format:"uri"`
	AltText string `json:"alt_text,omitempty"`
}

type productOption struct {
	Name   string        `json:"name"`
	Values []optionValue `json:"values"`
}

type optionValue struct {
	Label     string `json:"label"`
	Available *bool  `json:"available,omitempty"`
	Exists    *bool  `json:"exists,omitempty"`
}

type selected struct {
	Name  string `json:"name"`
	Label string `json:"label"`
}

type rating struct {
	Value    wire.Decimal `json:"value"`
	ScaleMin int          `json:"scale_min"`
	ScaleMax int          `json:"scale_max"`
	Count    int          `json:"count"`
}

type metadata struct {
	Brand      string            `json:"brand,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

type barcode struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

type availability struct {
	Available bool   `json:"available"`
	Status    string `json:"status"`
}

type lookedUp struct {
	ID    string `json:"id"`
	Match string `json:"match"`
}

// given reports whether there is a known filter.
func (f *filtersRequest) given() bool {
	return f != nil && (len(f.Categories) > 0 || f.Price != nil && (f.Price.Min != nil || f.Price.Max != nil))
}

// fromAPIFilters reads filters, and warns of those that are not applied. Prices are in the shop's currency.
func fromAPIFilters(shop *project.Project, f *filtersRequest, market *marketRequest) (filter catalog.Filter, warnings []message) {
	filter.Physical = true // digital items are not served over UCP yet
	if f == nil {
		return filter, nil
	}
	filter.Categories = f.Categories
	own := shop.Settings.Currency
	switch {
	case f.Price == nil:
	case market != nil && market.Currency != "" && !strings.EqualFold(market.Currency, own.Code()):
		warnings = append(warnings, message{
			Type:    "warning",
			Code:    "price_filter_ignored",
			Content: "Prices are in " + own.Code() + ", and are not converted: the filter by price was not applied.",
		})
	default:
		filter.PriceMin, filter.PriceMax = toAmount(f.Price.Min, own), toAmount(f.Price.Max, own)
	}
	if len(f.Unknown) > 0 {
		warnings = append(warnings, message{
			Type:    "warning",
			Code:    "unknown_filter",
			Content: "The shop filters by categories and price. The other filters of the request were not applied.",
		})
	}
	return filter, warnings
}

func toAmount(minor *int64, c money.Currency) *money.Amount {
	if minor == nil {
		return nil
	}
	return new(money.Of(*minor, c))
}

func toAPIPrice(a money.Amount) price { return price{a.Minor(), a.Currency().Code()} }

// toAPIProduct is a product without its variants.
func (h *handlers) toAPIProduct(p *catalog.Product) product {
	name := commerce.PlainLine(p.Name)
	shown := product{
		ID:          p.ID.String(),
		Title:       name,
		Description: described{cmp.Or(commerce.PlainText(p.Description), name)},
		PriceRange:  toAPIRange(p),
	}
	if path := commerce.PlainLine(p.Category); path != "" {
		shown.Categories = []category{{path, "merchant"}}
	}
	for _, image := range p.Images {
		shown.Media = append(shown.Media, media{"image", h.ImageURL(image.URL), commerce.PlainLine(image.Alt)})
	}
	if p.Reviews.Count > 0 {
		shown.Rating = &rating{
			Value:    wire.ToDecimal(int64(p.Reviews.Average), 2),
			ScaleMax: 5,
			Count:    p.Reviews.Count,
		}
	}
	if brand := commerce.PlainLine(p.Brand); brand != "" {
		shown.Metadata = &metadata{Brand: brand}
	}
	return shown
}

func toAPIRange(p *catalog.Product) priceRange {
	byPrice := func(a, b catalog.Variant) int { return cmp.Compare(p.PriceOf(a).Minor(), p.PriceOf(b).Minor()) }
	return priceRange{toAPIPrice(p.PriceOf(slices.MinFunc(p.Variants, byPrice))), toAPIPrice(p.PriceOf(slices.MaxFunc(p.Variants, byPrice)))}
}

func toAPIVariant(p *catalog.Product, v catalog.Variant, stock discovery.Stock) variant {
	name := cmp.Or(commerce.PlainLine(v.Label()), commerce.PlainLine(p.Name))
	shown := variant{
		ID:           v.ID.String(),
		SKU:          commerce.PlainLine(v.SKU),
		Title:        name,
		Description:  described{name},
		Price:        toAPIPrice(p.PriceOf(v)),
		Availability: availability{v.Available(stock[v.ID]), v.Availability(1, stock[v.ID]).String()},
		Options:      toAPISelections(v.Selections()),
	}
	if v.GTIN != "" {
		shown.Barcodes = []barcode{{"GTIN", v.GTIN}}
	}
	return shown
}

func toAPISelections(list []catalog.Selection) []selected {
	return wire.Each(list, func(s catalog.Selection) selected {
		return selected{commerce.PlainLine(s.Option), commerce.PlainLine(s.Value)}
	})
}

// toAPIHit shows a found product with the variants that pass the filter, those in stock first.
func (h *handlers) toAPIHit(hit catalog.Hit, f catalog.Filter, stock discovery.Stock) product {
	listed := slices.DeleteFunc(slices.Clone(hit.Variants()), func(v catalog.Variant) bool { return v.Digital })
	p := physical(hit.Product)
	if len(listed) == 0 { // the product, or the variant that it shows first, has just become digital
		listed = p.Listed()
	}
	passing := slices.DeleteFunc(slices.Clone(listed), func(v catalog.Variant) bool { return !f.Affords(p.PriceOf(v)) })
	if len(passing) == 0 { // the price has just changed
		passing = slices.Clone(listed)
	}
	slices.SortStableFunc(passing, func(a, b catalog.Variant) int { return cmp.Compare(rank(stock, a), rank(stock, b)) })
	shown := h.toAPIProduct(p)
	for _, o := range p.Choose(nil, nil, stock).Options {
		values := wire.Each(o.Values[:min(len(o.Values), mostValues)], func(v catalog.OptionValue) optionValue { return optionValue{Label: commerce.PlainLine(v.Value)} })
		shown.Options = append(shown.Options, productOption{commerce.PlainLine(o.Name), values})
	}
	for _, v := range passing[:min(len(passing), mostVariants)] {
		shown.Variants = append(shown.Variants, toAPIVariant(p, v, stock))
	}
	return shown
}

// physical returns a product without its digital variants, or unchanged if all are digital.
func physical(p *catalog.Product) *catalog.Product {
	if !p.Physical() {
		return p
	}
	shown := *p
	shown.Variants = slices.DeleteFunc(slices.Clone(p.Variants), func(v catalog.Variant) bool { return v.Digital })
	return &shown
}

func rank(stock discovery.Stock, v catalog.Variant) int {
	if v.Available(stock[v.ID]) {
		return 0
	}
	return 1
}

// toAPILookedUp shows a product with the variants that the request's ids name.
func (h *handlers) toAPILookedUp(l discovery.LookedUp, stock discovery.Stock) product {
	shown := h.toAPIProduct(physical(l.Product))
	for _, m := range l.Matches {
		at := slices.IndexFunc(shown.Variants, func(v variant) bool { return v.ID == m.Variant.ID.String() })
		if at < 0 {
			at, shown.Variants = len(shown.Variants), append(shown.Variants, toAPIVariant(l.Product, m.Variant, stock))
		}
		input := lookedUp{m.Name, "exact"}
		if m.Featured {
			input.Match = "featured"
		}
		shown.Variants[at].Inputs = append(shown.Variants[at].Inputs, input)
	}
	return shown
}

// toAPIChoice shows a whole product with the variants that match the selected options.
func (h *handlers) toAPIChoice(found discovery.ChoiceAnswer) product {
	shown := h.toAPIProduct(physical(found.Product))
	shown.Selected = toAPISelections(found.Choice.Selected)
	for _, o := range found.Choice.Options {
		option := productOption{Name: commerce.PlainLine(o.Name)}
		for _, v := range o.Values[:min(len(o.Values), mostChoices)] {
			option.Values = append(option.Values, optionValue{commerce.PlainLine(v.Value), &v.Available, &v.Exists})
		}
		shown.Options = append(shown.Options, option)
	}
	for _, v := range found.Choice.Variants[:min(len(found.Choice.Variants), catalog.MostListed)] {
		shown.Variants = append(shown.Variants, toAPIVariant(found.Product, v, found.Stock))
	}
	if len(found.Product.Attributes) > 0 {
		if shown.Metadata == nil {
			shown.Metadata = &metadata{}
		}
		shown.Metadata.Attributes = make(map[string]string, len(found.Product.Attributes))
		for name, value := range found.Product.Attributes {
			shown.Metadata.Attributes[commerce.PlainLine(name)] = commerce.PlainLine(value)
		}
	}
	return shown
}
