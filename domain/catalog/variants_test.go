package catalog_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// The error for a request without a variant, or with another product's, lists the product's variants.
func TestProduct_NoVariant_VariantRequired(t *testing.T) {
	t.Parallel()
	small, plain := id.New[id.Variant]([16]byte{1}), id.New[id.Variant]([16]byte{2})
	p := catalog.Product{Variants: []catalog.Variant{{ID: small, Size: "S", Color: "Red"}, {ID: plain}}}
	list := small.String() + " (S / Red), " + plain.String()
	if got := p.VariantRequired(); got != "is required; the product has "+list {
		t.Errorf("%q", got)
	}
	err := p.NoVariant()
	if !fault.Is(err, "variant_not_found") || fault.KindOf(err) != fault.NotFound || !strings.HasSuffix(err.Error(), "The product has "+list+".") {
		t.Errorf("%v", err)
	}
}
