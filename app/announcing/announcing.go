// Package announcing writes the events that no request causes: stock that ran low, checkouts that expired unpaid,
// negotiations that ended without a deal, payments and refunds that stay unresolved. It does not deliver them.
package announcing

import (
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// batchSize is how many subjects one transaction handles. It is small because SQLite's other writers wait meanwhile.
const batchSize = 100

// Service writes due events to the outbox. Any number of replicas may run it at the same time.
type Service struct {
	Announcements ports.LateAnnouncements
	Entropy       ports.Entropy
	Announced     func() // wakes the delivery worker
}

// LowStock announces variants whose stock is low.
func (s *Service) LowStock(ctx context.Context) error { return s.all(ctx, s.Announcements.LowStock) }

// AbandonedCheckouts expires checkouts and announces them.
func (s *Service) AbandonedCheckouts(ctx context.Context) error {
	return s.all(ctx, s.Announcements.AbandonedCheckouts)
}

// LostNegotiations announces products that ended sessions did not sell.
func (s *Service) LostNegotiations(ctx context.Context) error {
	return s.all(ctx, s.Announcements.LostNegotiations)
}

// Unresolved announces payments and refunds whose outcome has been unknown for an hour, and again every day.
func (s *Service) Unresolved(ctx context.Context) error {
	return errors.Join(s.all(ctx, s.Announcements.UnresolvedPayments), s.all(ctx, s.Announcements.UnresolvedRefunds))
}

// all calls work until it reports that nothing is left. An error does not make it loop forever, because work reports more
// only after it has committed.
func (s *Service) all(ctx context.Context, work func(context.Context, int, ports.Announce) (bool, error)) error {
	var failed error
	for more := true; more && ctx.Err() == nil; {
		var err error
		announced := false
		more, err = work(ctx, batchSize, func(p id.Project, at time.Time, d event.Data) *event.Event {
			announced = true
			return event.New(s.Entropy.IDBits(), p, at, d)
		})
		failed = errors.Join(failed, err)
		if announced {
			s.Announced()
		}
	}
	return failed
}
