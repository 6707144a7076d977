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

// Record is what a platform says of one of its records. One of Product, Level, Order and Customer is set,
// the resource's, unless the record is deleted or cannot be read.
type Record struct {
	Resource Resource
	Remote   string    // the platform's id of it
	At       time.Time // when it was last changed there; zero: the platform does not tell
	// WholeSecond means that the platform told At to the second only: it may be any moment of that second. It
	// cannot be seen from At, for an exact time is a whole second too, once in a thousand times.
	WholeSecond bool
	Deleted     bool
	Problem     string // why it cannot be read, in words for the merchant
	Product     *Product
	Level       *Level
	Order       *Order
	Customer    *Customer
}

// Product as a platform has it. Prices are decimal digits in Currency. Without variants, the product itself
// is what is sold.
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
	Item        string // the platform's name for its stock, where there are no variants; "": its sku
	Attributes  map[string]string
	Archived    bool
	GTIN        string // where there are no variants
	MPN         string // where there are no variants
	// InventoryPolicy is that of what is sold, where there are no variants, as catalog names them; "": it is left as it is.
	InventoryPolicy string
	// Shipping tells whether what is sold is shipped, where there are no variants.
	Shipping Shipping
	Variants []Variant
}

// Variant of a product. Price "" is the product's.
type Variant struct {
	SKU   string
	Size  string
	Color string
	Price string
	Item  string // the platform's name for its stock; "": its sku
	GTIN  string
	MPN   string

	InventoryPolicy string // as catalog names them; "": it is left as it is
	Shipping        Shipping
}

// Shipping is what a platform says about whether an item is shipped. "" leaves it as it is.
type Shipping string

// What Shipping may be beside "".
const (
	Ships   Shipping = "ships"
	Digital Shipping = "digital"
)

// ShippingOf is Ships or Digital.
func ShippingOf(required bool) Shipping {
	if required {
		return Ships
	}
	return Digital
}

// required is nil where the platform says nothing.
func (s Shipping) required() *bool {
	if s == "" {
		return nil
	}
	return new(s != Digital)
}

// Level is how many pieces of an item lie at a place. A platform may say that they are less than none.
type Level struct {
	Item     string // the platform's name for what lies there; "": go by the sku
	SKU      string // "" where the platform does not tell
	Location string // as the project names locations
	Quantity int
}

// Order is an order of the platform's, or, with Reference, news of one of ours.
type Order struct {
	Number    string
	Email     string
	Status    string // the platform's word
	Total     string // decimal digits in Currency
	Currency  string
	Items     int
	PlacedAt  time.Time
	Reference string // our order's id
	Shipment  *Shipment
	Canceled  bool
	Refunded  string // decimal digits in Currency; "": nothing
}

// Shipment of an order of ours.
type Shipment struct {
	Carrier     string
	Number      string
	TrackingURL string
	ShippedAt   time.Time
	Delivered   bool
	Voided      bool // it was a mistake: the goods are not on their way
}

// Customer as a platform knows one. Tier is a loyalty tier in the platform's words.
type Customer struct {
	Email     string
	Name      string
	Tier      string
	Purchases int
}

// Copy is what is known here of a platform's record.
type Copy struct {
	Project     id.Project
	Integration id.Integration
	Resource    Resource
	Remote      string
	Local       string    // the product's or variant's id, or the order's; "": there is none here
	SKU         string    // of an item
	Digest      string    // of the record as it was last taken
	Prints      Prints    // of our product's fields as they were then
	Quantity    int       // how much of a level, as the platform has it, is in our stock
	At          time.Time // when the platform had last changed it
	Seen        id.Sync   // the full run that saw it last
	Removed     bool      // the platform no longer has it
	Email       string    // a customer's or an order's, in lower case
	Order       *Order    // an order's
	Customer    *Customer // a customer's
	UpdatedAt   time.Time
}

// News reports whether a record says something that is not known: it is not older than what is known, and
// another. An older one never wins.
func (c *Copy) News(r Record) bool {
	return !c.Late(r) && (r.Deleted != c.Removed || !r.Deleted && r.Digest() != c.Digest)
}

// Late reports whether a record is older than what is known.
func (c *Copy) Late(r Record) bool {
	known := c.At
	if r.WholeSecond {
		known = known.Truncate(time.Second)
	}
	return !r.At.IsZero() && r.At.Before(known)
}

// the fields of a product that a platform owns, as Prints has them.
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

// Prints tell whether a field of a product was changed since. The zero print is of nothing known.
type Prints [fields]uint64

// PrintsOf are a product's.
func PrintsOf(p *catalog.Product) (all Prints) {
	list := make([]string, len(p.Variants))
	for i, v := range p.Variants {
		list[i] = fmt.Sprintf("%q %q %q", v.SKU, v.Size, v.Color)
		if v.Price != nil {
			list[i] += v.Price.String()
		}
		if v.GTIN != "" || v.MPN != "" { // the prints of variants without them stay what they were
			list[i] += fmt.Sprintf(" %q %q", v.GTIN, v.MPN)
		}
		if v.InventoryPolicy != catalog.Tracked { // likewise
			list[i] += " " + v.InventoryPolicy.String()
		}
		if v.Digital { // likewise
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

// Draft is the platform's product as a merchant would write it, in a project's currency.
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

// Keep takes out of a platform's draft what was edited here since both sides last agreed: a field whose print
// is another one now. It returns the prints of the fields that are kept, as they were when both sides agreed. CompareKept tells
// which of them the copy has as before.
func (c *Copy) Keep(d catalog.Draft, ours *catalog.Product) (catalog.Draft, Prints) {
	var kept Prints
	now := PrintsOf(ours)
	for field, print := range c.Prints {
		if print != 0 && print != now[field] {
			kept[field] = print
			omit(&d, field)
		}
	}
	return d, kept
}

// omit takes a field of Prints out of a draft.
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

// Take notes that a record was taken as ours, with the prints of fields that are kept and in which both sides
// do not agree, so that they count as edited the next time too. ours is nil for what is no product.
func (c *Copy) Take(r Record, ours *catalog.Product, kept Prints, now time.Time) {
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

// Shift is by how much our stock changes when the platform's has become another: what was sold here
// meanwhile, of which the platform does not know, stays sold. Less than none counts as none. What could not
// be taken off, for there was too little left, is owed: it comes off what is added next.
func (c *Copy) Shift(quantity int) int { return max(quantity, 0) - c.Quantity }

// ItemsOf are the platform's names for the stock of a product's variants, by sku.
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
