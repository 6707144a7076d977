// Package agents stores the negotiator agents of projects, their versions and policies. Package haggling stores their
// decisions.
package agents

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Agents stores negotiator agents and their policies.
type Agents struct{ Store *db.DB }

var (
	_ ports.Agents         = Agents{}
	_ ports.ActiveAgents   = Agents{}
	_ ports.PolicyVersions = Agents{}
)

// maxAgents is the maximum number of agents of a project.
const maxAgents = 20

const (
	// writeAgents locks the project's row, so that nobody else writes agents of the project until the
	// transaction ends.
	writeAgents = `
UPDATE projects
SET agent_revision = agent_revision + 1
WHERE id = $1` + db.ActiveOnly

	deactivateAgent = `
UPDATE agents
SET status = 'draft', updated_at = $3
WHERE project_id = $1
  AND id <> $2
  AND status = 'active'`

	deleteAgent = `
DELETE FROM agents
WHERE project_id = $1
  AND id = $2`

	agentsAndPolicies = `
FROM agents AS a
JOIN agent_policies AS p ON p.project_id = a.project_id AND p.agent_id = a.id AND p.version = a.policy_version
LEFT JOIN agent_policies AS h
  ON h.project_id = a.project_id AND h.agent_id = a.id AND h.version = a.baseline AND (a.holdout > 0 OR a.trial > 0)`

	ofProject = agentsAndPolicies + `
WHERE a.project_id = $1`

	agentByID = ofProject + `
  AND a.id = $2`

	activeAgent = ofProject + `
  AND a.status = 'active'`

	selfTuningAgents = agentsAndPolicies + `
WHERE a.status = 'active'
  AND (a.automatic OR a.trial > 0)
  AND NOT EXISTS (
    SELECT 1
    FROM agent_policies AS v
    WHERE v.project_id = a.project_id
      AND v.agent_id = a.id
      AND v.activated_at >= $1
  )
  AND a.id > $2
ORDER BY a.id
LIMIT $3`

	askingAgents = agentsAndPolicies + `
WHERE a.status = 'active'
  AND a.secret IS NOT NULL
ORDER BY a.id
LIMIT $1`
)

func errAgentActive() error {
	return fault.New(fault.Conflict, "agent_active", "The agent serves the project. Activate another one first.")
}

// write runs work in a transaction that writes a project's agents.
func (v Agents) write(ctx context.Context, of id.Project, work func(*db.Tx) error) error {
	return v.Store.InTx(ctx, of, func(t *db.Tx) error {
		t.Wrote(of)
		rows, err := t.Exec(ctx, writeAgents, of)
		switch {
		case err != nil:
			return err
		case rows == 0:
			return db.MissingProject()
		}
		return work(t)
	})
}

func (v Agents) Create(ctx context.Context, a *agent.Agent, first agent.Version) error {
	return v.write(ctx, a.Project, func(t *db.Tx) error {
		var n int
		if _, err := t.Get(ctx, &n, "SELECT count(*) FROM agents WHERE project_id = $1", a.Project); err != nil {
			return err
		}
		if n >= maxAgents {
			return fault.New(fault.Conflict, "too_many_agents", "The project has "+strconv.Itoa(maxAgents)+" agents already.")
		}
		b := v.Store.Write(a.Project)
		Add(b, a, first)
		return t.Run(ctx, b)
	})
}

// Add stores a new agent and its first version.
func Add(b *db.Batch, a *agent.Agent, first agent.Version) {
	b.Exec(agents.Insert(), agents.Args(toAgentRow(a))...)
	b.Exec(versions.Insert(), versions.Args(toVersionRow(a, first))...)
}

func (v Agents) ByID(ctx context.Context, of id.Project, wanted id.Agent) (*agent.Agent, error) {
	return oneAgent(ctx, v.Store.Read(of), "agent", agentByID, of, wanted)
}

func (v Agents) Active(ctx context.Context, of id.Project) (*agent.Agent, error) {
	return oneAgent(ctx, v.Store.Read(of), "project", activeAgent, of)
}

func oneAgent(ctx context.Context, from db.Source, missing, where string, args ...any) (*agent.Agent, error) {
	r, err := db.One[agentRow](ctx, from, missing, "SELECT "+agentColumns+where, args...)
	if err != nil {
		return nil, err
	}
	return fromAgentRow(*r), nil
}

