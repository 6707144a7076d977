package aftersales

import (
	"cmp"
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// RequestReturn opens a return of part of an order and emits its event for the merchant.
func (s *Service) RequestReturn(ctx context.Context, p *project.Project, of id.Order, items []order.ReturnItem, comment string) (*order.Return, error) {
	now := s.Clock.Now()
	terms := order.Terms{WindowDays: p.Storefront.ReturnWindowDays, Conditions: p.Storefront.ReturnConditions}
	ret, announce := id.New[id.Return](s.Entropy.IDBits()), s.newEventID()
	var requested *order.Return
	_, err := s.Orders.Change(ctx, p.ID, of, func(c *order.Case) (err error) {
		requested, err = c.RequestReturn(ret, fillVariants(items, c.Order), comment, terms, announce, now)
		return err
	})
	return requested, err
}

// fillVariants sets the variant of items that leave it out, if the order has only one variant of the product.
func fillVariants(items []order.ReturnItem, o *order.Order) []order.ReturnItem {
	items = slices.Clone(items)
	for i, item := range items {
		if item.Variant.IsZero() {
			items[i].Variant = onlyVariant(o, item.Product)
		}
	}
	return items
}

// onlyVariant returns the product's variant in the order, or zero if there is none or more than one.
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

// Approval is the merchant's consent to a return.
type Approval struct {
	Return  id.Return
	Amount  *money.Amount // to refund; nil: the return's estimate, at most what is left of the payment
	Restock bool          // whether the goods may be sold again
}

// ApproveReturn approves a return and creates its pending refund. ExecuteRefund or the background job executes the refund. The
// refund's id is zero if there is nothing to refund.
func (s *Service) ApproveReturn(ctx context.Context, project id.Project, a Approval) (*order.Case, id.Refund, error) {
	ret, err := s.Orders.ReturnByID(ctx, project, a.Return)
	if err != nil {
		return nil, id.Refund{}, err
	}
	now, refund, announce := s.Clock.Now(), id.New[id.Refund](s.Entropy.IDBits()), s.newEventID()
	c, err := s.Orders.Change(ctx, project, ret.Order, func(c *order.Case) error {
		return cmp.Or(c.ApproveReturn(a.Return, refund, a.Amount, a.Restock, announce, now), s.checkRefundable(c, refund))
	})
	if err != nil {
		return nil, id.Refund{}, err
	}
	s.reindexStock(ctx, c)
	return c, refundOrZero(c, refund), nil
}

// RejectReturn rejects a return.
func (s *Service) RejectReturn(ctx context.Context, project id.Project, of id.Return, reason string) (*order.Case, error) {
	ret, err := s.Orders.ReturnByID(ctx, project, of)
	if err != nil {
		return nil, err
	}
	now, announce := s.Clock.Now(), s.newEventID()
	return s.Orders.Change(ctx, project, ret.Order, func(c *order.Case) error { return c.RejectReturn(of, reason, announce, now) })
}
