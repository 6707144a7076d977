package sqlstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Orphans is the store's view of charges that no order comes of.
type Orphans struct{ store *Store }

var _ ports.OrphanCharges = Orphans{}

// Orphans keeps charges that no order comes of.
func (s *Store) Orphans() Orphans { return Orphans{s} }

const (
	orphanColumns = `project_id, id, checkout_id, attempt, provider, integration_id, charge, currency, amount, status, failure, refund,
  detected_at, updated_at, attempts, due_at, problem`

	insertOrphan = `
INSERT INTO orphan_charges (` + orphanColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
ON CONFLICT DO NOTHING`

	// paidByCharge looks for the order's payment that a charge is.
	paidByCharge = `
SELECT count(*)
FROM payments
WHERE project_id = $1
  AND gateway = $2
  AND provider = $3`

	selectOrphans = `
SELECT ` + orphanColumns + `
FROM orphan_charges
WHERE project_id = $1`

	countOrphans = `
SELECT count(*) AS n
FROM orphan_charges
WHERE project_id = $1`

	// lockOrphan is completed by the locking clause and the clock, which is read after the wait for the lock.
	lockOrphan = `
WITH locked AS MATERIALIZED (` + selectOrphans + `
  AND id = $2%s
)
SELECT ` + orphanColumns + `, %s AS now
FROM locked`

	updateOrphan = `
UPDATE orphan_charges
SET status = $3, failure = $4, refund = $5, updated_at = $6, attempts = $7, due_at = $8, problem = $9
WHERE project_id = $1
  AND id = $2`
)

type orphanRow struct {
	ProjectID     string `db:"project_id"`
	ID            string
	CheckoutID    string `db:"checkout_id"`
	Attempt       int
	Provider      string
	IntegrationID string `db:"integration_id"`
	Charge        string
	Currency      string
	Amount        int64
	Status        string
	Failure       string
	Refund        string
	DetectedAt    int64 `db:"detected_at"`
	UpdatedAt     int64 `db:"updated_at"`
	Attempts      int
	DueAt         *int64 `db:"due_at"`
	Problem       string
}

type orphanNowRow struct {
	orphanRow
	Now int64
}

// orphanArgs are the values of orphanColumns.
func orphanArgs(o *checkout.Orphan) []any {
	return []any{
		o.Project.String(), o.ID, o.Checkout.String(), o.Attempt, o.Route.Provider, o.Route.Integration.String(), o.Charge,
		o.Amount.Currency().Code(), o.Amount.Minor(), o.State.String(), o.Failure, o.Refund,
		toMillis(o.DetectedAt), toMillis(o.UpdatedAt), o.Attempts, toSetMillis(o.DueAt), o.Problem,
	}
}

func fromOrphanRow(r orphanRow) (checkout.Orphan, error) {
	amount, err := fromMinor(r.Amount, r.Currency)
	if err != nil {
		return checkout.Orphan{}, err
	}
	return checkout.Orphan{
		ID: r.ID, Project: id.Stored[id.Project](r.ProjectID), Checkout: id.Stored[id.Checkout](r.CheckoutID), Attempt: r.Attempt,
		Route:  project.PaymentRoute{Provider: r.Provider, Integration: id.Stored[id.Integration](r.IntegrationID)},
		Charge: r.Charge, Amount: amount, State: checkout.OrphanStates[r.Status], Failure: r.Failure, Refund: r.Refund,
		DetectedAt: fromMillis(r.DetectedAt), UpdatedAt: fromMillis(r.UpdatedAt), Attempts: r.Attempts, DueAt: fromSetMillis(r.DueAt),
		Problem: r.Problem,
	}, nil
}

func (p purchase) Orphan(ctx context.Context, o *checkout.Orphan, e *event.Event) (stored bool, err error) {
	var known int
	if _, err := p.tx.get(ctx, &known, paidByCharge, p.project.String(), o.Route.Provider, o.Charge); err != nil || known > 0 {
		return false, err
	}
	written, err := p.tx.exec(ctx, insertOrphan, orphanArgs(o)...)
	if err != nil || written == 0 {
		return false, err
	}
	var effects []effect
	if o.Booked() {
		effects = recordTransaction(ledger.Orphan(booked(o, "charge", o.Charge, o.Amount, o.DetectedAt)))
	}
	if effects, err = announced(p.tx, effects, e); err != nil {
		return false, err
	}
	return true, p.tx.together(ctx, effects...)
}

// booked is an orphan's entry in the ledger, whose id follows from the orphan: each is booked once.
func booked(o *checkout.Orphan, kind, reference string, amount money.Amount, at time.Time) ledger.Change {
	sum := sha256.Sum256([]byte(o.Project.String() + o.ID + kind + reference))
	return ledger.Change{
		ID:        id.New[id.Transaction]([16]byte(sum[:16])),
		Project:   o.Project,
		Provider:  o.Route.Provider,
		Reference: reference,
		Amount:    amount,
		At:        at,
	}
}

// orphanMoved are the effects that book a refund, or its reversal.
func orphanMoved(before, after checkout.Orphan) []effect {
	reference := cmp.Or(after.Refund, after.Charge)
	switch {
	case !before.Booked() || before.State == after.State:
	case after.State == checkout.OrphanRefunded:
		back := money.Of(-after.Amount.Minor(), after.Amount.Currency())
		return recordTransaction(ledger.OrphanRefund(booked(&after, "refund", reference, back, after.UpdatedAt)))
	case before.State == checkout.OrphanRefunded:
		return recordTransaction(ledger.OrphanReversal(booked(&after, "reversal", reference, after.Amount, after.UpdatedAt)))
	}
	return nil
}

// firstOrphanRefund refuses a refund that gave an orphan back before, also if the provider took it back since.
func (t *tx) firstOrphanRefund(ctx context.Context, o checkout.Orphan) error {
	var booked int
	_, err := t.get(ctx, &booked, transactionBooked, o.Project.String(), o.Route.Provider, cmp.Or(o.Refund, o.Charge), ledger.OrphanRefundKind.String())
	if err == nil && booked > 0 {
		return t.note(ctx, order.ErrRefundTaken)
	}
	return err
}

func (v Orphans) Orphans(ctx context.Context, project id.Project, f ports.OrphanFilter, page ports.Page) ([]checkout.Orphan, int, error) {
	w := conditions{args: arguments{project.String()}}
	if f.State != (checkout.OrphanState{}) {
		w.and("status = ", f.State.String())
	}
	if f.ID != "" {
		w.and("id = ", f.ID)
	}
	if f.Charge != "" {
		w.and("charge = ", f.Charge)
	}
	var counts []countRow
	var rows []orphanRow
	b := v.store.reading(project)
	b.query(&counts, countOrphans+w.text, w.args...)
	end := "\nORDER BY detected_at DESC, id DESC" + w.args.page(page)
	b.query(&rows, selectOrphans+w.text+end, w.args...)
	if err := b.run(ctx); err != nil {
		return nil, 0, err
	}
	list := make([]checkout.Orphan, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromOrphanRow(r); err != nil {
			return nil, 0, err
		}
	}
	return list, counts[0].N, nil
}

// DueOrphans hands out orphans whose refund is due.
func (s *Store) DueOrphans() ports.DueOrphans {
	return workQueue[leasedOrphanRow, *checkout.Orphan]{s, dueOrphans, leasedOrphanRow.lease}
}

var dueOrphans = queueTable{
	name:    "orphans",
	table:   "orphan_charges",
	key:     "id",
	group:   "queue",
	waits:   "due_at IS NOT NULL",
	due:     "due_at",
	lease:   "due_at",
	retry:   "due_at",
	columns: orphanColumns + ", queue",
}

type leasedOrphanRow struct {
	orphanRow
	Queue string
	heldRow
}

func (r leasedOrphanRow) lease() ports.Leased[*checkout.Orphan] {
	return decoded(r.held(r.ProjectID, r.ID, r.Queue), func() (*checkout.Orphan, error) {
		o, err := fromOrphanRow(r.orphanRow)
		return &o, err
	})
}

func (v Orphans) ChangeOrphan(
	ctx context.Context, of id.Project, orphan string, change func(*checkout.Orphan, time.Time) (*event.Event, error),
) error {
	return v.store.inTx(ctx, of, func(t *tx) error {
		var row orphanNowRow
		found, err := t.get(ctx, &row, fmt.Sprintf(lockOrphan, t.dialect.forUpdate, t.dialect.clock), of.String(), orphan)
		if err != nil {
			return err
		}
		if !found {
			return fault.Missing("orphan")
		}
		o, err := fromOrphanRow(row.orphanRow)
		if err != nil {
			return err
		}
		before := o
		e, err := change(&o, fromMillis(row.Now))
		if err != nil {
			return err
		}
		args := []any{of.String(), o.ID, o.State.String(), o.Failure, o.Refund, toMillis(o.UpdatedAt), o.Attempts, toSetMillis(o.DueAt), o.Problem}
		effects := []effect{{updateOrphan, args, 1, fault.Missing("orphan")}}
		if before.State != o.State && o.State == checkout.OrphanRefunded {
			if err := t.firstOrphanRefund(ctx, o); err != nil {
				return err
			}
		}
		effects = append(effects, orphanMoved(before, o)...)
		effects, err = announced(t, effects, e)
		if err != nil {
			return err
		}
		return t.together(ctx, effects...)
	})
}
