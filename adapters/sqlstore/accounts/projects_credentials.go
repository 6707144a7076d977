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

	// credentialsNeeded is completed by the database's clock.
	credentialsNeeded = `
SELECT %s AS now, ` + moneyMoves + ` OR EXISTS (SELECT 1 FROM disputes WHERE project_id = $1 AND status = 'open') AS held_up, (
  SELECT COALESCE(max(at), 0)
  FROM (
    SELECT max(created_at) AS at FROM payments WHERE project_id = $1
    UNION ALL
    SELECT max(detected_at) FROM orphan_charges WHERE project_id = $1
  ) AS charges
) AS last_charge`

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

// credentialsKept is the pause before credentials of a closed project are looked at again while its money moves.
const credentialsKept = 24 * time.Hour

func (p Projects) CredentialsDue(ctx context.Context, limit int) ([]id.Project, error) {
	return db.All[id.Project](ctx, p.Store.Read(db.NoProject), fmt.Sprintf(credentialsDue, p.Store.Dialect.Moment()), limit)
}

func (p Projects) ExpireCredentials(ctx context.Context, of id.Project, kept time.Duration) (expired bool, err error) {
	return db.InTx(ctx, p.Store, of, func(t *db.Tx) (bool, error) {
		var r struct {
			Now, LastCharge time.Time
			HeldUp          bool
		}
		if _, err := t.Get(ctx, &r, fmt.Sprintf(credentialsNeeded, t.Dialect.Moment()), of); err != nil {
			return false, err
		}
		until := r.LastCharge.Add(kept)
		over := !until.After(r.Now)
		if over {
			until = r.Now.Add(credentialsKept)
		}
		_, err := t.Exec(ctx, keepCredentials, of, until)
		return over && !r.HeldUp, err
	})
}

func (p Projects) CredentialsErased(ctx context.Context, of id.Project) error {
	b := p.Store.Write(of)
	b.Exec(credentialsErased, of)
	return b.Run(ctx)
}
