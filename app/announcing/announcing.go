// Package announcing tells merchants what nobody's request tells: stock that ran low, checkouts that ended
// unpaid, negotiations that ended without a deal, payments and refunds that stay unresolved.
package announcing

import (
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// atOnce is how many subjects one transaction works through: SQLite's other writers wait meanwhile.
const atOnce = 100

// Service announces. Any number of replicas may do so at once.
type Service struct {
	Announcements ports.LateAnnouncements
	Entropy       ports.Entropy
	Announced     func() // wakes whoever delivers events
}

// LowStock announces variants of which little is left.
func (s *Service) LowStock(ctx context.Context) error { return s.all(ctx, s.Announcements.LowStock) }

// AbandonedCheckouts expires checkouts and announces them.
func (s *Service) AbandonedCheckouts(ctx context.Context) error {
	return s.all(ctx, s.Announcements.AbandonedCheckouts)
}

// LostNegotiations announces products that ended sessions did not sell.
func (s *Service) LostNegotiations(ctx context.Context) error {
	return s.all(ctx, s.Announcements.LostNegotiations)
}

// Unresolved announces payments and refunds that nobody knows the outcome of for an hour, and again every day.
func (s *Service) Unresolved(ctx context.Context) error {
	return errors.Join(s.all(ctx, s.Announcements.UnresolvedPayments), s.all(ctx, s.Announcements.UnresolvedRefunds))
}

// all works until there is nothing more. An error does not stop it: the work reports more only after it
// has committed.
func (s *Service) all(ctx context.Context, work func(context.Context, int, ports.Announce) (bool, error)) error {
	var failed error
	for more := true; more && ctx.Err() == nil; {
		var err error
		announced := false
		more, err = work(ctx, atOnce, func(p id.Project, at time.Time, d event.Data) *event.Event {
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
