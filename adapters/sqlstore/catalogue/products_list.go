package catalogue

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// List counts a list once in each version of the catalogue, and goes on from the part that was read
// before. Where the catalogue has changed since, it reads once more, from the beginning.
func (p Products) List(ctx context.Context, project id.Project, f ports.ProductFilter, page ports.Page) ([]*catalog.Product, int, error) {
	key := trailKey{project, f}
	known, from, counted := p.trails.find(key, page.Offset)
	l, err := p.list(ctx, key, page, from, counted)
	if err == nil && counted && l.state != known.state {
		p.trails.forget(key, known.state)
		counted = false
		l, err = p.list(ctx, key, page, mark{}, false)
	}
	if err != nil {
		return nil, 0, err
	}
	if counted {
		l.total = known.total
	}
	next := mark{}
	if n := len(l.products); n > 0 {
		last := l.products[n-1]
		next = mark{page.Offset + n, [2]any{db.Millis(last.CreatedAt), last.ID.String()}}
	}
	p.trails.learn(key, l.state, l.total, next)
	return l.products, l.total, nil
}

// listedProducts are a part of a list, and the state in which it was read.
type listedProducts struct {
	state    state
	total    int // 0 where it was counted before
	products []*catalog.Product
}

// list reads a part of a list, beginning at a mark, in one reading.
func (p Products) list(ctx context.Context, key trailKey, page ports.Page, from mark, counted bool) (l listedProducts, err error) {
	args := db.Args{key.project.String()}
	where := productsLike(key.filter, &args)
	narrowed := len(args)
	paged := where + newestAfter(from, &args) + `
LIMIT ` + args.Add(page.Limit) + ` OFFSET ` + args.Add(page.Offset-from.offset)
	keys := "(SELECT id FROM products" + paged + ")"

	var version []struct{ Version int64 }
	var total []db.CountRow
	var rows []ProductRow
	var variants []VariantRow
	b := p.store.Read(key.project)
	b.Query(&version, selectVersion, key.project.String())
	if !counted {
		b.Query(&total, "SELECT count(*) AS n FROM products"+where, args[:narrowed]...)
	}
	b.Query(&rows, SelectProducts+`
WHERE project_id = $1
  AND id IN `+keys+`
ORDER BY created_at DESC, id`, args...)
	b.Query(&variants, SelectVariants+keys+ByPosition, args...)
	if err := b.Run(ctx); err != nil {
		return l, err
	}
	if len(version) > 0 {
		l.state.version = version[0].Version
	}
	if !counted {
		l.total = total[0].N
	}
	l.products, err = FromProductRows(rows, variants)
	return l, err
}

// newestAfter is what of a list comes after a mark, and in which order.
func newestAfter(from mark, args *db.Args) string {
	const order = `
ORDER BY created_at DESC, id`
	if from.offset == 0 {
		return order
	}
	at, last := args.Add(from.after[0]), args.Add(from.after[1])
	return `
  AND created_at <= ` + at + `
  AND (created_at < ` + at + ` OR id > ` + last + `)` + order
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
    OR substr(category, 1, ` + args.Add(len([]rune(below))) + `) = ` + args.Add(below) + `)`
	}
	if f.Status != "" {
		where += `
  AND status = ` + args.Add(f.Status)
	}
	return where
}

// wildcards makes LIKE take text as it is.
var wildcards = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
