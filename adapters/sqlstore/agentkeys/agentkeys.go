// Package agentkeys stores the keys of agents that do not sign their requests. It stores hashes, not secrets.
package agentkeys

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// AgentKeys stores agent keys.
type AgentKeys struct{ Store *db.DB }

var _ ports.AgentKeys = AgentKeys{}

var (
	keys = db.NewTable[agentkey.Key]("agent_keys")

	insertKey = keys.Insert()

	selectByHash = keys.Select() + `
WHERE project_id = $1
  AND hash = $2`
)

const (
	workingKeys = `
FROM agent_keys
WHERE project_id = $1
  AND revoked_at IS NULL`

	revokeKey = `
UPDATE agent_keys
SET revoked_at = $3
WHERE project_id = $1
  AND id = $2
  AND revoked_at IS NULL`
)

// Add implements ports.AgentKeys. It locks the project, so that its keys are counted one after the other.
func (v AgentKeys) Add(ctx context.Context, k *agentkey.Key) error {
	return v.Store.InTx(ctx, k.Project, func(t *db.Tx) error {
		var name string
		if there, err := t.Get(ctx, &name, "SELECT id FROM projects WHERE id = $1"+db.ActiveOnly+t.Dialect.ForUpdate, k.Project); err != nil || !there {
			return db.OrMissingProject(err)
		}
		var working int
		if _, err := t.Get(ctx, &working, "SELECT count(*)"+workingKeys, k.Project); err != nil {
			return err
		}
		if working >= agentkey.Max {
			return fault.New(fault.Conflict, "too_many_agent_keys", "The project has 100 working agent keys. Revoke some first.")
		}
		_, err := t.Exec(ctx, insertKey, keys.Args(*k)...)
		return err
	})
}

// List implements ports.AgentKeys.
func (v AgentKeys) List(ctx context.Context, project id.Project, page ports.Page) ([]*agentkey.Key, int, error) {
	w := db.Conditions{Args: db.Args{project}}
	return db.Page[*agentkey.Key](ctx, v.Store.Read(project), keys.Columns(), workingKeys, w, "created_at DESC, id", page)
}

// ByHash implements ports.AgentKeys.
func (v AgentKeys) ByHash(ctx context.Context, project id.Project, hash [32]byte) (*agentkey.Key, error) {
	return db.One[agentkey.Key](ctx, v.Store.Read(project), "agent_key", selectByHash, project, hash[:])
}

// Revoke implements ports.AgentKeys.
func (v AgentKeys) Revoke(ctx context.Context, project id.Project, key id.AgentKey, at time.Time) error {
	return v.Store.InTx(ctx, project, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, revokeKey, project, key, at)
		if err == nil && rows == 0 {
			return fault.Missing("agent_key")
		}
		return err
	})
}
