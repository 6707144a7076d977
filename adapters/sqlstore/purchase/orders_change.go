package purchase

import (
	"context"
	"reflect"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/ledger"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

const (
	updateOrder = `
UPDATE orders
SET status = $3, fulfillment = $4, fulfillment_status = $5, sequence = $6
WHERE project_id = $1
  AND id = $2`

	updatePayment = `
UPDATE payments
SET status = $3, refunded = $4, refunding = $5, disputed = $6
WHERE project_id = $1
  AND id = $2`

	// The checkout of an order never changes any more, so nobody need lock it.
	selectTaken = `
SELECT taken
FROM checkouts
WHERE project_id = $1
  AND id = (SELECT checkout_id FROM orders WHERE project_id = $1 AND id = $2)`
)

var (
	upsertReturn = returns.Insert() + `
ON CONFLICT (project_id, id) DO UPDATE
SET ` + db.Excluded("status", "estimate", "refund_id", "reason", "restocked", "decided_at")

	upsertRefund = refunds.Insert("queue") + `
ON CONFLICT (project_id, id) DO UPDATE
SET ` + db.Excluded("status", "failure", "provider", "updated_at", "attempts", "due_at", "reversed_at", "problem")
)

func (v Orders) Case(ctx context.Context, project id.Project, of id.Order) (*order.Case, error) {
	var rows caseRows
	b := v.store.Read(project)
	b.Query(&rows.orders, selectOrder+orderByID, project.String(), of.String())
	b.Query(&rows.returns, selectReturn+returnsOfOrder, project.String(), of.String())
	b.Query(&rows.refunds, refundsOfOrder, project.String(), of.String())
	b.Query(&rows.disputes, disputesOfOrder, project.String(), of.String())
	b.Query(&rows.taken, selectTaken, project.String(), of.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return rows.toCase()
}

// caseRows are what a case is made of, one order and its checkout's stock among them.
type caseRows struct {
	orders   []paidOrderRow
	returns  []returnRow
	refunds  []order.Refund
	disputes []order.Dispute
	taken    []catalogue.TakenRow
}

func (r caseRows) toCase() (*order.Case, error) {
	if len(r.orders) == 0 {
		return nil, fault.Missing("order")
	}
	o, err := fromOrderRow(r.orders[0])
	if err != nil {
		return nil, err
	}
	c := &order.Case{Order: o, Refunds: r.refunds, Disputes: r.disputes}
	for _, row := range r.returns {
		ret, err := fromReturnRow(row)
		if err != nil {
			return nil, err
		}
		c.Returns = append(c.Returns, ret)
	}
	if len(r.taken) > 0 {
		c.Taken, err = catalogue.FromTakes(r.taken[0].Taken)
	}
	return c, err
}

func (v Orders) Change(ctx context.Context, project id.Project, of id.Order, change func(*order.Case) error) (*order.Case, error) {
	var changed *order.Case
	err := v.store.InTx(ctx, project, func(t *db.Tx) error {
		c, err := lockCase(ctx, t, project, of)
		if err != nil {
			return err
		}
		before, err := caseEffects(c)
		if err != nil {
			return err
		}
		if err := change(c); err != nil {
			return err
		}
		after, err := caseEffects(c)
		if err != nil {
			return err
		}
		news, err := collected(t, c)
		if err != nil {
			return err
		}
		changed = c
		if news = append(differing(before, after), news...); len(news) == 0 {
			return nil
		}
		return t.Apply(ctx, news...)
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// lockCase locks the payment too: of a row that it does not lock, PostgreSQL shows what was before the
// wait for the other one.
func lockCase(ctx context.Context, t *db.Tx, project id.Project, of id.Order) (*order.Case, error) {
	var rows caseRows
	for _, part := range []struct {
		into  any
		query string
	}{
		// Both: a row that waits for a lock is read anew only as far as it is locked itself.
		{&rows.orders, selectOrder + orderByID + lock(t.Dialect, "o, p")},
		{&rows.returns, selectReturn + returnsOfOrder},
		{&rows.refunds, refundsOfOrder},
		{&rows.disputes, disputesOfOrder},
		{&rows.taken, selectTaken},
	} {
		if err := t.Select(ctx, part.into, part.query, project.String(), of.String()); err != nil {
			return nil, err
		}
	}
	return rows.toCase()
}

// caseEffects are what stores all of a case that verbs change.
func caseEffects(c *order.Case) ([]db.Effect, error) {
	o, p := c.Order, c.Order.Payment
	fulfillment, err := toFulfillment(o.Fulfillment)
	if err != nil {
		return nil, err
	}
	effects := []db.Effect{
		{Statement: updateOrder, Args: []any{
			o.Project.String(), o.ID.String(), o.Status.String(), fulfillment, o.Fulfillment.Status.String(), o.Sequence,
		}, Rows: 1, Short: fault.Missing("order")},
		{Statement: updatePayment, Args: []any{
			o.Project.String(), p.ID.String(), p.Status().String(), p.Refunded.Minor(), p.Refunding.Minor(), p.Disputed.Minor(),
		}, Rows: 1, Short: fault.Missing("payment")},
	}
	for _, r := range c.Refunds {
		effects = append(effects, db.Effect{Statement: upsertRefund, Args: refunds.Args(r, accountGroup(o.Project, p.Route)), Rows: 1, Short: fault.Missing("refund")})
	}
	for _, d := range c.Disputes {
		effects = append(effects, db.Effect{Statement: upsertDispute, Args: disputes.Args(d), Rows: 1, Short: fault.Missing("dispute")})
	}
	for i := range c.Returns {
		row, err := toReturnRow(&c.Returns[i])
		if err != nil {
			return nil, err
		}
		effects = append(effects, db.Effect{Statement: upsertReturn, Args: returns.Args(row), Rows: 1, Short: fault.Missing("return")})
	}
	return effects, nil
}

// differing are the effects of after that before has not.
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

// collected are the effects of what a case's verbs collected.
func collected(t *db.Tx, c *order.Case) ([]db.Effect, error) {
	var effects []db.Effect
	if len(c.Restock) > 0 {
		effects = append(effects, putBack(t, c.Order.Project, c.Restock))
	}
	for _, transaction := range c.Ledger {
		effects = append(effects, ledger.RecordTransaction(transaction)...)
	}
	for i := range c.Events {
		args, err := outbox.EventArgs(&c.Events[i])
		if err != nil {
			return nil, err
		}
		effects = append(effects, db.Effect{Statement: outbox.InsertEvent(t.Dialect), Args: args, Rows: db.AnyRows})
	}
	return effects, nil
}
