package sqlstore

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// SandboxLedger is the store's view of what the sandbox provider remembers.
type SandboxLedger struct{ store *Store }

var _ ports.SandboxLedger = SandboxLedger{}

// SandboxLedger keeps the sandbox provider's memory.
func (s *Store) SandboxLedger() SandboxLedger { return SandboxLedger{s} }

const (
	insertCharge = `
INSERT INTO sandbox_charges (project_id, key, id, currency, amount, method, token_hash, result, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (project_id, key) DO NOTHING`

	selectCharge = `
SELECT key, id, currency, amount, method, token_hash, result, created_at
FROM sandbox_charges
WHERE project_id = $1
  AND key = $2`

	countFailure = `
INSERT INTO sandbox_failures (project_id, key, failures)
VALUES ($1, $2, 1)
ON CONFLICT (project_id, key) DO UPDATE
SET failures = sandbox_failures.failures + 1
RETURNING failures`
)

type chargeRow struct {
	Key       string
	ID        string
	Currency  string
	Amount    int64
	Method    string
	TokenHash string `db:"token_hash"`
	Result    string
	CreatedAt int64 `db:"created_at"`
}

// fromChargeRow knows charges without an amount: keys that are void.
func fromChargeRow(r chargeRow) (ports.SandboxCharge, error) {
	var amount money.Amount
	if r.Currency != "" {
		var err error
		if amount, err = fromMinor(r.Amount, r.Currency); err != nil {
			return ports.SandboxCharge{}, err
		}
	}
	return ports.SandboxCharge{
		Key: r.Key, ID: r.ID, Amount: amount, Method: r.Method, TokenHash: r.TokenHash, Result: r.Result, At: fromMillis(r.CreatedAt),
	}, nil
}

func (v SandboxLedger) Once(ctx context.Context, project id.Project, c ports.SandboxCharge) (ports.SandboxCharge, error) {
	var stored []chargeRow
	b := v.store.writing(project)
	b.exec(insertCharge, project.String(), c.Key, c.ID, c.Amount.Currency().Code(), c.Amount.Minor(),
		c.Method, c.TokenHash, c.Result, toMillis(c.At))
	b.query(&stored, selectCharge, project.String(), c.Key)
	if err := b.run(ctx); err != nil {
		return ports.SandboxCharge{}, err
	}
	return fromChargeRow(stored[0])
}

func (v SandboxLedger) Failure(ctx context.Context, project id.Project, subject string) (int, error) {
	var counts []struct{ Failures int }
	b := v.store.writing(project)
	b.query(&counts, countFailure, project.String(), subject)
	if err := b.run(ctx); err != nil {
		return 0, err
	}
	return counts[0].Failures, nil
}
