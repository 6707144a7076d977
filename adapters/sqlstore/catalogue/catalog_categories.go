package catalogue

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

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
	last, counted := c.counts.of(project)
	var version []struct{ Version int64 }
	if counted {
		b := c.store.Read(project)
		b.Query(&version, selectVersion, project.String())
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		if len(version) > 0 && version[0].Version == last.version {
			return slices.Clone(last.categories), nil
		}
		version = nil
	}
	var rows []categoryRow
	b := c.store.Read(project)
	b.Query(&version, selectVersion, project.String())
	b.Query(&rows, selectCategories, project.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	categories := fromCategoryRows(rows)
	if len(version) > 0 {
		c.counts.learn(project, categoryCount{version[0].Version, slices.Clone(categories)})
	}
	return categories, nil
}

// categoryCount is what a catalogue's categories were in a version of it.
type categoryCount struct {
	version    int64
	categories []catalog.Category
}

// categoryCounts are the last counts of some projects. As with trails, another state's count for nothing.
type categoryCounts struct {
	mu    sync.Mutex
	known *simplelru.LRU[id.Project, categoryCount] // nil until something is
}

func (c *categoryCounts) of(project id.Project) (categoryCount, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		return categoryCount{}, false
	}
	return c.known.Get(project)
}

func (c *categoryCounts) learn(project id.Project, count categoryCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known, _ = simplelru.NewLRU[id.Project, categoryCount](mostTrails, nil) // fails where the size is not positive
	}
	c.known.Add(project, count)
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
