package features

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func (w *world) wants(quantity int) error {
	return w.mustAct(func(b *shopper) {
		b.Want(quantity)
		b.quotes, b.offers = nil, nil
	})
}

// negotiate lets the buyer send a quote request and records the answer.
func (w *world) negotiate(action func(b *shopper)) error {
	return w.act(func(b *shopper) {
		action(b)
		b.quotes = append(b.quotes, b.Quote)
		b.lastAnswer = w.recorder.last().value()
	})
}

func (w *world) asksPrice() error { return w.negotiate(func(b *shopper) { b.AskPrice() }) }

// offers makes an offer. what is a price, or words for an earlier price, which parsePrice resolves.
func (w *world) offers(what string) error {
	price, err := w.parsePrice(what)
	if err != nil {
		return err
	}
	return w.negotiate(func(b *shopper) { b.bid(price) })
}

// bid makes an offer in the open negotiation, or opens one.
func (b *shopper) bid(price decimal.Decimal) {
	b.offers = append(b.offers, price)
	switch b.latestQuote().Status {
	case acp.Quoted, acp.CounterOffer, acp.Reject:
		b.FollowUp(price, "")
	default:
		b.Offer(price)
	}
}

func (b *shopper) latestQuote() acp.Quote {
	if len(b.quotes) == 0 {
		return acp.Quote{}
	}
	return b.quotes[len(b.quotes)-1]
}

// lastQuote returns the latest quote with a status.
func (b *shopper) lastQuote(status string) (acp.Quote, error) {
	for i := len(b.quotes) - 1; i >= 0; i-- {
		if b.quotes[i].Status == status {
			return b.quotes[i], nil
		}
	}
	return acp.Quote{}, fmt.Errorf("the buyer heard no %s", status)
}

var relativePrice = regexp.MustCompile(`^([\d.]+) (more|less) than (before|the counter)$`)

func (w *world) parsePrice(what string) (decimal.Decimal, error) {
	b := w.shopper
	switch what {
	case "the quoted price":
		quote, err := b.lastQuote(acp.Quoted)
		return quote.OfferedPrice, err
	case "the counter":
		quote, err := b.lastQuote(acp.CounterOffer)
		return quote.CounterPrice, err
	case "the bottom of the likely range":
		return b.Product.NegotiationHints.LikelyAcceptanceRange[0], nil
	case "what is hinted at":
		return w.hintedPrice()
	case "what stands":
		return b.latestQuote().CurrentPrice(), nil
	}
	parts := relativePrice.FindStringSubmatch(what)
	if parts == nil {
		return decimal.Parse(what)
	}
	step, err := decimal.Parse(parts[1])
	if err != nil {
		return step, err
	}
	if parts[2] == "less" {
		step = decimal.Decimal{}.Minus(step)
	}
	if parts[3] == "the counter" {
		quote, err := b.lastQuote(acp.CounterOffer)
		return quote.CounterPrice.Plus(step), err
	}
	return b.offers[len(b.offers)-1].Plus(step), nil
}

// hintedPrice returns the floor hint of the latest rejection. If there was none, it first makes the minimum offer, which the
// merchant rejects with a hint.
func (w *world) hintedPrice() (decimal.Decimal, error) {
	rejected, err := w.shopper.lastQuote(acp.Reject)
	if err != nil {
		if err := w.offersMinimum(); err != nil {
			return decimal.Decimal{}, err
		}
		rejected, err = w.shopper.lastQuote(acp.Reject)
	}
	if err != nil {
		return decimal.Decimal{}, err
	}
	return decimal.Parse(rejected.FloorHint)
}

// offersMinimum offers half of the lowest price that the shop's maximum discount allows, plus a cent.
func (w *world) offersMinimum() error {
	manifest, err := w.shopper.client.Manifest(w.ctx)
	if err != nil {
		return err
	}
	allowed := decimal.FromInt(100).Minus(manifest.Policies.MaxDiscountPercent)
	return w.offers(w.product.Price.Percent(allowed, 2).Over(2).Down(2).Plus(decimal.MustParse("0.01")).String())
}

func (w *world) makesCounteredOffer() error {
	if err := w.offers("what is hinted at"); err != nil {
		return err
	}
	return w.latestStatusIs(acp.CounterOffer)
}

func (w *world) makesOffers(n int, step string) error {
	if err := w.makesCounteredOffer(); err != nil {
		return err
	}
	for range n - 1 {
		if err := w.offers(step + " more than before"); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) offersConcurrently(price string, times int) {
	body := []byte(w.expand(`{"session_id": "$session", "quote_id": "$quote", "offer_price": ` + price + `}`))
	w.runConcurrently(times, func(int) error {
		response, err := w.shopper.client.Do(w.ctx, "POST", "/acp/quote", nil, body)
		if err == nil && !response.OK() {
			return acp.ErrorOf(response)
		}
		return err
	})
}

func (w *world) followsUpSaying(price string, characters int) error {
	offer, err := decimal.Parse(price)
	if err != nil {
		return err
	}
	return w.negotiate(func(b *shopper) { b.FollowUp(offer, strings.Repeat("a", characters)) })
}

func (w *world) anotherOffersSaying(message string) error {
	offers := w.shopper.offers
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return w.anotherOffers(offers[len(offers)-1].String(), `"message": `+string(text))
}

func (w *world) anotherOffersClaiming(claims, price string) error {
	return w.anotherOffers(price, `"buyer_context": `+claims)
}

// anotherOffers lets a new buyer open a negotiation with an additional field.
func (w *world) anotherOffers(price, field string) error {
	if err := w.startBuyer(); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": %s, %s}`, w.product.ID, price, field)
	return w.buyerSends("POST", "/acp/quote", body)
}

// othersHaggled lets n buyers at the same client address offer half of the list price, each in its own session. Then it
// starts the scenario's buyer.
func (w *world) othersHaggled(n int, name string) error {
	for range n {
		if err := w.arrivesLookingAt(name); err != nil {
			return err
		}
		if err := w.offers(w.product.Price.Over(2).String()); err != nil {
			return err
		}
	}
	return w.arrivesLookingAt(name)
}

// maxOffers is more than the offers after which any merchant names its final price.
const maxOffers = 12

// bargainsToEnd offers the hinted price, then a little more each time, and accepts the merchant's final price.
func (w *world) bargainsToEnd() error {
	if err := w.makesCounteredOffer(); err != nil {
		return err
	}
	for range maxOffers {
		switch {
		case w.shopper.Agreement != nil:
			return nil
		case !w.shopper.Quote.Offers("counter"):
			return w.offers("the counter")
		}
		if err := w.offers("0.5 more than before"); err != nil {
			return err
		}
	}
	return fmt.Errorf("no final price after %d offers", maxOffers)
}

func (w *world) hagglesLike(name string, from, upTo int) error {
	limits := buyer.Limits{
		Opening:     decimal.FromInt(int64(from)),
		Reservation: decimal.FromInt(int64(upTo)),
		Patience:    8,
	}
	strategy, err := buyer.StrategyNamed(name, limits)
	if err != nil {
		return err
	}
	return w.act(func(b *shopper) { b.Haggle(strategy) })
}

func percent(n int64) decimal.Decimal { return decimal.FromInt(n) }
