package agents

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	versionsOfAgent = `
FROM agent_policies
WHERE project_id = $1
  AND agent_id = $2`

	activatePolicy = `
UPDATE agent_policies
SET activated_at = $4
WHERE project_id = $1
  AND agent_id = $2
  AND version = $3`

	deletePolicies = `
DELETE FROM agent_policies
WHERE project_id = $1
  AND agent_id = $2`
)

func (v Agents) Versions(ctx context.Context, project id.Project, of id.Agent, page ports.Page) ([]agent.Version, int, error) {
	w := db.Conditions{Args: db.Args{project, of}}
	rows, total, err := db.Page[versionRow](ctx, v.Store.Read(project), versions.Columns(), versionsOfAgent, w, "version DESC", page)
	if err == nil && total == 0 {
		err = fault.Missing("agent")
	}
	list := make([]agent.Version, len(rows))
	for i, r := range rows {
		list[i] = fromVersionRow(r)
	}
	return list, total, err
}

func (v Agents) Version(ctx context.Context, project id.Project, of id.Agent, number int) (agent.Version, error) {
	r, err := db.One[versionRow](ctx, v.Store.Read(project), "policy", "SELECT "+versions.Columns()+versionsOfAgent+`
  AND version = $3`, project, of, number)
	if err != nil {
		return agent.Version{}, err
	}
	return fromVersionRow(*r), nil
}
