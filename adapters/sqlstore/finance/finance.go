// Package finance reads payments and movements of providers, stores reconciliations and the sandbox provider's books,
// and finds payments and refunds whose outcome is unknown. Package purchase writes orders and refunds, and package
// ledger the double-entry book.
package finance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Payments reads payments.
type Payments struct{ Store *db.DB }

var _ ports.Payments = Payments{}

var paymentColumns = purchase.Payments.ColumnsOf("p") + `,
  (SELECT o.checkout_id FROM orders AS o WHERE o.project_id = p.project_id AND o.id = p.order_id) AS checkout_id`

// ListedPayments are the payments of a project.
var ListedPayments = db.Listing{
	Columns: paymentColumns,
	From:    fromPayments,
	Newest: db.Newest{
		Time: "p.created_at",
		ID:   "p.id",
	},
}

const (
	fromPayments = `
FROM payments AS p
WHERE p.project_id = $1`

	movedPayments = `
SELECT p.gateway, p.integration_id, p.order_id, p.id AS payment_id, '' AS refund_id, p.provider, p.currency, p.amount,
  coalesce(c.created_at, p.created_at) AS began, p.created_at AS at, 'succeeded' AS status
FROM payments AS p
JOIN orders AS o ON o.project_id = p.project_id AND o.id = p.order_id
LEFT JOIN checkouts AS c ON c.project_id = o.project_id AND c.id = o.checkout_id
WHERE p.project_id = $1
  AND p.amount > 0`

	movedRefunds = `
SELECT p.gateway, p.integration_id, p.order_id, r.payment_id, r.id AS refund_id, r.provider, r.currency, r.amount,
  r.created_at AS began, r.updated_at AS at, CASE WHEN r.reversed_at IS NULL THEN r.status ELSE 'reversed' END AS status
FROM refunds AS r
JOIN payments AS p ON p.project_id = r.project_id AND p.id = r.payment_id
WHERE r.project_id = $1`

	selectMoved = movedPayments + `
  AND p.created_at >= $2
  AND p.created_at < $3
UNION ALL` + movedRefunds + `
  AND r.status = 'succeeded'
  AND r.updated_at >= $2
  AND r.updated_at < $3
LIMIT $4`

	// findPayments, findRefunds and findAttempts are completed by lists.
	findPayments = movedPayments + `
  AND p.gateway = $2
  AND p.integration_id = $3
  AND p.provider IN `

	// A pending refund that was made elsewhere does not explain a movement, because no process asks for its outcome, so
	// its report may be lost.
	findRefunds = movedRefunds + `
  AND p.gateway = $2
  AND p.integration_id = $3
  AND (r.status = 'succeeded' OR r.status = 'pending' AND r.origin = 'requested' OR r.reversed_at IS NOT NULL)
  AND (r.id IN %[1]s OR r.provider <> '' AND r.provider IN %[2]s)`

	findAttempts = `
SELECT id, attempt
FROM checkouts
WHERE project_id = $1
  AND status = 'processing'
  AND id IN `
)

type movedRow struct {
	ports.Moved
	Gateway string
	Status  string
}

func (r movedRow) moved() ports.Moved {
	r.Route.Provider = r.Gateway
	return r.Moved
}

func paymentsWhere(project id.Project, f ports.PaymentFilter) db.Conditions {
	w := db.Conditions{Args: db.Args{project}}
	w.Is("p.status", f.Status)
	w.Is("p.method", f.Method)
	w.Equal("p.order_id", f.Order)
	w.During("p.created_at", f.From, f.To)
	return w
}

func (v Payments) Payments(ctx context.Context, project id.Project, f ports.PaymentFilter, page ports.Page) ([]ports.OrderPayment, int, error) {
	return db.Keyed[ports.OrderPayment](ctx, v.Store.Read(project), ListedPayments, paymentsWhere(project, f), page)
}

func (v Payments) PaymentByID(ctx context.Context, project id.Project, of id.Payment) (*ports.OrderPayment, error) {
	query := "\nSELECT " + paymentColumns + fromPayments + "\n  AND p.id = $2"
	return db.One[ports.OrderPayment](ctx, v.Store.Read(project), "payment", query, project, of)
}

// A provider's ids are unique; that they differ between providers is not promised, so the newest charge wins.
func (v Payments) PaymentByCharge(ctx context.Context, project id.Project, charge string) (*ports.OrderPayment, error) {
	query := "\nSELECT " + paymentColumns + fromPayments + `
  AND p.provider = $2
  AND p.provider <> ''
ORDER BY p.created_at DESC, p.id DESC
LIMIT 1`
	return db.One[ports.OrderPayment](ctx, v.Store.Read(project), "payment", query, project, charge)
}

