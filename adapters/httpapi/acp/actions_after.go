package acp

import (
	"time"

	"github.com/haggle-commerce/haggle/app/baskets"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// The functions below list the actions that can follow each answer. The domain decides which are possible; this file names them.

// afterGoods returns the actions after found products. haggles reports whether any price is negotiable.
func afterGoods(haggles bool, more ...string) nextActions {
	next := append(nextActions{}, more...)
	if haggles {
		next = append(next, actMakeOffer)
	}
	return append(next, actAskPrice, actPutCart, actInitCheckout)
}

func afterSearch(a searchAnswer) nextActions {
	if len(a.Results) == 0 {
		return nextActions{actSearch}
	}
	haggles := false
	for _, r := range a.Results {
		haggles = haggles || r.Negotiable
	}
	next := nextActions{actReadProduct}
	if a.NextCursor != "" {
		next = append(next, actReadOn)
	}
	return afterGoods(haggles, next...)
}

func afterProduct(a productAnswer) nextActions {
	for _, v := range a.Variants {
		if v.InStock {
			return afterGoods(a.Negotiable, actCheckAvailability)
		}
	}
	return nextActions{actSearch}
}

func afterAvailability(shop *project.Project, all bool) nextActions {
	if !all {
		return nextActions{actCheckAvailability, actSearch}
	}
	return afterGoods(shop.Settings.NegotiationEnabled)
}

// afterQuote returns the actions after the answer to an offer, except add_bundle.
func afterQuote(a haggling.Answer) nextActions {
	if a.Expired {
		return nextActions{actAskPrice, actMakeOffer}
	}
	if a.Decision.Outcome() == negotiation.OutcomeAccepted {
		return nextActions{actInitCheckout, actReadCart}
	}
	if a.Final {
		return nextActions{actAccept, actDecline}
	}
	return nextActions{actAccept, actCounter, actDecline}
}

// afterDeal returns the actions after an offer on a quote that was already accepted.
func afterDeal(d negotiation.Deal) nextActions {
	if d.Status == negotiation.DealOpen {
		return nextActions{actInitCheckout, actMakeOffer, actReadSession}
	}
	return nextActions{actMakeOffer, actAskPrice, actReadSession}
}

func afterCheckout(c *checkout.Checkout, methods []project.PaymentMethod, now time.Time) nextActions {
	var next nextActions
	switch c.Status() {
	case checkout.Completed:
		return nextActions{actReadOrder}
	case checkout.Processing:
		return nextActions{actReadCheckout}
	}
	if c.Payable(now) == nil && len(methods) > 0 {
		next = append(next, actFinalize)
	}
	if c.Revisable(now) == nil {
		return append(next, actReviseCheckout, actCancelCheckout)
	}
	return nextActions{actInitCheckout}
}

func afterDecline(d purchase.Declined) nextActions {
	if d.Status == checkout.Pending {
		return nextActions{actFinalize, actReviseCheckout, actCancelCheckout}
	}
	return nextActions{actInitCheckout}
}

// afterOrder returns the actions after an order. Canceling requires its manage token or session.
func afterOrder(shop *project.Project, c *order.Case, now time.Time) nextActions {
	next := nextActions{}
	switch {
	case c.Cancelable() == nil: // requesting a return would prevent canceling
		next = append(next, actCancelOrder)
	case c.Returnable(order.Terms{WindowDays: shop.Storefront.ReturnWindowDays}, now):
		next = append(next, actRequestReturn)
	}
	if len(c.Returns) > 0 {
		next = append(next, actReadReturn)
	}
	return next
}

func afterReturn(r *order.Return) nextActions {
	if r.Status == order.Requested {
		return nextActions{actReadReturn, actReadOrder}
	}
	return nextActions{actReadOrder}
}

// afterCart returns the actions after a cart. A cart that a checkout would refuse must be put again first.
func afterCart(b *baskets.Basket) nextActions {
	switch {
	case len(b.Lines) == 0:
		return nextActions{actSearch, actPutCart}
	case b.Blocked():
		return nextActions{actPutCart, actMakeOffer, actAskPrice}
	}
	return nextActions{actInitCheckout, actPutCart, actMakeOffer, actAskPrice}
}

func afterSession(a sessionAnswer) nextActions {
	if len(a.Cart.Items) > 0 {
		return nextActions{actInitCheckout, actSearch, actMakeOffer, actAskPrice}
	}
	return nextActions{actSearch, actMakeOffer, actAskPrice}
}
