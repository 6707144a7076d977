// Package accounts keeps accounts, API keys, second factors, projects and their storefronts, and closes projects.
package accounts

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Accounts is the store's view of accounts and keys.
type Accounts struct{ store *db.DB }

var _ ports.Accounts = Accounts{}

// NewAccounts returns a view that keeps accounts and keys.
func NewAccounts(s *db.DB) Accounts { return Accounts{s} }

const (
	selectAccount = `
SELECT id, name, email, plan, created_at
FROM accounts`

	insertAccount = `
INSERT INTO accounts (id, name, email, plan, created_at)
VALUES ($1, $2, $3, $4, $5)`

	updateAccount = `
UPDATE accounts
SET name = $2, email = $3, plan = $4
WHERE id = $1`
)

type accountRow struct {
	ID        string
	Name      string
	Email     string
	Plan      string
	CreatedAt int64 `db:"created_at"`
}

func fromAccountRow(r accountRow) (*account.Account, error) {
	plan, err := account.ParsePlan(r.Plan)
	if err != nil {
		return nil, db.Unreadable("account", err)
	}
	return &account.Account{
		ID: id.Stored[id.Account](r.ID), Name: r.Name, Email: r.Email, Plan: plan, CreatedAt: db.Time(r.CreatedAt),
	}, nil
}

func (a Accounts) KeyByHash(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error) {
	var keys []keyRow
	var accounts []accountRow
	b := a.store.Read(db.NoProject)
	b.Query(&keys, selectKey+"\nWHERE hash = $1", hash[:])
	b.Query(&accounts, selectAccount+`
WHERE id = (SELECT account_id FROM api_keys WHERE hash = $1)`, hash[:])
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	if len(keys) == 0 || len(accounts) == 0 {
		return nil, nil, fault.Missing("api_key")
	}
	key, err := fromKeyRow(keys[0])
	if err != nil {
		return nil, nil, err
	}
	owner, err := fromAccountRow(accounts[0])
	return key, owner, err
}

func (a Accounts) Open(ctx context.Context, opened *account.Account) error {
	b := a.store.Write(db.NoProject)
	b.Exec(insertAccount, opened.ID.String(), opened.Name, opened.Email, opened.Plan.String(), db.Millis(opened.CreatedAt))
	return b.Run(ctx)
}

func (a Accounts) Oldest(ctx context.Context, plan account.Plan) (*account.Account, error) {
	return accountWhere(ctx, a.store, `
WHERE plan = $1 OR $1 = ''
ORDER BY created_at, id
LIMIT 1`, plan.String())
}

func (a Accounts) ByID(ctx context.Context, wanted id.Account) (*account.Account, error) {
	return accountWhere(ctx, a.store, "\nWHERE id = $1", wanted.String())
}

func accountWhere(ctx context.Context, s *db.DB, where string, args ...any) (*account.Account, error) {
	var rows []accountRow
	b := s.Read(db.NoProject)
	b.Query(&rows, selectAccount+where, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.Missing("account")
	}
	return fromAccountRow(rows[0])
}

func (a Accounts) Update(ctx context.Context, id id.Account, change func(*account.Account) error) (*account.Account, error) {
	var changed *account.Account
	err := a.store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		var err error
		if changed, err = lockAccount(ctx, t, id); err != nil {
			return err
		}
		if err := change(changed); err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateAccount, changed.ID.String(), changed.Name, changed.Email, changed.Plan.String())
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// lockAccount loads an account for exclusive use. Who adds a key or a project waits for it too.
func lockAccount(ctx context.Context, t *db.Tx, wanted id.Account) (*account.Account, error) {
	var r accountRow
	found, err := t.Get(ctx, &r, selectAccount+"\nWHERE id = $1"+t.Dialect.ForUpdate, wanted.String())
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fault.Missing("account")
	}
	return fromAccountRow(r)
}
