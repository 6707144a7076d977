package catalogue

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// List counts a list once in each version of the catalogue, and goes on where the previous part ended.
func (p Products) List(ctx context.Context, project id.Project, f ports.ProductFilter, page ports.Page) ([]*catalog.Product, int, error) {
	read := func(from *beginning) (part[*catalog.Product], error) { return p.list(ctx, project, f, page, from) }
	last := func(p *catalog.Product) []any { return []any{p.CreatedAt, p.ID} }
	return readPart(p.places, place{project, f, page.Offset}, read, last)
}

// list reads a part of a list in one transaction. It counts the list if its number is unknown.
func (p Products) list(ctx context.Context, project id.Project, f ports.ProductFilter, page ports.Page,
	from *beginning) (l part[*catalog.Product], err error) {
	var rows []ProductRow
	var variants []VariantRow
	args := db.Args{project}
	where := productsLike(f, &args)
	b := p.Store.Read(project)
	b.Query(&l.state.version, selectVersion, project)
	if from == nil {
		b.Query(&l.total, "SELECT count(*) AS n FROM products"+where, args...)
	} else {
		l.total = from.total
	}
	if from != nil && from.after != nil {
		at, last := args.Add(from.after[0]), args.Add(from.after[1])
		where += `
  AND created_at <= ` + at + `
  AND (created_at < ` + at + ` OR id > ` + last + `)`
		page.Offset = 0
	}
	const newest = `
ORDER BY created_at DESC, id`
	// Materialized, because PostgreSQL has no statistics just after an import, and would read the page once for each product.
	keys := "(WITH page AS MATERIALIZED (SELECT id FROM products" + where + newest + args.Page(page) + ") SELECT id FROM page)"
	b.Query(&rows, SelectProducts+`
WHERE project_id = $1
  AND id IN `+keys+newest, args...)
	b.Query(&variants, SelectVariants+keys+onlyListed+ByPosition, args...)
	if err := b.Run(ctx); err != nil {
		return l, err
	}
	l.rows = FromProductRows(rows, variants)
	return l, nil
}

// productsLike is the condition of a merchant's list. $1 is the project.
func productsLike(f ports.ProductFilter, args *db.Args) string {
	where := `
WHERE project_id = $1
  AND deleted_at IS NULL`
	if f.Text != "" {
		where += `
  AND folded LIKE ` + args.Add("%"+wildcards.Replace(folded(f.Text))+"%") + ` ESCAPE '\'`
	}
	if f.Category != "" {
		below := f.Category + "/"
		where += `
  AND (category = ` + args.Add(f.Category) + `
    OR substr(category, 1, CAST(` + args.Add(len([]rune(below))) + ` AS INTEGER)) = ` + args.Add(below) + `)`
	}
	if f.Status != "" {
		where += `
  AND status = ` + args.Add(f.Status)
	}
	return where
}

// wildcards escapes the wildcards of LIKE.
var wildcards = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
