package simulator

import (
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// The rules of negotiation, as far as a buyer can check them (features/PROTOCOL.md#negotiation). Their texts appear in
// the report.
const (
	ruleAcceptAtOffer    = "an accepted price is at most the offer"
	ruleAcceptAtList     = "no price is above list"
	ruleDiscountLimit    = "no price is below the discount limit"
	ruleAcceptNeedsBid   = "only an offer is accepted"
	ruleTokenOnAccept    = "an accepted quote has a checkout token"
	ruleCounterAbove     = "a counter exceeds the offer"
	ruleCounterAtList    = "a counter is at most the original price"
	ruleCountersFall     = "counters never rise"
	ruleCounterCommits   = "offering the counter is accepted"
	ruleRejectAboveOffer = "the price that stands after a rejection exceeds the offer"
	ruleRejectFalls      = "the price that stands never rises"
	ruleOfferRepeated    = "a counter repeats the offer it answers"
	ruleHintText         = "a floor hint is a plain number"
	ruleHintOnGrid       = "a floor hint lies on the grid of 2.5 % or 5 % of the list price, or above all of it"
	ruleHintConstant     = "the floor hint of a negotiation stays the same"
	ruleHintAboveOffer   = "a floor hint exceeds the rejected offer"
	ruleValidInFuture    = "valid_until is in the future"
	ruleDiscountText     = "a discount is a percentage with at most one decimal"
	ruleQuoteInCart      = "the cart shows accepted quotes"
	ruleCartSum          = "the cart's subtotal is the sum of its items"
	ruleHistoryComplete  = "the history holds every request"
)

func (w *Witness) checkQuote(request acp.QuoteRequest, answer acp.Quote, at time.Time) {
	l := w.lineOf(request, answer)
	w.answers[l.key.session]++
	if answer.QuoteID != "" {
		w.quotes[answer.QuoteID] = l
	}
	offer := request.OfferPrice
	committed := offer != nil && l.counter != nil && !offer.Less(*l.counter) && at.Before(l.until)
	w.require(!committed || answer.Status == acp.Accept || answer.Status == acp.Expired, ruleCounterCommits,
		"%s was countered, %s offered, the answer is %s", l.counter, offer, answer.Status)
	if answer.Status != acp.Expired {
		w.require(answer.ValidUntil.After(at), ruleValidInFuture, "the %s is valid until %s", answer.Status, answer.ValidUntil)
	}
	switch answer.Status {
	case acp.Accept:
		w.checkAccept(l, request, answer)
	case acp.CounterOffer:
		w.checkCounter(l, offer, answer)
	case acp.Reject:
		w.checkReject(l, offer, answer)
	case acp.Quoted:
		l.learnList(answer.ListPrice)
		w.checkPrice(l, answer.OfferedPrice)
	}
}

func (w *Witness) checkAccept(l *line, request acp.QuoteRequest, answer acp.Quote) {
	w.require(answer.CheckoutToken != "", ruleTokenOnAccept, "quote %s", answer.QuoteID)
	w.agreements = append(w.agreements, &agreement{
		line:   l,
		price:  answer.FinalPrice,
		token:  answer.CheckoutToken,
		bundle: request.AddBundle,
	})
	if request.AddBundle {
		return // the price may cover both items
	}
	if request.OfferPrice == nil {
		w.require(false, ruleAcceptNeedsBid, "at %s", answer.FinalPrice)
		return
	}
	w.require(!request.OfferPrice.Less(answer.FinalPrice), ruleAcceptAtOffer,
		"%s was offered, %s accepted", request.OfferPrice, answer.FinalPrice)
	l.whenListed(func() { w.checkPrice(l, answer.FinalPrice) })
}

// checkPrice checks a merchant's price against the line's list price, which must be known.
func (w *Witness) checkPrice(l *line, price decimal.Decimal) {
	w.require(!l.list.Less(price), ruleAcceptAtList, "%s, list %s", price, l.list)
	lowest := w.lowest(l.key.product, *l.list)
	w.require(!price.Less(lowest), ruleDiscountLimit, "%s of list %s, at least %s", price, l.list, lowest)
}

func (w *Witness) checkCounter(l *line, offer *decimal.Decimal, answer acp.Quote) {
	l.learnList(answer.OriginalPrice)
	counter := answer.CounterPrice
	if offer != nil {
		w.require(offer.Less(counter), ruleCounterAbove, "%s was offered, %s countered", offer, counter)
		w.require(*offer == answer.YourOffer, ruleOfferRepeated, "%s was offered, your_offer is %s", offer, answer.YourOffer)
	}
	w.require(!answer.OriginalPrice.Less(counter), ruleCounterAtList, "%s, original %s", counter, answer.OriginalPrice)
	lowest := w.lowest(l.key.product, answer.OriginalPrice)
	w.require(!counter.Less(lowest), ruleDiscountLimit, "counter %s of list %s, at least %s", counter, l.list, lowest)
	w.require(l.counter == nil || !l.counter.Less(counter), ruleCountersFall, "%s after %s", counter, l.counter)
	w.require(isPercent(answer.DiscountApplied), ruleDiscountText, "%q", answer.DiscountApplied)
	l.counter, l.until = &counter, answer.ValidUntil
}

func (w *Witness) checkReject(l *line, offer *decimal.Decimal, answer acp.Quote) {
	w.checkRejectPrice(l, offer, answer)
	hint, err := decimal.Parse(answer.FloorHint)
	w.require(err == nil, ruleHintText, "%q", answer.FloorHint)
	if err != nil {
		return
	}
	w.require(offer == nil || offer.Less(hint), ruleHintAboveOffer, "%s was offered, the hint is %s", offer, hint)
	w.require(l.hint == nil || *l.hint == hint, ruleHintConstant, "%s after %s", hint, l.hint)
	if l.hint == nil {
		l.hint = &hint
	}
	l.whenListed(func() {
		step := l.list.Step(40)
		on := hint.MultipleOf(step) || hint.MultipleOf(l.list.Step(20)) || !hint.Up(step).Less(*l.list)
		w.require(on, ruleHintOnGrid, "%s, list %s", hint, l.list)
		w.require(!l.list.Less(hint), ruleAcceptAtList, "hint %s, list %s", hint, l.list)
	})
}

// checkRejectPrice checks the price that a rejection offers. The client reports a missing price.
func (w *Witness) checkRejectPrice(l *line, offer *decimal.Decimal, answer acp.Quote) {
	price := answer.OfferedPrice
	if price.Sign() <= 0 {
		return
	}
	w.require(offer == nil || offer.Less(price), ruleRejectAboveOffer, "%s was offered, %s stands", offer, price)
	w.require(l.counter == nil || !l.counter.Less(price), ruleRejectFalls, "%s after %s", price, l.counter)
	l.whenListed(func() { w.checkPrice(l, price) })
	l.counter, l.until = &price, answer.ValidUntil
}

// checkSession compares the cart with the last accepted quote of each product.
func (w *Witness) checkSession(session acp.Session) {
	sum := decimal.Decimal{}
	for _, item := range session.Cart.Items {
		sum = sum.Plus(item.NegotiatedPrice.Times(int64(item.Quantity)))
	}
	w.require(sum == session.Cart.Subtotal, ruleCartSum, "%s, subtotal %s", sum, session.Cart.Subtotal)
	w.require(len(session.NegotiationHistory) >= w.answers[session.SessionID], ruleHistoryComplete,
		"%d entries for %d requests", len(session.NegotiationHistory), w.answers[session.SessionID])
	latest := map[string]*agreement{}
	for _, a := range w.agreements {
		if a.line.key.session == session.SessionID {
			latest[a.line.key.product+" "+a.line.key.variant] = a
		}
	}
	for _, a := range latest {
		w.require(a.bought || a.bundle || inCart(session, a), ruleQuoteInCart,
			"%d × %s at %s is not in it", a.line.key.quantity, a.line.key.product, a.price)
	}
}

func inCart(session acp.Session, a *agreement) bool {
	for _, item := range session.Cart.Items {
		if item.ProductID == a.line.key.product && item.Quantity == a.line.key.quantity && item.NegotiatedPrice == a.price {
			return true
		}
	}
	return false
}

// isPercent reports whether text is a percentage such as "12%" or "12.5%" (features/PROTOCOL.md#values).
func isPercent(text string) bool {
	digits, marked := strings.CutSuffix(text, "%")
	value, err := decimal.Parse(digits)
	_, fraction, _ := strings.Cut(digits, ".")
	return marked && err == nil && len(fraction) <= 1 && value.Sign() >= 0
}
