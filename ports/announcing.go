package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
)

// LateAnnouncements finds what became true by itself or by many hands, stores its event, and remembers in the
// same transaction that it did: each is announced once, however many replicas look, and whatever crashes.
// The database's clock decides what is over. A method works through at most limit subjects, and reports
// whether it had that many, so that there may be more. What cannot be read is set aside, delays nothing
// else, and is told by the error.
type LateAnnouncements interface {
	// LowStock announces variants of which at most catalog.LowStock pieces are left over all locations,
	// once until there are more again.
	LowStock(ctx context.Context, limit int, announce Announce) (more bool, err error)
	// AbandonedCheckouts expires the checkouts whose time is over and that are not being paid, and announces
	// each.
	AbandonedCheckouts(ctx context.Context, limit int, announce Announce) (more bool, err error)
	// LostNegotiations announces the products that a session ended without, though the buyer made offers.
	// It hears of sessions by Analytics.Fold.
	LostNegotiations(ctx context.Context, limit int, announce Announce) (more bool, err error)
	// UnresolvedPayments announces attempts in flight that the provider was asked about in vain:
	// checkout.AlertAfter after they were claimed, and again every checkout.AlertEvery.
	UnresolvedPayments(ctx context.Context, limit int, announce Announce) (more bool, err error)
	// UnresolvedRefunds announces refunds in the same way.
	UnresolvedRefunds(ctx context.Context, limit int, announce Announce) (more bool, err error)
}

// Announce makes the event of a project that data tells. It may be called more than once for one event.
type Announce func(project id.Project, at time.Time, data event.Data) *event.Event
