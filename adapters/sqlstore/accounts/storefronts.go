package accounts

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Storefronts finds projects for buyers.
type Storefronts struct{ Store *db.DB }

var _ ports.Storefronts = Storefronts{}

func (f Storefronts) BySlug(ctx context.Context, slug string) (*project.Project, error) {
	return oneProject(ctx, f.Store.Dialect, f.Store.Read(db.NoProject), `
WHERE slug = $1`+db.ActiveOnly, slug)
}

func (f Storefronts) ByProject(ctx context.Context, project id.Project) (*project.Project, error) {
	return oneProject(ctx, f.Store.Dialect, f.Store.Read(db.NoProject), `
WHERE id = $1`, project)
}

// ActiveProjects finds projects for background work that ends when they are closed.
type ActiveProjects struct{ Store *db.DB }

func (f ActiveProjects) ByProject(ctx context.Context, project id.Project) (*project.Project, error) {
	return oneProject(ctx, f.Store.Dialect, f.Store.Read(db.NoProject), `
WHERE id = $1`+db.ActiveOnly, project)
}

const statistics = `
SELECT
  (SELECT count(*) FROM products WHERE project_id = $1 AND deleted_at IS NULL) AS products,
  (SELECT count(*) FROM agents WHERE project_id = $1) AS agents,
  count(*) AS orders,
  CAST(coalesce(sum(total), 0) AS BIGINT) AS revenue
FROM orders
WHERE project_id = $1
  AND created_at >= $2`

func (p Projects) Statistics(ctx context.Context, of *project.Project, since time.Time) (ports.Statistics, error) {
	type row struct {
		Products, Agents, Orders int
		Revenue                  int64
	}
	r, err := db.One[row](ctx, p.Store.Read(of.ID), "project", statistics, of.ID, since)
	if err != nil {
		return ports.Statistics{}, err
	}
	return ports.Statistics{
		Products: r.Products,
		Agents:   r.Agents,
		Orders:   r.Orders,
		Revenue:  money.Of(r.Revenue, of.Settings.Currency),
	}, nil
}
