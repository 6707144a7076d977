package catalog

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// oneID makes one id of each kind.
type oneID struct{}

func (oneID) Product() id.Product { return id.New[id.Product]([16]byte{1}) }
func (oneID) Variant() id.Variant { return id.New[id.Variant]([16]byte{1}) }

// Merchants read every field of a product, and can write what they read: a product that is created from the answer, or patched with
// it, is the same product.
func TestProduct_everyField(t *testing.T) {
	t.Parallel()
	p := fieldtest.Fill[catalog.Product](catalog.Archived, catalog.Backorder)
	for i := range p.Images {
		p.Images[i].URL = "https://example.com/" + p.Images[i].URL
	}
	for i := range p.Variants {
		p.Variants[i].GTIN = []string{"4006381333931", "96385074"}[i]
	}
	shown := func(p *catalog.Product) any {
		text, err := json.Marshal(toAPIProduct(catalogs.Item{Product: p}))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	fieldtest.Matter(t, &p, shown, fieldtest.Reasons{"catalog.Product.Project": "it is in the path"}, catalog.Active, catalog.Archived, catalog.Backorder, catalog.Tracked)

	var in ProductPatch
	if err := json.Unmarshal([]byte(shown(&p).(string)), &in); err != nil {
		t.Fatal(err)
	}
	in.Quantity = wire.Optional[int]{} // the product has variants
	line := fromAPIProduct(in, money.USD)
	if line.Err != nil {
		t.Fatal(line.Err)
	}
	made, _, err := catalog.Create(p.Project, line.Draft, money.USD, oneID{}, p.CreatedAt)
	if err != nil {
		t.Fatal(err)
	}
	other := fieldtest.Fill[catalog.Product](catalog.Active, catalog.AlwaysAvailable, fieldtest.From(200))
	patched, _, err := other.Update(line.Draft, oneID{}, p.CreatedAt)
	if err != nil {
		t.Fatal(err)
	}
	const ours = "the server gives it"
	except := fieldtest.Reasons{"catalog.Product.ID": ours, "catalog.Product.UpdatedAt": ours, "catalog.Product.Variants[].ID": ours}
	fieldtest.Survive(t, except, fieldtest.Pair{Sent: p, Got: made})
	except["catalog.Product.Project"], except["catalog.Product.CreatedAt"] = ours, ours
	fieldtest.Survive(t, except, fieldtest.Pair{Sent: p, Got: patched})
}
