package feed_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// platformLines reads a platform's file and returns its products, and the problems of the refused ones.
func platformLines(t *testing.T, format feed.Format, text string) (products []catalog.Draft, bad []string) {
	t.Helper()
	r, err := feed.New(strings.NewReader(text), feed.Options{
		Name:     "a.csv",
		Currency: money.USD,
		Format:   format,
	})
	if err != nil {
		t.Fatal(err)
	}
	for line, err := range r.All() {
		switch _, refused := errors.AsType[*fault.Error](err); {
		case err == nil:
			products = append(products, line.Draft)
		case !refused:
			t.Fatal(err)
		}
		for _, p := range line.Problems {
			bad = append(bad, p.String())
		}
	}
	return products, bad
}

func wantProducts(t *testing.T, got, want []catalog.Draft) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("missing %+v", want[i])
		case i >= len(want):
			t.Errorf("%+v is one too many", got[i])
		case !reflect.DeepEqual(got[i], want[i]):
			t.Errorf("got  %+v\nwant %+v", got[i], want[i])
		}
	}
}

const shopifyOld = `Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Image Position,Image Alt Text,Gift Card,Cost per item,Status
shirt,Linen Shirt,"<p>Light &amp; <b>cool</b>.</p><p>Wash cold.</p>",Larkfell,Clothing > Shirts,"summer, linen",true,Size,M,Color,White,S-M-W,shopify,4,45.00,60.00,4006381333931,https://cdn.example/s1.jpg,1,Front,false,20.00,active
shirt,,,,,,,,L,,White,S-L-W,shopify,-2,45.00,60.00,,https://cdn.example/s2.jpg,2,,,,
shirt,,,,,,,,L,,Blue,,shopify,0,48.00,,,,,,,,
shirt,,,,,,,,,,,,,,,,,https://cdn.example/s3.jpg,3,,,,
card,Gift Card,,Larkfell,,,true,Title,Default Title,,,GC,,,25.00,,,,,,true,,draft
`

func shopifyShirt() catalog.Draft {
	four, none := 4, 0
	blue := usd(48_00)
	return catalog.Draft{
		SKU:         patch.To("shirt"),
		Name:        patch.To("Linen Shirt"),
		Description: patch.To("Light & cool.\nWash cold."),
		Brand:       patch.To("Larkfell"),
		Category:    patch.To("Clothing/Shirts"),
		Tags:        patch.To([]string{"summer", "linen"}),
		Status:      patch.To("active"),
		Price:       patch.To(usd(45_00)),
		Cost:        patch.To(usd(20_00)),
		Attributes:  patch.To(map[string]string{"Compare-at price": "60.00"}),
		Images: patch.To([]catalog.Image{
			{URL: "https://cdn.example/s1.jpg", Alt: "Front"}, {URL: "https://cdn.example/s2.jpg"}, {URL: "https://cdn.example/s3.jpg"},
		}),
		Variants: patch.To([]catalog.VariantDraft{
			{SKU: "S-M-W", Size: "M", Color: "White", Quantity: &four, GTIN: "4006381333931"},
			{SKU: "S-L-W", Size: "L", Color: "White", Quantity: &none},
			{SKU: "shirt-3", Size: "L", Color: "Blue", Price: &blue, Quantity: &none},
		}),
	}
}

func TestShopify(t *testing.T) {
	t.Parallel()
	card := catalog.Draft{
		SKU:         patch.To("GC"),
		Name:        patch.To("Gift Card"),
		Description: patch.To(""),
		Brand:       patch.To("Larkfell"),
		Category:    patch.To(""),
		Tags:        patch.To[[]string](nil),
		Status:      patch.To("archived"),
		Price:       patch.To(usd(25_00)),
		Negotiable:  patch.To(false),
	}
	got, bad := platformLines(t, feed.Shopify, shopifyOld)
	wantProducts(t, got, []catalog.Draft{shopifyShirt(), card})
	if bad != nil {
		t.Errorf("%q", bad)
	}
}

