package live

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// sessions counts negotiations, to name them.
var sessions atomic.Int64

// Negotiation is one buyer's negotiation. Its session starts with the first offer.
type Negotiation struct {
	shop    *Shop
	name    string
	client  *acp.Client
	witness *simulator.Witness
	noted   int // breaches recorded so far

	item           Item
	session, quote string
	offers         int
	token          string // checkout token of the agreement
}

// Open returns a negotiation for a new buyer. The item must be in stock.
func (s *Shop) Open(item Item) *Negotiation {
	name := strconv.FormatInt(sessions.Add(1), 10)
	t := &Negotiation{
		shop:    s,
		name:    name,
		item:    item,
		witness: simulator.NewWitness(s.manifest),
	}
	t.client = acp.New(s.connection(name), s.project.Slug, t.witness.Saw)
	return t
}

// Offer makes an offer, and pays for an agreement if Config.Pay is set.
func (t *Negotiation) Offer(price int64) Answer {
	t.offers++
	answer, err := t.ask(price)
	if err == nil && answer.Kind == Accepted && t.shop.config.Pay {
		err = t.pay(t.shop.amount(answer.Price))
	}
	for _, b := range t.witness.Breaches()[t.noted:] {
		t.noted++
		t.shop.breach(b)
	}
	if err != nil {
		if t.shop.ctx.Err() == nil {
			t.shop.failure(fmt.Errorf("buyer %s, offer %d: %w", t.name, t.offers, err))
		}
		return Answer{Kind: NoAnswer}
	}
	return answer
}

func (t *Negotiation) ask(price int64) (Answer, error) {
	offer := t.shop.amount(price)
	request := acp.QuoteRequest{
		SessionID:  t.session,
		QuoteID:    t.quote,
		OfferPrice: &offer,
	}
	if t.quote == "" {
		request.ProductID, request.Quantity = t.shop.products[t.item], t.shop.pieces()
	}
	quote, err := t.client.Quote(t.shop.ctx, request, t.idempotencyKey(fmt.Sprint("offer-", t.offers)))
	if err != nil {
		return Answer{}, err
	}
	if quote.SessionID != "" {
		t.session = quote.SessionID
	}
	if quote.QuoteID != "" {
		t.quote = quote.QuoteID
	}
	return t.toAnswer(quote)
}

// idempotencyKey returns an idempotency key for a request, so that it can be repeated.
func (t *Negotiation) idempotencyKey(what string) acp.Option {
	return acp.IdempotencyKey(t.shop.idempotencyKey(t.name + "-" + what))
}

// toAnswer converts an answer to the market's types.
func (t *Negotiation) toAnswer(quote acp.Quote) (Answer, error) {
	price := minor(quote.CurrentPrice(), t.shop.places)
	last := len(quote.NextActions) > 0 && !quote.Offers("counter")
	switch quote.Status {
	case acp.Accept:
		t.token = quote.CheckoutToken
		return Answer{
			Kind:  Accepted,
			Price: minor(quote.FinalPrice, t.shop.places),
			Over:  true,
		}, nil
	case acp.CounterOffer:
		return Answer{
			Kind:  Countered,
			Price: price,
			Over:  last,
		}, nil
	case acp.Reject:
		hint, err := decimal.Parse(quote.FloorHint)
		return Answer{
			Kind:         Rejected,
			Price:        minor(hint, t.shop.places),
			CurrentPrice: price,
			Over:         last,
		}, err
	}
	return Answer{}, fmt.Errorf("an offer was answered by %q", quote.Status)
}
