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
	versionColumns = `project_id, agent_id, version, policy, origin, note, created_at, activated_at`

	InsertPolicy = `
INSERT INTO agent_policies (` + versionColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

	selectPolicies = `
SELECT ` + versionColumns + `
FROM agent_policies
WHERE project_id = $1
  AND agent_id = $2`

	thisPolicy = `
  AND version = $3`

	newestPolicies = `
ORDER BY version DESC
LIMIT $3 OFFSET $4`

	countPolicies = `
SELECT count(*) AS n
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

// addVersion stores a version of an agent's policy. A number that exists is a mistake of ours.
func addVersion(ctx context.Context, t *db.Tx, of *agent.Agent, v agent.Version) error {
	args, err := VersionArgs(of, v)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, InsertPolicy, args...)
	return err
}

// putInForce notes since when an agent's policy serves the project.
func putInForce(ctx context.Context, t *db.Tx, a *agent.Agent) error {
	_, err := t.Exec(ctx, activatePolicy, a.Project.String(), a.ID.String(), a.Policy.Version, db.Millis(a.UpdatedAt))
	return err
}

func (v Agents) Versions(ctx context.Context, project id.Project, of id.Agent, page ports.Page) ([]agent.Version, int, error) {
	var rows []versionRow
	var total []db.CountRow
	b := v.store.Read(project)
	b.Query(&total, countPolicies, project.String(), of.String())
	b.Query(&rows, selectPolicies+newestPolicies, project.String(), of.String(), page.Limit, page.Offset)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	if total[0].N == 0 {
		return nil, 0, missingAgent()
	}
	list := make([]agent.Version, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromVersionRow(r); err != nil {
			return nil, 0, err
		}
	}
	return list, total[0].N, nil
}

func (v Agents) Version(ctx context.Context, project id.Project, of id.Agent, number int) (agent.Version, error) {
	var rows []versionRow
	b := v.store.Read(project)
	b.Query(&rows, selectPolicies+thisPolicy, project.String(), of.String(), number)
	if err := b.Run(ctx); err != nil {
		return agent.Version{}, err
	}
	if len(rows) == 0 {
		return agent.Version{}, fault.Missing("policy")
	}
	return fromVersionRow(rows[0])
}
