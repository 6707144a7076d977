package catalogue

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	selectVersion = `
SELECT catalog_version AS version
FROM projects
WHERE id = $1`

	selectVersions = `
SELECT catalog_version AS version, synonyms_version AS synonyms
FROM projects
WHERE id = $1`

	changedProducts = `
WHERE project_id = $1
  AND changed_version > $2
  AND deleted_at IS NULL`

	selectRemoved = `
SELECT id
FROM products
WHERE project_id = $1
  AND changed_version > $2
  AND deleted_at IS NOT NULL
ORDER BY changed_version`

	levelColumns = "\nSELECT variants.product_id, stock.variant_id, variants.sku, stock.location, stock.quantity, " +
		"variants.inventory_policy AS policy, variants.digital"

	stockOfVariants = `
FROM stock
JOIN variants ON variants.project_id = stock.project_id AND variants.id = stock.variant_id
WHERE stock.project_id = $1`

	selectLevels  = levelColumns + stockOfVariants
	selectShelves = levelColumns + ", stock.oversold" + stockOfVariants

	byVariant = `
ORDER BY stock.variant_id, stock.location`
)

var selectWrittenSynonyms = synonyms.Select() + `
WHERE project_id = $1
  AND (SELECT synonyms_version FROM projects WHERE id = $1) > $2
ORDER BY ` + asSynonymsWereMade

func (c Catalog) Changes(ctx context.Context, project id.Project, since int64) (ports.CatalogChanges, error) {
	var version *struct{ Version, Synonyms int64 }
	var rows []ProductRow
	var variants []VariantRow
	var synonyms []catalog.Synonym
	changes := ports.CatalogChanges{Since: since}
	changed := idsOf(changedProducts)

	b := c.Store.Read(project)
	b.Query(&version, selectVersions, project)
	b.Query(&rows, SelectProducts+changedProducts+"\nORDER BY changed_version, id", project, since)
	b.Query(&variants, SelectVariants+changed+ByPosition, project, since)
	b.Query(&changes.Levels, selectLevels+"\n  AND variants.product_id IN "+changed+byVariant, project, since)
	b.Query(&changes.Removed, selectRemoved, project, since)
	b.Query(&synonyms, selectWrittenSynonyms, project, since)
	if err := b.Run(ctx); err != nil {
		return ports.CatalogChanges{}, err
	}
	if version == nil {
		return ports.CatalogChanges{}, db.MissingProject()
	}
	changes.Version, changes.Changed = version.Version, FromProductRows(rows, variants)
	if version.Synonyms > since && (since != 0 || len(synonyms) > 0) { // a first read needs no change for an empty list
		all := append([]catalog.Synonym{}, synonyms...)
		changes.Synonyms = &all
	}
	return changes, nil
}

// WhereActive is completed by a list of products.
const WhereActive = `
WHERE project_id = $1
  AND deleted_at IS NULL
  AND status = 'active'
  AND id IN `

func (c Catalog) Active(ctx context.Context, project id.Project, products []id.Product) ([]*catalog.Product, error) {
	args := db.Args{project}
	return c.active(ctx, project, args.List(db.Strings(products)), "", &args)
}

// Named reads the products, their variants and their stock in one batch.
func (c Catalog) Named(ctx context.Context, project id.Project, refs []string) (ports.NamedProducts, error) {
	args := db.Args{project}
	wanted := WhereActive + WantedProducts(&args, nil, refs)

	var rows []ProductRow
	var variants []VariantRow
	var levels []catalog.Level
	b := c.Store.Read(project)
	b.Query(&rows, SelectProducts+wanted+"\nORDER BY id", args...)
	b.Query(&variants, SelectVariants+"(SELECT id FROM products"+wanted+")"+ByPosition, args...)
	b.Query(&levels, selectLevels+"\n  AND variants.product_id IN (SELECT id FROM products"+wanted+")"+byVariant, args...)
	if err := b.Run(ctx); err != nil {
		return ports.NamedProducts{}, err
	}
	return ports.NamedProducts{Products: FromProductRows(rows, variants), Stock: catalog.Totals(levels)}, nil
}

const firstActive = `(
  SELECT id
  FROM products
  WHERE project_id = $1
    AND deleted_at IS NULL
    AND status = 'active'
  ORDER BY id
  LIMIT $2
)`

// First orders by the ids, which begin with the time.
func (c Catalog) First(ctx context.Context, project id.Project, most int) ([]*catalog.Product, error) {
	return c.active(ctx, project, firstActive, onlyListed, &db.Args{project, most})
}

// active returns the active ones of a list of products, in the order of their ids, with the variants that meet a
// condition.
func (c Catalog) active(ctx context.Context, project id.Project, list, will string, args *db.Args) ([]*catalog.Product, error) {
	active := WhereActive + list

	var rows []ProductRow
	var variants []VariantRow
	b := c.Store.Read(project)
	b.Query(&rows, SelectProducts+active+"\nORDER BY id", *args...)
	b.Query(&variants, SelectVariants+"(SELECT id FROM products"+active+")"+will+ByPosition, *args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return FromProductRows(rows, variants), nil
}

const selectCategories = `
SELECT category AS path, count(*) AS count
FROM products
WHERE project_id = $1
  AND deleted_at IS NULL
  AND status = 'active'
  AND category <> ''
GROUP BY category`

// Categories adds up the products at or below each path.
func (c Catalog) Categories(ctx context.Context, project id.Project) ([]catalog.Category, error) {
	rows, err := db.All[catalog.Category](ctx, c.Store.Read(project), selectCategories, project)
	counts := make(map[string]int)
	for _, r := range rows {
		for path := r.Path; path != ""; path = path[:max(strings.LastIndexByte(path, '/'), 0)] {
			counts[path] += r.Count
		}
	}
	categories := make([]catalog.Category, 0, len(counts))
	for _, path := range slices.Sorted(maps.Keys(counts)) {
		categories = append(categories, catalog.Category{Path: path, Count: counts[path]})
	}
	return categories, err
}
