// Package agents keeps the agents of projects, their versions and policies.
package agents

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Agents is the store's view of negotiator agents and their policies.
type Agents struct{ store *db.DB }

var (
	_ ports.Agents         = Agents{}
	_ ports.ActiveAgents   = Agents{}
	_ ports.PolicyVersions = Agents{}
)

// NewAgents returns a view that keeps those of projects.
func NewAgents(s *db.DB) Agents { return Agents{s} }

// maxAgents is how many a project has at most.
const maxAgents = 20

const (
	// writeAgents locks the project's row, so that nobody else writes agents of the project until the
	// transaction ends.
	writeAgents = `
UPDATE projects
SET agent_revision = agent_revision + 1
WHERE id = $1` + db.ActiveOnly

	agentColumns = `project_id, id, name, status, handlers, model, automatic, holdout, baseline, policy_version, latest, secret,
  updated_at, created_at`

	InsertAgent = `
INSERT INTO agents (` + agentColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`

	selectAgents = `
SELECT a.project_id, a.id, a.name, a.status, a.handlers, a.model, a.automatic, a.holdout, a.baseline, a.policy_version,
  a.latest, a.secret, a.created_at, a.updated_at, p.policy, h.policy AS held
FROM agents AS a
JOIN agent_policies AS p ON p.project_id = a.project_id AND p.agent_id = a.id AND p.version = a.policy_version
LEFT JOIN agent_policies AS h
  ON h.project_id = a.project_id AND h.agent_id = a.id AND h.version = a.baseline AND a.holdout > 0
WHERE a.project_id = $1`

	agentByID = `
  AND a.id = $2`

	activeAgent = `
  AND a.status = 'active'`

	activeAgentFirst = `
ORDER BY CASE WHEN a.status = 'active' THEN 0 ELSE 1 END, a.created_at DESC, a.id
LIMIT $2 OFFSET $3`

	selfTuningAgents = `
  AND a.status = 'active'
  AND a.automatic = $3
  AND NOT EXISTS (
    SELECT 1
    FROM agent_policies AS v
    WHERE v.project_id = a.project_id
      AND v.agent_id = a.id
      AND v.created_at >= $2
  )
  AND a.id > $4
ORDER BY a.id
LIMIT $5`

	countAgents = `
SELECT count(*) AS n
FROM agents
WHERE project_id = $1`

	updateAgent = `
UPDATE agents
SET name = $3, status = $4, handlers = $5, model = $6, automatic = $7, holdout = $8, baseline = $9, policy_version = $10,
  latest = $11, secret = $12, updated_at = $13
WHERE project_id = $1
  AND id = $2`

	relieveAgent = `
UPDATE agents
SET status = 'draft', updated_at = $3
WHERE project_id = $1
  AND id <> $2
  AND status = 'active'`

	deleteAgent = `
DELETE FROM agents
WHERE project_id = $1
  AND id = $2`
)

func missingAgent() *fault.Error { return fault.Missing("agent") }

func errAgentActive() error {
	return fault.New(fault.Conflict, "agent_active", "The agent serves the project. Activate another one first.")
}

// write runs work in a transaction that writes a project's agents.
func (v Agents) write(ctx context.Context, of id.Project, work func(*db.Tx) error) error {
	return v.store.InTx(ctx, of, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, writeAgents, of.String())
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
		if _, err := t.Get(ctx, &n, countAgents, a.Project.String()); err != nil {
			return err
		}
		if n >= maxAgents {
			return fault.New(fault.Conflict, "too_many_agents", "The project has "+strconv.Itoa(maxAgents)+" agents already.")
		}
		args, err := AgentArgs(a)
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, InsertAgent, args...); err != nil {
			return err
		}
		return addVersion(ctx, t, a, first)
	})
}

func (v Agents) ByID(ctx context.Context, of id.Project, wanted id.Agent) (*agent.Agent, error) {
	return v.one(ctx, of, missingAgent(), agentByID, of.String(), wanted.String())
}

func (v Agents) Active(ctx context.Context, of id.Project) (*agent.Agent, error) {
	return v.one(ctx, of, db.MissingProject(), activeAgent, of.String())
}

// SelfTuning skips rows that cannot be read, and reads further pages until it finds one that can.
func (v Agents) SelfTuning(ctx context.Context, before time.Time, after id.Agent, limit int) (due []*agent.Agent, unreadable error) {
	for from := after.String(); ; {
		var rows []agentRow
		b := v.store.Read(db.AnyProject)
		b.Query(&rows, strings.Replace(selectAgents, "a.project_id = $1", "$1 = ''", 1)+selfTuningAgents, "", db.Millis(before), true, from, limit)
		if err := b.Run(ctx); err != nil {
			return nil, errors.Join(unreadable, err)
		}
		due, err := queue.Readable(rows, func(r agentRow) string { return "agent " + r.ID }, fromAgentRow)
		unreadable = errors.Join(unreadable, err)
		if len(due) > 0 || len(rows) < limit {
			return due, unreadable
		}
		from = rows[len(rows)-1].ID
	}
}

func (v Agents) one(ctx context.Context, of id.Project, missing error, where string, args ...any) (*agent.Agent, error) {
	var rows []agentRow
	b := v.store.Read(of)
	b.Query(&rows, selectAgents+where, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, missing
	}
	return fromAgentRow(rows[0])
}

func (v Agents) List(ctx context.Context, of id.Project, page ports.Page) ([]*agent.Agent, int, error) {
	var rows []agentRow
	var total []db.CountRow
	b := v.store.Read(of)
	b.Query(&total, countAgents, of.String())
	b.Query(&rows, selectAgents+activeAgentFirst, of.String(), page.Limit, page.Offset)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	list, err := fromAgentRows(rows)
	return list, total[0].N, err
}

func (v Agents) Update(ctx context.Context, of id.Project, wanted id.Agent, change func(*agent.Agent) (*agent.Version, error)) (*agent.Agent, error) {
	var changed *agent.Agent
	err := v.write(ctx, of, func(t *db.Tx) error {
		a, err := readAgent(ctx, t, of, wanted)
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
		changed, err = readAgent(ctx, t, of, wanted)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

func readAgent(ctx context.Context, t *db.Tx, of id.Project, wanted id.Agent) (*agent.Agent, error) {
	var r agentRow
	found, err := t.Get(ctx, &r, selectAgents+agentByID, of.String(), wanted.String())
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, missingAgent()
	}
	return fromAgentRow(r)
}

// storeAgent writes what became of an agent. Whoever becomes active relieves who was, before: there is one at a time.
func storeAgent(ctx context.Context, t *db.Tx, before, a *agent.Agent, version *agent.Version) error {
	if before.Status == agent.Active && a.Status != agent.Active {
		return errAgentActive()
	}
	if version != nil {
		if err := addVersion(ctx, t, a, *version); err != nil {
			return err
		}
		a.Latest = version.Policy.Version
	}
	begins := before.Status != agent.Active && a.Status == agent.Active
	if begins {
		if _, err := t.Exec(ctx, relieveAgent, a.Project.String(), a.ID.String(), db.Millis(a.UpdatedAt)); err != nil {
			return err
		}
	}
	args, err := AgentArgs(a)
	if err != nil {
		return err
	}
	if _, err := t.Exec(ctx, updateAgent, args[:len(args)-1]...); err != nil {
		return err
	}
	if begins || a.Status == agent.Active && a.Policy.Version != before.Policy.Version {
		return putInForce(ctx, t, a)
	}
	return nil
}

func (v Agents) Delete(ctx context.Context, of id.Project, wanted id.Agent) error {
	return v.write(ctx, of, func(t *db.Tx) error {
		a, err := readAgent(ctx, t, of, wanted)
		if err != nil {
			return err
		}
		if a.Status == agent.Active {
			return errAgentActive()
		}
		if _, err := t.Exec(ctx, deleteAgent, of.String(), wanted.String()); err != nil {
			return err
		}
		_, err = t.Exec(ctx, deletePolicies, of.String(), wanted.String())
		return err
	})
}
