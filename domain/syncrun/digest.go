package syncrun

import (
	"fmt"
	"hash"
	"hash/fnv"
	"reflect"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

// Digest returns a hash of the record's content, without its time. Digests are stored, so the order of the fields in
// their types and the way in which each is written must not change.
func (r Record) Digest() string {
	h := fnv.New128a()
	switch {
	case r.Product != nil:
		digest(h, *r.Product, "")
		identify(h, r.Product.GTIN, r.Product.MPN)
		fmt.Fprint(h, r.Product.InventoryPolicy, r.Product.Shipping.digested())
	case r.Level != nil:
		digest(h, *r.Level, " ")
	case r.Order != nil:
		digest(h, *r.Order, "")
		fmt.Fprint(h, r.Order.Refunded) // an order that is neither refunded nor canceled keeps its earlier digest
		if r.Order.Canceled {
			fmt.Fprint(h, " canceled")
		}
	case r.Customer != nil:
		digest(h, *r.Customer, " ")
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// digest writes every field of a struct, separated by between.
func digest(h hash.Hash, of any, between string) {
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		switch v.Type().Field(i).Name {
		case "GTIN", "MPN", "InventoryPolicy", "Shipping", "Canceled", "Refunded":
			continue // see identify
		}
		if i > 0 {
			fmt.Fprint(h, between)
		}
		switch field := v.Field(i).Interface().(type) {
		case string, []string, []catalog.Image:
			fmt.Fprintf(h, "%q", field)
		case map[string]string:
			fmt.Fprintf(h, "%q", fmt.Sprintf("%q", field))
		case int, bool:
			fmt.Fprint(h, field)
		case time.Time:
			fmt.Fprint(h, field.UnixMilli())
		case []Variant:
			for _, variant := range field {
				known := struct{ SKU, Size, Color, Price, Item string }{variant.SKU, variant.Size, variant.Color, variant.Price, variant.Item}
				fmt.Fprintf(h, "%q", known)
				identify(h, variant.GTIN, variant.MPN)
				fmt.Fprint(h, variant.InventoryPolicy, variant.Shipping.digested())
			}
		case *Shipment:
			if field != nil {
				digest(h, *field, "")
			}
		default:
			panic(fmt.Sprintf("syncrun: no digest of %T", field))
		}
	}
}

// digested is empty for shipped items, so that they keep the digest from before Shipping existed.
func (s Shipping) digested() string {
	if s == Ships {
		return ""
	}
	return string(s)
}

// identify writes the GTIN and MPN, if any. A product without them keeps the digest from before these fields existed.
func identify(h hash.Hash, gtin, mpn string) {
	if gtin != "" || mpn != "" {
		fmt.Fprintf(h, "%q%q", gtin, mpn)
	}
}
