package haggling

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
)

// namedAtOnce is the number of negotiations that one transaction names.
const namedAtOnce = 500

const (
	selectUnnamed = `
SELECT project_id, session_id
FROM decisions
WHERE negotiation_id IS NULL
  AND seq = 1
LIMIT $1`

	nameNegotiation = `
UPDATE decisions
SET negotiation_id = $3
WHERE project_id = $1
  AND session_id = $2
  AND seq = 1
  AND negotiation_id IS NULL`
)

// Name gives names to negotiations of releases that stored none, and reports whether there may be more. Several
// processes may do so at the same time.
func (v Negotiations) Name(ctx context.Context) (more bool, err error) {
	type row struct {
		Project id.Project
		Session id.Session
	}
	rows, err := db.All[row](ctx, v.Store.Read(db.AnyProject), selectUnnamed, namedAtOnce)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	b := v.Store.Write(db.AnyProject)
	for _, r := range rows {
		b.Exec(nameNegotiation, r.Project, r.Session, id.NegotiationOf(r.Session))
	}
	return len(rows) == namedAtOnce, b.Run(ctx)
}