// Asking returns the active agents of all projects that have a secret to sign requests to handlers elsewhere with, up to
// limit.
func (v Agents) Asking(ctx context.Context, limit int) ([]*agent.Agent, error) {
	rows, err := db.All[agentRow](ctx, v.Store.Read(db.AnyProject), "SELECT "+agentColumns+askingAgents, limit)
	if err != nil {
		return nil, err
	}
	all := make([]*agent.Agent, len(rows))
	for i, r := range rows {
		all[i] = fromAgentRow(r)
	}
	return all, nil
}

// SelfTuning skips rows that cannot be read, and reads further pages until it finds one that can.
func (v Agents) SelfTuning(ctx context.Context, before time.Time, after id.Agent, limit int) (due []*agent.Agent, unreadable error) {
	type row struct{ Agent db.Decoded[agentRow] }
	for {
		rows, err := db.All[row](ctx, v.Store.Read(db.AnyProject), "SELECT "+agentColumns+selfTuningAgents, before, after, limit)
		if err != nil {
			return nil, errors.Join(unreadable, err)
		}
		for _, r := range rows {
			after = r.Agent.Value.Agent.ID
			if r.Agent.Err != nil {
				unreadable = errors.Join(unreadable, fmt.Errorf("agent %s: %w", after, r.Agent.Err))
				continue
			}
			due = append(due, fromAgentRow(r.Agent.Value))
		}
		if len(due) > 0 || len(rows) < limit {
			return due, unreadable
		}
	}
}

func (v Agents) List(ctx context.Context, of id.Project, page ports.Page) ([]*agent.Agent, int, error) {
	const activeFirst = "CASE WHEN a.status = 'active' THEN 0 ELSE 1 END, a.created_at DESC, a.id"
	w := db.Conditions{Args: db.Args{of}}
	rows, total, err := db.Page[agentRow](ctx, v.Store.Read(of), agentColumns, ofProject, w, activeFirst, page)
	list := make([]*agent.Agent, len(rows))
	for i, r := range rows {
		list[i] = fromAgentRow(r)
	}
	return list, total, err
}

func (v Agents) Update(ctx context.Context, of id.Project, wanted id.Agent, change func(*agent.Agent) (*agent.Version, error)) (*agent.Agent, error) {
	var changed *agent.Agent
	err := v.write(ctx, of, func(t *db.Tx) error {
		a, err := oneAgent(ctx, t, "agent", agentByID, of, wanted)
		if err != nil {
			return err
		}
		before := *a
		version, err := change(a)
		if err != nil {
			return err
		}
		if err := storeAgent(ctx, t, &before, a, version); err != nil {
			return err
		}
		changed, err = oneAgent(ctx, t, "agent", agentByID, of, wanted)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// storeAgent writes a changed agent. If the agent becomes active, the formerly active one is deactivated first, because
// a project has one active agent at a time.
func storeAgent(ctx context.Context, t *db.Tx, before, a *agent.Agent, version *agent.Version) error {
	if before.Status == agent.Active && a.Status != agent.Active {
		return errAgentActive()
	}
	if version != nil {
		if _, err := t.Exec(ctx, versions.Insert(), versions.Args(toVersionRow(a, *version))...); err != nil {
			return err
		}
		a.Latest = version.Policy.Version
	}
	begins := before.Status != agent.Active && a.Status == agent.Active
	if begins {
		if _, err := t.Exec(ctx, deactivateAgent, a.Project, a.ID, a.UpdatedAt); err != nil {
			return err
		}
	}
	if _, err := t.Exec(ctx, updateAgent.Text, updateAgent.Args(toAgentRow(a))...); err != nil {
		return err
	}
	if !begins && (a.Status != agent.Active || a.Policy.Version == before.Policy.Version) {
		return nil
	}
	_, err := t.Exec(ctx, activatePolicy, a.Project, a.ID, a.Policy.Version, a.UpdatedAt)
	return err
}

func (v Agents) Delete(ctx context.Context, of id.Project, wanted id.Agent) error {
	return v.write(ctx, of, func(t *db.Tx) error {
		a, err := oneAgent(ctx, t, "agent", agentByID, of, wanted)
		if err != nil {
			return err
		}
		if a.Status == agent.Active {
			return errAgentActive()
		}
		if _, err := t.Exec(ctx, deleteAgent, of, wanted); err != nil {
			return err
		}
		_, err = t.Exec(ctx, deletePolicies, of, wanted)
		return err
	})
}

var _ ports.Sealed[id.Agent] = Agents{}

const (
	selectAgentSecrets = `
SELECT project_id, id, secret
FROM agents
WHERE secret IS NOT NULL
ORDER BY project_id, id`

	// reviseSecretive runs first, because every write of agents locks their project.
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
