package catalogue

import (
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

// WantedProducts are the ids of products that are named by their own ids, the ids of their variants, or SKUs, as a list
// that follows IN. A text that looks like an id may also be a SKU. Each kind is looked up by its own index; with OR in
// place of UNION, PostgreSQL would read all variants.
func WantedProducts(args *db.Args, ids, refs []string) string {
	if len(refs) == 0 {
		return args.List(ids)
	}
	var variants []string
	for _, ref := range refs {
		switch {
		case strings.HasPrefix(ref, "var_"):
			variants = append(variants, ref)
		case strings.HasPrefix(ref, "prod_"):
			ids = append(ids, ref)
		}
	}
	var parts []string
	if len(ids) > 0 {
		parts = append(parts, "SELECT id FROM products WHERE project_id = $1 AND id IN "+args.List(ids))
	}
	if len(variants) > 0 {
		parts = append(parts, "SELECT product_id FROM variants WHERE project_id = $1 AND id IN "+args.List(variants))
	}
	list := args.List(refs)
	parts = append(parts,
		"SELECT product_id FROM variants WHERE project_id = $1 AND sku IN "+list,
		"SELECT id FROM products WHERE project_id = $1 AND deleted_at IS NULL AND sku IN "+list)
	return "(\n  " + strings.Join(parts, "\n  UNION ALL\n  ") + "\n)"
}
