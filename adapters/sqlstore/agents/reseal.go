package agents

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.Sealed[id.Agent] = Agents{}

const (
	selectAgentSecrets = `
SELECT project_id, id, secret
FROM agents
WHERE secret IS NOT NULL
ORDER BY project_id, id`

	// reviseSecretive comes first: whoever writes agents holds their project.
	reviseSecretive = `
UPDATE projects
SET agent_revision = agent_revision + 1
WHERE id IN (SELECT project_id FROM agents WHERE secret IS NOT NULL)`

	updateAgentSecret = `
UPDATE agents
SET secret = $3
WHERE project_id = $1
  AND id = $2`
)

func (v Agents) Reseal(ctx context.Context, seal func(id.Agent, []byte) ([]byte, error)) (n int, err error) {
	return db.Reseal(ctx, v.Store, db.AnyProject, selectAgentSecrets, updateAgentSecret, func(r db.SealedRow) ([]any, error) {
		sealed, err := seal(id.Stored[id.Agent](r.ID), r.Secret)
		return []any{r.ProjectID, r.ID, sealed}, err
	}, reviseSecretive)
}
