package catalog

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Draft is a product as a merchant writes it. Fields that are left out stay as they are (update, upsert) or take their
// default (create).
type Draft struct {
	SKU             patch.Field[string]
	Name            patch.Field[string]
	Price           patch.Field[money.Amount]
	Category        patch.Field[string]
	Description     patch.Field[string]
	Brand           patch.Field[string]
	Images          patch.Field[[]Image]
	Attributes      patch.Field[map[string]string]
	Tags            patch.Field[[]string]
	Variants        patch.Field[[]VariantDraft]
	Negotiable      patch.Field[bool]
	Cost            patch.Field[money.Amount]
	CompetitorPrice patch.Field[money.Amount]
	Reviews         patch.Field[Reviews]
	Related         patch.Field[[]string]
	Status          patch.Field[string]
	// Quantity is the stock of the default variant at DefaultLocation.
	Quantity patch.Field[int]
	// GTIN and MPN are the default variant's.
	GTIN patch.Field[string]
	MPN  patch.Field[string]
	// InventoryPolicy is the default variant's.
	InventoryPolicy patch.Field[string]
	// RequiresShipping is the default variant's: false means that it is digital.
	RequiresShipping patch.Field[bool]
}

// VariantDraft is a variant as a merchant writes it. If Quantity is nil, InventoryPolicy is "" or RequiresShipping is
// nil, the variant keeps its stock, its policy or whether it is shipped.
type VariantDraft struct {
	SKU      string
	Size     string
	Color    string
	Price    *money.Amount
	Quantity *int
	GTIN     string
	MPN      string

	InventoryPolicy  string
	RequiresShipping *bool
}

// Stock is a quantity to set for a variant at the default location.
type Stock struct {
	Variant  id.Variant
	Quantity int
}

// IDs generates the IDs of a new product and its new variants.
type IDs interface {
	Product() id.Product
	Variant() id.Variant
}

// Create returns a product made from a draft, and the stock to set. Without variants the product gets one default
// variant with the product's own SKU.
func Create(project id.Project, d Draft, currency money.Currency, ids IDs, now time.Time) (*Product, []Stock, error) {
	check := fault.NewCheck()
	check.That(d.SKU.Given(), "sku", "is required")
	check.That(d.Name.Given(), "name", "is required")
	check.That(d.Price.Given(), "price", "is required")
	p := &Product{
		ID:         ids.Product(),
		Project:    project,
		Price:      money.Zero(currency),
		Negotiable: true,
		Status:     Active,
		CreatedAt:  now,
	}
	return p.finish(d, currency, ids, check, now)
}

// Update returns the product with a draft's changes, and the stock to set. It does not change p. Variants keep their
// IDs by SKU; a draft with variants removes those that it leaves out.
func (p *Product) Update(d Draft, ids IDs, now time.Time) (*Product, []Stock, error) {
	next := *p
	next.Attributes = maps.Clone(p.Attributes)
	next.Variants = slices.Clone(p.Variants)
	drafts, _ := d.Variants.Value()
	if sku, given := d.SKU.Value(); given && len(drafts) == 0 && len(p.Variants) == 1 && p.Variants[0].SKU == p.SKU {
		next.Variants[0].SKU = sku // the default variant has the product's SKU
	}
	return next.finish(d, p.Price.Currency(), ids, fault.NewCheck(), now)
}

func (p *Product) finish(d Draft, currency money.Currency, ids IDs, check fault.Check, now time.Time) (*Product, []Stock, error) {
	p.apply(d, check)
	stock := p.applyVariants(d, ids, check)
	p.check(currency, check)
	if err := check.Err(); err != nil {
		return nil, nil, err
	}
	p.UpdatedAt = now
	return p, stock, nil
}

func (p *Product) apply(d Draft, check fault.Check) {
	check.That(!d.SKU.IsNull(), "sku", "must not be null")
	check.That(!d.Name.IsNull(), "name", "must not be null")
	check.That(!d.Price.IsNull(), "price", "must not be null")
	d.SKU.Apply(&p.SKU, p.SKU)
	d.Name.Apply(&p.Name, p.Name)
	d.Price.Apply(&p.Price, p.Price)
	d.Category.Apply(&p.Category, "")
	d.Description.Apply(&p.Description, "")
	d.Brand.Apply(&p.Brand, "")
	d.Images.Apply(&p.Images, nil)
	d.Attributes.Apply(&p.Attributes, nil)
	d.Tags.Apply(&p.Tags, nil)
	d.Negotiable.Apply(&p.Negotiable, true)
	d.Reviews.Apply(&p.Reviews, Reviews{})
	d.Related.Apply(&p.Related, nil)
	applyOptional(&p.Cost, d.Cost)
	applyOptional(&p.CompetitorPrice, d.CompetitorPrice)
	name := p.Status.String()
	d.Status.Apply(&name, Active.String())
	if status, known := ParseStatus(name); check.That(known, "status", "must be active or archived") {
		p.Status = status
	}
}

func applyOptional(target **money.Amount, f patch.Field[money.Amount]) {
	if a, ok := f.Value(); ok {
		*target = &a
	} else if f.IsNull() {
		*target = nil
	}
}

