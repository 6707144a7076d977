package purchase

import (
	"context"
	"reflect"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/ledger"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

const (
	updatePayment = `
UPDATE payments
SET status = $3, refunded = $4, refunding = $5, disputed = $6
WHERE project_id = $1
  AND id = $2`

	// The checkout of an order never changes again, so it needs no lock.
	selectTaken = `
SELECT taken
FROM checkouts
WHERE project_id = $1
  AND id = (SELECT checkout_id FROM orders WHERE project_id = $1 AND id = $2)`
)

var (
	updateOrder = orders.Update([]string{"project_id", "id"}, "status", "fulfillment", "fulfillment_status", "sequence")

	upsertReturn = returns.Insert() + `
ON CONFLICT (project_id, id) DO UPDATE
SET ` + db.Excluded("status", "estimate", "refund_id", "reason", "restocked", "decided_at")

	upsertRefund = refunds.Insert("queue") + `
ON CONFLICT (project_id, id) DO UPDATE
SET ` + db.Excluded("status", "failure", "provider", "updated_at", "attempts", "due_at", "reversed_at", "problem")
)

func (v Orders) Case(ctx context.Context, project id.Project, of id.Order) (*order.Case, error) {
	return v.readCase(project, of, "", func(b *db.Batch) error { return b.Run(ctx) })
}

// readCase reads an order, with a lock, and its returns, refunds and disputes.
func (v Orders) readCase(project id.Project, of id.Order, locked string, run func(*db.Batch) error) (*order.Case, error) {
	var row *orderRow
	var taken takenRow
	var c order.Case
	b := v.Store.Read(project)
	b.Query(&row, selectOrder+orderByID+locked, project, of)
	b.Query(&c.Returns, selectReturn+returnsOfOrder, project, of)
	b.Query(&c.Refunds, refundsOfOrder, project, of)
	b.Query(&c.Disputes, disputesOfOrder, project, of)
	b.Query(&taken, selectTaken, project, of)
	if err := run(b); err != nil {
		return nil, err
	}
	if row == nil {
		return nil, fault.Missing("order")
	}
	c.Order, c.Taken = fromOrderRow(row), taken.Taken
	return &c, nil
}

func (v Orders) Change(ctx context.Context, project id.Project, of id.Order, change func(*order.Case) error) (*order.Case, error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (*order.Case, error) {
		// The payment is locked, too: PostgreSQL shows a row that it does not lock as it was before the wait for the
		// lock of another.
		c, err := v.readCase(project, of, lock(t.Dialect, "o, p"), func(b *db.Batch) error { return t.Run(ctx, b) })
		if err != nil {
			return nil, err
		}
		before := caseEffects(c)
		if err := change(c); err != nil {
			return nil, err
		}
		return c, t.Last(ctx, append(differing(before, caseEffects(c)), collected(t, c)...)...)
	})
}

// caseEffects returns the effects that store everything in a case that its methods change.
func caseEffects(c *order.Case) []db.Effect {
	o, p := c.Order, c.Order.Payment
	var effects []db.Effect
	write := func(statement string, args []any, thing string) {
		effects = append(effects, db.Effect{
			Statement: statement,
			Args:      args,
			Rows:      1,
			Short:     fault.Missing(thing),
		})
	}
	write(updateOrder.Text, updateOrder.Args(toOrderRow(o)), "order")
	write(updatePayment, []any{o.Project, p.ID, p.Status(), p.Refunded.Minor(), p.Refunding.Minor(), p.Disputed.Minor()}, "payment")
	for _, r := range c.Refunds {
		write(upsertRefund, refunds.Args(r, accountGroup(o.Project, p.Route)), "refund")
	}
	for _, d := range c.Disputes {
		write(upsertDispute, disputes.Args(d), "dispute")
	}
	for _, r := range c.Returns {
		write(upsertReturn, returns.Args(r), "return")
	}
	return effects
}

// differing returns the effects of after that before does not have.
func differing(before, after []db.Effect) []db.Effect {
	var news []db.Effect
	for _, e := range after {
		known := false
		for _, b := range before {
			known = known || b.Statement == e.Statement && reflect.DeepEqual(b.Args, e.Args)
		}
		if !known {
			news = append(news, e)
		}
	}
	return news
}

// collected returns the effects that a case's methods collected.
func collected(t *db.Tx, c *order.Case) []db.Effect {
	var effects []db.Effect
	if len(c.Restock) > 0 {
		effects = append(effects, putBack(t, c.Order.Project, c.Restock))
	}
	for _, transaction := range c.Ledger {
		effects = append(effects, ledger.RecordTransaction(transaction)...)
	}
	for i := range c.Events {
		effects = append(effects, outbox.Effects(t.Dialect, &c.Events[i])...)
	}
	return append(effects, woken(c)...)
}
