package retention

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/personal"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// BuyerRecords finds and erases the stored data of buyers.
type BuyerRecords struct{ Store *db.DB }

var _ ports.BuyerRecords = BuyerRecords{}

var (
	// selectBuyerSessions is completed by the e-mail addresses of an order, of a checkout and of a cart, and the spellings.
	selectBuyerSessions = `
SELECT session_id AS id
FROM orders
WHERE project_id = $1
  AND email <> ''
  AND %[1]s IN %[4]s
UNION
SELECT id
FROM sessions
WHERE project_id = $1
  AND buyer_email <> ''
  AND %[3]s IN %[4]s
UNION
SELECT session_id
FROM checkouts
WHERE project_id = $1
  AND status <> 'completed'
  AND (attempt > 0 OR buyer <> '{}')
  AND %[2]s IN %[4]s
ORDER BY id`

	// selectBuyerCheckouts is completed by the e-mail address of a checkout, the spellings and none, and a lock.
	selectBuyerCheckouts = `
SELECT id, status
FROM checkouts
WHERE project_id = $1
  AND session_id = $2
  AND %s IN %s
ORDER BY id%s`

	// selectBuyerOrders is completed by the e-mail address of an order, the spellings, and a lock.
	selectBuyerOrders = `
SELECT id, checkout_id, status, fulfillment_status
FROM orders
WHERE project_id = $1
  AND session_id = $2
  AND %s IN %s
ORDER BY created_at, id%s`

	refundsOfOrders = `
SELECT DISTINCT order_id AS subject, 'refund_pending' AS reason
FROM refunds
WHERE project_id = $1
  AND due_at IS NOT NULL
  AND payment_id IN (SELECT id FROM payments WHERE project_id = $1 AND order_id IN %s)`

	disputesOfOrders = `
SELECT DISTINCT order_id AS subject, 'dispute_open' AS reason
FROM disputes
WHERE project_id = $1
  AND status = 'open'
  AND order_id IN %s`

	returnsOfOrders = `
SELECT DISTINCT order_id AS subject, 'return_requested' AS reason
FROM returns
WHERE project_id = $1
  AND status = 'requested'
  AND order_id IN %s`

	orphansOfCheckouts = `
SELECT DISTINCT checkout_id AS subject, 'orphan_charge_open' AS reason
FROM orphan_charges
WHERE project_id = $1
  AND due_at IS NOT NULL
  AND checkout_id IN %s`

	// sealedMessages stay: see personal.
	sealedMessages = `
SELECT count(*)
FROM decisions
WHERE project_id = $1
  AND session_id = $2
  AND message <> ''
  AND position IS NOT NULL
  AND personal = ''
  AND erased_at IS NULL`

	selectEntriesOf = `
SELECT ` + haggling.EntryColumns + `
FROM decisions
WHERE project_id = $1
  AND session_id = $2
ORDER BY seq`

	// selectAbout is completed by ids.
	selectAbout = `
SELECT payload
FROM outbox
WHERE project_id = $1
  AND subject IN %s
ORDER BY created_at, id`
)

func (v BuyerRecords) Sessions(ctx context.Context, project id.Project, email string, page ports.Page) ([]id.Session, error) {
	args := db.Args{project}
	query := buyerSessions(v.Store.Dialect, &args, email)
	query += args.Page(page)
	return db.All[id.Session](ctx, v.Store.Read(project), query, args...)
}

func buyerSessions(d db.Dialect, args *db.Args, email string) string {
	return fmt.Sprintf(selectBuyerSessions, foldedColumn(d, "email"), checkoutEmail(d), foldedColumn(d, "buyer_email"), args.List(spellings(email)))
}

// belongings are the ids of a buyer's records in a session.
type belongings struct {
	project   id.Project
	session   id.Session
	orders    []buyerOrder
	checkouts []buyerCheckout
}