// The names of the columns have changed.
func TestShopify_newColumns(t *testing.T) {
	t.Parallel()
	text := shopifyOld
	for before, now := range map[string]string{
		"Handle,": "URL handle,", "Body (HTML)": "Description", "Published": "Published on online store", "Variant SKU": "SKU",
		"Variant Inventory Tracker": "Inventory tracker", "Variant Inventory Qty": "Inventory quantity", "Variant Price": "Price",
		"Variant Compare At Price": "Compare-at price", "Variant Barcode": "Barcode", "Image Src": "Product image URL",
		"Option1 Name": "Option1 name", "Option1 Value": "Option1 value",
	} {
		text = strings.Replace(text, before, now, 1)
	}
	got, bad := platformLines(t, feed.Shopify, text)
	if bad != nil || len(got) != 2 {
		t.Fatalf("%d products, %q", len(got), bad)
	}
	wantProducts(t, got[:1], []catalog.Draft{shopifyShirt()})
}

func TestShopify_problems(t *testing.T) {
	t.Parallel()
	const header = "line,sku,field,value,problem,Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Inventory Qty\n"
	got, bad := platformLines(t, feed.Shopify, header+
		",,,,,mug,Mug,Title,Default Title,M1,\"12,50\",x\n"+
		",,,,,tee,Tee,Size,S,T-S,10,1\n,,,,,tee,,,M,T-M,,1\n,,,,,tee\n"+
		",,,,,cap,Cap,,,,,\n"+
		",,,,,,No handle,,,N,5,\n"+
		",,,,,hat,Hat,,,H1,5,\n")
	equal(t, bad, []string{
		`line 2 (sku M1): Variant Price "12,50" is not a decimal number; write 12.50`,
		`line 2 (sku M1): Variant Inventory Qty "x" is not a whole number`,
		"line 4 (sku tee): Variant Price is required",
		"line 5 (sku tee) has 6 fields, the header has 12",
		"line 6 (sku cap): Variant Price is required",
		"line 7 (sku N): Handle is required",
	})
	if len(got) != 1 {
		t.Errorf("%d products", len(got))
	}
}

const woo = `ID,Type,SKU,Name,Published,"Is featured?","Visibility in catalog","Short description",Description,"Date sale price starts","Date sale price ends","In stock?",Stock,"Sale price","Regular price",Categories,Tags,Images,Parent,"Attribute 1 name","Attribute 1 value(s)","Attribute 2 name","Attribute 2 value(s)",Brands,"GTIN, UPC, EAN, or ISBN"
44,variable,tee,"V-Neck Tee",1,1,visible,,"A <em>soft</em> tee.",,,1,,,,"Clothing > Tshirts, Sale","cotton, basic","https://shop.example/a.jpg, https://shop.example/b.jpg",,Color,"Blue, Red",Fabric,Cotton,Larkfell,
46,simple,hoodie,Hoodie,1,0,visible,Warm.,,,,1,7,"42,00",45,Clothing,,,,Color,Blue,,,,4006381333931
76,variation,tee-red,"V-Neck Tee - Red",1,0,visible,,,,,1,5,,20,,,,tee,Color,Red,,,,
47,"simple, virtual",,Album,-1,0,visible,,,2020-01-01,2020-02-01,1,,10,15,Music,,,,,,,,,
77,variation,,"V-Neck Tee - Blue",1,0,visible,,,,,1,0,,21,,,,id:44,Color,Blue,,,,
`

