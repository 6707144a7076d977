package accounts

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/agents"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Projects is the store's view of projects as their account manages them.
type Projects struct{ store *db.DB }

var (
	_ ports.Projects          = Projects{}
	_ ports.ProjectStatistics = Projects{}
)

// NewProjects returns a view that keeps projects, and counts what is in them.
func NewProjects(s *db.DB) Projects { return Projects{s} }

const (
	insertProject = `
INSERT INTO projects (id, account_id, slug, name, description, currency, settings, storefront, routes,
  catalog_version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

	SelectProject = `
SELECT id, account_id, slug, name, description, currency, settings, storefront, routes,
  catalog_version, agent_revision, status, created_at, updated_at
FROM projects`

	lockPlan = `
SELECT plan
FROM accounts
WHERE id = $1`

	countProjects = `
SELECT count(*) AS n
FROM projects
WHERE account_id = $1`

	closedOnly = "\n  AND status IN ('closing', 'closed')"

	updateProject = `
UPDATE projects
SET slug = $2, name = $3, description = $4, currency = $5, settings = $6, storefront = $7, routes = $8, updated_at = $9
WHERE id = $1`

	currencyInUse = `
SELECT EXISTS (SELECT 1 FROM products WHERE project_id = $1 AND deleted_at IS NULL)
  OR EXISTS (SELECT 1 FROM orders WHERE project_id = $1)`
)

// Create locks the account's row, so that concurrent transactions cannot exceed its project limit.
func (p Projects) Create(ctx context.Context, created *project.Project) error {
	r, err := toProjectRow(p.store.Dialect, created)
	if err != nil {
		return err
	}
	b := p.store.Write(created.ID)
	b.Exec(insertProject, r.ID, r.AccountID, r.Slug, r.Name, r.Description, r.Currency, r.Settings, r.Storefront,
		r.Routes, r.CatalogVersion, r.CreatedAt, r.UpdatedAt)
	if err := staff(b, created); err != nil {
		return err
	}
	return p.store.InTx(ctx, created.ID, func(t *db.Tx) error {
		if err := admitProject(ctx, t, created.Account); err != nil {
			return err
		}
		if err := t.Run(ctx, b); err != nil {
			return err
		}
		return claimSlug(ctx, t, created.Slug, created.Account)
	})
}

// admitProject refuses one project more than the account's plan allows.
func admitProject(ctx context.Context, t *db.Tx, owner id.Account) error {
	var name string
	found, err := t.Get(ctx, &name, lockPlan+t.Dialect.ForNoKeyUpdate, owner.String())
	if err != nil || !found { // then the project refers to nothing
		return err
	}
	plan, limits, err := t.Dialect.Limits(name)
	if err != nil {
		return err
	}
	var n int
	if _, err := t.Get(ctx, &n, countProjects+db.ActiveOnly, owner.String()); err != nil {
		return err
	}
	if n >= limits.Projects {
		return plan.Full(limits.Projects, "projects", "an account")
	}
	return nil
}

// staff gives a new project its first agent, an empty chain of decisions, and a place in the queue of what is to be removed.
func staff(b *db.Batch, p *project.Project) error {
	first, version := agents.FirstAgent(p)
	args, err := agents.AgentArgs(first)
	if err != nil {
		return err
	}
	policy, err := agents.VersionArgs(first, version)
	b.Exec(agents.InsertAgent, args...)
	b.Exec(agents.InsertPolicy, policy...)
	b.Exec(haggling.InsertChain, p.ID.String())
	b.Exec(insertRetention, p.ID.String(), 0)
	return err
}

func (p Projects) ByID(ctx context.Context, account id.Account, project id.Project) (*project.Project, error) {
	return projectWhere(ctx, p.store, `
WHERE id = $1
  AND account_id = $2`+db.NotBeingErased, project.String(), account.String())
}

func projectWhere(ctx context.Context, s *db.DB, where string, args ...any) (*project.Project, error) {
	var rows []ProjectRow
	b := s.Read(db.NoProject)
	b.Query(&rows, SelectProject+where, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, db.MissingProject()
	}
	return FromProjectRow(s.Dialect, rows[0])
}

func (p Projects) List(ctx context.Context, account id.Account, closed bool, page ports.Page) ([]*project.Project, int, error) {
	of := db.ActiveOnly
	if closed {
		of = closedOnly
	}
	var rows []ProjectRow
	var total []db.CountRow
	b := p.store.Read(db.NoProject)
	b.Query(&total, countProjects+of, account.String())
	b.Query(&rows, SelectProject+`
WHERE account_id = $1`+of+`
ORDER BY created_at DESC, id
LIMIT $2 OFFSET $3`, account.String(), page.Limit, page.Offset)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	list := make([]*project.Project, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = FromProjectRow(p.store.Dialect, r); err != nil {
			return nil, 0, err
		}
	}
	return list, total[0].N, nil
}

func (p Projects) Update(ctx context.Context, account id.Account, id id.Project, change func(*project.Project) error) (*project.Project, error) {
	var changed *project.Project
	err := p.store.InTx(ctx, id, func(t *db.Tx) error {
		var err error
		if changed, err = lockProject(ctx, t, account, id); err != nil {
			return err
		}
		before := *changed
		if err := change(changed); err != nil {
			return err
		}
		if changed.Settings.Currency != before.Settings.Currency {
			if err := refuseCurrencyInUse(ctx, t, id); err != nil {
				return err
			}
		}
		r, err := toProjectRow(t.Dialect, changed)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateProject, r.ID, r.Slug, r.Name, r.Description, r.Currency, r.Settings, r.Storefront,
			r.Routes, r.UpdatedAt)
		if err != nil || changed.Slug == before.Slug {
			return err
		}
		if err := freeSlug(ctx, t, before.Slug, account); err != nil {
			return err
		}
		return claimSlug(ctx, t, changed.Slug, account)
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// lockProject loads an active project of the account for exclusive use. Catalogue writes wait for it too.
func lockProject(ctx context.Context, t *db.Tx, account id.Account, project id.Project) (*project.Project, error) {
	var r ProjectRow
	found, err := t.Get(ctx, &r, SelectProject+`
WHERE id = $1
  AND account_id = $2`+db.ActiveOnly+t.Dialect.ForUpdate, project.String(), account.String())
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, db.MissingProject()
	}
	return FromProjectRow(t.Dialect, r)
}

func refuseCurrencyInUse(ctx context.Context, t *db.Tx, project id.Project) error {
	var used bool
	if _, err := t.Get(ctx, &used, currencyInUse, project.String()); err != nil {
		return err
	}
	if used {
		return fault.New(fault.Conflict, "currency_in_use", "The currency can't change once there are products or orders.").
			With("default_currency", "is in use by products or orders")
	}
	return nil
}

const insertRetention = `
INSERT INTO retention (project_id, due_at)
VALUES ($1, $2)`
