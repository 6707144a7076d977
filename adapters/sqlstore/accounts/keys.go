package accounts

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Keys stores API keys.
type Keys struct{ Store *db.DB }

var _ ports.Keys = Keys{}

var (
	keys = db.NewTable[account.Key]("api_keys", db.Columns{"Scopes": ",json", "Projects": ",json"})
	_    = stored.JSON[[]id.Project](nil)

	insertKey = keys.Insert() + `
ON CONFLICT (hash) DO NOTHING`
)

const (
	keyExists = `
SELECT EXISTS (SELECT 1 FROM api_keys WHERE hash = $1)`

	countWorkingKeys = `
SELECT count(*)
FROM api_keys
WHERE account_id = $1
  AND revoked_at IS NULL
  AND (expires_at IS NULL OR expires_at > $2)`

	listedKeys = `
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

func (k Keys) Add(ctx context.Context, added *account.Key) error {
	return k.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		if _, err := lockAccount(ctx, t, added.Account); err != nil {
			return err
		}
		if done, err := refuseKey(ctx, t, added); done || err != nil {
			return err
		}
		_, err := t.Exec(ctx, insertKey, keys.Args(*added)...)
		return err
	})
}

// refuseKey refuses a key beyond the limit. It reports whether the key exists already.
func refuseKey(ctx context.Context, t *db.Tx, added *account.Key) (exists bool, err error) {
	if _, err := t.Get(ctx, &exists, keyExists, added.Hash[:]); exists || err != nil {
		return exists, err
	}
	var working int
	if _, err := t.Get(ctx, &working, countWorkingKeys, added.Account, added.CreatedAt); err != nil {
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
	w := db.Conditions{Args: db.Args{owner}}
	return db.Page[*account.Key](ctx, k.Store.Read(db.NoProject), keys.Columns(), listedKeys, w, "created_at DESC, id", page)
}

// listBound reads all bound keys of the account, and the domain decides which of them are within bound.
func (k Keys) listBound(ctx context.Context, owner id.Account, bound []id.Project, page ports.Page) ([]*account.Key, int, error) {
	list, err := db.All[*account.Key](ctx, k.Store.Read(db.NoProject), "SELECT "+keys.Columns()+listedKeys+`
  AND projects <> '[]'
ORDER BY created_at DESC, id`, owner)
	if err != nil {
		return nil, 0, err
	}
	overseer := account.Key{Projects: bound}
	list = slices.DeleteFunc(list, func(one *account.Key) bool { return !overseer.Oversees(one) })
	start := min(page.Offset, len(list))
	return list[start:min(start+page.Limit, len(list))], len(list), nil
}

func (k Keys) Key(ctx context.Context, owner id.Account, key id.APIKey) (*account.Key, error) {
	return db.One[account.Key](ctx, k.Store.Read(db.NoProject), "api_key", "SELECT "+keys.Columns()+listedKeys+`
  AND id = $2`, owner, key)
}

func (k Keys) Revoke(ctx context.Context, owner id.Account, key id.APIKey, at time.Time) error {
	return k.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, revokeKey, owner, key, at)
		if err == nil && rows == 0 {
			return fault.Missing("api_key")
		}
		return err
	})
}

// usesAtOnce is the number of uses that one transaction records.
const usesAtOnce = 200

func (k Keys) Used(ctx context.Context, uses map[id.APIKey]time.Time) error {
	// All transactions lock rows in the same order.
	used := slices.SortedFunc(maps.Keys(uses), func(a, b id.APIKey) int { return strings.Compare(a.String(), b.String()) })
	for some := range slices.Chunk(used, usesAtOnce) {
		b := k.Store.Write(db.NoProject)
		for _, key := range some {
			b.Exec(keyUsed, key, uses[key])
		}
		if err := b.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (k Keys) All(ctx context.Context) (all []*account.Key, owners map[id.Account]*account.Account, err error) {
	var list []*account.Account
	b := k.Store.Read(db.NoProject)
	b.Query(&list, accounts.Select())
	b.Query(&all, keys.Select()+"\nORDER BY created_at DESC, id")
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	owners = make(map[id.Account]*account.Account, len(list))
	for _, owner := range list {
		owners[owner.ID] = owner
	}
	return all, owners, nil
}

func (k Keys) Reach(ctx context.Context, owner id.Account, wanted []id.Project) ([]ports.Reached, error) {
	w := db.Conditions{Args: db.Args{owner}}
	if len(wanted) > 0 {
		w.Text = "\n  AND id IN " + w.Args.List(db.Strings(wanted))
	}
	rows, err := db.All[settingsRow](ctx, k.Store.Read(db.NoProject), `
SELECT id, settings
FROM projects
WHERE account_id = $1`+db.NotBeingErased+w.Text+`
ORDER BY id`, w.Args...)
	list := make([]ports.Reached, len(rows))
	for i, r := range rows {
		settings, err := ReadSettings(r.Settings)
		if err != nil {
			return nil, err
		}
		list[i] = ports.Reached{Project: r.ID, MFARequired: settings.MFARequired}
	}
	return list, err
}
