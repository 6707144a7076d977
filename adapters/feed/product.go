package feed

import (
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// product is a line of NDJSON.
type product struct {
	SKU             field[string]            `json:"sku"`
	Name            field[string]            `json:"name"`
	Price           field[digits]            `json:"price"`
	Category        field[string]            `json:"category"`
	Brand           field[string]            `json:"brand"`
	Description     field[string]            `json:"description"`
	Attributes      field[map[string]string] `json:"attributes"`
	Tags            field[[]string]          `json:"tags"`
	Images          field[[]image]           `json:"images"`
	Variants        field[[]variant]         `json:"variants"`
	Negotiable      field[bool]              `json:"negotiable"`
	Cost            field[digits]            `json:"cost"`
	CompetitorPrice field[digits]            `json:"competitor_price"`
	Reviews         field[reviews]           `json:"reviews"`
	Related         field[[]string]          `json:"related"`
	Status          field[string]            `json:"status"`
	Quantity        field[digits]            `json:"quantity"`
	GTIN            field[string]            `json:"gtin"`
	MPN             field[string]            `json:"mpn"`
	InventoryPolicy field[string]            `json:"inventory_policy"`

	RequiresShipping field[bool] `json:"requires_shipping"`
}

// productFields are the names of a product's fields.
var productFields = func() (names []string) {
	for f := range reflect.TypeFor[product]().Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}()

type image struct {
	URL string `json:"url"`
	Alt string `json:"alt"`
}

type variant struct {
	SKU      string  `json:"sku"`
	Size     string  `json:"size"`
	Color    string  `json:"color"`
	Price    *digits `json:"price"`
	Quantity *digits `json:"quantity"`
	GTIN     string  `json:"gtin"`
	MPN      string  `json:"mpn"`

	InventoryPolicy  string `json:"inventory_policy"`
	RequiresShipping *bool  `json:"requires_shipping"`
}

type reviews struct {
	AverageRating *digits `json:"average_rating"`
	Count         *digits `json:"count"`
	Summary       string  `json:"summary"`
}

// field distinguishes an omitted member from one that is null.
type field[T any] struct{ patch.Field[T] }

// UnmarshalJSONFrom is called only for members that are present.
func (f *field[T]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if from.PeekKind() == jsontext.KindNull {
		f.Field = patch.Null[T]()
		return from.SkipValue()
	}
	var value T
	err := json.UnmarshalDecode(from, &value)
	f.Field = patch.To(value)
	return err
}

// digits are a JSON number as it is written.
type digits string

var errNoNumber = errors.New("must be a number")

func (d *digits) UnmarshalJSON(raw []byte) error {
	if jsontext.Value(raw).Kind() != jsontext.KindNumber {
		return errNoNumber
	}
	*d = digits(raw)
	return nil
}

func (p product) draft(currency money.Currency) (catalog.Draft, error) {
	check := fault.NewCheck()
	sku, _ := p.SKU.Value()
	check.That(sku != "", "sku", "is required")
	price := func(f field[digits], name string) patch.Field[money.Amount] {
		return convert(f, func(d digits) money.Amount { return amount(string(d), name, currency, check) })
	}
	d := catalog.Draft{
		SKU:              p.SKU.Field,
		Name:             p.Name.Field,
		Category:         p.Category.Field,
		Brand:            p.Brand.Field,
		Description:      p.Description.Field,
		Attributes:       p.Attributes.Field,
		Tags:             p.Tags.Field,
		GTIN:             p.GTIN.Field,
		MPN:              p.MPN.Field,
		InventoryPolicy:  p.InventoryPolicy.Field,
		RequiresShipping: p.RequiresShipping.Field,
		Negotiable:       p.Negotiable.Field,
		Related:          p.Related.Field,
		Status:           p.Status.Field,
		Price:            price(p.Price, "price"),
		Cost:             price(p.Cost, "cost"),
		CompetitorPrice:  price(p.CompetitorPrice, "competitor_price"),
		Images:           convert(p.Images, toImages),
		Variants: convert(p.Variants, func(some []variant) []catalog.VariantDraft {
			return toVariants(some, currency, check.In("variants"))
		}),
		Reviews:  convert(p.Reviews, func(r reviews) catalog.Reviews { return r.toReviews(check.In("reviews")) }),
		Quantity: convert(p.Quantity, func(d digits) int { return stock(string(d), "quantity", check) }),
	}
	return d, check.Err()
}

// convert converts the value, if the field has one.
func convert[A, B any](f field[A], to func(A) B) patch.Field[B] {
	value, ok := f.Value()
	switch {
	case ok:
		return patch.To(to(value))
	case f.Given():
		return patch.Null[B]()
	}
	return patch.Field[B]{}
}

func toImages(some []image) []catalog.Image {
	all := make([]catalog.Image, len(some))
	for i, one := range some {
		all[i] = catalog.Image(one)
	}
	return all
}

func toVariants(some []variant, currency money.Currency, check fault.Check) []catalog.VariantDraft {
	all := make([]catalog.VariantDraft, len(some))
	for i, v := range some {
		all[i] = catalog.VariantDraft{
			SKU:              v.SKU,
			Size:             v.Size,
			Color:            v.Color,
			GTIN:             v.GTIN,
			MPN:              v.MPN,
			InventoryPolicy:  v.InventoryPolicy,
			RequiresShipping: v.RequiresShipping,
		}
		if v.Price != nil {
			price := amount(string(*v.Price), "price", currency, check.At(i))
			all[i].Price = &price
		}
		if v.Quantity != nil {
			quantity := stock(string(*v.Quantity), "quantity", check.At(i))
			all[i].Quantity = &quantity
		}
	}
	return all
}

func (r reviews) toReviews(check fault.Check) catalog.Reviews {
	all := catalog.Reviews{Summary: r.Summary}
	if r.AverageRating != nil {
		all.Average = decimal(string(*r.AverageRating), 2, "average_rating", "must have at most two decimals", check)
	}
	if r.Count != nil {
		all.Count = whole(string(*r.Count), "count", check)
	}
	return all
}
