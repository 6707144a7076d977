package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// BuyerRecords is the store's view of what is kept of buyers.
type BuyerRecords struct{ store *Store }

var _ ports.BuyerRecords = BuyerRecords{}

// BuyerRecords finds and erases what is kept of buyers.
func (s *Store) BuyerRecords() BuyerRecords { return BuyerRecords{s} }

const (
	// selectBuyerSessions is completed by the e-mail addresses of an order and of a checkout, and the spellings.
	selectBuyerSessions = `
SELECT session_id AS id
FROM orders
WHERE project_id = $1
  AND email <> ''
  AND %[1]s IN %[3]s
UNION
SELECT session_id
FROM checkouts
WHERE project_id = $1
  AND status <> 'completed'
  AND %[2]s IN %[3]s
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
SELECT ` + entryColumns + `
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
	var rows []struct{ ID string }
	d := v.store.dialect
	b := v.store.reading(project)
	args := arguments{project.String()}
	query := d.buyerSessions(&args, email)
	b.query(&rows, query+args.page(page), args...)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	list := make([]id.Session, len(rows))
	for i, r := range rows {
		list[i] = id.Stored[id.Session](r.ID)
	}
	return list, nil
}

func (d dialect) buyerSessions(args *arguments, email string) string {
	return fmt.Sprintf(selectBuyerSessions, d.folded("email"), d.checkoutEmail(), args.list(spellings(email)))
}

// belongings are the ids of what a buyer has in a session.
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

// belongings reads and locks what a buyer has in a session: checkouts first, as payments do.
func (t *tx) belongings(ctx context.Context, project id.Project, session id.Session, email string) (of belongings, err error) {
	of = belongings{project: project, session: session}
	d := t.dialect
	args := arguments{project.String(), session.String()}
	query := fmt.Sprintf(selectBuyerCheckouts, d.checkoutEmail(), args.list(append(spellings(email), "")), d.forUpdate)
	if err := t.list(ctx, &of.checkouts, query, args...); err != nil {
		return of, err
	}
	args = arguments{project.String(), session.String()}
	query = fmt.Sprintf(selectBuyerOrders, d.folded("email"), args.list(spellings(email)), d.forUpdate)
	return of, t.list(ctx, &of.orders, query, args...)
}

// ids are those of a subject.
func (b belongings) ids(by subject) (list []string) {
	if by == ofSession || by == ofAny {
		list = append(list, b.session.String())
	}
	if by == ofCheckout || by == ofAny {
		for _, c := range b.checkouts {
			list = append(list, c.ID)
		}
	}
	if by == ofOrder || by == ofAny {
		for _, o := range b.orders {
			list = append(list, o.ID)
		}
	}
	return list
}

func (v BuyerRecords) Erase(ctx context.Context, project id.Project, session id.Session, email string) (done ports.ErasedSession, err error) {
	err = v.store.inTx(ctx, project, func(t *tx) error {
		done = ports.ErasedSession{}
		of, err := t.belongings(ctx, project, session, email)
		if err != nil {
			return err
		}
		if done.Pending, err = t.inProgress(ctx, of); err != nil || len(done.Pending) > 0 {
			return err
		}
		done.Orders, done.Checkouts = len(of.orders), len(of.checkouts)
		if _, err := t.get(ctx, &done.Kept, sealedMessages, project.String(), session.String()); err != nil {
			return err
		}
		for _, p := range append(t.dialect.personal(), openCheckouts) {
			rows, err := t.eraseFrom(ctx, p, of)
			if err != nil {
				return err
			}
			switch p.table {
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
var openCheckouts = personalTable{
	table:  "checkouts",
	of:     "id",
	by:     ofCheckout,
	where:  "status IN ('ready', 'pending')",
	erased: []erasedColumn{{"status", "'canceled'"}},
}

// eraseFrom erases what a buyer has in a table, in parts of as many ids as a list has at most.
func (t *tx) eraseFrom(ctx context.Context, p personalTable, of belongings) (rows int64, err error) {
	all := of.ids(p.by)
	for len(all) > 0 {
		part := all[:min(len(all), listed)]
		all = all[len(part):]
		var args arguments
		where := p.of + " IN " + args.list(part)
		if p.table != "idempotency_keys" { // its rows belong to no project, and ids are unique in all
			where += "\n  AND project_id = " + args.add(of.project.String())
		}
		if p.where != "" {
			where += "\n  AND " + p.where
		}
		n, err := t.exec(ctx, "UPDATE "+p.table+"\nSET "+p.set()+"\nWHERE "+where, args...)
		if rows += n; err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// inProgress are the orders and checkouts that cannot be erased yet.
func (t *tx) inProgress(ctx context.Context, of belongings) (pending []ports.PendingErasure, err error) {
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
	for query, by := range map[string]subject{
		refundsOfOrders: ofOrder, disputesOfOrders: ofOrder, returnsOfOrders: ofOrder, orphansOfCheckouts: ofCheckout,
	} {
		all := of.ids(by)
		for len(all) > 0 {
			part := all[:min(len(all), listed)]
			all = all[len(part):]
			args := arguments{of.project.String()}
			list := args.list(part)
			var found []struct{ Subject, Reason string }
			if err := t.list(ctx, &found, fmt.Sprintf(query, list), args...); err != nil {
				return nil, err
			}
			for _, f := range found {
				reasons[f.Subject] = append(reasons[f.Subject], f.Reason)
			}
		}
	}
	return of.pending(reasons), nil
}

// pending lists what has reasons: an order with its checkout's, and checkouts without an order.
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
	err = v.store.inTx(ctx, project, func(t *tx) error {
		found = ports.BuyerSession{}
		of, err := t.belongings(ctx, project, session, email)
		if err != nil {
			return err
		}
		for _, o := range of.orders {
			found.Orders = append(found.Orders, id.Stored[id.Order](o.ID))
		}
		return t.readSession(ctx, of, &found)
	})
	return found, err
}

func (t *tx) readSession(ctx context.Context, of belongings, found *ports.BuyerSession) error {
	var row sessionRow
	if there, err := t.get(ctx, &row, selectSession, of.project.String(), of.session.String()); err != nil {
		return err
	} else if there {
		found.Session = fromSessionRow(row)
	}
	var entries []entryRow
	if err := t.list(ctx, &entries, selectEntriesOf, of.project.String(), of.session.String()); err != nil {
		return err
	}
	for _, r := range entries {
		e, err := fromEntryRow(r)
		if err != nil {
			return t.note(ctx, err)
		}
		found.Entries = append(found.Entries, e)
	}
	for _, c := range of.checkouts {
		if c.Status == checkout.Completed.String() {
			continue
		}
		var row checkoutRow
		if _, err := t.get(ctx, &row, "SELECT "+checkoutColumns+"\nFROM checkouts\nWHERE project_id = $1\n  AND id = $2", of.project.String(), c.ID); err != nil {
			return err
		}
		read, err := fromCheckoutRow(row)
		if err != nil {
			return t.note(ctx, err)
		}
		found.Checkouts = append(found.Checkouts, read)
	}
	args := arguments{of.project.String()}
	var payloads []string
	if err := t.list(ctx, &payloads, fmt.Sprintf(selectAbout, args.list(of.ids(ofAny))), args...); err != nil {
		return err
	}
	for _, p := range payloads {
		found.Events = append(found.Events, json.RawMessage(p))
	}
	return nil
}