// applyVariants sets the product's variants and returns the stock that the draft sets.
func (p *Product) applyVariants(d Draft, ids IDs, check fault.Check) []Stock {
	drafts, _ := d.Variants.Value()
	if len(drafts) == 0 {
		if d.Variants.Given() || len(p.Variants) == 0 {
			p.Variants = []Variant{p.defaultVariant(ids)}
		}
		p.identifyDefault(d, check)
		p.applyPolicy(d, check)
		p.applyShipping(d, check)
		return p.defaultStock(d, check)
	}
	check.That(!d.GTIN.Given(), "gtin", "must be given for each variant, because the product has variants")
	check.That(!d.MPN.Given(), "mpn", "must be given for each variant, because the product has variants")
	check.That(!d.Quantity.Given(), "quantity", "must be given for each variant, because the product has variants")
	check.That(!d.InventoryPolicy.Given(), "inventory_policy", "must be given for each variant, because the product has variants")
	check.That(!d.RequiresShipping.Given(), "requires_shipping", "must be given for each variant, because the product has variants")
	check.That(len(drafts) <= MaxVariants, "variants", "must have at most 2,048 variants")
	known := make(map[string]Variant, len(p.Variants))
	for _, v := range p.Variants {
		known[v.SKU] = v
	}
	var stock []Stock
	p.Variants = make([]Variant, 0, len(drafts))
	for i, draft := range drafts {
		v := Variant{
			ID:    known[draft.SKU].ID,
			SKU:   draft.SKU,
			Size:  draft.Size,
			Color: draft.Color,
			Price: draft.Price,
			GTIN:  normalizeGTIN(draft.GTIN),
			MPN:   draft.MPN,

			InventoryPolicy: known[draft.SKU].InventoryPolicy,
			Digital:         known[draft.SKU].Digital,
		}
		if draft.RequiresShipping != nil {
			v.Digital = !*draft.RequiresShipping
		}
		if draft.InventoryPolicy != "" {
			policy, valid := ParseInventoryPolicy(draft.InventoryPolicy)
			check.In("variants").At(i).That(valid, "inventory_policy", wrongPolicy)
			v.InventoryPolicy = policy
		}
		if v.ID.IsZero() {
			v.ID = ids.Variant()
		}
		p.Variants = append(p.Variants, v)
		if draft.Quantity != nil {
			checkQuantity(*draft.Quantity, check.In("variants").At(i))
			stock = append(stock, Stock{v.ID, *draft.Quantity})
		}
	}
	return stock
}

func (p *Product) defaultVariant(ids IDs) Variant {
	for _, v := range p.Variants {
		if v.SKU == p.SKU {
			return Variant{
				ID:              v.ID,
				SKU:             p.SKU,
				GTIN:            v.GTIN,
				MPN:             v.MPN,
				InventoryPolicy: v.InventoryPolicy,
				Digital:         v.Digital,
			}
		}
	}
	return Variant{ID: ids.Variant(), SKU: p.SKU}
}

// applyPolicy sets the draft's policy for the only variant.
func (p *Product) applyPolicy(d Draft, check fault.Check) {
	if !d.InventoryPolicy.Given() || !check.That(len(p.Variants) == 1, "inventory_policy", "must be given for each variant, because the product has variants") {
		return
	}
	name := p.Variants[0].InventoryPolicy.String()
	d.InventoryPolicy.Apply(&name, Tracked.String())
	policy, valid := ParseInventoryPolicy(name)
	check.That(valid, "inventory_policy", wrongPolicy)
	p.Variants[0].InventoryPolicy = policy
}

// applyShipping sets whether the only variant is shipped.
func (p *Product) applyShipping(d Draft, check fault.Check) {
	if !d.RequiresShipping.Given() || !check.That(len(p.Variants) == 1, "requires_shipping", "must be given for each variant, because the product has variants") {
		return
	}
	shipped := !p.Variants[0].Digital
	d.RequiresShipping.Apply(&shipped, true)
	p.Variants[0].Digital = !shipped
}

// identifyDefault sets the draft's GTIN and MPN for the only variant.
func (p *Product) identifyDefault(d Draft, check fault.Check) {
	if !d.GTIN.Given() && !d.MPN.Given() {
		return
	}
	for field, given := range map[string]bool{"gtin": d.GTIN.Given(), "mpn": d.MPN.Given()} {
		check.That(!given || len(p.Variants) == 1, field, "must be given for each variant, because the product has variants")
	}
	v := &p.Variants[0]
	d.GTIN.Apply(&v.GTIN, "")
	d.MPN.Apply(&v.MPN, "")
	v.GTIN = normalizeGTIN(v.GTIN)
	if _, valid := ParseGTIN(v.GTIN); !check.That(v.GTIN == "" || valid, "gtin", wrongGTIN) {
		v.GTIN = "" // so that the problem is reported only once
	}
	if text(check, "mpn", v.MPN, 0, longestMPN); check.Err() != nil {
		v.MPN = ""
	}
}

