package catalogue

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

const selectCategories = `
SELECT category, count(*) AS n
FROM products
WHERE project_id = $1
  AND deleted_at IS NULL
  AND status = 'active'
  AND category <> ''
GROUP BY category`

// Categories counts once in each version of the catalogue.
func (c Catalog) Categories(ctx context.Context, project id.Project) ([]catalog.Category, error) {
	last, counted := c.counts.values().Get(project)
	if counted {
		version, err := db.First[int64](ctx, c.store.Read(project), selectVersion, project)
		if err != nil {
			return nil, err
		}
		if version != nil && *version == last.version {
			return slices.Clone(last.categories), nil
		}
	}
	var rows []categoryRow
	b := c.store.Read(project)
	b.Query(&last.version, selectVersion, project)
	b.Query(&rows, selectCategories, project)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	last.categories = fromCategoryRows(rows)
	c.counts.values().Add(project, last)
	return slices.Clone(last.categories), nil
}

// categoryCount is what a catalogue's categories were in a version of it.
type categoryCount struct {
	version    int64
	categories []catalog.Category
}

type categoryRow struct {
	Category string
	N        int
}

// fromCategoryRows adds up what is at or below each path.
func fromCategoryRows(rows []categoryRow) []catalog.Category {
	counts := make(map[string]int)
	for _, r := range rows {
		for path := r.Category; path != ""; path = path[:max(strings.LastIndexByte(path, '/'), 0)] {
			counts[path] += r.N
		}
	}
	categories := make([]catalog.Category, 0, len(counts))
	for path, n := range counts {
		categories = append(categories, catalog.Category{Path: path, Count: n})
	}
	slices.SortFunc(categories, func(a, b catalog.Category) int { return cmp.Compare(a.Path, b.Path) })
	return categories
}
