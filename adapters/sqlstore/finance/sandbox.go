package finance

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// SandboxLedger stores the sandbox provider's charges, refunds and disputes.
type SandboxLedger struct{ Store *db.DB }

var _ ports.SandboxLedger = SandboxLedger{}

var (
	charges = db.NewTable[sandboxCharge]("sandbox_charges", db.Columns{"Amount": ",none", "At": "created_at"})

	selectSandboxRefund = "\nSELECT key, id, charge_id AS charge, currency, amount, created_at AS at\nFROM sandbox_refunds" + ofKey
)

// sandboxCharge has no amount and no method where its key is void.
type sandboxCharge struct {
	Project id.Project
	ports.SandboxCharge
}

const (
	ofKey = `
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

	selectMovements = `
SELECT key, id AS provider, currency, amount, created_at AS at, FALSE AS refund
FROM sandbox_charges
WHERE project_id = $1
  AND result = 'paid'
  AND created_at >= $2
  AND created_at < $3
  AND key > $4
UNION ALL
SELECT key, id, currency, amount, created_at, TRUE
FROM sandbox_refunds
WHERE project_id = $1
  AND created_at >= $2
  AND created_at < $3
  AND key > $4
ORDER BY key
LIMIT $5`
)

func (v SandboxLedger) Once(ctx context.Context, project id.Project, c ports.SandboxCharge) (ports.SandboxCharge, error) {
	var stored sandboxCharge
	b := v.Store.Write(project)
	b.Exec(charges.Insert()+"\nON CONFLICT (project_id, key) DO NOTHING", charges.Args(sandboxCharge{project, c})...)
	b.Query(&stored, charges.Select()+ofKey, project, c.Key)
	err := b.Run(ctx)
	return stored.SandboxCharge, err
}

func (v SandboxLedger) Failure(ctx context.Context, project id.Project, subject string) (int, error) {
	failures, err := db.First[int](ctx, v.Store.Write(project), countFailure, project, subject)
	if err != nil {
		return 0, err
	}
	return *failures, nil
}

// Refund locks the charge first, so that refunds of one charge see each other.
func (v SandboxLedger) Refund(ctx context.Context, project id.Project, r ports.SandboxRefund) (ports.SandboxRefund, bool, error) {
	var locked int64
	var stored *ports.SandboxRefund
	b := v.Store.Write(project)
	b.Query(&locked, lockCharge+v.Store.Dialect.ForUpdate, project, r.Charge)
	b.Exec(insertSandboxRefund, project, r.Charge, r.Key, r.ID, r.Amount.Currency(), r.Amount.Minor(), r.At)
	b.Query(&stored, selectSandboxRefund, project, r.Key)
	if err := b.Run(ctx); err != nil || stored == nil {
		return ports.SandboxRefund{}, false, err
	}
	return *stored, true, nil
}

func (v SandboxLedger) Movements(
	ctx context.Context, project id.Project, from, to time.Time, after string, limit int,
) ([]ports.Movement, error) {
	return db.All[ports.Movement](ctx, v.Store.Read(project), selectMovements, project, from, to, after, limit)
}
