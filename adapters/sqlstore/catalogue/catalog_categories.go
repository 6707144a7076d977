package catalogue

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

const selectCategories = `
SELECT category AS path, count(*) AS count
FROM products
WHERE project_id = $1
  AND deleted_at IS NULL
  AND status = 'active'
  AND category <> ''
GROUP BY category`

// Categories adds up what is at or below each path.
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
