// Package signingkeys stores the keys with which projects sign their messages to agents. It neither signs nor encrypts
// private keys.
package signingkeys

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

// SigningKeys stores signing keys.
type SigningKeys struct{ Store *db.DB }

var (
	_ ports.SigningKeys    = SigningKeys{}
	_ ports.Sealed[string] = SigningKeys{}
)

var (
	keys = db.NewTable[signing.Key]("signing_keys", db.Columns{"Sealed": ",empty"})

	selectKeys = keys.Select() + "\nWHERE project_id = $1\nORDER BY published_at, id"

	insertKeys = "INSERT INTO signing_keys (" + keys.Columns() + ")\nVALUES "
)

const (
	deleteKeys = `
DELETE FROM signing_keys
WHERE project_id = $1`

	selectSealed = `
SELECT project_id, id, sealed
FROM signing_keys
WHERE state <> 'retired'
ORDER BY project_id, id`

	updateSealed = `
UPDATE signing_keys
SET sealed = $3
WHERE project_id = $1
  AND id = $2`
)

// Keys implements ports.SigningKeys.
func (v SigningKeys) Keys(ctx context.Context, project id.Project) (set signing.Set, now time.Time, err error) {
	var at int64
	b := v.Store.Read(project)
	b.Query(&set.Keys, selectKeys, project)
	b.Query(&at, "SELECT "+v.Store.Dialect.Moment())
	err = b.Run(ctx)
	return set, db.Time(at), err
}

// Change implements ports.SigningKeys. It locks the project, so that concurrent calls create one set.
func (v SigningKeys) Change(ctx context.Context, project id.Project, change func(*signing.Set, time.Time) error) error {
	return v.Store.InTx(ctx, project, func(t *db.Tx) error {
		var name string
		if there, err := t.Get(ctx, &name, "SELECT id FROM projects WHERE id = $1"+db.ActiveOnly+t.Dialect.ForUpdate, project); err != nil || !there {
			return db.OrMissingProject(err)
		}
		var set signing.Set
		if err := t.Select(ctx, &set.Keys, selectKeys, project); err != nil {
			return err
		}
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		if err := change(&set, now); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, deleteKeys, project); err != nil {
			return err
		}
		var rows [][]any
		for _, k := range set.Keys {
			if k.State != signing.Gone {
				rows = append(rows, keys.Args(k))
			}
		}
		return t.Insert(ctx, insertKeys, rows, "")
	})
}

// Reseal implements ports.Sealed.
func (v SigningKeys) Reseal(ctx context.Context, seal func(string, []byte) ([]byte, error)) (int, error) {
	type row struct {
		Project id.Project
		ID      string
		Sealed  []byte
	}
	return db.Reseal(ctx, v.Store, db.AnyProject, selectSealed, updateSealed, func(r row) ([]any, error) {
		sealed, err := seal(r.ID, r.Sealed)
		return []any{r.Project, r.ID, sealed}, err
	})
}