func (v Payments) EachPayment(ctx context.Context, project id.Project, f ports.PaymentFilter, each func(ports.OrderPayment) error) error {
	return db.Each(func(last *ports.OrderPayment) ([]ports.OrderPayment, error) {
		w, page := paymentsWhere(project, f), ports.Page{Limit: db.Listed}
		if last != nil {
			page.After = &ports.Place{At: last.CreatedAt, ID: last.ID.String()}
		}
		return db.All[ports.OrderPayment](ctx, v.Store.Read(project), ListedPayments.Statement(&w, page), w.Args...)
	}, each)
}

func (v Payments) RefundsOf(ctx context.Context, project id.Project, of id.Payment) ([]order.Refund, error) {
	return db.All[order.Refund](ctx, v.Store.Read(project), purchase.RefundsOfPayment, project, of)
}

func (v Payments) Moved(ctx context.Context, in id.Project, from, to time.Time, limit int) ([]ports.Moved, error) {
	rows, err := db.All[movedRow](ctx, v.Store.Read(in), selectMoved, in, from, to, limit)
	list := make([]ports.Moved, len(rows))
	for i, r := range rows {
		list[i] = r.moved()
	}
	return list, err
}

// movementNames are the names of movements, by what they may name.
type movementNames struct{ charges, refunds, refundKeys, checkouts []string }

func namesOf(movements []ports.Movement) (n movementNames) {
	for _, m := range movements {
		checkoutID, _, err := checkout.ParseAttemptKey(m.Key)
		switch {
		case m.Refund:
			n.refunds, n.refundKeys = append(n.refunds, m.Provider), append(n.refundKeys, m.Key)
			if m.Charge != "" {
				n.charges = append(n.charges, m.Charge)
			}
		case err == nil:
			n.checkouts = append(n.checkouts, checkoutID.String())
			fallthrough
		default:
			n.charges = append(n.charges, m.Provider)
		}
	}
	return n
}

func (v Payments) FindMovements(ctx context.Context, in id.Project, route project.PaymentRoute, named []ports.Movement) ([]ports.KnownMovement, error) {
	var known []ports.KnownMovement
	for part := range slices.Chunk(named, db.Listed) {
		more, err := v.findMovements(ctx, in, route, namesOf(part))
		if err != nil {
			return nil, err
		}
		known = append(known, more...)
	}
	return known, nil
}

func (v Payments) findMovements(ctx context.Context, in id.Project, route project.PaymentRoute, n movementNames) (known []ports.KnownMovement, err error) {
	var charged, refunded []movedRow
	var orphaned []checkout.Orphan
	var orphanRefunds []struct{ Reference string }
	var attempts []struct {
		ID      string
		Attempt int
	}
	b := v.Store.Read(in)
	of := db.Args{in.String(), route.Provider, route.Integration.String()}
	if len(n.charges) > 0 {
		args := slices.Clone(of)
		b.Query(&charged, findPayments+args.List(n.charges), args...)
	}
	if len(n.refunds) > 0 {
		args := slices.Clone(of)
		b.Query(&refunded, fmt.Sprintf(findRefunds, args.List(n.refundKeys), args.List(n.refunds)), args...)
		args = db.Args{in.String(), route.Provider}
		b.Query(&orphanRefunds, findOrphanRefunds+args.List(n.refunds), args...)
	}
	if len(n.checkouts) > 0 {
		args := db.Args{in.String()}
		b.Query(&attempts, findAttempts+args.List(n.checkouts), args...)
	}
	orphans, lists := orphanNames(in.String(), route, n)
	b.Query(&orphaned, fmt.Sprintf(findOrphans, lists...), orphans...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, o := range orphaned {
		known = append(known, orphanMovements(o)...)
	}
	for _, r := range orphanRefunds {
		known = withEarlierRefund(known, route, r.Reference)
	}
	for _, r := range slices.Concat(charged, refunded) {
		state := ports.MovementRecorded
		switch r.Status {
		case order.RefundIsPending.String():
			state = ports.MovementInFlight
		case "reversed":
			state = ports.MovementReversed
		}
		known = append(known, ports.KnownMovement{
			Moved: r.moved(),
			Key:   r.Refund.String(),
			State: state,
		})
	}
	for _, a := range attempts {
		known = append(known, ports.KnownMovement{
			Moved: ports.Moved{Route: route},
			Key:   checkout.AttemptKey(id.Stored[id.Checkout](a.ID), a.Attempt),
			State: ports.MovementInFlight,
		})
	}
	return known, nil
}

func (v Payments) DisputesOf(ctx context.Context, project id.Project, of id.Payment) ([]order.Dispute, error) {
	return db.All[order.Dispute](ctx, v.Store.Read(project), purchase.DisputesOfPayment, project, of)
}
