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
SELECT project_id, seal
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

// sealRemoved runs work, which may move until when records were removed, and seals that. It fails where somebody else has
// moved it: verify takes what is older for removed.
func sealRemoved(ctx context.Context, t *db.Tx, project id.Project, seals ports.Seals, work func() error) error {
	var before, after removedRow
	found, err := t.Get(ctx, &before, selectRemovedUntil+t.Dialect.ForUpdate, project.String())
	if err != nil || !found {
		return err
	}
	if !seals.Sound(before.removed().Text(), before.Seal) {
		return fmt.Errorf("until when records were removed is not as it was sealed; none are removed")
	}
	if err := work(); err != nil {
		return err
	}
	if _, err := t.Get(ctx, &after, selectRemovedUntil, project.String()); err != nil || after.removed() == before.removed() {
		return err
	}
	_, err = t.Exec(ctx, updateRemovedSeal, project.String(), seals.Seal(after.removed().Text()))
	return err
}

// Removed lists until when records of each project were removed.
func (v Retention) Removed(ctx context.Context) ([]ports.SealedRemoved, error) {
	var rows []struct {
		ProjectID string `db:"project_id"`
		removedRow
	}
	b := v.Store.Read(db.AnyProject)
	b.Query(&rows, selectAllRemoved)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list := make([]ports.SealedRemoved, len(rows))
	for i, r := range rows {
		list[i] = ports.SealedRemoved{Project: id.Stored[id.Project](r.ProjectID), Removed: r.removed(), Seal: r.Seal}
	}
	return list, nil
}

// sealRow is a project's seal.
type sealRow struct {
	ProjectID string `db:"project_id"`
	Seal      []byte
}

func (v Retention) Reseal(ctx context.Context, seal func(id.Project, []byte) ([]byte, error)) (n int, err error) {
	again := func(r sealRow) ([]any, error) {
		sealed, err := seal(id.Stored[id.Project](r.ProjectID), r.Seal)
		return []any{r.ProjectID, sealed}, err
	}
	err = v.Store.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		chains, err := db.ResealIn(ctx, t, selectSeals, updateSeal, again)
		if err != nil {
			return err
		}
		removed, err := db.ResealIn(ctx, t, selectRemovedSeals, updateRemovedSeal, again)
		n = chains + removed
		return err
	})
	return n, err
}
