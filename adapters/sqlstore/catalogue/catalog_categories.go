package catalogue

import (
	"cmp"
	"context"
	"slices"
	"strings"

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

func (c Catalog) Categories(ctx context.Context, project id.Project) ([]catalog.Category, error) {
	var rows []categoryRow
	b := c.store.Read(project)
	b.Query(&rows, selectCategories, project)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return fromCategoryRows(rows), nil
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
