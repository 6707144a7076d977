package announcements

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/finance"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Conditions for due alerts, as in the indexes checkouts_alert and refunds_alert.
var (
	paymentAlertDue = fmt.Sprintf(`CASE WHEN alerted_at >= %[1]s THEN alerted_at + %[2]d ELSE %[1]s + %[3]d END`,
		finance.AttemptBegan, checkout.AlertEvery.Milliseconds(), checkout.AlertAfter.Milliseconds())
	refundAlertDue = fmt.Sprintf(`coalesce(alerted_at + %d, created_at + %d)`, checkout.AlertEvery.Milliseconds(), checkout.AlertAfter.Milliseconds())

	// alertablePayments and alertableRefunds are completed by the clause that skips locked rows.
	alertablePayments = `
SELECT ` + purchase.CheckoutColumns + `
FROM checkouts
WHERE ` + finance.UnresolvedPayment + `
  AND ` + paymentAlertDue + ` <= $1
ORDER BY ` + paymentAlertDue + `
LIMIT $2%s`

	alertableRefunds = `
SELECT ` + purchase.RefundColumns + `, ` + finance.RefundGateway + ` AS gateway
FROM refunds
WHERE ` + finance.UnresolvedRefund + `
  AND ` + refundAlertDue + ` <= $1
ORDER BY ` + refundAlertDue + `
LIMIT $2%s`
)

const (
	notePaymentAlert = `
UPDATE checkouts
SET alerted_at = $3
WHERE project_id = $1
  AND id = $2`

	noteRefundAlert = `
UPDATE refunds
SET alerted_at = $3
WHERE project_id = $1
  AND id = $2`
)

func (v LateAnnouncements) UnresolvedPayments(ctx context.Context, limit int, announce ports.Announce) (more bool, err error) {
	return alertTo(ctx, v.Store, alertablePayments, notePaymentAlert, limit, announce,
		checkoutAlert(func(c *checkout.Checkout) event.Data { return event.UnresolvedPayment(c) }))
}

func (v LateAnnouncements) UnresolvedRefunds(ctx context.Context, limit int, announce ports.Announce) (more bool, err error) {
	return alertTo(ctx, v.Store, alertableRefunds, noteRefundAlert, limit, announce, func(r finance.UnresolvedRefundRow) alert {
		refund := r.Refund.Value
		return alert{
			project: refund.Project.String(),
			key:     refund.ID.String(),
			name:    "a refund",
			data: func() (event.Data, error) {
				if r.Refund.Err != nil {
					return nil, r.Refund.Err
				}
				u := finance.FromUnresolvedRefundRow(r)
				return u.UnresolvedEvent(r.Gateway), nil
			},
		}
	})
}

// alert is a row that is to be announced.
type alert struct {
	project, key, name string
	data               func() (event.Data, error)
}

type dueCheckout struct{ Checkout purchase.DecodedCheckout }

func checkoutAlert(data func(*checkout.Checkout) event.Data) func(dueCheckout) alert {
	return func(r dueCheckout) alert {
		s := r.Checkout.Value
		return alert{
			project: s.Project.String(),
			key:     s.ID.String(),
			name:    "a checkout",
			data: func() (event.Data, error) {
				if r.Checkout.Err != nil {
					return nil, r.Checkout.Err
				}
				return data(purchase.FromCheckoutRow(s)), nil
			},
		}
	}
}

// alertTo announces due rows and notes that it did. A row that cannot be read is noted without an announcement, and
// tried again when its next alert is due.
func alertTo[R any](ctx context.Context, s *db.DB, due, note string, limit int, announce ports.Announce, read func(R) alert) (more bool, err error) {
	return eachDue(ctx, s, due, limit, func(t *db.Tx, now time.Time, r R) (problem, err error) {
		a := read(r)
		args, problem := eventOf(id.Stored[id.Project](a.project), now, announce, a.data)
		if problem != nil {
			problem = fmt.Errorf("%s of %s: %w", a.name, a.project, problem)
		}
		if _, err := t.Exec(ctx, note, a.project, a.key, db.Millis(now)); err != nil || problem != nil {
			return problem, err
		}
		_, err = t.Exec(ctx, outbox.InsertEvent(t.Dialect), args...)
		return nil, err
	})
}

// eachDue calls work with the rows that are due, in one transaction. problem is why a row cannot be read, which does
// not delay others.
func eachDue[R any](ctx context.Context, s *db.DB, due string, limit int,
	work func(*db.Tx, time.Time, R) (problem, err error)) (more bool, err error) {
	var unreadable error
	err = s.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		unreadable = nil
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		var rows []R
		if err := t.Select(ctx, &rows, fmt.Sprintf(due, t.Dialect.SkipLocked), db.Millis(now), limit); err != nil {
			return err
		}
		more = len(rows) == limit
		for _, r := range rows {
			problem, err := work(t, now, r)
			if err != nil {
				return err
			}
			unreadable = errors.Join(unreadable, problem)
		}
		return nil
	})
	return more && err == nil, errors.Join(err, unreadable)
}

// eventOf returns the row of an event. If announce fails or panics, only this event fails, and the transaction goes on.
func eventOf(project id.Project, now time.Time, announce ports.Announce, data func() (event.Data, error)) (args []any, err error) {
	err = fault.Survive(func() error {
		d, err := data()
		if err == nil {
			args, err = outbox.EventArgs(announce(project, now, d))
		}
		return err
	})
	return args, err
}
