package shipping

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/order"
)

// keepLease renews a label's lease until call is done. Then it sends the end of the lease, as last renewed, to the channel. If the
// lease has ended or another request has taken it over, it cancels call.
func (s *Service) keepLease(ctx, call context.Context, l *order.Label, cancel context.CancelFunc) <-chan time.Time {
	end, due := make(chan time.Time, 1), l.Lease()
	go func() {
		defer func() { end <- due }()
		tick := time.NewTicker(renewal)
		defer tick.Stop()
		for {
			select {
			case <-call.Done():
				return
			case <-tick.C:
			}
			if !s.renew(ctx, l, &due) {
				cancel()
				return
			}
		}
	}()
	return end
}

// renew renews a lease and reports whether it is still ours. If the store fails, it reports true until the lease has ended, so
// that the caller tries again.
func (s *Service) renew(ctx context.Context, l *order.Label, due *time.Time) bool {
	bounded, cancel := context.WithTimeout(ctx, renewal)
	defer cancel()
	now := s.Clock.Now()
	renewed, err := s.Labels.Change(bounded, l.Project, l.Order, l.Test, func(_ *order.Order, l *order.Label) (*order.Label, error) {
		if l == nil || !l.Renew(*due, now) {
			return nil, nil
		}
		return l, nil
	})
	switch {
	case err != nil:
		s.Log.WarnContext(ctx, "the lease of a label is not renewed", "label", l.ID.String(), "error", err)
		return s.Clock.Now().Before(*due)
	case renewed == nil:
		s.Log.WarnContext(ctx, "another has taken up a label", "label", l.ID.String())
		return false
	}
	*due = renewed.Lease()
	return true
}
