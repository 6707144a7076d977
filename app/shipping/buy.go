package shipping

import (
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Buy buys an order's label, and records it in its own transactions. If the order has a label that is not voided, Buy returns that
// one, even if the request differs; bought reports whether the label is new. The wish's integration may be zero, as in Rates.
func (s *Service) Buy(ctx ports.Outbound, p *project.Project, of id.Order, w order.LabelRequest) (l *order.Label, bought bool, err error) {
	if err := w.Check(); err != nil {
		return nil, false, err
	}
	l, err = s.Labels.Find(ctx, p.ID, of, w.Test)
	if err != nil {
		return nil, false, err
	}
	if usable, err := s.usable(l); usable || err != nil {
		return l, false, err
	}
	parcel, err := s.parcel(ctx, p, of, w.Grams)
	if err != nil {
		return nil, false, err
	}
	i, shipper, err := s.shipper(ctx, p.ID, w.Integration)
	if err != nil {
		return nil, false, err
	}
	w.Integration = i.ID
	l, err = s.claim(ctx, p.ID, of, w)
	if err != nil {
		return nil, false, err
	}
	ctx = ctx.WithoutCancel()
	if bought = !l.Bought(); bought {
		if l, err = s.purchase(ctx, i, shipper, l, parcel); err != nil {
			return nil, false, err
		}
	}
	return l, bought, nil
}

// usable reports whether the order can be shipped with the label, which may be nil.
func (s *Service) usable(l *order.Label) (bool, error) {
	if l == nil {
		return false, nil
	}
	return l.Usable(s.Clock.Now())
}

// claim leases the label, unless it has been bought meanwhile. It replaces a voided label.
func (s *Service) claim(ctx context.Context, p id.Project, of id.Order, w order.LabelRequest) (*order.Label, error) {
	now, name := s.Clock.Now(), id.New[id.Label](s.Entropy.IDBits())
	var before *order.Label
	l, err := s.Labels.Change(ctx, p, of, w.Test, func(o *order.Order, l *order.Label) (*order.Label, error) {
		before = nil
		if l != nil {
			usable, err := l.Usable(now)
			if err != nil {
				return nil, err
			}
			if usable {
				before = l
				return nil, nil
			}
		}
		if err := o.Shippable(); err != nil {
			return nil, err
		}
		switch {
		case l == nil:
			l = order.NewLabel(name, o, w.Test, now)
		case l.Voided():
			l = l.Next(name, o, now)
		}
		return l, l.Claim(w, now)
	})
	if before != nil {
		l = before
	}
	return l, err
}

// purchase buys a leased label, and records it.
func (s *Service) purchase(ctx ports.Outbound, i *integration.Integration, shipper ports.Shipper, l *order.Label,
	parcel ports.Package) (*order.Label, error) {
	bounded, cancel := ctx.WithTimeout(patience)
	defer cancel()
	ended := s.keepLease(ctx, bounded, l, cancel)
	var sold ports.ShippingLabel
	err := s.Accounts.Use(bounded, i, func(c ports.Connection) (err error) {
		sold, err = shipper.Buy(bounded, c, ports.LabelRequest{
			Package: parcel,
			Carrier: l.Carrier,
			Service: l.Service,
			Test:    l.Test,
			Voided:  l.Former,
		})
		return err
	})
	cancel()
	lease := <-ended
	if err != nil {
		s.release(ctx, l, lease, err)
		return nil, explain(i.Type, err)
	}
	return s.record(ctx, l, sold)
}

// release ends the lease of a label that was certainly not bought, or not voided. Otherwise the lease lasts until its end, because
// the platform may still process the request.
func (s *Service) release(ctx context.Context, l *order.Label, lease time.Time, cause error) {
	if !provesNoEffect(cause) {
		s.Log.WarnContext(ctx, "nobody knows yet whether a label was bought or voided", "label", l.ID.String(), "order", l.Order.String(), "error", cause)
		return
	}
	_, err := s.Labels.Change(ctx, l.Project, l.Order, l.Test, func(_ *order.Order, l *order.Label) (*order.Label, error) {
		if l != nil {
			l.Release(lease)
		}
		return l, nil
	})
	if err != nil {
		s.Log.WarnContext(ctx, "a label is taken up again later only", "label", l.ID.String(), "error", err)
	}
}

// provesNoEffect reports whether an error proves that nothing was bought or voided.
func provesNoEffect(err error) bool {
	var known *fault.Error
	var refusal *ports.PlatformRefusal
	var throttled ports.Throttled
	return errors.Is(err, ports.ErrCredentialsRefused) || errors.As(err, &refusal) || errors.As(err, &throttled) ||
		errors.As(err, &known) && known.Kind != fault.Internal && known.Kind != fault.Unavailable
}

// record stores the label that the platform sold. It has no effect if another request has stored it meanwhile.
func (s *Service) record(ctx context.Context, l *order.Label, sold ports.ShippingLabel) (*order.Label, error) {
	price, err := parseAmount(sold.Price, sold.Currency)
	if err != nil {
		s.Log.WarnContext(ctx, "a label has no price that can be read", "label", l.ID.String(), "error", err)
	}
	now := s.Clock.Now()
	return s.changeUnlessVoided(ctx, l, func(_ *order.Order, l *order.Label) (*order.Label, error) {
		l.Buy(order.LabelSold{
			Remote:         sold.Remote,
			Carrier:        sold.Carrier,
			Service:        sold.Service,
			TrackingNumber: sold.TrackingNumber,
			Price:          price,
			PDF:            sold.PDF,
		}, now)
		return l, nil
	})
}

// MarkShipped marks the order of a label as shipped, once. If it fails, a repeated request tries again. An
// order that was canceled or delivered meanwhile stays so, and does not need the label. Test labels and labels that were voided
// meanwhile do not change the order.
func (s *Service) MarkShipped(ctx context.Context, l *order.Label) (*order.Label, error) {
	if l.Told || l.Test {
		return l, nil
	}
	if gone, err := s.voidedMeanwhile(ctx, l); gone != nil || err != nil {
		return gone, err
	}
	now, announce := s.Clock.Now(), id.New[id.Event](s.Entropy.IDBits())
	_, err := s.Orders.Change(ctx, l.Project, l.Order, func(c *order.Case) error {
		return c.Ship(l.Carrier, l.TrackingNumber, "", announce, now)
	})
	switch fault.KindOf(err) {
	case fault.Conflict, fault.Invalid:
		s.Log.WarnContext(ctx, "the order of a label is not told", "label", l.ID.String(), "order", l.Order.String(), "error", err)
	default:
		if err != nil {
			return nil, err
		}
	}
	return s.Labels.Change(ctx, l.Project, l.Order, l.Test, func(_ *order.Order, l *order.Label) (*order.Label, error) {
		if l == nil {
			return nil, fault.Missing("order")
		}
		l.Told = true
		return l, nil
	})
}

// voidedMeanwhile returns the current label if it is voided, else nil. It locks the order, so that no request voids the label
// before the transaction of Tell ends.
func (s *Service) voidedMeanwhile(ctx context.Context, l *order.Label) (gone *order.Label, err error) {
	_, err = s.Labels.Change(ctx, l.Project, l.Order, l.Test, func(_ *order.Order, now *order.Label) (*order.Label, error) {
		gone = nil
		if now == nil {
			return nil, fault.Missing("order")
		}
		if one := now.Find(l.ID); one != nil && one.Voided() {
			gone = one
		}
		return nil, nil
	})
	return gone, err
}
