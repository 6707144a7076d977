package finance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Reconciliations stores the continuous comparison with payment providers.
type Reconciliations struct{ Store *db.DB }

var _ ports.Reconciliations = Reconciliations{}

const (
	// enrollIntegrations is completed by the database's clock.
	enrollIntegrations = `
INSERT INTO reconciliations (project_id, integration_id, gateway, due_at, failures, last_error, matched, found, totals, booked_until)
SELECT project_id, id, type, %s, 0, '', 0, 0, '[]', created_at
FROM integrations
WHERE type IN ('stripe', 'paypal')
  AND status <> 'disconnected'
ON CONFLICT DO NOTHING`

	// claimReconciliation is completed by the database's clock, a condition, and the clause that skips locked rows.
	claimReconciliation = `
WITH due AS MATERIALIZED (
  SELECT r.project_id, r.integration_id
  FROM reconciliations AS r
  JOIN integrations AS i ON i.project_id = r.project_id AND i.id = r.integration_id
  WHERE r.due_at <= %[1]s
    AND (r.lease_until IS NULL OR r.lease_until <= %[1]s)
    AND i.status <> 'disconnected'%[2]s
  ORDER BY r.due_at, r.project_id, r.integration_id
  LIMIT 1%[3]s
)
UPDATE reconciliations
SET lease_until = %[1]s + $1
WHERE (project_id, integration_id) IN (SELECT project_id, integration_id FROM due)
RETURNING project_id, integration_id, gateway, lease_until, failures, progress, booked_until`

	selectUnexplained = `
SELECT DISTINCT at
FROM money_differences
WHERE project_id = $1
  AND integration_id = $2
ORDER BY at
LIMIT 1000`

	unlessFailed = `
    AND r.failures = 0`

	thisLease = `
WHERE project_id = $1
  AND integration_id = $2
  AND lease_until = $3`

	lockReconciliation = `
SELECT totals
FROM reconciliations` + thisLease

	recordStep = `
UPDATE reconciliations
SET lease_until = NULL, failures = 0, last_error = $14, due_at = $4, progress = $5, span_from = CASE WHEN $6 THEN $7 ELSE span_from END,
  span_to = $8, matched = CASE WHEN $6 THEN 0 ELSE matched END + $9, found = CASE WHEN $6 THEN 0 ELSE found END + $10,
  totals = $11, ran_at = CASE WHEN $12 THEN $13 ELSE ran_at END` + thisLease

	setAsideReconciliation = `
UPDATE reconciliations
SET lease_until = NULL, failures = failures + 1, last_error = $5, due_at = $4` + thisLease

	recordBooked = `
UPDATE reconciliations
SET booked_until = $4, account_until = CASE WHEN $5 THEN $4 ELSE account_until END` + thisLease + `
  AND EXISTS (SELECT 1 FROM integrations AS i WHERE i.project_id = $1 AND i.id = $2 AND i.status <> 'disconnected')`

	differencesWithin = `
SELECT kind, provider, refund
FROM money_differences
WHERE project_id = $1
  AND integration_id = $2
  AND at >= $3
  AND at < $4`

	deleteDifference = `
DELETE FROM money_differences
WHERE project_id = $1
  AND integration_id = $2
  AND kind = $3
  AND provider = $4
  AND refund = $5`

	forgetOldDifferences = `
DELETE FROM money_differences
WHERE project_id = $1
  AND integration_id = $2
  AND at < $3`

	selectResults = `
SELECT r.integration_id, r.gateway, r.last_error, r.ran_at, r.span_from, r.span_to, r.matched, r.found, r.totals
FROM reconciliations AS r
JOIN integrations AS i ON i.project_id = r.project_id AND i.id = r.integration_id
WHERE r.project_id = $1
  AND (i.status <> 'disconnected' OR r.ran_at IS NOT NULL)
ORDER BY r.gateway, r.integration_id`

	countDifferences = `
SELECT integration_id, count(*) AS n
FROM money_differences
WHERE project_id = $1
GROUP BY integration_id`

	sumDifferences = `
SELECT gateway AS provider, currency, CAST(sum(abs(coalesce(ours, 0) - coalesce(theirs, 0))) AS BIGINT) AS amount, count(*) AS differences
FROM money_differences
GROUP BY gateway, currency
ORDER BY gateway, currency`

	selectOpenDisputes = `
SELECT d.provider
FROM disputes AS d
JOIN payments AS p ON p.project_id = d.project_id AND p.id = d.payment_id
WHERE d.project_id = $1
  AND d.status = 'open'
  AND d.gateway = $2
  AND p.integration_id = $3
  AND d.created_at < $4
ORDER BY random()
LIMIT $5`
)

var selectDifferences = moneyDifferences.Select() + `
WHERE project_id = $1
ORDER BY at DESC, integration_id, kind, provider, refund
LIMIT $2`

// keptUnexplained is how long a difference is compared again and counted.
const keptUnexplained = 31 * 24 * time.Hour

// announcedAtOnce is the number of differences that one event names.
const announcedAtOnce = 20

var errLeaseLost = fault.New(fault.Conflict, "lease_lost", "The lease has ended.")

func (v Reconciliations) Enroll(ctx context.Context) error {
	return v.Store.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		_, err := t.Exec(ctx, fmt.Sprintf(enrollIntegrations, t.Dialect.Clock))
		return err
	})
}

