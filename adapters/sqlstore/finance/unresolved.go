package finance

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Unresolved finds payments and refunds whose outcome is unknown.
type Unresolved struct{ Store *db.DB }

var _ ports.Unresolved = Unresolved{}

// The conditions are those of indexes. retry_at is set once the provider was asked without result, problem while the
// last answer did not report the refund's state.
var (
	UnresolvedPayment = `status = 'processing' AND retry_at IS NOT NULL`
	UnresolvedRefund  = `due_at IS NOT NULL AND problem <> ''`

	AttemptBegan = `coalesce(claimed_at, created_at)`

	// RefundGateway is the provider of a refund's payment.
	RefundGateway = `(SELECT p.gateway FROM payments AS p WHERE p.project_id = refunds.project_id AND p.id = refunds.payment_id)`
	refundAccount = `(SELECT p.integration_id FROM payments AS p WHERE p.project_id = refunds.project_id AND p.id = refunds.payment_id)`

	// unresolvedPaymentColumns and unresolvedRefundColumns are completed by the clock.
	unresolvedPaymentColumns = purchase.CheckoutColumns + ", alerted_at, %s AS now"

	fromUnresolvedPayments = `
FROM checkouts
WHERE project_id = $1
  AND ` + UnresolvedPayment

	newestAttempts = db.Newest{Time: AttemptBegan, ID: "id"}

	unresolvedRefundColumns = purchase.RefundColumns + ", " + RefundGateway + " AS gateway, " + refundAccount + " AS integration_id, alerted_at, %s AS now"

	fromUnresolvedRefunds = `
FROM refunds
WHERE project_id = $1
  AND ` + UnresolvedRefund

	newestRefunds = "created_at DESC, id DESC"

	// OldestUnresolved skips from one payment account to the next by an index over both. It is completed by the table,
	// the condition, when a row began, a column that names its provider, and the clock.
	OldestUnresolved = `
WITH RECURSIVE known (name) AS (
  SELECT (SELECT queue FROM %[1]s WHERE %[2]s ORDER BY queue LIMIT 1)
  UNION ALL
  SELECT (SELECT t.queue FROM %[1]s t WHERE %[2]s AND t.queue > known.name ORDER BY t.queue LIMIT 1)
  FROM known
  WHERE known.name IS NOT NULL
)
SELECT coalesce((SELECT %[4]s FROM %[1]s WHERE %[2]s AND queue = known.name ORDER BY %[3]s LIMIT 1), '') AS provider,
  %[5]s - (SELECT %[3]s FROM %[1]s WHERE %[2]s AND queue = known.name ORDER BY %[3]s LIMIT 1) AS age
FROM known
WHERE name IS NOT NULL`
)

type unresolvedCheckoutRow struct {
	Checkout  purchase.DecodedCheckout
	AlertedAt time.Time `db:",null"`
	Now       time.Time
}

type UnresolvedRefundRow struct {
	Refund      db.Decoded[order.Refund]
	Gateway     string
	Integration id.Integration
	AlertedAt   time.Time `db:",null"`
	Now         time.Time
}

func (v Unresolved) UnresolvedPayments(ctx context.Context, of id.Project, f ports.PaymentFilter, page ports.Page) ([]ports.UnresolvedPayment, int, error) {
	if !f.Order.IsZero() {
		return nil, 0, nil
	}
	w := db.Conditions{Args: db.Args{of}}
	if !f.Method.IsZero() {
		w.And("payment LIKE ", `{"method":"`+spelling.Methods[f.Method]+`",%`) // as purchase.PaidFormat begins
	}
	w.During(AttemptBegan, f.From, f.To)
	columns := fmt.Sprintf(unresolvedPaymentColumns, v.Store.Dialect.Moment())
	listed := db.Listing{
		Columns: columns,
		From:    fromUnresolvedPayments,
		Newest:  newestAttempts,
	}
	rows, total, err := db.Keyed[unresolvedCheckoutRow](ctx, v.Store.Read(of), listed, w, page)
	var list []ports.UnresolvedPayment
	for _, r := range rows {
		if r.Checkout.Err != nil {
			continue
		}
		c := purchase.FromCheckoutRow(r.Checkout.Value)
		began := c.Charge().Since
		u := ports.UnresolvedPayment{Checkout: c, Age: r.Now.Sub(began)}
		if !r.AlertedAt.Before(began) {
			u.AlertedAt = r.AlertedAt
		}
		list = append(list, u)
	}
	return list, total, err
}

func (v Unresolved) UnresolvedRefunds(ctx context.Context, of id.Project, f ports.RefundFilter, page ports.Page) ([]ports.UnresolvedRefund, int, error) {
	w := db.Conditions{Args: db.Args{of}}
	w.Equal("order_id", f.Order)
	w.During("created_at", f.From, f.To)
	columns := fmt.Sprintf(unresolvedRefundColumns, v.Store.Dialect.Moment())
	rows, total, err := db.Page[UnresolvedRefundRow](ctx, v.Store.Read(of), columns, fromUnresolvedRefunds, w, newestRefunds, page)
	var list []ports.UnresolvedRefund
	for _, r := range rows {
		if r.Refund.Err == nil {
			list = append(list, FromUnresolvedRefundRow(r))
		}
	}
	return list, total, err
}

func FromUnresolvedRefundRow(r UnresolvedRefundRow) ports.UnresolvedRefund {
	refund := r.Refund.Value
	return ports.UnresolvedRefund{
		Refund:    refund,
		Route:     project.PaymentRoute{Provider: r.Gateway, Integration: r.Integration},
		Age:       r.Now.Sub(refund.CreatedAt),
		AlertedAt: r.AlertedAt,
	}
}

func (v Unresolved) UnresolvedAges(ctx context.Context) ([]ports.UnresolvedAge, error) {
	type oldestRow struct {
		Provider string // of a payment: the JSON that names it
		Age      int64
	}
	var payments, refunds []oldestRow
	clock := v.Store.Dialect.Moment()
	b := v.Store.Read(db.AnyProject)
	b.Query(&payments, fmt.Sprintf(OldestUnresolved, "checkouts", UnresolvedPayment, AttemptBegan, "payment", clock))
	b.Query(&refunds, fmt.Sprintf(OldestUnresolved, "refunds", UnresolvedRefund, "created_at", RefundGateway, clock))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	oldest := map[ports.UnresolvedAge]time.Duration{}
	note := func(refund bool, provider string, age int64) {
		of := ports.UnresolvedAge{Refund: refund, Provider: provider}
		oldest[of] = max(oldest[of], time.Duration(age)*time.Millisecond)
	}
	for _, r := range payments {
		provider := "unknown"
		if route, err := purchase.RouteOf(r.Provider); err == nil {
			provider = route.Provider
		}
		note(false, provider, r.Age)
	}
	for _, r := range refunds {
		note(true, r.Provider, r.Age)
	}
	ages := make([]ports.UnresolvedAge, 0, len(oldest))
	for of, age := range oldest {
		of.Age = age
		ages = append(ages, of)
	}
	return ages, nil
}
