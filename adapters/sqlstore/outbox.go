package sqlstore

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/event"
)

// insertEvent stores an event as of the database's time, which a subscription's activation is compared with. It
// is due at once. Of a project that is not active, only what $5 allows is stored.
func insertEvent(d db.Dialect) string {
	return `
INSERT INTO outbox (project_id, id, type, payload, created_at, due_at, attempts, subject)
SELECT $1, $2, $3, $4, clock.now, clock.now, 0, $6
FROM (SELECT ` + d.Moment() + ` AS now) AS clock
WHERE $5 OR EXISTS (SELECT 1 FROM projects WHERE id = $1 AND status = 'active')`
}

func eventArgs(e *event.Event) ([]any, error) {
	payload, err := encodeEvent(e)
	if err != nil {
		return nil, err
	}
	return []any{e.Project.String(), e.ID.String(), e.Data.Type().String(), payload, e.Data.Type().AfterClosing(), subjectOf(e.Data)}, nil
}

// subjectOf is the order or checkout that an event is about; empty: it is about no buyer.
func subjectOf(data event.Data) string {
	switch d := data.(type) {
	case event.OrderCompleted:
		return d.Order.String()
	case event.OrderShipped:
		return d.Order.String()
	case event.OrderUpdated:
		return d.Order.String()
	case event.OrderDelivered:
		return d.Order.String()
	case event.OrderCanceled:
		return d.Order.String()
	case event.OrderRefunded:
		return d.Order.String()
	case event.ReturnRequested:
		return d.Order.String()
	case event.ReturnApproved:
		return d.Order.String()
	case event.ReturnRejected:
		return d.Order.String()
	case event.RefundFailed:
		return d.Order.String()
	case event.DisputeOpened:
		return d.Order.String()
	case event.DisputeClosed:
		return d.Order.String()
	case event.CheckoutAbandoned:
		return d.Checkout.String()
	case event.PaymentUnresolved:
		return d.Checkout.String()
	case event.PaymentOrphaned:
		return d.Checkout.String()
	}
	return ""
}

// What is to be tried again later does not lag: it counts, but is not old before it is due.
const selectOutboxLag = `
SELECT count(*) AS pending, min(due_at) AS oldest
FROM (
  SELECT due_at FROM outbox WHERE due_at IS NOT NULL
  UNION ALL
  SELECT due_at FROM deliveries WHERE due_at IS NOT NULL
) AS waiting`

// OutboxLag is how many events, and deliveries of events, of all projects wait, and when the first of
// them is due; the zero time when none waits.
func OutboxLag(ctx context.Context, s *db.DB) (pending int, oldest time.Time, err error) {
	var lags []struct {
		Pending int
		Oldest  *int64
	}
	b := s.Read(db.AnyProject)
	b.Query(&lags, selectOutboxLag)
	if err := b.Run(ctx); err != nil {
		return 0, time.Time{}, err
	}
	if lags[0].Oldest != nil {
		oldest = db.Time(*lags[0].Oldest)
	}
	return lags[0].Pending, oldest, nil
}
