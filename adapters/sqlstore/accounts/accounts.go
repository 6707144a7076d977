// Package accounts stores accounts, their API keys, members and second factors, projects and their storefronts, and
// closes projects. It does not check what a caller may do.
package accounts

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Accounts stores accounts and finds keys.
type Accounts struct{ Store *db.DB }

var _ ports.Accounts = Accounts{}

var (
	accounts = db.NewTable[account.Account]("accounts", db.Columns{"ConsoleSessionMinutes": ",null"})

	accountByID   = accounts.Select() + "\nWHERE id = $1"
	updateAccount = accounts.Update([]string{"id"}, "name", "email", "plan", "console_session_minutes")
)

func (a Accounts) KeyByHash(ctx context.Context, hash [32]byte) (key *account.Key, owner *account.Account, err error) {
	b := a.Store.Read(db.NoProject)
	b.Query(&key, keys.Select()+"\nWHERE hash = $1", hash[:])
	b.Query(&owner, accounts.Select()+`
WHERE id = (SELECT account_id FROM api_keys WHERE hash = $1)`, hash[:])
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	if key == nil || owner == nil {
		return nil, nil, fault.Missing("api_key")
	}
	return key, owner, nil
}

func (a Accounts) Open(ctx context.Context, opened *account.Account) error {
	b := a.Store.Write(db.NoProject)
	b.Exec(accounts.Insert(), accounts.Args(*opened)...)
	return b.Run(ctx)
}

func (a Accounts) Oldest(ctx context.Context, plan account.Plan) (*account.Account, error) {
	return db.One[account.Account](ctx, a.Store.Read(db.NoProject), "account", accounts.Select()+`
WHERE plan = $1 OR $1 = ''
ORDER BY created_at, id
LIMIT 1`, plan)
}

func (a Accounts) ByID(ctx context.Context, wanted id.Account) (*account.Account, error) {
	return db.One[account.Account](ctx, a.Store.Read(db.NoProject), "account", accountByID, wanted)
}

func (a Accounts) Update(ctx context.Context, id id.Account, change func(*account.Account) error) (*account.Account, error) {
	return db.InTx(ctx, a.Store, db.NoProject, func(t *db.Tx) (*account.Account, error) {
		changed, err := lockAccount(ctx, t, id)
		if err != nil {
			return nil, err
		}
		if err := change(changed); err != nil {
			return nil, err
		}
		_, err = t.Exec(ctx, updateAccount.Text, updateAccount.Args(*changed)...)
		return changed, err
	})
}

// lockAccount loads an account for exclusive use. Adding a key or a project waits for the lock, too.
func lockAccount(ctx context.Context, t *db.Tx, wanted id.Account) (*account.Account, error) {
	return db.One[account.Account](ctx, t, "account", accountByID+t.Dialect.ForUpdate, wanted)
}
