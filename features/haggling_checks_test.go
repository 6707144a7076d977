package features

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// hagglingContext negotiates prices, and checks the answers to offers.
type hagglingContext struct{ *scenario }

// latestStatusIs returns an error unless the buyer's latest quote has the status.
func (c *hagglingContext) latestStatusIs(status string) error {
	if c.refusal != nil {
		return c.refusal
	}
	if got := c.shopper.latestQuote().Status; got != status {
		return fmt.Errorf("the answer is %q", got)
	}
	return nil
}

// isPrice returns an error unless got equals the price want.
func isPrice(got decimal.Decimal, want string) error {
	if price, err := decimal.Parse(want); err != nil || got != price {
		return fmt.Errorf("it is %s", got)
	}
	return nil
}

func (c *hagglingContext) quotes(price string) error {
	return errors.Join(c.latestStatusIs(acp.Quoted), isPrice(c.shopper.latestQuote().OfferedPrice, price))
}

func between(got decimal.Decimal, from, to string) error {
	low, badLow := decimal.Parse(from)
	high, badHigh := decimal.Parse(to)
	if badLow != nil || badHigh != nil || got.Less(low) || high.Less(got) {
		return fmt.Errorf("it is %s", got)
	}
	return nil
}

func (c *hagglingContext) quotesTheSame() error {
	return c.quotes(c.shopper.quotes[0].OfferedPrice.String())
}

func (c *hagglingContext) quotesPersonalized() error {
	return c.quotes(c.shopper.Product.PersonalizedPrice.Price.String())
}

func (c *hagglingContext) acceptsAt(price string) error {
	return errors.Join(c.latestStatusIs(acp.Accept), isPrice(c.shopper.latestQuote().FinalPrice, price))
}

func (c *hagglingContext) acceptsAtCounter() error {
	counter, err := c.shopper.lastQuote(acp.CounterOffer)
	return errors.Join(err, c.acceptsAt(counter.CounterPrice.String()))
}

func (c *hagglingContext) acceptsOffer() error {
	return c.acceptsAt(c.shopper.offers[len(c.shopper.offers)-1].String())
}

func (c *hagglingContext) countersAbove() error {
	offer, counter := c.shopper.offers[len(c.shopper.offers)-1], c.shopper.latestQuote()
	if err := c.latestStatusIs(acp.CounterOffer); err != nil {
		return err
	}
	if !offer.Less(counter.CounterPrice) || counter.YourOffer != offer {
		return fmt.Errorf("%s is countered with %s, as an answer to %s", offer, counter.CounterPrice, counter.YourOffer)
	}
	return nil
}

func (c *hagglingContext) countersAt(price string) error {
	return errors.Join(c.latestStatusIs(acp.CounterOffer), isPrice(c.shopper.latestQuote().CounterPrice, price))
}

// counters returns the counter-offers that the buyer got, oldest first.
func (b *shopper) counters() []acp.Quote {
	var counters []acp.Quote
	for _, quote := range b.quotes {
		if quote.Status == acp.CounterOffer {
			counters = append(counters, quote)
		}
	}
	return counters
}

func (c *hagglingContext) countersTheSame() error {
	counters := c.shopper.counters()
	if err := c.latestStatusIs(acp.CounterOffer); err != nil || len(counters) < 2 {
		return fmt.Errorf("%d counters: %w", len(counters), errOr(err, "too few"))
	}
	before := counters[len(counters)-2].CounterPrice
	return isPrice(counters[len(counters)-1].CounterPrice, before.String())
}

func (c *hagglingContext) rejects() error { return c.latestStatusIs(acp.Reject) }

func (c *hagglingContext) rejectsAtPrice(price string) error {
	return errors.Join(c.rejects(), isPrice(c.shopper.latestQuote().OfferedPrice, price))
}

func (c *hagglingContext) rejectsHinting(hint string) error {
	if got := c.shopper.latestQuote().FloorHint; got != hint {
		return errors.Join(c.rejects(), fmt.Errorf("it hints at %q", got))
	}
	return c.rejects()
}

func (c *hagglingContext) doesNotReject() error {
	if c.rejects() == nil {
		return errors.New("it does")
	}
	return c.refusal
}

func (c *hagglingContext) countersFall() error {
	counters := c.shopper.counters()
	for i := 1; i < len(counters); i++ {
		if counters[i-1].CounterPrice.Less(counters[i].CounterPrice) {
			return fmt.Errorf("%s after %s", counters[i].CounterPrice, counters[i-1].CounterPrice)
		}
	}
	if len(counters) < 2 {
		return fmt.Errorf("only %d offers were countered", len(counters))
	}
	return nil
}

func (c *hagglingContext) onlyLastIsFinal() error {
	counters := c.shopper.counters()
	for i, counter := range counters {
		if last := i == len(counters)-1; counter.Offers("counter") == last {
			return fmt.Errorf("counter %d of %d has the next actions %v", i+1, len(counters), counter.NextActions)
		}
	}
	return c.latestStatusIs(acp.CounterOffer)
}

func (c *hagglingContext) isFinal() error {
	if latest := c.shopper.latestQuote(); latest.Offers("counter") || !latest.Offers("accept") {
		return fmt.Errorf("the next actions are %v", latest.NextActions)
	}
	return nil
}

func (c *hagglingContext) hintsBetween(step int, from, to string) error {
	hint, err := decimal.Parse(c.shopper.latestQuote().FloorHint)
	if err == nil && !hint.MultipleOf(decimal.FromInt(int64(step))) {
		err = fmt.Errorf("it is %s", hint)
	}
	return errors.Join(err, between(hint, from, to))
}

