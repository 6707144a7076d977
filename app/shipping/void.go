package shipping

import (
	"context"
	"errors"
	"slices"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Void voids a bought label through the integration that bought it, and records that in its own transactions. Voiding a voided
// label has no effect; voided reports whether it was voided by this call.
func (s *Service) Void(ctx ports.Outbound, p *project.Project, of id.Order, name id.Label) (l *order.Label, voided bool, err error) {
	c, err := s.Orders.Case(ctx, p.ID, of)
	if err != nil {
		return nil, false, err
	}
	if l, err = s.findBought(ctx, p.ID, of, name); err != nil || l.Voided() {
		return l, false, err
	}
	i, shipper, err := s.shipper(ctx, p.ID, l.Integration)
	if err != nil {
		return nil, false, err
	}
	if l, err = s.claimVoid(ctx, l); err != nil || l.Voided() {
		return l, false, err
	}
	l, err = s.requestVoid(ctx.WithoutCancel(), i, shipper, c.Order, l)
	return l, err == nil, err
}

// Bought returns the labels that were bought for an order, the newest first, including voided ones and test labels. They have no
// PDFs.
func (s *Service) Bought(ctx context.Context, p id.Project, of id.Order) ([]*order.Label, error) {
	if _, err := s.Orders.Case(ctx, p, of); err != nil {
		return nil, err
	}
	list, err := s.Labels.List(ctx, p, of)
	if err != nil {
		return nil, err
	}
	var all []*order.Label
	for _, l := range list {
		all = append(all, l.All()...)
	}
	slices.SortStableFunc(all, func(a, b *order.Label) int { return b.BoughtAt.Compare(a.BoughtAt) })
	return all, nil
}

// findBought returns a bought label by its id, without its PDF.
func (s *Service) findBought(ctx context.Context, p id.Project, of id.Order, name id.Label) (*order.Label, error) {
	list, err := s.Labels.List(ctx, p, of)
	if err != nil {
		return nil, err
	}
	for _, l := range list {
		if found := l.Find(name); found != nil {
			return found, nil
		}
	}
	return nil, order.ErrNoLabel
}

// claimVoid leases the label, unless it has been voided meanwhile.
func (s *Service) claimVoid(ctx context.Context, l *order.Label) (*order.Label, error) {
	now, name := s.Clock.Now(), l.ID
	return s.changeUnlessVoided(ctx, l, func(o *order.Order, l *order.Label) (*order.Label, error) {
		if l.ID != name {
			return nil, order.ErrNoLabel
		}
		return l, l.ClaimVoid(o, now)
	})
}

// changeUnlessVoided changes a label. If the label is voided, it returns that one unchanged.
func (s *Service) changeUnlessVoided(ctx context.Context, l *order.Label, change func(*order.Order, *order.Label) (*order.Label, error)) (*order.Label, error) {
	var before *order.Label
	changed, err := s.Labels.Change(ctx, l.Project, l.Order, l.Test, func(o *order.Order, now *order.Label) (*order.Label, error) {
		before = nil
		if now == nil {
			return nil, fault.Missing("order") // the order was deleted meanwhile, with its label
		}
		if one := now.Find(l.ID); one != nil && one.Voided() {
			before = one
			return nil, nil
		}
		return change(o, now)
	})
	if before != nil {
		return before, err
	}
	return changed, err
}

// requestVoid asks the platform to void a leased label, and records the result.
func (s *Service) requestVoid(ctx ports.Outbound, i *integration.Integration, shipper ports.Shipper, o *order.Order, l *order.Label) (*order.Label, error) {
	bounded, cancel := ctx.WithTimeout(patience)
	defer cancel()
	ended := s.keepLease(ctx, bounded, l, cancel)
	err := s.Accounts.Use(bounded, i, func(c ports.Connection) error {
		return shipper.Void(bounded, c, ports.VoidRequest{
			Order:          o,
			Remote:         l.Remote,
			TrackingNumber: l.TrackingNumber,
			Test:           l.Test,
		})
	})
	cancel()
	lease := <-ended
	now := s.Clock.Now()
	var refusal *ports.PlatformRefusal
	switch {
	case err == nil:
		return s.changeUnlessVoided(ctx, l, func(_ *order.Order, l *order.Label) (*order.Label, error) {
			l.Void(now)
			return l, nil
		})
	case errors.As(err, &refusal):
		_, unknown := s.changeUnlessVoided(ctx, l, func(_ *order.Order, l *order.Label) (*order.Label, error) {
			l.KeepBought(lease)
			return l, nil
		})
		if unknown != nil {
			return nil, unknown
		}
		return nil, fault.New(fault.Conflict, "label_not_voided", refusal.Reason).Because(err)
	}
	s.release(ctx, l, lease, err)
	return nil, explain(i.Type, err)
}

// UnmarkShipped sets the order of a voided label back to processing, if it is shipped with the label's tracking number. The
// caller runs it in a transaction, and may repeat it. It also does so if Haggle did not mark the order as shipped, because ShipStation's
// webhook may have, and for a label that was replaced, because an earlier request may have ended before this step. If another,
// valid label has the same tracking number, the order stays shipped.
func (s *Service) UnmarkShipped(ctx context.Context, l *order.Label) error {
	if l.Test || l.TrackingNumber == "" {
		return nil
	}
	voided := false
	_, err := s.Labels.Change(ctx, l.Project, l.Order, false, func(_ *order.Order, now *order.Label) (*order.Label, error) {
		voided = now != nil && now.HasVoided(l.TrackingNumber)
		if now == nil || now.ID != l.ID || !now.Voided() || !now.Told {
			return nil, nil
		}
		now.Told = false
		return now, nil
	})
	if err != nil || !voided {
		return err
	}
	now, announce := s.Clock.Now(), id.New[id.Event](s.Entropy.IDBits())
	_, err = s.Orders.Change(ctx, l.Project, l.Order, func(c *order.Case) error {
		c.Unship(l.TrackingNumber, announce, now)
		return nil
	})
	return err
}
