package features

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func (c *hagglingContext) wants(quantity int) error {
	return c.mustAct(func(b *shopper) {
		b.Want(quantity)
		b.quotes, b.offers = nil, nil
	})
}

// negotiate lets the buyer send a quote request and records the answer.
func (c *hagglingContext) negotiate(action func(b *shopper)) error {
	return c.act(func(b *shopper) {
		action(b)
		b.quotes = append(b.quotes, b.Quote)
		b.lastAnswer = c.recorder.last().value()
	})
}

func (c *hagglingContext) asksPrice() error { return c.negotiate(func(b *shopper) { b.AskPrice() }) }

// offers makes an offer. what is a price, or words for an earlier price, which parsePrice resolves.
func (c *hagglingContext) offers(what string) error {
	price, err := c.parsePrice(what)
	if err != nil {
		return err
	}
	return c.negotiate(func(b *shopper) { b.bid(price) })
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

func (c *hagglingContext) parsePrice(what string) (decimal.Decimal, error) {
	b := c.shopper
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
		return c.hintedPrice()
	case "the current price":
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
func (c *hagglingContext) hintedPrice() (decimal.Decimal, error) {
	rejected, err := c.shopper.lastQuote(acp.Reject)
	if err != nil {
		if err := c.offersMinimum(); err != nil {
			return decimal.Decimal{}, err
		}
		rejected, err = c.shopper.lastQuote(acp.Reject)
	}
	if err != nil {
		return decimal.Decimal{}, err
	}
	return decimal.Parse(rejected.FloorHint)
}

// offersMinimum offers half of the lowest price that the shop's maximum discount allows, plus a cent.
func (c *hagglingContext) offersMinimum() error {
	manifest, err := c.shopper.client.Manifest(c.ctx)
	if err != nil {
		return err
	}
	allowed := decimal.FromInt(100).Minus(manifest.Policies.MaxDiscountPercent)
	return c.offers(c.product.Price.Percent(allowed, 2).Over(2).Down(2).Plus(decimal.MustParse("0.01")).String())
}

func (c *hagglingContext) makesCounteredOffer() error {
	if err := c.offers("what is hinted at"); err != nil {
		return err
	}
	return c.latestStatusIs(acp.CounterOffer)
}

func (c *hagglingContext) makesOffers(n int, step string) error {
	if err := c.makesCounteredOffer(); err != nil {
		return err
	}
	for range n - 1 {
		if err := c.offers(step + " more than before"); err != nil {
			return err
		}
	}
	return nil
}

func (c *hagglingContext) offersConcurrently(price string, times int) {
	body := []byte(c.expand(`{"session_id": "$session", "quote_id": "$quote", "offer_price": ` + price + `}`))
	c.runConcurrently(times, func(int) error {
		response, err := c.shopper.client.Do(c.ctx, "POST", "/acp/quote", nil, body)
		if err == nil && !response.OK() {
			return acp.ErrorOf(response)
		}
		return err
	})
}

func (c *hagglingContext) offersForRemembered(price string) error {
	return c.buyerSends("POST", "/acp/quote", `{"session_id": "$session", "quote_id": "$remembered_quote", "offer_price": `+price+`}`)
}

func (c *hagglingContext) anotherOffersSaying(message string) error {
	offers := c.shopper.offers
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return c.anotherOffers(offers[len(offers)-1].String(), `"message": `+string(text))
}

// anotherOffersClaiming lets a new buyer make an offer, with claims in words.
func (c *hagglingContext) anotherOffersClaiming(words, price string) error {
	claims := map[string]any{}
	if err := addClaims(claims, words); err != nil {
		return err
	}
	text, err := json.Marshal(claims)
	if err != nil {
		return err
	}
	return c.anotherOffers(price, `"buyer_context": `+string(text))
}

// anotherOffers lets a new buyer open a negotiation with an additional field.
func (c *hagglingContext) anotherOffers(price, field string) error {
	if err := c.startBuyer(); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": %s, %s}`, c.product.ID, price, field)
	return c.buyerSends("POST", "/acp/quote", body)
}

// othersHaggled lets n buyers at the same client address offer half of the list price, each in its own session. Then it
// starts the scenario's buyer.
func (c *hagglingContext) othersHaggled(n int, name string) error {
	for range n {
		if err := c.buyers.arrivesLookingAt(name); err != nil {
			return err
		}
		if err := c.offers(c.product.Price.Over(2).String()); err != nil {
			return err
		}
	}
	return c.buyers.arrivesLookingAt(name)
}

// maxOffers is more than the offers after which any merchant names its final price.
const maxOffers = 12

// bargainsToEnd offers the hinted price, then a little more each time, and accepts the merchant's final price.
func (c *hagglingContext) bargainsToEnd() error {
	if err := c.makesCounteredOffer(); err != nil {
		return err
	}
	for range maxOffers {
		switch {
		case c.shopper.Agreement != nil:
			return nil
		case !c.shopper.Quote.Offers("counter"):
			return c.offers("the counter")
		}
		if err := c.offers("0.5 more than before"); err != nil {
			return err
		}
	}
	return fmt.Errorf("no final price after %d offers", maxOffers)
}

func (c *hagglingContext) hagglesLike(name string, from, upTo int) error {
	limits := buyer.Limits{
		Opening:     decimal.FromInt(int64(from)),
		Reservation: decimal.FromInt(int64(upTo)),
		Patience:    8,
	}
	strategy, err := buyer.StrategyNamed(name, limits)
	if err != nil {
		return err
	}
	return c.act(func(b *shopper) { b.Haggle(strategy) })
}

func percent(n int64) decimal.Decimal { return decimal.FromInt(n) }
