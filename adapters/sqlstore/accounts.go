package sqlstore

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Accounts is the store's view of accounts and keys.
type Accounts struct{ store *Store }

var _ ports.Accounts = Accounts{}

// Accounts keeps accounts and keys.
func (s *Store) Accounts() Accounts { return Accounts{s} }

const (
	selectAccount = `
SELECT id, name, plan, created_at
FROM accounts`

	insertAccount = `
INSERT INTO accounts (id, name, plan, created_at)
VALUES ($1, $2, $3, $4)`

	selectKeyByHash = `
SELECT id, account_id, name, hash, prefix, scopes, projects, created_at, expires_at, revoked_at
FROM api_keys
WHERE hash = $1`

	insertKey = `
INSERT INTO api_keys (id, account_id, name, hash, prefix, scopes, projects, created_at, expires_at, revoked_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (hash) DO NOTHING`
)

type accountRow struct {
	ID        string
	Name      string
	Plan      string
	CreatedAt int64 `db:"created_at"`
}

func fromAccountRow(r accountRow) (*account.Account, error) {
	plan, err := account.ParsePlan(r.Plan)
	if err != nil {
		return nil, unreadable("account", err)
	}
	return &account.Account{
		ID: id.Stored[id.Account](r.ID), Name: r.Name, Plan: plan, CreatedAt: fromMillis(r.CreatedAt),
	}, nil
}

type keyRow struct {
	ID        string
	AccountID string `db:"account_id"`
	Name      string
	Hash      []byte
	Prefix    string
	Scopes    string
	Projects  string
	CreatedAt int64  `db:"created_at"`
	ExpiresAt *int64 `db:"expires_at"`
	RevokedAt *int64 `db:"revoked_at"`
}

func fromKeyRow(r keyRow) (*account.Key, error) {
	k := &account.Key{
		ID: id.Stored[id.APIKey](r.ID), Account: id.Stored[id.Account](r.AccountID), Name: r.Name,
		Prefix: r.Prefix, CreatedAt: fromMillis(r.CreatedAt),
		ExpiresAt: fromOptionalMillis(r.ExpiresAt), RevokedAt: fromOptionalMillis(r.RevokedAt),
	}
	copy(k.Hash[:], r.Hash)
	if err := fromJSON(r.Scopes, &k.Scopes); err != nil {
		return nil, err
	}
	var projects []string
	if err := fromJSON(r.Projects, &projects); err != nil {
		return nil, err
	}
	for _, p := range projects {
		k.Projects = append(k.Projects, id.Stored[id.Project](p))
	}
	return k, nil
}

func (a Accounts) KeyByHash(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error) {
	var keys []keyRow
	var accounts []accountRow
	b := a.store.reading(noProject)
	b.query(&keys, selectKeyByHash, hash[:])
	b.query(&accounts, selectAccount+`
WHERE id = (SELECT account_id FROM api_keys WHERE hash = $1)`, hash[:])
	if err := b.run(ctx); err != nil {
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
	b := a.store.writing(noProject)
	b.exec(insertAccount, opened.ID.String(), opened.Name, opened.Plan.String(), toMillis(opened.CreatedAt))
	return b.run(ctx)
}

func (a Accounts) AddKey(ctx context.Context, k *account.Key) error {
	scopes, err := toJSON(k.Scopes)
	if err != nil {
		return err
	}
	projects, err := toJSON(texts(k.Projects))
	if err != nil {
		return err
	}
	b := a.store.writing(noProject)
	b.exec(insertKey, k.ID.String(), k.Account.String(), k.Name, k.Hash[:], k.Prefix, scopes, projects,
		toMillis(k.CreatedAt), toOptionalMillis(k.ExpiresAt), toOptionalMillis(k.RevokedAt))
	return b.run(ctx)
}

func (a Accounts) Oldest(ctx context.Context) (*account.Account, error) {
	var accounts []accountRow
	b := a.store.reading(noProject)
	b.query(&accounts, selectAccount+`
ORDER BY created_at, id
LIMIT 1`)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if len(accounts) == 0 {
		return nil, fault.Missing("account")
	}
	return fromAccountRow(accounts[0])
}
