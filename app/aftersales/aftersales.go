// Package aftersales is what follows an order: shipping it, canceling it, returns and refunds.
//
// Giving money back goes like taking it: one transaction promises the refund, the provider is asked
// outside of any transaction by the refund's id, and one transaction records what it answered. Until it
// has decided, the refund stays pending and Refunding goes on asking, after a crash too.
package aftersales

import (
	"context"
	"log/slog"

	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Service serves buyers and merchants after the sale.
type Service struct {
	*ports.Stores

	Gateway ports.Gateway
	Tokens  ordertoken.Tokens
	Clock   ports.Clock
	Entropy ports.Entropy
	Log     *slog.Logger
	Due     ports.DueRefunds // that nobody works on
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Cancel ends an order that was not shipped, puts its stock back and promises to refund the rest of its
// payment. ExecuteRefund, or the background, asks the provider for the refund, whose id is zero if
// nothing was left to refund.
func (s *Service) Cancel(ctx context.Context, project id.Project, of id.Order, reason string) (*order.Case, id.Refund, error) {
	now, refund, announce := s.Clock.Now(), id.New[id.Refund](s.Entropy.IDBits()), s.event()
	c, err := s.Orders.Change(ctx, project, of, func(c *order.Case) error { return c.Cancel(refund, reason, announce, now) })
	if err != nil {
		return nil, id.Refund{}, err
	}
	s.restocked(ctx, c)
	return c, opened(c, refund), nil
}

// Shipment is how an order went out. All of it may be empty.
type Shipment struct {
	Carrier        string
	TrackingNumber string
	TrackingURL    string // https
}

// Ship records that an order is on its way, or another tracking of one that is.
func (s *Service) Ship(ctx context.Context, project id.Project, of id.Order, sent Shipment) (*order.Case, error) {
	now, announce := s.Clock.Now(), s.event()
	return s.Orders.Change(ctx, project, of, func(c *order.Case) error {
		return c.Ship(sent.Carrier, sent.TrackingNumber, sent.TrackingURL, announce, now)
	})
}

// Deliver records that an order has arrived.
func (s *Service) Deliver(ctx context.Context, project id.Project, of id.Order) (*order.Case, error) {
	now, announce := s.Clock.Now(), s.event()
	return s.Orders.Change(ctx, project, of, func(c *order.Case) error { return c.Deliver(announce, now) })
}

// event is a new event's id.
func (s *Service) event() id.Event { return id.New[id.Event](s.Entropy.IDBits()) }

// opened is the refund if the case has it, else zero.
func opened(c *order.Case, refund id.Refund) id.Refund {
	if c.FindRefund(refund) == nil {
		return id.Refund{}
	}
	return refund
}

// restocked tells the search index of stock that a change put back.
func (s *Service) restocked(ctx context.Context, c *order.Case) {
	if len(c.Restock) == 0 {
		return
	}
	products := make([]id.Product, len(c.Order.Lines))
	for i, l := range c.Order.Lines {
		products[i] = l.Product
	}
	s.Restock(ctx, c.Order.Project, products)
}
