package retention

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// foldedDecisions is the number of decisions that a transaction folds.
const foldedDecisions = 500

const (
	selectCheckpoint = `
SELECT folded, folded_hash, folded_until, seal
FROM decision_chains
WHERE project_id = $1`

	// selectOldest are the decisions behind the checkpoint, in their order.
	selectOldest = `
SELECT d.position, d.hash, d.at, d.id IN (
  SELECT record_id
  FROM analytics_pending
  WHERE project_id = $1
) AS pending
FROM decisions AS d
WHERE d.project_id = $1
  AND d.position > $2
ORDER BY d.position
LIMIT $3`

	// moveCheckpoint runs before the decisions are deleted, because the database refuses to delete decisions that are
	// not behind the checkpoint.
	moveCheckpoint = `
UPDATE decision_chains
SET folded = $2, folded_hash = $3, folded_until = $4, seal = $5
WHERE project_id = $1`

	deleteFolded = `
DELETE FROM decisions
WHERE project_id = $1
  AND position > $2
  AND position <= $3`

	selectSeals = `
SELECT project_id, seal AS secret
FROM decision_chains
WHERE seal IS NOT NULL
ORDER BY project_id`

	updateSeal = `
UPDATE decision_chains
SET seal = $2
WHERE project_id = $1`
)

// Fold removes decisions from the chain's beginning on, up to the first that is still to be kept.
func (v Retention) Fold(ctx context.Context, project id.Project, keep time.Duration, seals ports.Seals) (more bool, err error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (bool, error) {
		now, err := t.Now(ctx)
		if err != nil {
			return false, err
		}
		var at struct {
			haggling.CheckpointRow
			Seal []byte
		}
		found, err := t.Get(ctx, &at, selectCheckpoint+t.Dialect.SkipLocked, project.String())
		if err != nil || !found {
			return false, err
		}
		var rows []struct {
			Position int64
			Hash     string
			At       int64
			Pending  bool
		}
		if err := t.Select(ctx, &rows, selectOldest, project.String(), at.Folded, foldedDecisions); err != nil {
			return false, err
		}
		before, from := db.Millis(now.Add(-keep)), at.Checkpoint()
		if !seals.Sound(from.Text(), at.Seal) {
			return false, brokenChain(max(from.Position, 1))
		}
		for _, r := range rows {
			if r.At >= before || r.Pending {
				break
			}
			at.Folded, at.FoldedHash, at.FoldedUntil = r.Position, r.Hash, max(at.FoldedUntil, r.At)
		}
		n := int(at.Folded - from.Position)
		if n == 0 {
			return false, nil
		}
		if err := verifyLinks(ctx, t, project, from.ChainEnd, n); err != nil {
			return false, err
		}
		_, err = t.Exec(ctx, moveCheckpoint, project.String(), at.Folded, at.FoldedHash, at.FoldedUntil, seals.Seal(at.Checkpoint().Text()))
		if err != nil {
			return false, err
		}
		_, err = t.Exec(ctx, deleteFolded, project.String(), from.Position, at.Folded)
		return n == foldedDecisions, err
	})
}

// verifyLinks fails unless the next n decisions are as they were sealed. A checkpoint in the place of changed ones
// would hide the change.
func verifyLinks(ctx context.Context, t *db.Tx, project id.Project, from negotiation.ChainEnd, n int) error {
	var rows []haggling.DecidedRow
	if err := t.Select(ctx, &rows, haggling.SelectSealed, project.String(), from.Position+1, n); err != nil {
		return err
	}
	links := haggling.SealedOf(rows)
	to, broken := negotiation.VerifyChain(from, links)
	if broken == 0 && to.Position != from.Position+int64(n) {
		broken = to.Position + 1
	}
	if broken != 0 {
		return brokenChain(broken)
	}
	return nil
}

func brokenChain(at int64) error {
	return fmt.Errorf("the chain of decisions is broken at %d; none are removed from it", at)
}
