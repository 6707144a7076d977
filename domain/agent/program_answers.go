package agent

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// What handlers look at and answer with. All prices are per unit.

// Past is what was said in the session so far, oldest first.
func (s Scene) Past(ctx context.Context) ([]negotiation.Entry, error) {
	if s.History == nil {
		return nil, nil
	}
	return s.History(ctx)
}

// List, Target and Floor are the item's bounds in this talk: what it costs without haggling, what to settle at with a
// first offer, and below what nothing is sold. A buyer never reads the latter two.
func (in QuoteInput) List() money.Amount   { return in.Table.Bounds.List() }
func (in QuoteInput) Target() money.Amount { return in.Table.Bounds.Target() }
func (in QuoteInput) Floor() money.Amount  { return in.Table.Bounds.Floor() }

// Standing is the price that the shop stands by: its lowest so far, else the opening. No answer can ask for more.
func (in QuoteInput) Standing() money.Amount {
	if counter := in.Table.Progress.Counter; counter.IsPositive() {
		return counter
	}
	return in.Table.Bounds.Opening()
}

// Offers reports whether the buyer offers at least the price.
func (in QuoteInput) Offers(price money.Amount) bool {
	offer := in.Offer()
	return offer != nil && offer.Currency() == price.Currency() && offer.Minor() >= price.Minor()
}

// House is what the rules of the policy decide.
func (in QuoteInput) House() QuoteAnswer { return QuoteAnswer{Decision: negotiation.Decide(in.Table)} }

// Accept takes the offer, at most the list price. Without an offer the house answers.
func (in QuoteInput) Accept() QuoteAnswer {
	price := in.List()
	switch offer := in.Offer(); {
	case offer == nil:
		return in.House()
	case !in.Offers(price):
		price = *offer
	}
	return QuoteAnswer{Decision: negotiation.Accepted{Price: price, By: negotiation.AgentAnswer}}
}

// Counter asks for a price, which answers a question of the price too. An offer of as much is accepted.
func (in QuoteInput) Counter(price money.Amount) QuoteAnswer {
	switch {
	case in.Offer() == nil:
		return QuoteAnswer{Decision: negotiation.Quoted{Price: price, By: negotiation.AgentAnswer}}
	case in.Offers(price):
		return in.Accept()
	}
	last := in.Table.Progress.Rounds+1 >= in.Table.Terms.RoundCap
	return QuoteAnswer{Decision: negotiation.Countered{
		Price: price,
		Final: last,
		By:    negotiation.AgentAnswer,
	}}
}

// Say is the answer with words for the buyer, Because with the reasoning behind it.
func (a QuoteAnswer) Say(message string) QuoteAnswer       { a.Message = message; return a }
func (a QuoteAnswer) Because(reasoning string) QuoteAnswer { a.Reasoning = reasoning; return a }

// All are the candidates as they are.
func (in SearchInput) All() SearchAnswer { return SearchAnswer{in.Candidates} }

// Only are the candidates that pass, in their order. Total and facets still count all that match.
func (in SearchInput) Only(passes func(catalog.Hit) bool) SearchAnswer {
	found := in.Candidates
	found.Hits = slices.DeleteFunc(slices.Clone(found.Hits), func(h catalog.Hit) bool { return !passes(h) })
	return SearchAnswer{found}
}

// Consent lets a checkout or a payment go on.
func Consent() Verdict { return Verdict{} }

// Refuse stops it, for a reason that the buyer will read.
func Refuse(reason string) Verdict { return Verdict{Refused, reason} }

// AskReview stops it until a person of the shop has looked at it, for a reason that the buyer will read. A protocol that
// can, sends the buyer to that person; in others it is a refusal.
func AskReview(reason string) Verdict { return Verdict{InReview, reason} }

// PercentOff is a price less so many percent of it, rounded up: PercentOff(19.99 USD, 15) is 17.00 USD. Less than
// nothing off is nothing, more than everything is everything.
func PercentOff(price money.Amount, percent int) money.Amount {
	return between(price, money.Zero(price.Currency()), int64(min(max(percent, 0), 100)))
}

// Halfway is the middle of two prices of one currency, rounded in favour of the first: from 100.00 towards 85.01 it is
// 92.51. Of two currencies it is the first price.
func Halfway(from, towards money.Amount) money.Amount {
	return between(from, towards, 50)
}

// between goes so many percent of the way from one price to another of its currency.
func between(from, to money.Amount, percent int64) money.Amount {
	way, err := to.Sub(from)
	if err == nil {
		way, err = way.Share(percent, 100, money.Down)
	}
	if err != nil {
		return from
	}
	return money.Of(from.Minor()+way.Minor(), from.Currency())
}
