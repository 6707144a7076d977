package syncrun

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Record is one record of a platform. The field of its resource (Product, Level, Order or Customer) is set, unless the
// record is deleted or cannot be read.
type Record struct {
	Resource Resource
	Remote   string    // the platform's id of it
	At       time.Time // when it was last changed there; zero: unknown
	// WholeSecond means that the platform reports At in whole seconds: the change may be at any moment of that second.
	// It cannot be derived from At, because an exact time is a whole second too, once in a thousand times.
	WholeSecond bool
	Deleted     bool
	Problem     string // why it cannot be read, in words for the merchant
	Product     *Product
	Level       *Level
	Order       *Order
	Customer    *Customer
}

// Product is a product of a platform. Prices are decimal digits in Currency. Without variants, the product itself is
// the item sold.
type Product struct {
	SKU         string
	Name        string
	Description string // plain text
	Brand       string
	Category    string // a path with slashes
	Price       string
	Currency    string // "": the project's
	Tags        []string
	Images      []catalog.Image
	Item        string // the platform's id of its stock if there are no variants; "": its sku
	Attributes  map[string]string
	Archived    bool
	GTIN        string // if there are no variants
	MPN         string // if there are no variants
	// InventoryPolicy is for a product without variants, named as in package catalog; "" leaves it as it is.
	InventoryPolicy string
	// Shipping is for a product without variants.
	Shipping Shipping
	Variants []Variant
}

// Variant is a variant of a product. An empty Price is the product's.
type Variant struct {
	SKU   string
	Size  string
	Color string
	Price string
	Item  string // the platform's id of its stock; "": its sku
	GTIN  string
	MPN   string

	InventoryPolicy string // named as in package catalog; "" leaves it as it is
	Shipping        Shipping
}

// Shipping is whether a platform's item is shipped. "" leaves it as it is.
type Shipping string

// The other values of Shipping.
const (
	Ships   Shipping = "ships"
	Digital Shipping = "digital"
)

// ShippingOf returns Ships or Digital.
func ShippingOf(required bool) Shipping {
	if required {
		return Ships
	}
	return Digital
}

// required returns nil if the platform does not report it.
func (s Shipping) required() *bool {
	if s == "" {
		return nil
	}
	return new(s != Digital)
}

// Level is the stock of an item at a location. A platform may report a negative quantity.
type Level struct {
	Item     string // the platform's id of the item; "": identified by the sku
	SKU      string // "": not reported
	Location string // as the project names locations
	Quantity int
}

// Order is an order of the platform or, with Reference, an update of one of our orders.
type Order struct {
	Number    string
	Email     string
	Status    string // the platform's name for it
	Total     string // decimal digits in Currency
	Currency  string
	Items     int
	PlacedAt  time.Time
	Reference string // our order's id
	Shipment  *Shipment
	Canceled  bool
	Refunded  string // decimal digits in Currency; "": nothing
}

// Shipment is the shipment of one of our orders.
type Shipment struct {
	Carrier     string
	Number      string
	TrackingURL string
	ShippedAt   time.Time
	Delivered   bool
	Voided      bool // the shipment was voided: the goods are not on their way
}

// Customer is a customer of a platform. Tier is the platform's name for a loyalty tier.
type Customer struct {
	Email     string
	Name      string
	Tier      string
	Purchases int
}

// ExternalRecord is our record of a platform's record.
type ExternalRecord struct {
	Project     id.Project
	Integration id.Integration
	Resource    Resource
	Remote      string
	Local       string       // the product's or variant's id, or the order's; "": there is none here
	SKU         string       // of an item
	Digest      string       // of the record as it was last imported
	Prints      Fingerprints // of our product's fields at that time
	Quantity    int          // of a level: the platform's quantity that our stock includes
	At          time.Time    // when the platform had last changed it
	Seen        id.Sync      // the full run that saw it last
	Removed     bool         // the platform no longer has it
	Email       string       // a customer's or an order's, in lower case
	Order       *Order       // an order's
	Customer    *Customer    // a customer's
	UpdatedAt   time.Time
}

// News reports whether a record must be imported: it is not older than the last one and differs from it.
func (c *ExternalRecord) News(r Record) bool {
	return !c.Late(r) && (r.Deleted != c.Removed || !r.Deleted && r.Digest() != c.Digest)
}

// Late reports whether a record is older than the last one imported.
func (c *ExternalRecord) Late(r Record) bool {
	known := c.At
	if r.WholeSecond {
		known = known.Truncate(time.Second)
	}
	return !r.At.IsZero() && r.At.Before(known)
}

// The fields of a product that a platform owns: the indexes of Prints.
const (
	name = iota
	price
	category
	description
	brand
	images
	attributes
	tags
	variants
	status
	fields
)

// Fingerprints are hashes of a product's fields, to detect later changes. A zero print is unknown.
type Fingerprints [fields]uint64

// PrintsOf returns the prints of a product.
func PrintsOf(p *catalog.Product) (all Fingerprints) {
	list := make([]string, len(p.Variants))
	for i, v := range p.Variants {
		list[i] = fmt.Sprintf("%q %q %q", v.SKU, v.Size, v.Color)
		if v.Price != nil {
			list[i] += v.Price.String()
		}
		if v.GTIN != "" || v.MPN != "" { // the prints of variants without them must not change
			list[i] += fmt.Sprintf(" %q %q", v.GTIN, v.MPN)
		}
		if v.InventoryPolicy != catalog.Tracked { // the default must not change prints either
			list[i] += " " + v.InventoryPolicy.String()
		}
		if v.Digital { // the default must not change prints either
			list[i] += " digital"
		}
	}
	for i, text := range [fields]string{
		name:        p.Name,
		price:       p.Price.String(),
		category:    p.Category,
		description: p.Description,
		brand:       p.Brand,
		images:      fmt.Sprintf("%q", p.Images),
		attributes:  fmt.Sprintf("%q", p.Attributes),
		tags:        fmt.Sprintf("%q", p.Tags),
		variants:    strings.Join(list, "\n"),
		status:      p.Status.String(),
	} {
		h := fnv.New64a()
		_, _ = h.Write([]byte(text)) // never fails
		all[i] = max(h.Sum64(), 1)
	}
	return all
}

