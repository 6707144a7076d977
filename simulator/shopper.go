package simulator

import (
	"errors"
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
)

// Outcome is how one buyer's trip ended.
type Outcome string

// The outcomes. Only Failed is an error.
const (
	Bought       Outcome = "bought"
	WalkedAway   Outcome = "walked away"
	NothingFound Outcome = "nothing found"
	SoldOut      Outcome = "sold out"
	Limited      Outcome = "rate limited"
	Declined     Outcome = "payment declined"
	Failed       Outcome = "failed"
)

// shop takes one buyer through its plan.
func shop(b *buyer.Buyer, p plan) (buyer.Outcome, Outcome) {
	if !p.browse(b) {
		return buyer.Outcome{}, outcomeOf(b.Err(), NothingFound)
	}
	var haggled buyer.Outcome
	if p.strategy == nil {
		b.InitCheckoutAtList(p.address)
	} else {
		if haggled = p.haggle(b); !haggled.Agreed {
			return haggled, outcomeOf(b.Err(), WalkedAway)
		}
		b.InitCheckout(p.address)
	}
	p.pay(b)
	if b.Err() != nil || !b.Paid() {
		return haggled, outcomeOf(b.Err(), Declined)
	}
	p.afterwards(b)
	return haggled, outcomeOf(b.Err(), Bought)
}

// browse searches and views products. It reports whether it found one in stock.
func (p plan) browse(b *buyer.Buyer) bool {
	b.SearchFor(p.wish)
	var stocked []string
	for _, result := range b.Found.Results {
		if result.Availability.InStock {
			stocked = append(stocked, result.ProductID)
		}
	}
	if b.Err() != nil || len(stocked) == 0 {
		return false
	}
	b.View(stocked[p.pick%len(stocked)])
	var variants []acp.Variant
	for _, variant := range b.Product.Variants {
		if variant.InStock {
			variants = append(variants, variant)
		}
	}
	if b.Err() != nil || len(variants) == 0 {
		return false
	}
	chosen := variants[p.variant%len(variants)]
	b.Choose(chosen.ID, max(1, min(p.quantity, chosen.Quantity)))
	if p.checksStock {
		b.CheckAvailability(p.address)
	}
	return b.Err() == nil
}

func (p plan) haggle(b *buyer.Buyer) buyer.Outcome {
	if p.asksPrice {
		b.AskPrice()
	}
	haggled := b.Haggle(p.strategy)
	if p.readsSession {
		b.ReadSession()
	}
	if p.extends {
		b.Extend(30)
	}
	return haggled
}

// pay tries the payments one after the other, with the shipping option of the plan.
func (p plan) pay(b *buyer.Buyer) {
	option := ""
	if options := b.Checkout.ShippingOptions; p.option >= 0 && len(options) > 0 {
		option = options[p.option%len(options)].ID
	}
	for _, payment := range p.payment {
		if !accepts(b.Checkout, payment.Method) {
			payment = acp.Payment{Method: acp.PSPToken, Token: "spt_sandbox_ok"}
		}
		b.PayShipping(payment.Method, payment.Token, option)
		if b.Err() != nil || b.Paid() {
			break
		}
	}
	if p.paysTwice {
		b.FinalizeAgain()
	}
}

func accepts(checkout acp.Checkout, method string) bool {
	for _, offered := range checkout.PaymentMethods {
		if offered.Type == method && offered.Ready {
			return true
		}
	}
	return false
}

// afterwards reads the order, returns goods, and tries to pay with a redeemed checkout token.
func (p plan) afterwards(b *buyer.Buyer) {
	b.ReadOrder()
	if p.sendsBack {
		b.SendBack(1, "changed my mind")
	}
	if p.reusesToken && p.strategy != nil && b.Err() == nil {
		p.reuse(b)
	}
}

// reuse redeems a checkout token again. The server must refuse it before there is a second order; the witness reports a
// breach if it does not.
func (p plan) reuse(b *buyer.Buyer) {
	b.InitCheckout(p.address)
	if b.Err() == nil {
		b.Pay(acp.PSPToken, "spt_sandbox_ok")
	}
	var refusal *acp.Error
	if errors.As(b.Err(), &refusal) && refusal.HTTPStatus < http.StatusInternalServerError {
		_ = b.TakeErr() // refused, as it should be
	}
}

// outcomeOf returns otherwise unless an error ended the trip.
func outcomeOf(err error, otherwise Outcome) Outcome {
	var problem *acp.Error
	switch {
	case err == nil:
		return otherwise
	case !errors.As(err, &problem):
		return Failed
	case problem.HTTPStatus == http.StatusTooManyRequests:
		return Limited
	case problem.HTTPStatus == http.StatusConflict && problem.Code == "out_of_stock":
		return SoldOut
	}
	return Failed
}
