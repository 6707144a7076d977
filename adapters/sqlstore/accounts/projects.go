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

// Projects stores projects for the accounts that manage them.
type Projects struct{ Store *db.DB }

var (
	_ ports.Projects          = Projects{}
	_ ports.ProjectStatistics = Projects{}
)

const (
	lockPlan = `
SELECT plan
FROM accounts
WHERE id = $1`

	ofAccount = `
FROM projects
WHERE account_id = $1`

	closedOnly = "\n  AND status IN ('closing', 'closed')"

	projectOfAccount = `
WHERE id = $1
  AND account_id = $2`

	currencyInUse = `
SELECT EXISTS (SELECT 1 FROM products WHERE project_id = $1 AND deleted_at IS NULL)
  OR EXISTS (SELECT 1 FROM orders WHERE project_id = $1)`

	insertRetention = `
INSERT INTO retention (project_id, due_at)
VALUES ($1, $2)`
)

var updateProject = projects.Update([]string{"id"},
	"slug", "name", "description", "currency", "settings", "storefront", "personalization", "routes", "updated_at")

// Create locks the account's row, so that concurrent transactions cannot exceed its project limit.
func (p Projects) Create(ctx context.Context, created *project.Project) error {
	r, err := toProjectRow(p.Store.Dialect, created)
	if err != nil {
		return err
	}
	b := p.Store.Write(created.ID)
	b.Exec(projects.Insert(), projects.Args(r)...)
	insertFirstRows(b, created)
	return p.Store.InTx(ctx, created.ID, func(t *db.Tx) error {
		t.Wrote(created.ID) // a read of its slug before the commit finds nothing
		if err := admitProject(ctx, t, created.Account); err != nil {
			return err
		}
		if err := t.Run(ctx, b); err != nil {
			return err
		}
		return claimSlug(ctx, t, created.Slug, created.Account)
	})
}

// admitProject refuses a project beyond the limit of the account's plan.
func admitProject(ctx context.Context, t *db.Tx, owner id.Account) error {
	var name string
	found, err := t.Get(ctx, &name, lockPlan+t.Dialect.ForNoKeyUpdate, owner)
	if err != nil || !found { // then the project refers to nothing
		return err
	}
	plan, limits, err := t.Dialect.Limits(name)
	if err != nil {
		return err
	}
	var n int
	if _, err := t.Get(ctx, &n, "SELECT count(*)"+ofAccount+db.ActiveOnly, owner); err != nil {
		return err
	}
	if n >= limits.Projects {
		return plan.Full(limits.Projects, "projects", "an account")
	}
	return nil
}

// insertFirstRows stores a new project's first agent, an empty chain of decisions, and its row of retention.
func insertFirstRows(b *db.Batch, p *project.Project) {
	first, version := agents.FirstAgent(p)
	agents.Add(b, first, version)
	b.Exec(haggling.InsertChain, p.ID)
	b.Exec(insertRetention, p.ID, 0)
}

func (p Projects) ByID(ctx context.Context, account id.Account, project id.Project) (*project.Project, error) {
	return oneProject(ctx, p.Store.Dialect, p.Store.Read(db.NoProject), projectOfAccount+db.NotBeingErased, project, account)
}

func oneProject(ctx context.Context, d db.Dialect, from db.Source, where string, args ...any) (*project.Project, error) {
	r, err := db.One[ProjectRow](ctx, from, "project", SelectProject+where, args...)
	if err != nil {
		return nil, err
	}
	return FromProjectRow(d, *r)
}

func (p Projects) List(ctx context.Context, account id.Account, closed bool, page ports.Page) ([]*project.Project, int, error) {
	w := db.Conditions{Text: db.ActiveOnly, Args: db.Args{account}}
	if closed {
		w.Text = closedOnly
	}
	rows, total, err := db.Page[ProjectRow](ctx, p.Store.Read(db.NoProject), projects.Columns()+", "+readColumns, ofAccount, w,
		"created_at DESC, id", page)
	list := make([]*project.Project, len(rows))
	for i, r := range rows {
		if list[i], err = FromProjectRow(p.Store.Dialect, r); err != nil {
			return nil, 0, err
		}
	}
	return list, total, err
}

func (p Projects) Update(ctx context.Context, account id.Account, id id.Project, change func(*project.Project) error) (*project.Project, error) {
	return db.InTx(ctx, p.Store, id, func(t *db.Tx) (*project.Project, error) {
		changed, err := lockProject(ctx, t, account, id)
		if err != nil {
			return nil, err
		}
		before := *changed
		if err := change(changed); err != nil {
			return nil, err
		}
		if changed.Settings.Currency != before.Settings.Currency {
			if err := refuseCurrencyInUse(ctx, t, id); err != nil {
				return nil, err
			}
		}
		r, err := toProjectRow(t.Dialect, changed)
		if err != nil {
			return nil, err
		}
		changed.Version = before.Version + 1 // by a trigger
		if _, err := t.Exec(ctx, updateProject.Text, updateProject.Args(r)...); err != nil || changed.Slug == before.Slug {
			return changed, err
		}
		if err := freeSlug(ctx, t, before.Slug, account); err != nil {
			return nil, err
		}
		return changed, claimSlug(ctx, t, changed.Slug, account)
	})
}

// lockProject loads an active project of the account for a transaction that writes it. Catalogue writes wait for it too.
func lockProject(ctx context.Context, t *db.Tx, account id.Account, project id.Project) (*project.Project, error) {
	t.Wrote(project)
	return oneProject(ctx, t.Dialect, t, projectOfAccount+db.ActiveOnly+t.Dialect.ForUpdate, project, account)
}

func refuseCurrencyInUse(ctx context.Context, t *db.Tx, project id.Project) error {
	var used bool
	if _, err := t.Get(ctx, &used, currencyInUse, project); err != nil {
		return err
	}
	if used {
		return fault.New(fault.Conflict, "currency_in_use", "The currency cannot be changed once the project has products or orders.").
			With("default_currency", "is in use by products or orders")
	}
	return nil
}
