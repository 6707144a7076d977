package catalogue

import (
	"context"

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

	selectLevels = `
SELECT variants.product_id, stock.variant_id, variants.sku, stock.location, stock.quantity, stock.oversold
FROM stock
JOIN variants ON variants.project_id = stock.project_id AND variants.id = stock.variant_id
WHERE stock.project_id = $1`

	byVariant = `
ORDER BY stock.variant_id, stock.location`

	selectWrittenSynonyms = selectSynonyms + `
  AND (SELECT synonyms_version FROM projects WHERE id = $1) > $2` + asSynonymsWereMade
)

func (c Catalog) Changes(ctx context.Context, project id.Project, since int64) (ports.CatalogChanges, error) {
	var version []struct{ Version, Synonyms int64 }
	var rows []ProductRow
	var variants []VariantRow
	var levels []LevelRow
	var removed []struct{ ID string }
	var synonyms []synonymRow
	changed := "(SELECT id FROM products" + changedProducts + ")"

	b := c.store.Read(project)
	b.Query(&version, selectVersions, project.String())
	b.Query(&rows, SelectProducts+changedProducts+"\nORDER BY changed_version, id", project.String(), since)
	b.Query(&variants, SelectVariants+changed+ByPosition, project.String(), since)
	b.Query(&levels, selectLevels+"\n  AND variants.product_id IN "+changed+byVariant, project.String(), since)
	b.Query(&removed, selectRemoved, project.String(), since)
	b.Query(&synonyms, selectWrittenSynonyms, project.String(), since)
	if err := b.Run(ctx); err != nil {
		return ports.CatalogChanges{}, err
	}
	if len(version) == 0 {
		return ports.CatalogChanges{}, db.MissingProject()
	}
	products, err := FromProductRows(rows, variants)
	if err != nil {
		return ports.CatalogChanges{}, err
	}
	changes := ports.CatalogChanges{Since: since, Version: version[0].Version, Changed: products, Levels: FromLevelRows(levels)}
	for _, r := range removed {
		changes.Removed = append(changes.Removed, id.Stored[id.Product](r.ID))
	}
	changes.Synonyms, err = writtenSynonyms(synonyms, version[0].Synonyms, since)
	return changes, err
}

// writtenSynonyms are all that a project has where they were written after a version. To who begins, none
// are no news.
func writtenSynonyms(rows []synonymRow, written, since int64) (*[]catalog.Synonym, error) {
	if written <= since || since == 0 && len(rows) == 0 {
		return nil, nil
	}
	all, err := fromSynonymRows(rows)
	return &all, err
}

func (c Catalog) Active(ctx context.Context, project id.Project, products []id.Product) ([]*catalog.Product, error) {
	args := db.Args{project.String()}
	active := `
WHERE project_id = $1
  AND deleted_at IS NULL
  AND status = 'active'
  AND id IN ` + args.List(db.Strings(products))

	var rows []ProductRow
	var variants []VariantRow
	b := c.store.Read(project)
	b.Query(&rows, SelectProducts+active, args...)
	b.Query(&variants, SelectVariants+"(SELECT id FROM products"+active+")"+ByPosition, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return FromProductRows(rows, variants)
}
