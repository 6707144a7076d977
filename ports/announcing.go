package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
)

// LateAnnouncements finds facts that became true by the passing of time or by several writers, stores their events, and
// records in the same transaction that it did. So each is announced once, however many replicas look and whichever of
// them crash. The database's clock decides what is over. A method works through at most limit subjects, and reports
// whether it had that many, so that there may be more. A subject that cannot be read is set aside, delays nothing else,
// and is reported by the error.
type LateAnnouncements interface {
	// LowStock announces variants of which at most catalog.LowStock pieces are left over all locations,
	// once until there are more again.
	LowStock(ctx context.Context, limit int, announce Announce) (more bool, err error)
	// AbandonedCheckouts expires the checkouts whose time is over and that are not being paid, and announces
	// each.
	AbandonedCheckouts(ctx context.Context, limit int, announce Announce) (more bool, err error)
	// LostNegotiations announces the products that a buyer made offers for and did not buy before the session ended.
	// Analytics.Fold tells it which sessions to look at.
	LostNegotiations(ctx context.Context, limit int, announce Announce) (more bool, err error)
	// UnresolvedPayments announces attempts in flight whose outcome the provider did not report when asked:
	// checkout.AlertAfter after they were claimed, and again every checkout.AlertEvery.
	UnresolvedPayments(ctx context.Context, limit int, announce Announce) (more bool, err error)
	// UnresolvedRefunds announces refunds in the same way.
	UnresolvedRefunds(ctx context.Context, limit int, announce Announce) (more bool, err error)
}

// Announce creates the event of a project with data. It may be called more than once for one event.
type Announce func(project id.Project, at time.Time, data event.Data) *event.Event