// normalizeGTIN returns a GTIN without spaces and hyphens. It returns other text unchanged.
func normalizeGTIN(text string) string {
	if digits, valid := ParseGTIN(text); valid {
		return digits
	}
	return text
}

// longestMPN is in characters.
const longestMPN = 70

func (p *Product) defaultStock(d Draft, check fault.Check) []Stock {
	quantity, ok := d.Quantity.Value()
	if !ok {
		return nil
	}
	checkQuantity(quantity, check)
	if !check.That(len(p.Variants) == 1, "quantity", "must be given for each variant, because the product has variants") {
		return nil
	}
	return []Stock{{p.Variants[0].ID, quantity}}
}

// LowStock is the number of pieces of a variant, over all locations, at which an event announces low stock. The
// triggers of stock_checks have the same number.
const LowStock = 5

// MaxStock bounds a stock level.
const MaxStock = 1_000_000_000

func checkQuantity(n int, check fault.Check) {
	check.That(n >= 0 && n <= MaxStock, "quantity", "must be between 0 and 1,000,000,000")
}

var categoryForm = regexp.MustCompile(`^[^/\x00-\x1f]+(/[^/\x00-\x1f]+)*$`)

func (p *Product) check(currency money.Currency, c fault.Check) {
	text(c, "sku", p.SKU, 1, 100)
	text(c, "name", p.Name, 1, 500)
	text(c, "brand", p.Brand, 0, 200)
	text(c, "description", p.Description, 0, 5000)
	text(c, "category", p.Category, 0, 200)
	c.That(p.Category == "" || categoryForm.MatchString(p.Category), "category", "must be a path such as outdoor/tents")
	positive(c, "price", p.Price, currency)
	if p.Cost != nil {
		c.That(p.Cost.Currency() == currency && !p.Cost.IsNegative(), "cost", "must be zero or more")
	}
	if p.CompetitorPrice != nil {
		positive(c, "competitor_price", *p.CompetitorPrice, currency)
	}
	p.checkDetails(c)
	p.checkVariants(currency, c)
}

func (p *Product) checkDetails(c fault.Check) {
	c.That(len(p.Images) <= 50, "images", "must have at most 50 images")
	for i, image := range p.Images {
		text(c.In("images").At(i), "url", image.URL, 1, 2000)
		text(c.In("images").At(i), "alt", image.Alt, 0, 500)
		c.In("images").At(i).That(shownURL(image.URL), "url", "must be an http or https URL, or a path")
	}
	c.That(len(p.Attributes) <= 100, "attributes", "must have at most 100 entries")
	for key, value := range p.Attributes {
		text(c.In("attributes"), key, value, 0, 2000)
		c.That(key != "" && len(key) <= 200, "attributes", "must have names of 1 to 200 bytes")
	}
	c.That(len(p.Tags) <= 100, "tags", "must have at most 100 tags")
	for i, tag := range p.Tags {
		text(c.In("tags"), strconv.Itoa(i), tag, 1, 200)
	}
	c.That(len(p.Related) <= 50, "related", "must have at most 50 skus")
	for i, sku := range p.Related {
		text(c.In("related"), strconv.Itoa(i), sku, 1, 100)
	}
	r := c.In("reviews")
	r.That(p.Reviews.Average >= 0 && p.Reviews.Average <= 500, "average_rating", "must be between 0 and 5")
	r.That(p.Reviews.Count >= 0 && p.Reviews.Count <= MaxStock, "count", "must be zero or more")
	text(r, "summary", p.Reviews.Summary, 0, 2000)
}

func shownURL(u string) bool {
	return strings.HasPrefix(u, "https://") || strings.HasPrefix(u, "http://") ||
		strings.HasPrefix(u, "/") && !strings.HasPrefix(u, "//")
}

func (p *Product) checkVariants(currency money.Currency, c fault.Check) {
	seen := make(map[string]bool, len(p.Variants))
	for i, v := range p.Variants {
		at := c.In("variants").At(i)
		if v.SKU != p.SKU { // else it is checked as the product's
			text(at, "sku", v.SKU, 1, 100)
		}
		text(at, "size", v.Size, 0, 100)
		text(at, "color", v.Color, 0, 100)
		_, valid := ParseGTIN(v.GTIN)
		at.That(v.GTIN == "" || valid, "gtin", wrongGTIN)
		text(at, "mpn", v.MPN, 0, longestMPN)
		if v.Price != nil {
			positive(at, "price", *v.Price, currency)
		}
		at.That(!seen[v.SKU], "sku", "must not be repeated")
		seen[v.SKU] = true
	}
}

func positive(c fault.Check, field string, a money.Amount, currency money.Currency) {
	c.That(a.Currency() == currency && a.IsPositive() && a.Minor() < money.Limit, field, "must be more than zero")
}

func text(c fault.Check, field, value string, least, most int) {
	n := utf8.RuneCountInString(value)
	switch {
	case least == 1 && n == 0:
		c.That(false, field, "must not be empty")
	default:
		c.That(n <= most, field, "must have at most "+strconv.Itoa(most)+" characters")
	}
	c.That(strings.IndexByte(value, 0) < 0, field, "must not contain a NUL character")
}
