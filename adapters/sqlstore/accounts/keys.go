package accounts

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Keys is the store's view of API keys.
type Keys struct{ store *db.DB }

var (
	_ ports.Keys      = Keys{}
	_ ports.KeyRoster = Keys{}
	_ ports.Reach     = Keys{}
)

// NewKeys returns a view that keeps API keys, and tells what they reach.
func NewKeys(s *db.DB) Keys { return Keys{s} }

const (
	selectKey = `
SELECT id, account_id, name, hash, prefix, scopes, projects, created_at, expires_at, revoked_at, last_used_at
FROM api_keys`

	insertKey = `
INSERT INTO api_keys (id, account_id, name, hash, prefix, scopes, projects, created_at, expires_at, revoked_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (hash) DO NOTHING`

	keyExists = `
SELECT EXISTS (SELECT 1 FROM api_keys WHERE hash = $1)`

	countWorkingKeys = `
SELECT count(*)
FROM api_keys
WHERE account_id = $1
  AND revoked_at IS NULL
  AND (expires_at IS NULL OR expires_at > $2)`

	countListedKeys = `
SELECT count(*) AS n
FROM api_keys
WHERE account_id = $1
  AND revoked_at IS NULL`

	revokeKey = `
UPDATE api_keys
SET revoked_at = $3
WHERE account_id = $1
  AND id = $2
  AND revoked_at IS NULL`

	keyUsed = `
UPDATE api_keys
SET last_used_at = $2
WHERE id = $1
  AND (last_used_at IS NULL OR last_used_at < $2)`
)

type keyRow struct {
	ID         string
	AccountID  string `db:"account_id"`
	Name       string
	Hash       []byte
	Prefix     string
	Scopes     string
	Projects   string
	CreatedAt  int64  `db:"created_at"`
	ExpiresAt  *int64 `db:"expires_at"`
	RevokedAt  *int64 `db:"revoked_at"`
	LastUsedAt *int64 `db:"last_used_at"`
}

func fromKeyRow(r keyRow) (*account.Key, error) {
	k := &account.Key{
		ID: id.Stored[id.APIKey](r.ID), Account: id.Stored[id.Account](r.AccountID), Name: r.Name,
		Prefix: r.Prefix, CreatedAt: db.Time(r.CreatedAt),
		ExpiresAt: db.OptionalTime(r.ExpiresAt), RevokedAt: db.OptionalTime(r.RevokedAt),
		LastUsedAt: db.OptionalTime(r.LastUsedAt),
	}
	copy(k.Hash[:], r.Hash)
	if err := db.FromJSON(r.Scopes, &k.Scopes); err != nil {
		return nil, err
	}
	var projects []string
	if err := db.FromJSON(r.Projects, &projects); err != nil {
		return nil, err
	}
	for _, p := range projects {
		k.Projects = append(k.Projects, id.Stored[id.Project](p))
	}
	return k, nil
}

func fromKeyRows(rows []keyRow) ([]*account.Key, error) {
	list := make([]*account.Key, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromKeyRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (k Keys) Add(ctx context.Context, added *account.Key) error {
	scopes, err := db.ToJSON(added.Scopes)
	if err != nil {
		return err
	}
	projects, err := db.ToJSON(db.Strings(added.Projects))
	if err != nil {
		return err
	}
	return k.store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		if _, err := lockAccount(ctx, t, added.Account); err != nil {
			return err
		}
		if done, err := refuseKey(ctx, t, added); done || err != nil {
			return err
		}
		_, err := t.Exec(ctx, insertKey, added.ID.String(), added.Account.String(), added.Name, added.Hash[:], added.Prefix, scopes, projects,
			db.Millis(added.CreatedAt), db.OptionalMillis(added.ExpiresAt), db.OptionalMillis(added.RevokedAt))
		return err
	})
}

// refuseKey refuses one key too many. It reports whether the key is there already.
func refuseKey(ctx context.Context, t *db.Tx, added *account.Key) (exists bool, err error) {
	if _, err := t.Get(ctx, &exists, keyExists, added.Hash[:]); exists || err != nil {
		return exists, err
	}
	var working int
	if _, err := t.Get(ctx, &working, countWorkingKeys, added.Account.String(), db.Millis(added.CreatedAt)); err != nil {
		return false, err
	}
	if working >= account.MaxKeys {
		return false, fault.New(fault.Conflict, "too_many_keys", "The account has 100 working API keys. Revoke some first.")
	}
	return false, nil
}

