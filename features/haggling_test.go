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
	return w.must(func(b *shopper) {
		b.Want(quantity)
		b.quotes, b.offers = nil, nil
	})
}

// negotiate lets the buyer speak and notes the answer.
func (w *world) negotiate(verbs func(b *shopper)) error {
	return w.act(func(b *shopper) {
		verbs(b)
		b.quotes = append(b.quotes, b.Quote)
		b.heard = w.tape.last().value()
	})
}

func (w *world) asksPrice() error { return w.negotiate(func(b *shopper) { b.AskPrice() }) }

// offers understands prices, and words for prices that were heard before.
func (w *world) offers(what string) error {
	price, err := w.priceOf(what)
	if err != nil {
		return err
	}
	return w.negotiate(func(b *shopper) { b.bid(price) })
}

// bid follows the open quote up, or opens one.
func (b *shopper) bid(price decimal.Decimal) {
	b.offers = append(b.offers, price)
	switch b.latest().Status {
	case acp.Quoted, acp.CounterOffer, acp.Reject:
		b.FollowUp(price, "")
	default:
		b.Offer(price)
	}
}

func (b *shopper) latest() acp.Quote {
	if len(b.quotes) == 0 {
		return acp.Quote{}
	}
	return b.quotes[len(b.quotes)-1]
}

// last is the latest answer of a status.
func (b *shopper) last(status string) (acp.Quote, error) {
	for i := len(b.quotes) - 1; i >= 0; i-- {
		if b.quotes[i].Status == status {
			return b.quotes[i], nil
		}
	}
	return acp.Quote{}, fmt.Errorf("the buyer heard no %s", status)
}

var relative = regexp.MustCompile(`^([\d.]+) (more|less) than (before|the counter)$`)

func (w *world) priceOf(what string) (decimal.Decimal, error) {
	b := w.shopper
	switch what {
	case "the quoted price":
		quote, err := b.last(acp.Quoted)
		return quote.OfferedPrice, err
	case "the counter":
		quote, err := b.last(acp.CounterOffer)
		return quote.CounterPrice, err
	case "the bottom of the likely range":
		return b.Product.NegotiationHints.LikelyAcceptanceRange[0], nil
	case "what is hinted at":
		return w.hint()
	case "what stands":
		return b.latest().Standing(), nil
	}
	parts := relative.FindStringSubmatch(what)
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
		quote, err := b.last(acp.CounterOffer)
		return quote.CounterPrice.Plus(step), err
	}
	return b.offers[len(b.offers)-1].Plus(step), nil
}

// hint is what the merchant hints at; a buyer who knows it not finds out with the least offer that is a move.
func (w *world) hint() (decimal.Decimal, error) {
	rejected, err := w.shopper.last(acp.Reject)
	if err != nil {
		if err := w.offersTheLeast(); err != nil {
			return decimal.Decimal{}, err
		}
		rejected, err = w.shopper.last(acp.Reject)
	}
	if err != nil {
		return decimal.Decimal{}, err
	}
	return decimal.Parse(rejected.FloorHint)
}

// offersTheLeast offers half of what the shop may come down to, and a cent.
func (w *world) offersTheLeast() error {
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
	return w.heardStatus(acp.CounterOffer)
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

func (w *world) offersAtOnce(price string, times int) {
	body := []byte(w.expand(`{"session_id": "$session", "quote_id": "$quote", "offer_price": ` + price + `}`))
	w.atOnce(times, func(int) error {
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

// anotherOffers lets a new buyer open a negotiation with one field more.
func (w *world) anotherOffers(price, field string) error {
	if err := w.arrive(); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": %s, %s}`, w.product.ID, price, field)
	return w.buyerSends("POST", "/acp/quote", body)
}

// othersHaggled has other buyers at the same address offer half of the list price, each in a session of its own. The
// buyer comes after them.
func (w *world) othersHaggled(n int, name string) error {
	for range n {
		if err := w.looksAt(name); err != nil {
			return err
		}
		if err := w.offers(w.product.Price.Over(2).String()); err != nil {
			return err
		}
	}
	return w.looksAt(name)
}

// mostOffers is more than any merchant answers with anything but its final price.
const mostOffers = 12

// bargains offers what is hinted at, then a little more each time, and takes the merchant's final price.
func (w *world) bargains() error {
	if err := w.makesCounteredOffer(); err != nil {
		return err
	}
	for range mostOffers {
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
	return fmt.Errorf("no final price after %d offers", mostOffers)
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
