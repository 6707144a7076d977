package haggling

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// sealedAtOnce is the number of decisions that a transaction seals, which occupies SQLite's one writer for some
// milliseconds.
const sealedAtOnce = 200

var (
	InsertChain = `
INSERT INTO decision_chains (project_id, position, hash)
VALUES ($1, 0, '')`

	// unsealedProjects skips from project to project, without reading all unsealed decisions of each.
	unsealedProjects = `
WITH RECURSIVE waiting (project_id) AS (
  SELECT (
    SELECT project_id
    FROM decisions
    WHERE position IS NULL
    ORDER BY project_id
    LIMIT 1
  )
  UNION ALL
  SELECT (
    SELECT d.project_id
    FROM decisions AS d
    WHERE d.position IS NULL
      AND d.project_id > w.project_id
    ORDER BY d.project_id
    LIMIT 1
  )
  FROM waiting AS w
  WHERE w.project_id IS NOT NULL
)
SELECT project_id
FROM waiting
WHERE project_id IS NOT NULL`

	selectUnsealed = "SELECT " + EntryColumns + fromDecisions + `
  AND position IS NULL
ORDER BY at, session_id, seq
LIMIT $2`

	// sealDecisions is between the links and what completes it; the first row says of what type they are. A decision that
	// was erased before it is sealed gets no salt: a chain with one would not verify.
	sealDecisions = `
UPDATE decisions
SET position = links.position, hash = links.hash, prior = links.prior, personal = links.personal,
  salt = CASE WHEN decisions.erased_at IS NULL THEN links.salt ELSE '' END
FROM links
WHERE decisions.project_id = links.project_id
  AND decisions.session_id = links.session_id
  AND decisions.seq = links.seq
  AND decisions.position IS NULL`

	moveChain = `
UPDATE decision_chains
SET position = $2, hash = $3
WHERE project_id = $1`
)

// Seal visits the projects in another order each time, so that none waits behind a busy one, and replicas seldom meet.
func (v Decisions) Seal(ctx context.Context, limit int) (sealed int, err error) {
	waiting, err := db.All[id.Project](ctx, v.Store.Read(db.AnyProject), unsealedProjects)
	if err != nil {
		return 0, err
	}
	var failed error // one project's does not keep the others waiting
	mathrand.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
	for len(waiting) > 0 && sealed < limit {
		more := waiting[:0]
		for _, p := range waiting {
			most := min(sealedAtOnce, limit-sealed)
			if most == 0 {
				break
			}
			n := 0
			err := fault.Survive(func() (err error) {
				n, err = v.seal(ctx, p, most)
				return err
			})
			if ctx.Err() != nil {
				return sealed, ctx.Err()
			}
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("the decisions of %s: %w", p, err))
				continue
			}
			sealed += n
			if n == most {
				more = append(more, p)
			}
		}
		waiting = more
	}
	return sealed, failed
}

// seal adds a project's oldest decisions to its chain, unless another process is doing so. It locks the chain's row, so
// decisions that it reads as unsealed stay so until it commits.
func (v Decisions) seal(ctx context.Context, project id.Project, most int) (int, error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (int, error) {
		end, err := db.First[ChainRow](ctx, t, SelectChain+t.Dialect.SkipLocked, project)
		if err != nil || end == nil {
			return 0, err
		}
		rows, err := db.All[EntryRow](ctx, t, selectUnsealed, project, most)
		if err != nil || len(rows) == 0 {
			return 0, err
		}
		links := sealRows(negotiation.ChainEnd(*end), rows)
		if err := writeLinks(ctx, t, links); err != nil {
			return 0, err
		}
		last := links[len(links)-1]
		_, err = t.Exec(ctx, moveChain, project, last.Position, last.Hash)
		return len(links), err
	})
}

func sealRows(end negotiation.ChainEnd, rows []EntryRow) []negotiation.Link {
	links := make([]negotiation.Link, len(rows))
	for i, r := range rows {
		links[i] = end.Seal(FromEntryRow(r), rand.Text())
		end = negotiation.ChainEnd{Position: links[i].Position, Hash: links[i].Hash}
	}
	return links
}

func writeLinks(ctx context.Context, t *db.Tx, links []negotiation.Link) error {
	for some := range slices.Chunk(links, t.Dialect.MaxRows) {
		var args db.Args
		values := ""
		for i, l := range some {
			row := []any{l.Project, l.Session, l.Seq, l.Position, l.Hash, l.Prior, l.Personal, l.Salt}
			if i == 0 {
				values = typedLink(&args, row)
			} else {
				values += ",\n  " + args.Row(row...)
			}
		}
		rows, err := t.Exec(ctx, "WITH links (project_id, session_id, seq, position, hash, prior, personal, salt) AS (VALUES "+values+")"+sealDecisions, args...)
		if err != nil {
			return err
		}
		if rows != int64(len(some)) {
			return t.Note(ctx, fmt.Errorf("sqlstore: %d of %d decisions were sealed", rows, len(some)))
		}
	}
	return nil
}

// typedLink is the row that tells PostgreSQL the types of the columns.
func typedLink(args *db.Args, row []any) string {
	return "(" + args.Add(row[0]) + ", " + args.Add(row[1]) + ", CAST(" + args.Add(row[2]) + " AS INTEGER), CAST(" +
		args.Add(row[3]) + " AS BIGINT), " + args.Add(row[4]) + ", " + args.Add(row[5]) + ", " + args.Add(row[6]) + ", " + args.Add(row[7]) + ")"
}
