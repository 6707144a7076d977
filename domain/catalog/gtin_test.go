package catalog_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

func TestParseGTIN(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"4006381333931":     "4006381333931", // an EAN
		"036000291452":      "036000291452",  // a UPC
		"96385074":          "96385074",
		"10012345678902":    "10012345678902",
		"978-0-306-40615-7": "9780306406157", // an ISBN
		"4 006381 333931":   "4006381333931",
		"4006381333932":     "",
		"00000000":          "",
		"400638133393":      "",
		"40063813339311":    "",
		"400638133393X":     "",
		"４006381333931":     "",
		"":                  "",
		"123":               "",
	} {
		got, valid := catalog.ParseGTIN(text)
		if valid != (want != "") || valid && got != want {
			t.Errorf("%q is read as %q, %t", text, got, valid)
		}
	}
	for digit := range 10 { // one digit alone is right
		code := "400638133393" + string(rune('0'+digit))
		if _, valid := catalog.ParseGTIN(code); valid != strings.HasSuffix(code, "1") {
			t.Errorf("%s is valid: %t", code, valid)
		}
	}
}

// The GTIN and MPN of a product without variants are those of its default variant, and stay until they are written
// again.
func TestDraft_gtinOfDefaultVariant(t *testing.T) {
	t.Parallel()
	d := tent()
	d.GTIN, d.MPN = patch.To("4-006381-333931"), patch.To("F-1")
	p, _ := create(t, d)
	if v := p.Variants[0]; v.GTIN != "4006381333931" || v.MPN != "F-1" {
		t.Errorf("%+v", v)
	}
	p, _ = update(t, p, catalog.Draft{MPN: patch.Null[string]()})
	if v := p.Variants[0]; v.GTIN != "4006381333931" || v.MPN != "" {
		t.Errorf("after an update: %+v", v)
	}
	p, _ = update(t, p, catalog.Draft{Variants: patch.To([]catalog.VariantDraft{})})
	if v := p.Variants[0]; v.GTIN != "4006381333931" {
		t.Errorf("after the variants were taken away: %+v", v)
	}
}

func TestCreate_invalidGTINAndMPN(t *testing.T) {
	t.Parallel()
	wrong, of, long := tent(), tents(), tent()
	wrong.GTIN = patch.To("4006381333932")
	of.GTIN, of.MPN = patch.To("4006381333931"), patch.To("F-1")
	long.MPN = patch.To(strings.Repeat("x", 71))
	each := tents()
	each.Variants = patch.To([]catalog.VariantDraft{{SKU: "A", GTIN: "1"}, {SKU: "B", GTIN: "96385074", MPN: strings.Repeat("x", 71)}})
	for want, d := range map[string]catalog.Draft{
		"[gtin must be a GTIN": wrong,
		"[gtin must be given for each variant, because the product has variants] [mpn must be given for each variant": of,
		"[mpn must have at most 70 characters]": long,
		"[variants.0.gtin must be a GTIN: 8, 12, 13 or 14 digits, of which the last is the correct check digit] [variants.1.mpn must have": each,
	} {
		_, _, err := catalog.Create(shop, d, money.USD, &counter{}, noon)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
