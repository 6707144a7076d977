package accounts

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	// credentialsDue is completed by the database's clock.
	credentialsDue = `
SELECT id
FROM projects
WHERE credentials_until <= %s
ORDER BY credentials_until, id
LIMIT $1`

	lastCharge = `
SELECT COALESCE(max(at), 0)
FROM (
  SELECT max(created_at) AS at FROM payments WHERE project_id = $1
  UNION ALL
  SELECT max(detected_at) FROM orphan_charges WHERE project_id = $1
) AS charges`

	openDisputes = `
SELECT count(*)
FROM disputes
WHERE project_id = $1
  AND status = 'open'`

	keepCredentials = `
UPDATE projects
SET credentials_until = $2
WHERE id = $1
  AND status = 'closed'`

	credentialsErased = `
UPDATE projects
SET credentials_until = NULL
WHERE id = $1`
)

// heldUp is how long the credentials of a closed project are kept at least while its money moves.
const heldUp = 24 * time.Hour

func (p Projects) CredentialsDue(ctx context.Context, limit int) ([]id.Project, error) {
	var rows []struct{ ID string }
	b := p.store.Read(db.NoProject)
	b.Query(&rows, fmt.Sprintf(credentialsDue, p.store.Dialect.Moment()), limit)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list := make([]id.Project, len(rows))
	for i, r := range rows {
		list[i] = id.Stored[id.Project](r.ID)
	}
	return list, nil
}

func (p Projects) ExpireCredentials(ctx context.Context, of id.Project, kept time.Duration) (expired bool, err error) {
	err = p.store.InTx(ctx, of, func(t *db.Tx) error {
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		moves, err := moneyMoves(ctx, t, of)
		if err != nil {
			return err
		}
		var last int64
		var disputed int
		if _, err := t.Get(ctx, &last, lastCharge, of.String()); err != nil {
			return err
		}
		if _, err := t.Get(ctx, &disputed, openDisputes, of.String()); err != nil {
			return err
		}
		until := db.Time(last).Add(kept)
		expired = !moves && disputed == 0 && !until.After(now)
		if !until.After(now) {
			until = now.Add(heldUp)
		}
		_, err = t.Exec(ctx, keepCredentials, of.String(), db.Millis(until))
		return err
	})
	return expired && err == nil, err
}

func (p Projects) CredentialsErased(ctx context.Context, of id.Project) error {
	b := p.store.Write(of)
	b.Exec(credentialsErased, of.String())
	return b.Run(ctx)
}