// Draft returns the platform's product as a draft of a merchant's product, in a project's currency.
func (p Product) Draft(currency money.Currency) (catalog.Draft, error) {
	if p.Currency != "" && p.Currency != currency.Code() {
		return catalog.Draft{}, fault.Field("price", "is in "+p.Currency+", and the project's prices are in "+currency.Code())
	}
	amount, err := money.Parse(p.Price, currency)
	if err != nil {
		return catalog.Draft{}, fault.Field("price", "is not an amount of "+currency.Code())
	}
	shown := catalog.Active
	if p.Archived {
		shown = catalog.Archived
	}
	d := catalog.Draft{
		SKU:         patch.To(p.SKU),
		Name:        patch.To(p.Name),
		Price:       patch.To(amount),
		Category:    patch.To(p.Category),
		Description: patch.To(p.Description),
		Brand:       patch.To(p.Brand),
		Images:      patch.To(p.Images),
		Attributes:  patch.To(p.Attributes),
		Tags:        patch.To(p.Tags),
		Status:      patch.To(shown.String()),
	}
	list := make([]catalog.VariantDraft, len(p.Variants))
	for i, v := range p.Variants {
		list[i] = catalog.VariantDraft{
			SKU:              v.SKU,
			Size:             v.Size,
			Color:            v.Color,
			GTIN:             v.GTIN,
			MPN:              v.MPN,
			InventoryPolicy:  v.InventoryPolicy,
			RequiresShipping: v.Shipping.required(),
		}
		if v.Price != "" {
			amount, err := money.Parse(v.Price, currency)
			if err != nil {
				return catalog.Draft{}, fault.Field(fmt.Sprintf("variants.%d.price", i), "is not an amount of "+currency.Code())
			}
			list[i].Price = &amount
		}
	}
	d.Variants = patch.To(list)
	if len(list) == 0 {
		d.GTIN, d.MPN = patch.To(p.GTIN), patch.To(p.MPN)
		if p.InventoryPolicy != "" {
			d.InventoryPolicy = patch.To(p.InventoryPolicy)
		}
		if shipped := p.Shipping.required(); shipped != nil {
			d.RequiresShipping = patch.To(*shipped)
		}
	}
	return d, nil
}

// Keep removes from a platform's draft the fields that were edited here since both sides last agreed, that is, whose
// print has changed. It returns the prints of these fields from when both sides agreed. CompareKept removes from them
// the fields that both sides have in common by now.
func (c *ExternalRecord) Keep(d catalog.Draft, ours *catalog.Product) (catalog.Draft, Fingerprints) {
	var kept Fingerprints
	now := PrintsOf(ours)
	for field, print := range c.Prints {
		if print != 0 && print != now[field] {
			kept[field] = print
			omit(&d, field)
		}
	}
	return d, kept
}

// omit removes a field of Prints from a draft.
func omit(d *catalog.Draft, field int) {
	var none catalog.Draft
	switch field {
	case name:
		d.Name = none.Name
	case price:
		d.Price = none.Price
	case category:
		d.Category = none.Category
	case description:
		d.Description = none.Description
	case brand:
		d.Brand = none.Brand
	case images:
		d.Images = none.Images
	case attributes:
		d.Attributes = none.Attributes
	case tags:
		d.Tags = none.Tags
	case variants:
		d.Variants, d.GTIN, d.MPN = none.Variants, none.GTIN, none.MPN
		d.InventoryPolicy, d.RequiresShipping = none.InventoryPolicy, none.RequiresShipping
	case status:
		d.Status = none.Status
	}
}

// Take records that a record was imported. kept has the prints of kept fields that differ between both sides, so that
// they count as edited the next time too. ours is nil if the record is not a product.
func (c *ExternalRecord) Take(r Record, ours *catalog.Product, kept Fingerprints, now time.Time) {
	c.Digest, c.Removed, c.UpdatedAt = r.Digest(), r.Deleted, now
	if r.At.After(c.At) {
		c.At = r.At
	}
	if ours == nil {
		return
	}
	c.Local, c.Prints = ours.ID.String(), PrintsOf(ours)
	for i, print := range kept {
		if print != 0 {
			c.Prints[i] = print
		}
	}
}

// Shift returns the change of our stock when the platform's quantity has changed: pieces sold here meanwhile, which the
// platform does not know of, stay sold. A negative quantity counts as zero. Pieces that could not be subtracted because
// too few were left are subtracted from the next increase.
func (c *ExternalRecord) Shift(quantity int) int { return max(quantity, 0) - c.Quantity }

// ItemsOf returns the platform's IDs of the stock of a product's variants, by SKU.
func (p Product) ItemsOf() map[string]string {
	items := map[string]string{}
	add := func(sku, item string) {
		if item != "" {
			items[sku] = item
		}
	}
	if len(p.Variants) == 0 {
		add(p.SKU, p.Item)
	}
	for _, v := range p.Variants {
		add(v.SKU, v.Item)
	}
	return items
}