type buyerOrder struct {
	ID                string
	CheckoutID        string `db:"checkout_id"`
	Status            string
	FulfillmentStatus string `db:"fulfillment_status"`
}

type buyerCheckout struct{ ID, Status string }

// readBelongings reads and locks a buyer's records in a session: checkouts first, as payments do.
func readBelongings(ctx context.Context, t *db.Tx, project id.Project, session id.Session, email string) (of belongings, err error) {
	of = belongings{project: project, session: session}
	d := t.Dialect
	args := db.Args{project.String(), session.String()}
	query := fmt.Sprintf(selectBuyerCheckouts, checkoutEmail(d), args.List(append(spellings(email), "")), d.ForUpdate)
	if err := t.Select(ctx, &of.checkouts, query, args...); err != nil {
		return of, err
	}
	args = db.Args{project.String(), session.String()}
	query = fmt.Sprintf(selectBuyerOrders, foldedColumn(d, "email"), args.List(spellings(email)), d.ForUpdate)
	return of, t.Select(ctx, &of.orders, query, args...)
}

// ids are those of a subject.
func (b belongings) ids(by personal.Subject) (list []string) {
	if by == personal.OfSession || by == personal.OfAny {
		list = append(list, b.session.String())
	}
	if by == personal.OfCheckout || by == personal.OfAny {
		for _, c := range b.checkouts {
			list = append(list, c.ID)
		}
	}
	if by == personal.OfOrder || by == personal.OfAny {
		for _, o := range b.orders {
			list = append(list, o.ID)
		}
	}
	return list
}

func (v BuyerRecords) Erase(ctx context.Context, project id.Project, session id.Session, email string) (done ports.ErasedSession, err error) {
	err = v.Store.InTx(ctx, project, func(t *db.Tx) error {
		done = ports.ErasedSession{}
		of, err := readBelongings(ctx, t, project, session, email)
		if err != nil {
			return err
		}
		if done.Pending, err = inProgress(ctx, t, of); err != nil || len(done.Pending) > 0 {
			return err
		}
		done.Orders, done.Checkouts = len(of.orders), len(of.checkouts)
		if _, err := t.Get(ctx, &done.Kept, sealedMessages, project.String(), session.String()); err != nil {
			return err
		}
		for _, p := range append(personal.Tables(t.Dialect), openCheckouts) {
			rows, err := eraseFrom(ctx, t, p, of)
			if err != nil {
				return err
			}
			switch p.Table {
			case "decisions":
				done.Messages = int(rows)
			case "outbox":
				done.Events = int(rows)
			}
		}
		return nil
	})
	return done, err
}

// openCheckouts are canceled: without an address nothing can be delivered, and an order would store a new one.
var openCheckouts = personal.Table{
	Table:  "checkouts",
	Of:     "id",
	By:     personal.OfCheckout,
	Where:  "status IN ('incomplete', 'ready', 'pending')",
	Erased: []personal.Column{{Name: "status", Left: "'canceled'"}},
}

