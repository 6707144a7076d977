package analytics

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// selectAgents counts a negotiation where it began, as figures do: it is on one product, variant and quantity in a
	// session, and a deal if an offer was accepted in it.
	selectAgents = `
SELECT profile, verified, CAST(SUM(sessions) AS BIGINT) AS sessions, CAST(SUM(deals) AS BIGINT) AS deals,
  CAST(SUM(orders) AS BIGINT) AS orders, CAST(SUM(gross) AS BIGINT) AS gross
FROM (
  SELECT agent_profile AS profile, agent_verified AS verified, COUNT(*) AS sessions, 0 AS deals, 0 AS orders, 0 AS gross
  FROM sessions
  WHERE project_id = $1
    AND created_at >= $2
    AND created_at < $3
  GROUP BY agent_profile, agent_verified
  UNION ALL
  SELECT s.agent_profile, s.agent_verified, 0, COUNT(*), 0, 0
  FROM (
    SELECT DISTINCT session_id, product_id, variant_id, quantity
    FROM decisions
    WHERE project_id = $1
      AND at >= $2
      AND response = 'accept'
  ) AS d
  JOIN sessions AS s ON s.project_id = $1 AND s.id = d.session_id
  WHERE (
    SELECT MIN(e.at)
    FROM decisions AS e
    WHERE e.project_id = $1
      AND e.session_id = d.session_id
      AND e.product_id = d.product_id
      AND e.variant_id = d.variant_id
      AND e.quantity = d.quantity
  ) BETWEEN $2 AND $3 - 1
  GROUP BY s.agent_profile, s.agent_verified
  UNION ALL
  SELECT agent_profile, agent_verified, 0, 0, COUNT(*), SUM(total)
  FROM orders
  WHERE project_id = $1
    AND created_at >= $2
    AND created_at < $3
  GROUP BY agent_profile, agent_verified
) AS parts
GROUP BY profile, verified
ORDER BY orders DESC, deals DESC, sessions DESC, profile, verified
LIMIT $4`
)

func (v Analytics) Agents(ctx context.Context, project id.Project, from, to time.Time, most int) ([]ports.AgentTraffic, error) {
	return db.All[ports.AgentTraffic](ctx, v.Store.Read(project), selectAgents, project, from, to, most)
}
