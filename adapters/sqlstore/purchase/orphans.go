package purchase

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	ledgerstore "github.com/haggle-commerce/haggle/adapters/sqlstore/ledger"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Orphans stores charges without an order.
type Orphans struct{ Store *db.DB }

var _ ports.OrphanCharges = Orphans{}

var (
	orphans = db.NewTable[checkout.Orphan]("orphan_charges", db.Columns{"State": "status", "DueAt": ",null"})

	insertOrphan = orphans.Insert() + "\nON CONFLICT DO NOTHING"

	SelectOrphans = "\nSELECT " + orphans.Columns() + fromOrphans

	// lockOrphan is completed by the locking clause and the clock, which is read after the wait for the lock.
	lockOrphan = `
WITH locked AS MATERIALIZED (` + SelectOrphans + `
  AND id = $2%s
)
SELECT ` + orphans.Columns() + `, %s AS now
FROM locked`

	updateOrphan = orphans.Update([]string{"project_id", "id"}, "status", "failure", "refund", "updated_at", "attempts", "due_at", "problem")
)

const (
	// paidByCharge finds the order's payment with a charge.
	paidByCharge = `
SELECT count(*)
FROM payments
WHERE project_id = $1
  AND gateway = $2
  AND provider = $3`

	fromOrphans = `
FROM orphan_charges
WHERE project_id = $1`
)

type orphanNow struct {
	checkout.Orphan
	Now time.Time
}

func (p purchase) Orphan(ctx context.Context, o *checkout.Orphan, e *event.Event) (stored bool, err error) {
	var known int
	if _, err := p.tx.Get(ctx, &known, paidByCharge, p.project.String(), o.Route.Provider, o.Charge); err != nil || known > 0 {
		return false, err
	}
	written, err := p.tx.Exec(ctx, insertOrphan, orphans.Args(*o)...)
	if err != nil || written == 0 {
		return false, err
	}
	var effects []db.Effect
	if o.Booked() {
		effects = ledgerstore.RecordTransaction(booked(o, ledger.OrphanKind, "charge", o.Charge, o.Amount, o.DetectedAt))
	}
	return true, p.tx.Last(ctx, append(effects, outbox.Effects(p.tx.Dialect, e)...)...)
}

// booked is an orphan's entry in the ledger, whose id follows from the orphan: each is booked once.
func booked(o *checkout.Orphan, kind ledger.Kind, name, reference string, amount money.Amount, at time.Time) ledger.Transaction {
	sum := sha256.Sum256([]byte(o.Project.String() + o.ID + name + reference))
	return ledger.Change(kind, ledger.Transaction{
		ID:        id.New[id.Transaction]([16]byte(sum[:16])),
		Project:   o.Project,
		Provider:  o.Route.Provider,
		Reference: reference,
		At:        at,
	}, amount)
}

// orphanMoved are the effects that book a refund, or its reversal.
func orphanMoved(before, after checkout.Orphan) []db.Effect {
	reference := cmp.Or(after.Refund, after.Charge)
	switch {
	case !before.Booked() || before.State == after.State:
	case after.State == checkout.OrphanRefunded:
		back := money.Of(-after.Amount.Minor(), after.Amount.Currency())
		return ledgerstore.RecordTransaction(booked(&after, ledger.OrphanRefundKind, "refund", reference, back, after.UpdatedAt))
	case before.State == checkout.OrphanRefunded:
		return ledgerstore.RecordTransaction(booked(&after, ledger.OrphanReversalKind, "reversal", reference, after.Amount, after.UpdatedAt))
	}
	return nil
}

// firstOrphanRefund refuses a refund that has refunded an orphan before, even if the provider has reversed it since.
func firstOrphanRefund(ctx context.Context, t *db.Tx, o checkout.Orphan) error {
	var booked int
	_, err := t.Get(ctx, &booked, ledgerstore.TransactionBooked, o.Project.String(), o.Route.Provider, cmp.Or(o.Refund, o.Charge), ledger.OrphanRefundKind.String())
	if err == nil && booked > 0 {
		return t.Note(ctx, order.ErrRefundTaken)
	}
	return err
}

func (v Orphans) Orphans(ctx context.Context, project id.Project, f ports.OrphanFilter, page ports.Page) ([]checkout.Orphan, int, error) {
	w := db.Conditions{Args: db.Args{project}}
	w.Equal("status", f.State)
	w.Equal("id", f.ID)
	w.Equal("charge", f.Charge)
	return db.Page[checkout.Orphan](ctx, v.Store.Read(project), orphans.Columns(), fromOrphans, w, "detected_at DESC, id DESC", page)
}

// NewDueOrphans returns a view that leases orphans whose refund is due.
func NewDueOrphans(s *db.DB) ports.DueOrphans {
	return queue.Queue[checkout.Orphan, *checkout.Orphan]{
		Store: s,
		Table: DueOrphans,
		Item:  queue.Row[checkout.Orphan],
	}
}

var DueOrphans = queue.Table{
	Name:    "orphans",
	Table:   "orphan_charges",
	Key:     "id",
	Group:   "queue",
	Waits:   "due_at IS NOT NULL",
	Due:     "due_at",
	Lease:   "due_at",
	Retry:   "due_at",
	Columns: orphans.Columns(),
}

func (v Orphans) ChangeOrphan(
	ctx context.Context, of id.Project, orphan string, change func(*checkout.Orphan, time.Time) (*event.Event, error),
) error {
	return v.Store.InTx(ctx, of, func(t *db.Tx) error {
		row, err := db.One[orphanNow](ctx, t, "orphan", fmt.Sprintf(lockOrphan, t.Dialect.ForUpdate, t.Dialect.Clock), of, orphan)
		if err != nil {
			return err
		}
		o := row.Orphan
		before := o
		e, err := change(&o, row.Now)
		if err != nil {
			return err
		}
		effects := []db.Effect{{
			Statement: updateOrphan.Text,
			Args:      updateOrphan.Args(o),
			Rows:      1,
			Short:     fault.Missing("orphan"),
		}}
		if before.State != o.State && o.State == checkout.OrphanRefunded {
			if err := firstOrphanRefund(ctx, t, o); err != nil {
				return err
			}
		}
		return t.Last(ctx, slices.Concat(effects, orphanMoved(before, o), outbox.Effects(t.Dialect, e))...)
	})
}
