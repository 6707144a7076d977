package finance

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// SandboxLedger is the store's view of what the sandbox provider remembers.
type SandboxLedger struct{ store *db.DB }

var _ ports.SandboxLedger = SandboxLedger{}

// NewSandboxLedger returns a view that keeps the sandbox provider's memory.
func NewSandboxLedger(s *db.DB) SandboxLedger { return SandboxLedger{s} }

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

	lockCharge = `
SELECT amount
FROM sandbox_charges
WHERE project_id = $1
  AND id = $2
  AND result = 'paid'`

	insertSandboxRefund = `
INSERT INTO sandbox_refunds (project_id, key, id, charge_id, currency, amount, created_at)
SELECT c.project_id, $3, $4, c.id, c.currency, $6, $7
FROM sandbox_charges AS c
WHERE c.project_id = $1
  AND c.id = $2
  AND c.result = 'paid'
  AND c.currency = $5
  AND c.amount - $6 >= (
    SELECT coalesce(sum(r.amount), 0)
    FROM sandbox_refunds AS r
    WHERE r.project_id = c.project_id
      AND r.charge_id = c.id)
ON CONFLICT (project_id, key) DO NOTHING`

	selectSandboxRefund = `
SELECT key, id, charge_id, currency, amount, created_at
FROM sandbox_refunds
WHERE project_id = $1
  AND key = $2`

	selectMovements = `
SELECT key, id, currency, amount, created_at, FALSE AS refund
FROM sandbox_charges
WHERE project_id = $1
  AND result = 'paid'
  AND created_at >= $2
  AND created_at < $3
  AND key > $4
UNION ALL
SELECT key, id, currency, amount, created_at, TRUE AS refund
FROM sandbox_refunds
WHERE project_id = $1
  AND created_at >= $2
  AND created_at < $3
  AND key > $4
ORDER BY key
LIMIT $5`
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

// fromChargeRow knows charges without an amount and a method: keys that are void.
func fromChargeRow(r chargeRow) (ports.SandboxCharge, error) {
	var amount money.Amount
	if r.Currency != "" {
		var err error
		if amount, err = db.Amount(r.Amount, r.Currency); err != nil {
			return ports.SandboxCharge{}, err
		}
	}
	method, err := spelling.OptionalMethod(r.Method)
	return ports.SandboxCharge{
		Key: r.Key, ID: r.ID, Amount: amount, Method: method, TokenHash: r.TokenHash, Result: r.Result, At: db.Time(r.CreatedAt),
	}, err
}

func (v SandboxLedger) Once(ctx context.Context, project id.Project, c ports.SandboxCharge) (ports.SandboxCharge, error) {
	var stored []chargeRow
	b := v.store.Write(project)
	b.Exec(insertCharge, project.String(), c.Key, c.ID, c.Amount.Currency().Code(), c.Amount.Minor(),
		spelling.Methods[c.Method], c.TokenHash, c.Result, db.Millis(c.At))
	b.Query(&stored, selectCharge, project.String(), c.Key)
	if err := b.Run(ctx); err != nil {
		return ports.SandboxCharge{}, err
	}
	return fromChargeRow(stored[0])
}

func (v SandboxLedger) Failure(ctx context.Context, project id.Project, subject string) (int, error) {
	var counts []struct{ Failures int }
	b := v.store.Write(project)
	b.Query(&counts, countFailure, project.String(), subject)
	if err := b.Run(ctx); err != nil {
		return 0, err
	}
	return counts[0].Failures, nil
}

type sandboxRefundRow struct {
	Key       string
	ID        string
	ChargeID  string `db:"charge_id"`
	Currency  string
	Amount    int64
	CreatedAt int64 `db:"created_at"`
}

// Refund locks the charge first, so that refunds of one charge see each other.
func (v SandboxLedger) Refund(ctx context.Context, project id.Project, r ports.SandboxRefund) (ports.SandboxRefund, bool, error) {
	var locked []struct{ Amount int64 }
	var stored []sandboxRefundRow
	b := v.store.Write(project)
	b.Query(&locked, lockCharge+v.store.Dialect.ForUpdate, project.String(), r.Charge)
	b.Exec(insertSandboxRefund, project.String(), r.Charge, r.Key, r.ID, r.Amount.Currency().Code(), r.Amount.Minor(), db.Millis(r.At))
	b.Query(&stored, selectSandboxRefund, project.String(), r.Key)
	if err := b.Run(ctx); err != nil || len(stored) == 0 {
		return ports.SandboxRefund{}, false, err
	}
	row := stored[0]
	amount, err := db.Amount(row.Amount, row.Currency)
	return ports.SandboxRefund{
		Key: row.Key, ID: row.ID, Charge: row.ChargeID, Amount: amount, At: db.Time(row.CreatedAt),
	}, true, err
}

type movementRow struct {
	Key       string
	ID        string
	Currency  string
	Amount    int64
	CreatedAt int64 `db:"created_at"`
	Refund    bool
}

func (v SandboxLedger) Movements(
	ctx context.Context, project id.Project, from, to time.Time, after string, limit int,
) ([]ports.Movement, error) {
	var rows []movementRow
	b := v.store.Read(project)
	b.Query(&rows, selectMovements, project.String(), db.Millis(from), db.Millis(to), after, limit)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	movements := make([]ports.Movement, len(rows))
	for i, r := range rows {
		amount, err := db.Amount(r.Amount, r.Currency)
		if err != nil {
			return nil, err
		}
		movements[i] = ports.Movement{Refund: r.Refund, Provider: r.ID, Key: r.Key, Amount: amount, At: db.Time(r.CreatedAt)}
	}
	return movements, nil
}
