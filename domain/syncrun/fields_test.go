package syncrun_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// A record with a known digest is not imported again, so a field that is missing in the digest would never be updated.
func TestRecord_Digest_everyField(t *testing.T) {
	t.Parallel()
	product, level := fieldtest.Fill[syncrun.Product](), fieldtest.Fill[syncrun.Level]()
	order, customer := fieldtest.Fill[syncrun.Order](), fieldtest.Fill[syncrun.Customer]()
	fieldtest.Matter(t, &product, func(p *syncrun.Product) any { return syncrun.Record{Product: p}.Digest() }, nil)
	fieldtest.Matter(t, &level, func(l *syncrun.Level) any { return syncrun.Record{Level: l}.Digest() }, nil)
	fieldtest.Matter(t, &order, func(o *syncrun.Order) any { return syncrun.Record{Order: o}.Digest() }, nil)
	fieldtest.Matter(t, &customer, func(c *syncrun.Customer) any { return syncrun.Record{Customer: c}.Digest() }, nil)
}

// Digests are stored. If they changed with an upgrade, every record of every platform would be imported once more.
func TestRecord_Digest_stored(t *testing.T) {
	t.Parallel()
	p := tent()
	p.Item, p.Archived = "7", true
	for want, r := range map[string]syncrun.Record{
		"e1ea45eae043c740483beca9019d77d6": {Product: &p},
		"110d78afdf3624056826431b7a246994": {Product: &syncrun.Product{}},
		"012a990a4b02c889503987843bbae1f7": {Level: &syncrun.Level{
			Item:     "1",
			SKU:      "T",
			Location: "main",
			Quantity: -3,
		}},
		"9d7d2ff74228bfc2d391c428018af721": {Order: &syncrun.Order{
			Number:    "1",
			Email:     "a@example.com",
			Status:    "paid",
			Total:     "9.50",
			Currency:  "USD",
			Items:     2,
			PlacedAt:  noon,
			Reference: "ord_1",
		}},
		"69ce138b8d510da5e4d88135a882372e": {Order: &syncrun.Order{
			Number:   "1",
			PlacedAt: noon,
			Shipment: &syncrun.Shipment{
				Carrier:     "UPS",
				Number:      "1Z",
				TrackingURL: "https://example.com/1Z",
				ShippedAt:   later,
				Delivered:   true,
			},
		}},
		"911d58a2b9c5d83a4734369465d4f099": {Customer: &syncrun.Customer{
			Email:     "a@example.com",
			Name:      "Ada",
			Tier:      "gold",
			Purchases: 4,
		}},
		"6c62272e07bb014262b821756295c58d": {Deleted: true},
	} {
		if got := r.Digest(); got != want {
			t.Errorf("%+v has the digest %s, want %s", r, got, want)
		}
	}
}

// prices sets the prices of a filled product to amounts.
func prices(p *syncrun.Product) {
	p.Price, p.Currency, p.GTIN = "12.34", "USD", "036000291452"
	for i := range p.Variants {
		p.Variants[i].Price = fmt.Sprint(i+20, ".50")
		p.Variants[i].GTIN = []string{"4006381333931", "96385074"}[i]
		p.Variants[i].InventoryPolicy = "backorder"
		p.Variants[i].Shipping = syncrun.Digital
	}
}

// ours returns our product for a platform's product.
func ours(p *syncrun.Product) (*catalog.Product, error) {
	d, err := p.Draft(money.USD)
	if err != nil {
		return nil, err
	}
	made, _, err := catalog.Create(shop, d, money.USD, &ids{}, noon)
	return made, err
}