func (c *hagglingContext) hintStays() error {
	hints := map[string]int{}
	for _, quote := range c.shopper.quotes {
		if quote.Status == acp.Reject {
			hints[quote.FloorHint]++
		}
	}
	for _, times := range hints {
		if len(hints) == 1 && times > 1 {
			return nil
		}
	}
	return fmt.Errorf("the hints are %v", hints)
}

// fieldIsBelowFirstBuyers checks by how much a price in the current buyer's latest answer is below the previous buyer's.
func (c *hagglingContext) fieldIsBelowFirstBuyers(field, by string) error {
	if c.refusal != nil {
		return c.refusal
	}
	var prices [2]decimal.Decimal
	for i, b := range []*shopper{c.previousShopper, c.shopper} {
		value, _ := valueAt(b.lastAnswer, field)
		price, err := decimal.Parse(fmt.Sprint(value))
		if err != nil {
			return fmt.Errorf("%s is %v: %w", field, value, err)
		}
		prices[i] = price
	}
	return isPrice(prices[0].Minus(prices[1]), by)
}

// bothBuyersGetSameAnswer compares the two buyers' latest answers without ids, tokens and times.
func (c *hagglingContext) bothBuyersGetSameAnswer() error {
	if c.refusal != nil {
		return c.refusal
	}
	first, second := withoutIDs(c.previousShopper.lastAnswer), withoutIDs(c.shopper.lastAnswer)
	if first == nil || !equalJSON(first, second) {
		return fmt.Errorf("%s and %s", encode(first), encode(second))
	}
	return nil
}

func withoutIDs(value any) any {
	answer, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	answer = maps.Clone(answer)
	for _, own := range []string{"session_id", "quote_id", "valid_until", "checkout_token"} {
		delete(answer, own)
	}
	return answer
}

func (c *hagglingContext) agreedPriceIs(comparison, price string) error {
	if c.shopper.Agreement == nil {
		return errors.New("nothing is agreed")
	}
	got := c.shopper.Agreement.UnitPrice
	limit, err := decimal.Parse(price)
	if err == nil && got.Less(limit) != (comparison == "below") {
		err = fmt.Errorf("it is %s", got)
	}
	return err
}

func (c *hagglingContext) haveAgreed(outcome string) error {
	if agreed := c.shopper.Agreement != nil; agreed != (outcome == "agree") {
		return fmt.Errorf("agreed: %v, the answer was %s", agreed, c.shopper.Quote.Status)
	}
	return nil
}

func (c *hagglingContext) suggestsBundle(name string) error {
	if bundle := c.shopper.Quote.BundleSuggestion; bundle == nil || bundle.Name != name || bundle.ProductID != c.products[name].ID {
		return fmt.Errorf("it suggests %+v", bundle)
	}
	return c.latestStatusIs(acp.CounterOffer)
}

func (c *hagglingContext) suggestsNoBundle() error {
	if bundle := c.shopper.Quote.BundleSuggestion; bundle != nil || c.shopper.Quote.Offers("add_bundle") {
		return fmt.Errorf("it suggests %+v", bundle)
	}
	return c.latestStatusIs(acp.CounterOffer)
}

func (c *hagglingContext) bundleAddsUp() error {
	counter, bundle := c.shopper.Quote, c.shopper.Quote.BundleSuggestion
	total := counter.CounterPrice.Plus(bundle.BundlePrice)
	saved := counter.OriginalPrice.Plus(bundle.RegularPrice).Minus(total)
	return errors.Join(isPrice(bundle.BundleTotal, total.String()), isPrice(bundle.TotalSavings, saved.String()))
}

// answerIsValidFor allows a minute for the time that the request took.
func (c *hagglingContext) answerIsValidFor(minutes int) error {
	text, _ := valueAt(c.recorder.last().value(), "valid_until")
	written, _ := text.(string)
	until, err := time.Parse(time.RFC3339, written)
	left := time.Until(until)
	if promised := time.Duration(minutes) * time.Minute; err == nil && (left > promised || left < promised-time.Minute) {
		err = fmt.Errorf("it is valid for %s", left)
	}
	return err
}

func (c *hagglingContext) sessionOutlivesAnswer() error {
	answer := c.shopper.latestQuote()
	err := c.mustAct(func(b *shopper) { b.ReadSession() })
	if end := c.shopper.Session.ExpiresAt; err == nil && end.Before(answer.ValidUntil) {
		err = fmt.Errorf("it ends at %s, the answer at %s", end, answer.ValidUntil)
	}
	return err
}

func (c *hagglingContext) readSession() (acp.Session, error) {
	err := c.mustAct(func(b *shopper) { b.ReadSession() })
	return c.shopper.Session, err
}

func (c *hagglingContext) cartHolds(quantity int, name, which string) error {
	session, err := c.readSession()
	if err != nil {
		return err
	}
	for _, item := range session.Cart.Items {
		if item.Name == name && item.Quantity == quantity {
			return isPrice(item.NegotiatedPrice, c.agreedPrice(which).String())
		}
	}
	return fmt.Errorf("it holds %+v", session.Cart.Items)
}

// agreedPrice returns the agreed unit price, or the price of the agreed bundle.
func (c *hagglingContext) agreedPrice(which string) decimal.Decimal {
	if which == "bundle" {
		return c.shopper.Agreement.Bundle.BundlePrice
	}
	return c.shopper.Agreement.UnitPrice
}

func (c *hagglingContext) cartSizeIs(want int) error {
	session, err := c.readSession()
	if err == nil && len(session.Cart.Items) != want {
		err = fmt.Errorf("it holds %+v", session.Cart.Items)
	}
	return err
}
