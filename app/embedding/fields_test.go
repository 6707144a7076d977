package embedding_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/app/embedding"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
)

// The text contains every field of a product that describes what it is.
func TestText_everyField(t *testing.T) {
	t.Parallel()
	p := fieldtest.Fill[catalog.Product](catalog.Active, catalog.Backorder)
	const nothing = "it says nothing of what the product is"
	except := fieldtest.Reasons{"catalog.Product.Variants": "sizes and colours are filters, and many"}
	for _, field := range []string{
		"ID", "Project", "SKU", "Price", "Cost", "CompetitorPrice", "Negotiable", "Images", "Reviews", "Related", "Status", "CreatedAt", "UpdatedAt",
	} {
		except["catalog.Product."+field] = nothing
	}
	fieldtest.Matter(t, &p, func(p *catalog.Product) any { return embedding.Text(p) }, except, catalog.Active, catalog.Archived, catalog.Backorder, catalog.Tracked)
}
