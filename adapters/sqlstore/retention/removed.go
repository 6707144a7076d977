package retention

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	selectRemovedUntil = `
SELECT sessions_until, events_until, seal
FROM retention
WHERE project_id = $1`

	selectAllRemoved = `
SELECT project_id, sessions_until, events_until, seal
FROM retention
ORDER BY project_id`

	updateRemovedSeal = `
UPDATE retention
SET seal = $2
WHERE project_id = $1`

	selectRemovedSeals = `
SELECT project_id, seal AS secret
FROM retention
WHERE seal IS NOT NULL
ORDER BY project_id`
)

type removedRow struct {
	SessionsUntil int64 `db:"sessions_until"`
	EventsUntil   int64 `db:"events_until"`
	Seal          []byte
}

func (r removedRow) removed() ports.Removed {
	if r.SessionsUntil == 0 && r.EventsUntil == 0 {
		return ports.Removed{}
	}
	return ports.Removed{Sessions: db.Time(r.SessionsUntil), Events: db.Time(r.EventsUntil)}
}

// sealRemoved runs work, which may move the times before which records were removed, and seals the times. It fails if
// they do not match their seal, because verify accepts missing records that are older than these times.
func sealRemoved(ctx context.Context, t *db.Tx, project id.Project, seals ports.Seals,
	work func(context.Context) (bool, error)) (more bool, err error) {
	var before, after removedRow
	found, err := t.Get(ctx, &before, selectRemovedUntil+t.Dialect.ForUpdate, project)
	if err != nil || !found {
		return false, err
	}
	if !seals.Sound(before.removed().Text(), before.Seal) {
		return false, fmt.Errorf("until when records were removed is not as it was sealed; none are removed")
	}
	if more, err = work(ctx); err != nil {
		return false, err
	}
	if _, err := t.Get(ctx, &after, selectRemovedUntil, project); err != nil || after.removed() == before.removed() {
		return more, err
	}
	_, err = t.Exec(ctx, updateRemovedSeal, project, seals.Seal(after.removed().Text()))
	return more, err
}

// Removed lists the times before which records of each project were removed.
func (v Retention) Removed(ctx context.Context) ([]ports.SealedRemoved, error) {
	rows, err := db.All[struct {
		Project id.Project
		removedRow
	}](ctx, v.Store.Read(db.AnyProject), selectAllRemoved)
	list := make([]ports.SealedRemoved, len(rows))
	for i, r := range rows {
		list[i] = ports.SealedRemoved{
			Project: r.Project,
			Removed: r.removed(),
			Seal:    r.Seal,
		}
	}
	return list, err
}

func (v Retention) Reseal(ctx context.Context, seal func(id.Project, []byte) ([]byte, error)) (int, error) {
	again := func(r db.SealedRow) ([]any, error) {
		sealed, err := seal(id.Stored[id.Project](r.ProjectID), r.Secret)
		return []any{r.ProjectID, sealed}, err
	}
	return db.InTx(ctx, v.Store, db.AnyProject, func(t *db.Tx) (int, error) {
		chains, err := db.ResealIn(ctx, t, selectSeals, updateSeal, again)
		if err != nil {
			return 0, err
		}
		removed, err := db.ResealIn(ctx, t, selectRemovedSeals, updateRemovedSeal, again)
		return chains + removed, err
	})
}
