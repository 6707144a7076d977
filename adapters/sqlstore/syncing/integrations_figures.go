package syncing

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// integrationFigures is completed by the list of integrations, four times.
func integrationFigures(list string) string {
	return `
SELECT integration_id, resource AS figure, count(*) AS n
FROM copies
WHERE project_id = $1
  AND integration_id IN ` + list + `
  AND NOT removed
  AND (resource = 'products' AND local <> '' OR resource = 'orders')
GROUP BY integration_id, resource
UNION ALL
SELECT integration_id, 'errors', count(*)
FROM sync_problems AS p
WHERE project_id = $1
  AND integration_id IN ` + list + `
  AND noted_at >= $2
  AND NOT EXISTS (SELECT 1 FROM sync_runs AS r WHERE r.project_id = p.project_id AND r.id = p.run_id AND r.preview)
GROUP BY integration_id
UNION ALL
SELECT integration_id, 'errors', count(*)
FROM sync_runs
WHERE project_id = $1
  AND integration_id IN ` + list + `
  AND status = 'failed'
  AND NOT preview
  AND ended_at >= $2
GROUP BY integration_id
UNION ALL
SELECT integration_id, 'errors', count(*)
FROM webhook_deliveries
WHERE project_id = $1
  AND integration_id IN ` + list + `
  AND status = 'failed'
  AND received_at >= $2
GROUP BY integration_id`
}

func (v Integrations) Metrics(ctx context.Context, project id.Project, integrations []id.Integration,
	since time.Time) (map[id.Integration]ports.IntegrationMetrics, error) {
	args := db.Args{project, since}
	query := integrationFigures(args.List(db.Strings(integrations)))
	rows, err := db.All[struct {
		Integration id.Integration
		Figure      string
		N           int
	}](ctx, v.Store.Read(project), query, args...)
	if err != nil {
		return nil, err
	}
	all := make(map[id.Integration]ports.IntegrationMetrics, len(integrations))
	for _, i := range integrations {
		all[i] = ports.IntegrationMetrics{}
	}
	for _, r := range rows {
		m := all[r.Integration]
		switch r.Figure {
		case "products":
			m.Products += r.N
		case "orders":
			m.Orders += r.N
		default:
			m.Errors += r.N
		}
		all[r.Integration] = m
	}
	return all, nil
}
