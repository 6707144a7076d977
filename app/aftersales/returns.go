// Package aftersales is what follows an order: asking for returns.
package aftersales

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service serves buyers after the sale.
type Service struct {
	Orders  ports.Orders
	Clock   ports.Clock
	Entropy ports.Entropy
}

// RequestReturn opens a return of part of an order and announces it to the merchant.
func (s *Service) RequestReturn(ctx context.Context, p *project.Project, of id.Order, items []order.ReturnItem, comment string) (*order.Return, error) {
	now := s.Clock.Now()
	terms := order.Terms{WindowDays: p.Storefront.ReturnWindowDays, Conditions: p.Storefront.ReturnConditions}
	ret, notice := id.New[id.Return](s.Entropy.Bits128()), id.New[id.Event](s.Entropy.Bits128())
	return s.Orders.RequestReturn(ctx, p.ID, of, func(o *order.Order, earlier []order.Return) (*order.Return, *event.Event, error) {
		r, err := order.RequestReturn(ret, o, complete(items, o), comment, earlier, terms, now)
		if err != nil {
			return nil, nil, err
		}
		return r, &event.Event{ID: notice, Project: p.ID, At: now, Data: event.ReturnRequested{
			Return: r.ID, Order: r.Order, Estimate: r.Estimate,
		}}, nil
	})
}

// complete names the variant of items that leave it out, where the order has only one of the product.
func complete(items []order.ReturnItem, o *order.Order) []order.ReturnItem {
	items = slices.Clone(items)
	for i, item := range items {
		if item.Variant.IsZero() {
			items[i].Variant = onlyVariant(o, item.Product)
		}
	}
	return items
}

// onlyVariant is the product's variant in the order, or zero where there is none or more than one.
func onlyVariant(o *order.Order, product id.Product) id.Variant {
	var only id.Variant
	for _, l := range o.Lines {
		switch {
		case l.Product != product || l.Variant == only:
		case only.IsZero():
			only = l.Variant
		default:
			return id.Variant{}
		}
	}
	return only
}
