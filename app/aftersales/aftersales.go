// Package aftersales handles orders after the sale: fulfillment, cancellation, returns, refunds, disputes and the merchant's
// notes. Package purchase charges, and package shipping buys labels.
//
// A refund takes the same steps as a charge: one transaction creates it as pending, the provider is asked
// outside of any transaction with the refund's id as the idempotency key, and another transaction records the outcome. While the
// provider has not decided it, the refund stays pending, and the job Refunding repeats the request, also after a crash.
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
	Due     ports.DueRefunds // leases pending refunds to the job
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Cancel cancels an order that was not shipped, puts its stock back and creates a pending refund of the rest of its
// payment. ExecuteRefund or the background job executes the refund. The refund's id is zero if nothing is left to refund.
func (s *Service) Cancel(ctx context.Context, project id.Project, of id.Order, reason string) (*order.Case, id.Refund, error) {
	now, refund, announce := s.Clock.Now(), id.New[id.Refund](s.Entropy.IDBits()), s.newEventID()
	c, err := s.Orders.Change(ctx, project, of, func(c *order.Case) error { return c.Cancel(refund, reason, announce, now) })
	if err != nil {
		return nil, id.Refund{}, err
	}
	s.reindexStock(ctx, c)
	return c, refundOrZero(c, refund), nil
}

// Shipment has the tracking data of an order. Each field may be empty.
type Shipment struct {
	Carrier        string
	TrackingNumber string
	TrackingURL    string // https
}

// Ship records that an order was shipped, or updates the tracking data of one that was.
func (s *Service) Ship(ctx context.Context, project id.Project, of id.Order, sent Shipment) (*order.Case, error) {
	now, announce := s.Clock.Now(), s.newEventID()
	return s.Orders.Change(ctx, project, of, func(c *order.Case) error {
		return c.Ship(sent.Carrier, sent.TrackingNumber, sent.TrackingURL, announce, now)
	})
}

// Deliver records that an order was delivered.
func (s *Service) Deliver(ctx context.Context, project id.Project, of id.Order) (*order.Case, error) {
	now, announce := s.Clock.Now(), s.newEventID()
	return s.Orders.Change(ctx, project, of, func(c *order.Case) error { return c.Deliver(announce, now) })
}

// newEventID returns a new event's id.
func (s *Service) newEventID() id.Event { return id.New[id.Event](s.Entropy.IDBits()) }

// refundOrZero returns refund if the case has it, else zero.
func refundOrZero(c *order.Case, refund id.Refund) id.Refund {
	if c.FindRefund(refund) == nil {
		return id.Refund{}
	}
	return refund
}

// reindexStock updates the search index if a change put stock back.
func (s *Service) reindexStock(ctx context.Context, c *order.Case) {
	if len(c.Restock) == 0 {
		return
	}
	products := make([]id.Product, len(c.Order.Lines))
	for i, l := range c.Order.Lines {
		products[i] = l.Product
	}
	s.Restock(ctx, c.Order.Project, products)
}
