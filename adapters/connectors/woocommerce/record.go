package woocommerce

import (
	"encoding/json"
	"errors"
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// loose is a JSON string, number or boolean as text, because plugins change the types of fields. null is "".
type loose string

func (l *loose) UnmarshalJSON(raw []byte) error {
	switch {
	case string(raw) == "null":
		*l = ""
	case raw[0] == '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		*l = loose(strings.ReplaceAll(text, "\x00", "")) // which PostgreSQL does not store
	case raw[0] == '{' || raw[0] == '[':
		return errors.New("a field is an object or a list")
	default:
		*l = loose(raw)
	}
	return nil
}

func (l loose) String() string { return string(l) }

type label struct {
	Name loose `json:"name"`
}

type attribute struct {
	Name      loose   `json:"name"`
	Options   []loose `json:"options"`
	Option    loose   `json:"option"` // of a variation
	Variation bool    `json:"variation"`
}

// stock is the stock of a product or variation. A variation with manage_stock "parent" shares the stock of its product.
type stock struct {
	Managed    loose `json:"manage_stock"`
	Quantity   loose `json:"stock_quantity"`
	Status     loose `json:"stock_status"` // instock, outofstock, onbackorder
	Backorders loose `json:"backorders"`   // no, notify, yes
}

// untracked is the number of pieces for goods that the shop sells without counting, as long as the catalog cannot express that.
const untracked = 1000

const maxPieces = 1_000_000_000

func (s stock) pieces() (int, error) {
	if s.Managed != "true" && s.Managed != "parent" {
		if s.Status == "outofstock" {
			return 0, nil
		}
		return untracked, nil
	}
	quantity, err := strconv.ParseFloat(s.Quantity.String(), 64) // some shops sell fractions
	if s.Quantity == "" {
		quantity, err = 0, nil
	}
	if err != nil || quantity < -maxPieces || quantity > maxPieces {
		return 0, errors.New("stock_quantity is no number of pieces")
	}
	whole := int(quantity)
	if s.Backorders == "yes" || s.Backorders == "notify" {
		whole += untracked
	}
	return whole, nil
}

// item is a product or a variation.
type item struct {
	ID         loose       `json:"id"`
	Parent     loose       `json:"parent_id"`
	Type       loose       `json:"type"` // simple, variable, grouped, external, variation, and plugins' own
	Name       loose       `json:"name"`
	Status     loose       `json:"status"` // publish, draft, pending, private
	SKU        loose       `json:"sku"`
	Price      loose       `json:"price"` // the current price
	Text       loose       `json:"description"`
	Short      loose       `json:"short_description"`
	GTIN       loose       `json:"global_unique_id"`
	Modified   loose       `json:"date_modified_gmt"`
	Categories []label     `json:"categories"`
	Tags       []label     `json:"tags"`
	Brands     []label     `json:"brands"`
	Attributes []attribute `json:"attributes"`
	// Virtual products are not shipped: "virtual: If the product is virtual. Default is false", and of variations "If the variation
	// is virtual" (woocommerce.github.io/woocommerce-rest-api-docs, "Product properties" and "Product variation properties", read
	// 2026-11-29). Products that are downloadable, but not virtual, are shipped.
	Virtual loose `json:"virtual"`
	Images  []struct {
		Src loose `json:"src"`
		Alt loose `json:"alt"`
	} `json:"images"`
	stock

	variations []json.RawMessage
	wrong      error
}

func parseItem(raw json.RawMessage) (i item) {
	if err := json.Unmarshal(raw, &i); err != nil {
		i.wrong = errors.New("it is no product of WooCommerce's")
	}
	return i
}

func (i item) hasVariations() bool { return i.wrong == nil && i.Type == "variable" }

// moment parses a time in GMT without a zone. wholeSecond means that it has a precision of one second.
func moment(text loose) (at time.Time, wholeSecond bool) {
	at, err := time.Parse("2006-01-02T15:04:05", text.String())
	if err != nil {
		return time.Time{}, false
	}
	return at.UTC().Truncate(time.Millisecond), !strings.Contains(text.String(), ".")
}

func (i item) records(of syncrun.Resource) []syncrun.Record {
	all := make([]item, len(i.variations))
	for n, raw := range i.variations {
		all[n] = parseItem(raw)
	}
	if of == syncrun.Products {
		return []syncrun.Record{i.product(all)}
	}
	if !i.hasVariations() {
		return []syncrun.Record{i.level(i.stock, "")}
	}
	records := make([]syncrun.Record, len(all))
	for n, v := range all {
		kept := v.stock
		if kept.Managed == "parent" {
			kept = i.stock
		}
		records[n] = v.level(kept, i.SKU)
	}
	return records
}

func (i item) problem(of syncrun.Resource, at time.Time, err error) syncrun.Record {
	return syncrun.Record{
		Resource: of,
		Remote:   i.ID.String(),
		At:       at,
		Problem:  "It cannot be read: " + err.Error() + ".",
	}
}

// sku returns the item's SKU, or one that is made from its id. In WooCommerce a SKU is optional, and a variation without
// one has the SKU of its product.
func (i item) sku(parent loose) string {
	if i.SKU == "" || i.SKU == parent {
		return "WC-" + i.ID.String()
	}
	return i.SKU.String()
}

func (i item) level(kept stock, parent loose) syncrun.Record {
	at, whole := moment(i.Modified)
	pieces, err := kept.pieces()
	if i.wrong != nil || i.ID == "" {
		err = errors.New("it has no id")
	}
	if err != nil {
		return i.problem(syncrun.Inventory, at, err)
	}
	return syncrun.Record{
		Resource:    syncrun.Inventory,
		Remote:      i.ID.String(),
		At:          at,
		WholeSecond: whole,
		Level: &syncrun.Level{
			Item:     i.ID.String(),
			SKU:      i.sku(parent),
			Location: project.DefaultLocation,
			Quantity: pieces,
		},
	}
}

// product converts a product with its variations. Its time of change is the latest one of these.
func (i item) product(variations []item) syncrun.Record {
	at, whole := moment(i.Modified)
	if i.wrong != nil || i.ID == "" {
		return i.problem(syncrun.Products, at, errors.New("it is no product of WooCommerce's"))
	}
	gtin, _ := catalog.ParseGTIN(i.GTIN.String())
	p := &syncrun.Product{
		SKU:         i.sku(""),
		Name:        plain(i.Name),
		Description: plain(i.Text),
		Category:    first(i.Categories),
		Brand:       first(i.Brands),
		Price:       i.Price.String(),
		GTIN:        gtin,
		Item:        i.ID.String(),
		Archived:    i.Status != "publish" || i.Type != "simple" && i.Type != "variable",
	}
	if p.Description == "" {
		p.Description = plain(i.Short)
	}
	for _, t := range i.Tags {
		p.Tags = append(p.Tags, plain(t.Name))
	}
	for _, image := range i.Images {
		p.Images = append(p.Images, catalog.Image{URL: image.Src.String(), Alt: plain(image.Alt)})
	}
	p.Attributes, p.Shipping = i.attributes(), i.shipping()
	for _, v := range variations {
		if v.wrong != nil || v.ID == "" {
			return i.problem(syncrun.Products, at, errors.New("one of its variations has no id"))
		}
		if changed, exact := moment(v.Modified); changed.After(at) {
			at, whole = changed, exact
		}
		if v.Status == "" || v.Status == "publish" {
			p.Variants = append(p.Variants, v.variant(i.SKU))
		}
	}
	if i.hasVariations() {
		p.Item, p.GTIN, p.Shipping = "", "", ""
		p.Archived = p.Archived || len(p.Variants) == 0
	}
	return syncrun.Record{
		Resource:    syncrun.Products,
		Remote:      i.ID.String(),
		At:          at,
		WholeSecond: whole,
		Product:     p,
	}
}

// shipping returns "" if the shop does not say.
func (i item) shipping() syncrun.Shipping {
	if i.Virtual == "" {
		return ""
	}
	return syncrun.ShippingOf(i.Virtual != "true")
}

func first(list []label) string {
	if len(list) == 0 {
		return ""
	}
	return plain(list[0].Name)
}

// attributes returns the attributes that do not distinguish variations.
func (i item) attributes() map[string]string {
	found := map[string]string{}
	for _, a := range i.Attributes {
		if a.Variation || a.Name == "" || len(a.Options) == 0 {
			continue
		}
		options := make([]string, len(a.Options))
		for n, o := range a.Options {
			options[n] = plain(o)
		}
		found[plain(a.Name)] = strings.Join(options, ", ")
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// variant converts a variation. It adds all attributes except the color to the size.
func (i item) variant(parent loose) syncrun.Variant {
	gtin, _ := catalog.ParseGTIN(i.GTIN.String())
	v := syncrun.Variant{
		SKU:      i.sku(parent),
		Price:    i.Price.String(),
		Item:     i.ID.String(),
		GTIN:     gtin,
		Shipping: i.shipping(),
	}
	var sizes []string
	for _, a := range i.Attributes {
		switch strings.TrimPrefix(strings.ToLower(a.Name.String()), "pa_") {
		case "color", "colour":
			v.Color = plain(a.Option)
		default:
			sizes = append(sizes, plain(a.Option))
		}
	}
	v.Size = strings.Join(sizes, " / ")
	return v
}

var tags = regexp.MustCompile(`<[^>]*>`)

// plain converts HTML to text on one line.
func plain(text loose) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(text.String(), " "))), " ")
}
