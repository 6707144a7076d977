package sqlstore

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.SealedAgents = Agents{}

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
	err = v.store.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		if _, err := t.Exec(ctx, reviseSecretive); err != nil {
			return err
		}
		var rows []struct {
			ProjectID string `db:"project_id"`
			ID        string
			Secret    []byte
		}
		if err := t.Select(ctx, &rows, selectAgentSecrets+t.Dialect.ForUpdate); err != nil {
			return err
		}
		n = len(rows)
		for _, r := range rows {
			sealed, err := seal(id.Stored[id.Agent](r.ID), r.Secret)
			if err != nil {
				return err
			}
			if _, err := t.Exec(ctx, updateAgentSecret, r.ProjectID, r.ID, sealed); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}