// eraseFrom erases a buyer's data in a table, in parts of at most as many ids as a list may have.
func eraseFrom(ctx context.Context, t *db.Tx, p personal.Table, of belongings) (rows int64, err error) {
	for part := range slices.Chunk(of.ids(p.By), db.Listed) {
		var args db.Args
		where := p.Of + " IN " + args.List(part)
		if p.Table != "idempotency_keys" { // its rows belong to no project, and ids are unique in all
			where += "\n  AND project_id = " + args.Add(of.project.String())
		}
		if p.Where != "" {
			where += "\n  AND " + p.Where
		}
		n, err := t.Exec(ctx, "UPDATE "+p.Table+"\nSET "+p.Set()+"\nWHERE "+where, args...)
		if rows += n; err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// inProgress are the orders and checkouts that cannot be erased yet.
func inProgress(ctx context.Context, t *db.Tx, of belongings) (pending []ports.PendingErasure, err error) {
	reasons := map[string][]string{}
	for _, o := range of.orders {
		if o.Status == order.Confirmed.String() && o.FulfillmentStatus != order.Delivered.String() {
			reasons[o.ID] = append(reasons[o.ID], "not_delivered")
		}
	}
	for _, c := range of.checkouts {
		if c.Status == checkout.Processing.String() {
			reasons[c.ID] = append(reasons[c.ID], "payment_undecided")
		}
	}
	for query, by := range map[string]personal.Subject{
		refundsOfOrders:    personal.OfOrder,
		disputesOfOrders:   personal.OfOrder,
		returnsOfOrders:    personal.OfOrder,
		orphansOfCheckouts: personal.OfCheckout,
	} {
		for part := range slices.Chunk(of.ids(by), db.Listed) {
			args := db.Args{of.project.String()}
			list := args.List(part)
			var found []struct{ Subject, Reason string }
			if err := t.Select(ctx, &found, fmt.Sprintf(query, list), args...); err != nil {
				return nil, err
			}
			for _, f := range found {
				reasons[f.Subject] = append(reasons[f.Subject], f.Reason)
			}
		}
	}
	return of.pending(reasons), nil
}

// pending lists the records with reasons: orders with their checkouts' reasons, and checkouts without an order.
func (b belongings) pending(reasons map[string][]string) (list []ports.PendingErasure) {
	for _, o := range b.orders {
		if why := append(reasons[o.ID], reasons[o.CheckoutID]...); len(why) > 0 {
			list = append(list, ports.PendingErasure{
				Order:    id.Stored[id.Order](o.ID),
				Checkout: id.Stored[id.Checkout](o.CheckoutID),
				Reasons:  sorted(why),
			})
		}
		delete(reasons, o.CheckoutID)
	}
	for _, c := range b.checkouts {
		if why := reasons[c.ID]; len(why) > 0 {
			list = append(list, ports.PendingErasure{Checkout: id.Stored[id.Checkout](c.ID), Reasons: sorted(why)})
		}
	}
	return list
}

func (v BuyerRecords) Session(ctx context.Context, project id.Project, session id.Session, email string) (found ports.BuyerSession, err error) {
	err = v.Store.InTx(ctx, project, func(t *db.Tx) error {
		found = ports.BuyerSession{}
		of, err := readBelongings(ctx, t, project, session, email)
		if err != nil {
			return err
		}
		for _, o := range of.orders {
			found.Orders = append(found.Orders, id.Stored[id.Order](o.ID))
		}
		return readSession(ctx, t, of, &found)
	})
	return found, err
}

func readSession(ctx context.Context, t *db.Tx, of belongings, found *ports.BuyerSession) error {
	if err := t.Select(ctx, &found.Session, haggling.SelectSession, of.project, of.session); err != nil {
		return err
	}
	var entries []haggling.EntryRow
	if err := t.Select(ctx, &entries, selectEntriesOf, of.project.String(), of.session.String()); err != nil {
		return err
	}
	for _, r := range entries {
		found.Entries = append(found.Entries, haggling.FromEntryRow(r))
	}
	for _, c := range of.checkouts {
		if c.Status == checkout.Completed.String() {
			continue
		}
		var row purchase.CheckoutRow
		if _, err := t.Get(ctx, &row, "SELECT "+purchase.CheckoutColumns+"\nFROM checkouts\nWHERE project_id = $1\n  AND id = $2", of.project.String(), c.ID); err != nil {
			return err
		}
		found.Checkouts = append(found.Checkouts, purchase.FromCheckoutRow(row))
	}
	args := db.Args{of.project.String()}
	var payloads []string
	if err := t.Select(ctx, &payloads, fmt.Sprintf(selectAbout, args.List(of.ids(personal.OfAny))), args...); err != nil {
		return err
	}
	for _, p := range payloads {
		found.Events = append(found.Events, json.RawMessage(p))
	}
	return nil
}