func (k Keys) List(ctx context.Context, owner id.Account, bound []id.Project, page ports.Page) ([]*account.Key, int, error) {
	if len(bound) > 0 {
		return k.listBound(ctx, owner, bound, page)
	}
	var rows []keyRow
	var total []db.CountRow
	b := k.store.Read(db.NoProject)
	b.Query(&total, countListedKeys, owner.String())
	b.Query(&rows, selectKey+`
WHERE account_id = $1
  AND revoked_at IS NULL
ORDER BY created_at DESC, id
LIMIT $2 OFFSET $3`, owner.String(), page.Limit, page.Offset)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	list, err := fromKeyRows(rows)
	return list, total[0].N, err
}

// listBound reads all bound keys of the account and leaves it to the domain which of them are within
// bound.
func (k Keys) listBound(ctx context.Context, owner id.Account, bound []id.Project, page ports.Page) ([]*account.Key, int, error) {
	var rows []keyRow
	b := k.store.Read(db.NoProject)
	b.Query(&rows, selectKey+`
WHERE account_id = $1
  AND revoked_at IS NULL
  AND projects <> '[]'
ORDER BY created_at DESC, id`, owner.String())
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	list, err := fromKeyRows(rows)
	if err != nil {
		return nil, 0, err
	}
	overseer := account.Key{Projects: bound}
	list = slices.DeleteFunc(list, func(one *account.Key) bool { return !overseer.Oversees(one) })
	start := min(page.Offset, len(list))
	return list[start:min(start+page.Limit, len(list))], len(list), nil
}

func (k Keys) Key(ctx context.Context, owner id.Account, key id.APIKey) (*account.Key, error) {
	var rows []keyRow
	b := k.store.Read(db.NoProject)
	b.Query(&rows, selectKey+`
WHERE account_id = $1
  AND id = $2
  AND revoked_at IS NULL`, owner.String(), key.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.Missing("api_key")
	}
	return fromKeyRow(rows[0])
}

func (k Keys) Revoke(ctx context.Context, owner id.Account, key id.APIKey, at time.Time) error {
	return k.store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, revokeKey, owner.String(), key.String(), db.Millis(at))
		if err == nil && rows == 0 {
			return fault.Missing("api_key")
		}
		return err
	})
}

// usesAtOnce is how many uses one transaction records.
const usesAtOnce = 200

func (k Keys) Used(ctx context.Context, uses map[id.APIKey]time.Time) error {
	// All lock rows in one order.
	keys := slices.SortedFunc(maps.Keys(uses), func(a, b id.APIKey) int { return strings.Compare(a.String(), b.String()) })
	for some := range slices.Chunk(keys, usesAtOnce) {
		b := k.store.Write(db.NoProject)
		for _, key := range some {
			b.Exec(keyUsed, key.String(), db.Millis(uses[key]))
		}
		if err := b.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (k Keys) All(ctx context.Context) ([]*account.Key, map[id.Account]*account.Account, error) {
	var rows []keyRow
	var owners []accountRow
	b := k.store.Read(db.NoProject)
	b.Query(&owners, selectAccount)
	b.Query(&rows, selectKey+"\nORDER BY created_at DESC, id")
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	accounts := make(map[id.Account]*account.Account, len(owners))
	for _, r := range owners {
		owner, err := fromAccountRow(r)
		if err != nil {
			return nil, nil, err
		}
		accounts[owner.ID] = owner
	}
	list, err := fromKeyRows(rows)
	return list, accounts, err
}

func (k Keys) Reach(ctx context.Context, owner id.Account, wanted []id.Project) ([]ports.Reached, error) {
	args := db.Args{owner.String()}
	where := "\nWHERE account_id = $1" + db.NotBeingErased
	if len(wanted) > 0 {
		where += "\n  AND id IN " + args.List(db.Strings(wanted))
	}
	var rows []struct{ ID, Settings string }
	b := k.store.Read(db.NoProject)
	b.Query(&rows, "SELECT id, settings\nFROM projects"+where+"\nORDER BY id", args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list := make([]ports.Reached, len(rows))
	for i, r := range rows {
		settings, err := ReadSettings(r.Settings)
		if err != nil {
			return nil, err
		}
		list[i] = ports.Reached{Project: id.Stored[id.Project](r.ID), MFARequired: settings.MFARequired}
	}
	return list, nil
}
