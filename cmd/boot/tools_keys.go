package boot

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

// KeyRequest is an operator's request for an API key. The key's account is
//
//   - a new one, if NewAccount names it, on Plan or on enterprise;
//   - else the oldest one on Plan, opened if there is none;
//   - else the one that Projects belong to;
//   - else the installation's oldest, opened on enterprise if there is none.
type KeyRequest struct {
	Name       string
	Scopes     []string
	Projects   []string // slugs or ids; none: all of the account's
	Expires    *time.Time
	Plan       string
	NewAccount string
}

// IssuedKey is a new key with its account.
type IssuedKey struct {
	Secret  string
	Account *account.Account
}

// IssueKey creates a key, and its account if necessary, in one transaction.
func (a *App) IssueKey(ctx context.Context, r KeyRequest) (made IssuedKey, err error) {
	err = a.store.Within(ctx, nil, func(view *sqlstore.Store) error {
		projects, err := findProjects(ctx, view, r.Projects)
		if err != nil {
			return err
		}
		service := a.Access.In(storesOn(view, a.index))
		if made.Account, err = accountFor(ctx, service, r, projects); err != nil {
			return err
		}
		var bound []id.Project
		for i, p := range projects {
			if p.Account != made.Account.ID {
				return fmt.Errorf("the project %s does not belong to the account %q (%s)", r.Projects[i], made.Account.Name, made.Account.ID)
			}
			bound = append(bound, p.ID)
		}
		made.Secret, err = service.CreateKey(ctx, made.Account.ID, r.Name, r.Scopes, bound, r.Expires)
		return err
	})
	if err != nil {
		return IssuedKey{}, err
	}
	return made, nil
}

func accountFor(ctx context.Context, service *access.Service, r KeyRequest, projects []*project.Project) (*account.Account, error) {
	plan := account.Enterprise
	if r.Plan != "" {
		var err error
		if plan, err = account.ParsePlan(r.Plan); err != nil {
			return nil, err
		}
	}
	switch {
	case r.NewAccount != "":
		return service.OpenAccount(ctx, r.NewAccount, plan)
	case r.Plan != "":
		return service.OwnerOn(ctx, plan)
	case len(projects) > 0:
		return service.Accounts.ByID(ctx, projects[0].Account)
	}
	return service.Owner(ctx, plan)
}

func findProjects(ctx context.Context, view *sqlstore.Store, names []string) ([]*project.Project, error) {
	var list []*project.Project
	for _, name := range names {
		find := func() (*project.Project, error) { return view.Storefronts().BySlug(ctx, name) }
		if known, err := id.Parse[id.Project](name); err == nil {
			find = func() (*project.Project, error) { return view.Storefronts().ByProject(ctx, known) }
		}
		p, err := find()
		if fault.KindOf(err) == fault.NotFound {
			return nil, fmt.Errorf("no project has the slug or id %s", name)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// KeyLine is a key in an operator's list.
type KeyLine struct {
	Key     *account.Key
	Account *account.Account
	Status  string
}

// ListKeys returns all keys of the installation, newest first, including revoked ones.
func (a *App) ListKeys(ctx context.Context) ([]KeyLine, error) {
	keys, accounts, err := a.store.Keys().All(ctx)
	if err != nil {
		return nil, err
	}
	lines := make([]KeyLine, len(keys))
	for i, k := range keys {
		lines[i] = KeyLine{k, accounts[k.Account], k.Status(a.clock.Now()).String()}
	}
	return lines, nil
}

// FirstSteps reports whether there is no valid API key, and whether there is neither a member nor an invitation.
func (a *App) FirstSteps(ctx context.Context) (needsKey, needsMember bool, err error) {
	keys, err := a.ListKeys(ctx)
	if err != nil {
		return false, false, err
	}
	members, err := a.ListMembers(ctx)
	works := func(l KeyLine) bool { return l.Key.Valid(a.clock.Now()) }
	return !slices.ContainsFunc(keys, works), len(members) == 0, err
}

// RevokeKey revokes a key of any account.
func (a *App) RevokeKey(ctx context.Context, name string) (KeyLine, error) {
	lines, err := a.ListKeys(ctx)
	if err != nil {
		return KeyLine{}, err
	}
	for _, line := range lines {
		switch {
		case line.Key.ID.String() != name:
			continue
		case line.Key.RevokedAt != nil:
			return line, fmt.Errorf("the API key %s is already revoked", name)
		}
		return line, a.Access.RevokeKeyOf(ctx, line.Key.Account, line.Key.ID)
	}
	return KeyLine{}, fmt.Errorf("no API key has the id %s: run `haggle keys list` to see the ids", name)
}