// Every field of a platform's product reaches ours. A price with another digit is invalid, which is detected too.
func TestProduct_Draft_everyField(t *testing.T) {
	t.Parallel()
	p := fieldtest.Fill[syncrun.Product]()
	prices(&p)
	for i := range p.Images {
		p.Images[i].URL = "https://example.com/" + p.Images[i].URL
	}
	fieldtest.Matter(t, &p, func(p *syncrun.Product) any {
		made, err := ours(p)
		return fmt.Sprintf("%+v %v", made, err)
	}, fieldtest.Reasons{
		"syncrun.Product.Item":            "it names the stock: see ItemsOf",
		"syncrun.Product.GTIN":            "it has variants with theirs: see TestProduct_Draft_identifiers",
		"syncrun.Product.MPN":             "it has variants with theirs: see TestProduct_Draft_identifiers",
		"syncrun.Product.InventoryPolicy": "it has variants with theirs: see TestProduct_Draft_identifiers",
		"syncrun.Product.Shipping":        "it has variants with theirs: see TestProduct_Draft_shipping",
		"syncrun.Product.Variants[].Item": "it names the stock: see ItemsOf",
	})
	item := map[string]bool{}
	fieldtest.Changes(&p, func(path string) {
		if strings.HasSuffix(path, ".Item") {
			item[fmt.Sprint(p.ItemsOf())] = true
		}
	})
	if len(item) != 3 { // the product's own one is not read, because it has variants
		t.Errorf("stock is named %v", item)
	}
}

// A product without variants has the identifiers of its default variant.
func TestProduct_Draft_identifiers(t *testing.T) {
	t.Parallel()
	p := tent()
	p.Variants, p.GTIN, p.MPN, p.InventoryPolicy = nil, "4006381333931", "F-1", "backorder"
	made, err := ours(&p)
	if err != nil || made.Variants[0].GTIN != p.GTIN || made.Variants[0].MPN != p.MPN || made.Variants[0].InventoryPolicy != catalog.Backorder {
		t.Errorf("%+v, %v", made, err)
	}
}

// A variant whose shipping the platform does not report stays as it is.
func TestProduct_Draft_shipping(t *testing.T) {
	t.Parallel()
	for shipping, digital := range map[syncrun.Shipping]bool{syncrun.Digital: true, syncrun.Ships: false, "": true} {
		p := tent()
		p.Variants = nil
		p.Shipping = syncrun.Digital
		made, err := ours(&p)
		if err != nil || !made.Variants[0].Digital {
			t.Fatal(made, err)
		}
		p.Shipping = shipping
		draft, err := p.Draft(money.USD)
		if err != nil {
			t.Fatal(err)
		}
		if next, _, err := made.Update(draft, &ids{}, noon); err != nil || next.Variants[0].Digital != digital {
			t.Errorf("%q: %+v, %v", shipping, next, err)
		}
	}
}

// An edit here of a field that the platform owns changes its print, and is kept at the next import.
func TestPrintsOf_everyField(t *testing.T) {
	t.Parallel()
	p := fieldtest.Fill[syncrun.Product]()
	prices(&p)
	product := fieldtest.Fill[catalog.Product](catalog.Active, catalog.Backorder)
	const merchants = "platforms know nothing of it"
	fieldtest.Matter(t, &product, func(p *catalog.Product) any { return syncrun.PrintsOf(p) }, fieldtest.Reasons{
		"catalog.Product.ID":              "it is the copy's Local",
		"catalog.Product.Project":         merchants,
		"catalog.Product.SKU":             "the platform's always counts: it finds the product",
		"catalog.Product.Variants[].ID":   "it goes by the sku",
		"catalog.Product.Cost":            merchants,
		"catalog.Product.CompetitorPrice": merchants,
		"catalog.Product.Negotiable":      merchants,
		"catalog.Product.Reviews":         merchants,
		"catalog.Product.Related":         merchants,
		"catalog.Product.CreatedAt":       "the store's",
		"catalog.Product.UpdatedAt":       "the store's",
	}, catalog.Active, catalog.Archived, catalog.Backorder, catalog.Tracked)

	known := syncrun.ExternalRecord{Prints: syncrun.PrintsOf(&product)}
	draft, err := p.Draft(money.USD)
	if err != nil {
		t.Fatal(err)
	}
	fieldtest.Changes(&product, func(path string) {
		left, kept := known.Keep(draft, &product)
		if edited := syncrun.PrintsOf(&product) != known.Prints; edited != (fmt.Sprint(left) != fmt.Sprint(draft)) || edited != (kept != syncrun.Fingerprints{}) {
			t.Errorf("%s is edited (%v), and kept as %v", path, edited, kept)
		}
	}, catalog.Active, catalog.Archived, catalog.Backorder, catalog.Tracked)
}
