package buyer

import (
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// maxOffers limits a negotiation under every strategy.
const maxOffers = 20

// AskPrice asks for a quote without an offer.
func (b *Buyer) AskPrice() *Buyer {
	return b.do("ask the price", func() error { return b.quote(b.newRequest(nil)) })
}

// Offer opens a negotiation for the viewed product with a price per unit.
func (b *Buyer) Offer(price decimal.Decimal) *Buyer {
	return b.do("offer", func() error { return b.quote(b.newRequest(&price)) })
}

// OfferShare offers a percentage of the list price, rounded up to the minor unit.
func (b *Buyer) OfferShare(percent decimal.Decimal) *Buyer {
	return b.Offer(b.ListPrice().Percent(percent, b.Places()))
}

// FollowUp makes another offer for the open quote, with an optional message.
func (b *Buyer) FollowUp(price decimal.Decimal, message string) *Buyer {
	return b.do("follow up", func() error {
		return b.followUp(acp.QuoteRequest{OfferPrice: &price, Message: message})
	})
}

// AcceptCounter offers the merchant's counter, or the price that still holds after a rejection.
func (b *Buyer) AcceptCounter() *Buyer {
	return b.do("accept the counter", func() error {
		price := b.Quote.CurrentPrice()
		if price.Sign() <= 0 {
			return fmt.Errorf("%w: the latest answer is %q", ErrNothingToDo, b.Quote.Status)
		}
		return b.followUp(acp.QuoteRequest{OfferPrice: &price})
	})
}

// TakeBundle offers the merchant's counter together with the suggested second product.
func (b *Buyer) TakeBundle() *Buyer {
	return b.do("take the bundle", func() error {
		bundle := b.Quote.BundleSuggestion
		if bundle == nil || !b.Quote.Offers("add_bundle") {
			return fmt.Errorf("%w: no bundle was suggested", ErrNothingToDo)
		}
		price := b.Quote.CounterPrice
		err := b.followUp(acp.QuoteRequest{OfferPrice: &price, AddBundle: true})
		if err == nil && b.Agreement != nil {
			b.Agreement.Bundle = bundle
		}
		return err
	})
}

// newRequest returns a request about the viewed product.
func (b *Buyer) newRequest(offer *decimal.Decimal) acp.QuoteRequest {
	return acp.QuoteRequest{
		SessionID:    b.SessionID,
		ProductID:    b.Product.ProductID,
		VariantID:    b.Variant.ID,
		Quantity:     b.Quantity,
		OfferPrice:   offer,
		BuyerContext: b.Claims,
	}
}

func (b *Buyer) followUp(request acp.QuoteRequest) error {
	if b.openQuote == "" {
		return fmt.Errorf("%w: no quote is open", ErrNothingToDo)
	}
	request.SessionID, request.QuoteID, request.BuyerContext = b.SessionID, b.openQuote, b.Claims
	return b.quote(request)
}

// quote sends the request and records the answer.
func (b *Buyer) quote(request acp.QuoteRequest) error {
	answer, err := b.client.Quote(b.ctx, request)
	if err != nil {
		return err
	}
	b.Quote = answer
	if request.OfferPrice != nil {
		b.Rounds++
	}
	if answer.SessionID != "" {
		b.SessionID = answer.SessionID
	}
	switch answer.Status {
	case acp.Accept:
		b.openQuote = ""
		b.Agreement = &Agreement{
			ProductID: b.Product.ProductID,
			VariantID: b.Variant.ID,
			Quantity:  b.Quantity,
			UnitPrice: answer.FinalPrice,
			Token:     answer.CheckoutToken,
		}
		return nil
	case acp.Expired:
		b.openQuote = ""
		return nil
	case acp.CounterOffer:
		b.list = &answer.OriginalPrice
	case acp.Quoted:
		b.list = &answer.ListPrice
	}
	if answer.QuoteID != "" {
		b.openQuote = answer.QuoteID
	}
	return nil
}

// Outcome is the end of a negotiation.
type Outcome struct {
	Agreed bool
	Rounds int
}

// Haggle negotiates for the viewed product until the merchant accepts or the strategy walks away. If it fails, Err
// returns the error.
func (b *Buyer) Haggle(strategy Strategy) Outcome {
	now := Situation{List: b.ListPrice(), Places: b.Places()}
	for b.err == nil && b.Rounds < maxOffers {
		move := strategy.Next(now)
		switch move.Action {
		case WalkAway:
			return Outcome{Rounds: b.Rounds}
		case TakeCounter:
			b.AcceptCounter()
		case MakeOffer:
			b.offerOn(move.Price)
			now.Offers = append(now.Offers, move.Price)
		}
		if b.err != nil {
			break
		}
		if b.Quote.Status == acp.Accept {
			return Outcome{Agreed: true, Rounds: b.Rounds}
		}
		if !now.learn(b.Quote) {
			break
		}
	}
	return Outcome{Rounds: b.Rounds}
}

// offerOn follows up on the open quote, or opens one.
func (b *Buyer) offerOn(price decimal.Decimal) {
	if b.openQuote != "" {
		b.FollowUp(price, "")
		return
	}
	b.Offer(price)
}

// learn records an answer that is not an agreement. It reports whether the negotiation can go on.
func (s *Situation) learn(answer acp.Quote) bool {
	s.Rejected, s.Hint = false, decimal.Decimal{}
	switch answer.Status {
	case acp.CounterOffer:
		s.List = answer.OriginalPrice
		s.Counters = append(s.Counters, answer.CounterPrice)
		s.Final = !answer.Offers("counter")
	case acp.Reject:
		s.Rejected = true
		if answer.CurrentPrice().Sign() > 0 {
			s.Counters = append(s.Counters, answer.CurrentPrice())
		}
		if hint, err := decimal.Parse(answer.FloorHint); err == nil {
			s.Hint = hint
		}
	default: // expired, or an answer that does not fit an offer
		return false
	}
	return true
}