func TestWooCommerce(t *testing.T) {
	t.Parallel()
	five, none, blue := 5, 0, usd(21_00)
	got, bad := platformLines(t, feed.WooCommerce, woo)
	if bad != nil {
		t.Errorf("%q", bad)
	}
	wantProducts(t, got, []catalog.Draft{
		{
			SKU: patch.To("hoodie"), Name: patch.To("Hoodie"), Description: patch.To("Warm."), Category: patch.To("Clothing"),
			Tags: patch.To[[]string](nil), Status: patch.To("active"), Price: patch.To(usd(42_00)), Quantity: patch.To(7),
			GTIN: patch.To("4006381333931"), Attributes: patch.To(map[string]string{"Color": "Blue", "Compare-at price": "45.00"}),
		},
		{
			SKU: patch.To("woocommerce-47"), Name: patch.To("Album"), Description: patch.To(""), Category: patch.To("Music"),
			Tags: patch.To[[]string](nil), Status: patch.To("archived"), Price: patch.To(usd(15_00)), // the sale is over
			RequiresShipping: patch.To(false),
		},
		{
			SKU: patch.To("tee"), Name: patch.To("V-Neck Tee"), Description: patch.To("A soft tee."), Category: patch.To("Clothing/Tshirts"),
			Tags: patch.To([]string{"cotton", "basic"}), Status: patch.To("active"), Brand: patch.To("Larkfell"), Price: patch.To(usd(20_00)),
			Attributes: patch.To(map[string]string{"Fabric": "Cotton"}),
			Images:     patch.To([]catalog.Image{{URL: "https://shop.example/a.jpg", Alt: "V-Neck Tee"}, {URL: "https://shop.example/b.jpg", Alt: "V-Neck Tee"}}),
			Variants: patch.To([]catalog.VariantDraft{
				{SKU: "tee-red", Color: "Red", Quantity: &five},
				{SKU: "woocommerce-77", Color: "Blue", Price: &blue, Quantity: &none},
			}),
		},
	})
}

func TestWooCommerce_problems(t *testing.T) {
	t.Parallel()
	_, bad := platformLines(t, feed.WooCommerce, `ID,Type,SKU,Name,Published,Stock,Regular price,Is featured?,In stock?,Parent
1,grouped,logo,Logo,1,,,,,
2,subscription,sub,Sub,1,,5,,,
3,simple,mug,Mug,1,many,"1.234,x",,,
4,variation,tee-s,Tee,1,,5,,,tee
5,variation,tee-m,Tee,1,,5,,,
6,variable,cap,Cap,1,,,,,
7,simple,pot,Pot,1,,,,,
8,simple,pan
9,variable,hat,Hat,1,,,,,
10,variation,hat-s,Hat,1,,,,,hat
`)
	equal(t, bad, []string{
		`line 2 (sku logo): Type "grouped" cannot be imported: it is not sold by itself`,
		`line 3 (sku sub): Type "subscription" is unknown; known are simple, variable and variation`,
		`line 4 (sku mug): Regular price "1.234,x" is not a decimal number`,
		`line 4 (sku mug): Stock "many" is not a whole number`,
		"line 6 (sku tee-m): Parent is required for a variation",
		"line 8 (sku pot): Regular price is required",
		"line 9 (sku pan) has 3 fields, the header has 10",
		`line 7 (sku cap): Type "variable" has no variations in the file`,
		"line 11 (sku hat): Regular price is required",
		`line 5 (sku tee-s): Parent "tee" is no product of the file`,
	})
}

// A file of another format is recognized by its header.
func TestNew_otherFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		as    feed.Format
		looks feed.Format
	}{
		{shopifyOld, feed.Format{}, feed.Shopify},
		{shopifyOld, feed.WooCommerce, feed.Shopify},
		{woo, feed.Haggle, feed.WooCommerce},
		{woo, feed.Shopify, feed.WooCommerce},
		{"sku,name,price\n", feed.Shopify, feed.Haggle},
	} {
		_, err := feed.New(strings.NewReader(c.text), feed.Options{
			Name:     "a.csv",
			Currency: money.USD,
			Format:   c.as,
		})
		found, ok := errors.AsType[*feed.FormatError](err)
		if !ok || found.Looks != c.looks || !strings.Contains(err.Error(), "choose the format "+c.looks.String()) {
			t.Errorf("as %s: %v, want %s", c.as, err, c.looks)
		}
	}
	for as, text := range map[feed.Format]string{feed.Shopify: "Handle,Body (HTML),Option1 Name\n", feed.WooCommerce: "Type,SKU,Is featured?,In stock?\n"} {
		if _, err := feed.New(strings.NewReader(text), feed.Options{Currency: money.USD, Format: as}); err == nil || !strings.Contains(err.Error(), "is missing") {
			t.Errorf("as %s: %v", as, err)
		}
	}
	if _, err := feed.New(strings.NewReader("{}"), feed.Options{Currency: money.USD, Format: feed.Shopify}); err == nil || !strings.Contains(err.Error(), "is JSON") {
		t.Errorf("JSON: %v", err)
	}
}
