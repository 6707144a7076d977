package shipping

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/order"
)

// hold renews a label's lease until asking is done, which giveUp ends too. The channel tells the end of the lease as it
// was renewed last. A lease that has ended, or that another has taken over, gives the purchase, or the voiding, up.
func (s *Service) hold(ctx, asking context.Context, l *order.Label, giveUp context.CancelFunc) <-chan time.Time {
	end, due := make(chan time.Time, 1), l.Lease()
	go func() {
		defer func() { end <- due }()
		tick := time.NewTicker(renewal)
		defer tick.Stop()
		for {
			select {
			case <-asking.Done():
				return
			case <-tick.C:
			}
			if !s.renew(ctx, l, &due) {
				giveUp()
				return
			}
		}
	}()
	return end
}

// renew renews a lease and reports whether it is still ours. A store that does not answer is asked again until the
// lease has ended.
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