func (v Reconciliations) Claim(ctx context.Context, lease time.Duration, failed bool) (*ports.Reconciliation, error) {
	var r *struct {
		Project     id.Project
		Integration id.Integration
		Gateway     string
		LeaseUntil  time.Time
		Failures    int
		Progress    time.Time `db:",null"`
		BookedUntil time.Time
	}
	var dates []time.Time
	which := unlessFailed
	if failed {
		which = ""
	}
	skip := ""
	if v.Store.Dialect.SkipLocked != "" {
		skip = "\n  FOR UPDATE OF r SKIP LOCKED"
	}
	err := v.Store.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		err := t.Select(ctx, &r, fmt.Sprintf(claimReconciliation, t.Dialect.Clock, which, skip), lease.Milliseconds())
		if err != nil || r == nil {
			return err
		}
		return t.Select(ctx, &dates, selectUnexplained, r.Project, r.Integration)
	})
	if err != nil || r == nil {
		return nil, err
	}
	return &ports.Reconciliation{
		Project:     r.Project,
		Route:       project.PaymentRoute{Provider: r.Gateway, Integration: r.Integration},
		Now:         r.LeaseUntil.Add(-lease),
		Until:       r.LeaseUntil,
		Failures:    r.Failures,
		Progress:    r.Progress,
		Unexplained: dates,
		Booked:      r.BookedUntil,
	}, nil
}

// leased are the arguments of thisLease.
func leased(r *ports.Reconciliation) []any {
	return []any{r.Project, r.Route.Integration, r.Until}
}

// execLeased runs a statement that needs the lease.
func execLeased(ctx context.Context, t *db.Tx, statement string, args []any) error {
	n, err := t.Exec(ctx, statement, args...)
	if err == nil && n == 0 {
		return t.Note(ctx, errLeaseLost)
	}
	return err
}

func (v Reconciliations) OpenDisputes(ctx context.Context, r *ports.Reconciliation, before time.Time, limit int) ([]string, error) {
	return db.All[string](ctx, v.Store.Read(r.Project), selectOpenDisputes, r.Project, r.Route.Provider, r.Route.Integration, before, limit)
}

func (v Reconciliations) SetAside(ctx context.Context, r *ports.Reconciliation, pause time.Duration, reason string) error {
	return v.Store.InTx(ctx, r.Project, func(t *db.Tx) error {
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		return execLeased(ctx, t, setAsideReconciliation, append(leased(r), now.Add(pause), reason))
	})
}

func (v Reconciliations) Record(ctx context.Context, r *ports.Reconciliation, step ports.ReconciledStep, announce ports.Announce) error {
	return v.Store.InTx(ctx, r.Project, func(t *db.Tx) error {
		var before []string
		if err := t.Select(ctx, &before, lockReconciliation+t.Dialect.ForUpdate, leased(r)...); err != nil {
			return err
		}
		if len(before) == 0 {
			return t.Note(ctx, errLeaseLost)
		}
		totals, err := addTotals(before[0], step)
		if err != nil {
			return t.Note(ctx, err)
		}
		if err := execLeased(ctx, t, recordStep, append(leased(r), step.Due, db.MillisOrNull(step.Next), step.Begins, step.From, step.To, step.Matched,
			step.Found, totals, step.Next.IsZero(), r.Now, step.Problem)); err != nil {
			return err
		}
		return differences(ctx, t, r, step, announce)
	})
}

// differences replaces the differences of a window, and announces new ones.
func differences(ctx context.Context, t *db.Tx, r *ports.Reconciliation, step ports.ReconciledStep, announce ports.Announce) error {
	type key struct {
		Kind, Provider string
		Refund         bool
	}
	of := []any{r.Project, r.Route.Integration}
	if _, err := t.Exec(ctx, forgetOldDifferences, append(slices.Clone(of), r.Now.Add(-keptUnexplained))...); err != nil {
		return err
	}
	var before []key
	if err := t.Select(ctx, &before, differencesWithin, append(slices.Clone(of), step.From, step.To)...); err != nil {
		return err
	}
	still := map[key]bool{}
	var news []ports.MoneyDifference
	for _, d := range step.Unexplained {
		still[key{d.Kind(), d.Provider, d.Refund}] = true
		added, err := t.Exec(ctx, moneyDifferences.Insert()+"\nON CONFLICT DO NOTHING", moneyDifferences.Args(differenceRow{
			Project:         r.Project,
			Integration:     r.Route.Integration,
			Gateway:         r.Route.Provider,
			MoneyDifference: d,
			Kind:            d.Kind(),
			FoundAt:         r.Now,
		})...)
		if err != nil {
			return err
		}
		if added > 0 {
			news = append(news, d)
		}
	}
	for _, k := range before {
		if still[k] {
			continue
		}
		if _, err := t.Exec(ctx, deleteDifference, append(slices.Clone(of), k.Kind, k.Provider, k.Refund)...); err != nil {
			return err
		}
	}
	if len(news) == 0 {
		return nil
	}
	return outbox.AnnounceEvent(ctx, t, announce(r.Project, r.Now, unexplained(r, news)))
}

func unexplained(r *ports.Reconciliation, news []ports.MoneyDifference) event.MoneyUnexplained {
	e := event.MoneyUnexplained{
		Integration: r.Route.Integration,
		Provider:    r.Route.Provider,
		Found:       len(news),
	}
	for _, d := range news[:min(len(news), announcedAtOnce)] {
		e.Differences = append(e.Differences, event.MoneyDifference{
			Kind:      d.Kind(),
			Refund:    d.Refund,
			Reference: d.Reference,
			Provider:  d.Provider,
			Ours:      d.Ours,
			Theirs:    d.Theirs,
			At:        d.At,
		})
	}
	return e
}
