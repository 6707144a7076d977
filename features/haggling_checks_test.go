package features

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// latestStatusIs returns an error unless the buyer's latest quote has the status.
func (w *world) latestStatusIs(status string) error {
	if w.refusal != nil {
		return w.refusal
	}
	if got := w.shopper.latestQuote().Status; got != status {
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

func (w *world) quotes(price string) error {
	return errors.Join(w.latestStatusIs(acp.Quoted), isPrice(w.shopper.latestQuote().OfferedPrice, price))
}

func (w *world) quotesBetween(from, to string) error {
	return errors.Join(w.latestStatusIs(acp.Quoted), between(w.shopper.latestQuote().OfferedPrice, from, to))
}

func between(got decimal.Decimal, from, to string) error {
	low, badLow := decimal.Parse(from)
	high, badHigh := decimal.Parse(to)
	if badLow != nil || badHigh != nil || got.Less(low) || high.Less(got) {
		return fmt.Errorf("it is %s", got)
	}
	return nil
}

func (w *world) quotesTheSame() error { return w.quotes(w.shopper.quotes[0].OfferedPrice.String()) }

func (w *world) quotesPersonalized() error {
	return w.quotes(w.shopper.Product.PersonalizedPrice.Price.String())
}

func (w *world) acceptsAt(price string) error {
	return errors.Join(w.latestStatusIs(acp.Accept), isPrice(w.shopper.latestQuote().FinalPrice, price))
}

func (w *world) acceptsAtCounter() error {
	counter, err := w.shopper.lastQuote(acp.CounterOffer)
	return errors.Join(err, w.acceptsAt(counter.CounterPrice.String()))
}

func (w *world) acceptsOffer() error {
	return w.acceptsAt(w.shopper.offers[len(w.shopper.offers)-1].String())
}

func (w *world) countersAbove() error {
	offer, counter := w.shopper.offers[len(w.shopper.offers)-1], w.shopper.latestQuote()
	if err := w.latestStatusIs(acp.CounterOffer); err != nil {
		return err
	}
	if !offer.Less(counter.CounterPrice) || counter.YourOffer != offer {
		return fmt.Errorf("%s is countered with %s, as an answer to %s", offer, counter.CounterPrice, counter.YourOffer)
	}
	return nil
}

func (w *world) countersAt(price string) error {
	return errors.Join(w.latestStatusIs(acp.CounterOffer), isPrice(w.shopper.latestQuote().CounterPrice, price))
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

func (w *world) countersTheSame() error {
	counters := w.shopper.counters()
	if err := w.latestStatusIs(acp.CounterOffer); err != nil || len(counters) < 2 {
		return fmt.Errorf("%d counters: %w", len(counters), errOr(err, "too few"))
	}
	before := counters[len(counters)-2].CounterPrice
	return isPrice(counters[len(counters)-1].CounterPrice, before.String())
}

func (w *world) rejects() error { return w.latestStatusIs(acp.Reject) }

func (w *world) rejectsAtPrice(price string) error {
	return errors.Join(w.rejects(), isPrice(w.shopper.latestQuote().OfferedPrice, price))
}

func (w *world) rejectsHinting(hint string) error {
	if got := w.shopper.latestQuote().FloorHint; got != hint {
		return errors.Join(w.rejects(), fmt.Errorf("it hints at %q", got))
	}
	return w.rejects()
}

func (w *world) doesNotReject() error {
	if w.rejects() == nil {
		return errors.New("it does")
	}
	return w.refusal
}

func (w *world) countersFall() error {
	counters := w.shopper.counters()
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

func (w *world) onlyLastIsFinal() error {
	counters := w.shopper.counters()
	for i, counter := range counters {
		if last := i == len(counters)-1; counter.Offers("counter") == last {
			return fmt.Errorf("counter %d of %d has the next actions %v", i+1, len(counters), counter.NextActions)
		}
	}
	return w.latestStatusIs(acp.CounterOffer)
}

func (w *world) isFinal() error {
	if latest := w.shopper.latestQuote(); latest.Offers("counter") || !latest.Offers("accept") {
		return fmt.Errorf("the next actions are %v", latest.NextActions)
	}
	return nil
}

func (w *world) hintsBetween(step int, from, to string) error {
	hint, err := decimal.Parse(w.shopper.latestQuote().FloorHint)
	if err == nil && !hint.MultipleOf(decimal.FromInt(int64(step))) {
		err = fmt.Errorf("it is %s", hint)
	}
	return errors.Join(err, between(hint, from, to))
}

func (w *world) hintStays() error {
	hints := map[string]int{}
	for _, quote := range w.shopper.quotes {
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
func (w *world) fieldIsBelowFirstBuyers(field, by string) error {
	if w.refusal != nil {
		return w.refusal
	}
	var prices [2]decimal.Decimal
	for i, b := range []*shopper{w.previousShopper, w.shopper} {
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
func (w *world) bothBuyersGetSameAnswer() error {
	if w.refusal != nil {
		return w.refusal
	}
	first, second := withoutIDs(w.previousShopper.lastAnswer), withoutIDs(w.shopper.lastAnswer)
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

func (w *world) agreedPriceIs(comparison, price string) error {
	if w.shopper.Agreement == nil {
		return errors.New("nothing is agreed")
	}
	got := w.shopper.Agreement.UnitPrice
	limit, err := decimal.Parse(price)
	if err == nil && got.Less(limit) != (comparison == "below") {
		err = fmt.Errorf("it is %s", got)
	}
	return err
}

func (w *world) haveAgreed(outcome string) error {
	if agreed := w.shopper.Agreement != nil; agreed != (outcome == "agree") {
		return fmt.Errorf("agreed: %v, the answer was %s", agreed, w.shopper.Quote.Status)
	}
	return nil
}

func (w *world) suggestsBundle(name string) error {
	if bundle := w.shopper.Quote.BundleSuggestion; bundle == nil || bundle.Name != name || bundle.ProductID != w.products[name].ID {
		return fmt.Errorf("it suggests %+v", bundle)
	}
	return w.latestStatusIs(acp.CounterOffer)
}

func (w *world) suggestsNoBundle() error {
	if bundle := w.shopper.Quote.BundleSuggestion; bundle != nil || w.shopper.Quote.Offers("add_bundle") {
		return fmt.Errorf("it suggests %+v", bundle)
	}
	return w.latestStatusIs(acp.CounterOffer)
}

func (w *world) bundleAddsUp() error {
	counter, bundle := w.shopper.Quote, w.shopper.Quote.BundleSuggestion
	total := counter.CounterPrice.Plus(bundle.BundlePrice)
	saved := counter.OriginalPrice.Plus(bundle.RegularPrice).Minus(total)
	return errors.Join(isPrice(bundle.BundleTotal, total.String()), isPrice(bundle.TotalSavings, saved.String()))
}

// answerIsValidFor allows a minute for the time that the request took.
func (w *world) answerIsValidFor(minutes int) error {
	text, _ := valueAt(w.recorder.last().value(), "valid_until")
	written, _ := text.(string)
	until, err := time.Parse(time.RFC3339, written)
	left := time.Until(until)
	if promised := time.Duration(minutes) * time.Minute; err == nil && (left > promised || left < promised-time.Minute) {
		err = fmt.Errorf("it is valid for %s", left)
	}
	return err
}

func (w *world) sessionOutlivesAnswer() error {
	answer := w.shopper.latestQuote()
	err := w.mustAct(func(b *shopper) { b.ReadSession() })
	if end := w.shopper.Session.ExpiresAt; err == nil && end.Before(answer.ValidUntil) {
		err = fmt.Errorf("it ends at %s, the answer at %s", end, answer.ValidUntil)
	}
	return err
}

func (w *world) readSession() (acp.Session, error) {
	err := w.mustAct(func(b *shopper) { b.ReadSession() })
	return w.shopper.Session, err
}

func (w *world) cartHolds(quantity int, name, which string) error {
	session, err := w.readSession()
	if err != nil {
		return err
	}
	for _, item := range session.Cart.Items {
		if item.Name == name && item.Quantity == quantity {
			return isPrice(item.NegotiatedPrice, w.agreedPrice(which).String())
		}
	}
	return fmt.Errorf("it holds %+v", session.Cart.Items)
}

// agreedPrice returns the agreed unit price, or the price of the agreed bundle.
func (w *world) agreedPrice(which string) decimal.Decimal {
	if which == "bundle" {
		return w.shopper.Agreement.Bundle.BundlePrice
	}
	return w.shopper.Agreement.UnitPrice
}

func (w *world) cartSizeIs(want int) error {
	session, err := w.readSession()
	if err == nil && len(session.Cart.Items) != want {
		err = fmt.Errorf("it holds %+v", session.Cart.Items)
	}
	return err
}
