package agent

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// This file has the prices that handlers read and the answers that they return. All prices are per unit.

// Past returns the session's negotiation entries so far, oldest first.
func (s Scene) Past(ctx context.Context) ([]negotiation.Entry, error) {
	if s.History == nil {
		return nil, nil
	}
	return s.History(ctx)
}

// List, Target and Floor are the item's bounds in this negotiation: the price without haggling, the price to settle at
// on a first offer, and the lowest price. A buyer never sees the latter two.
func (in QuoteInput) List() money.Amount   { return in.Table.Bounds.List() }
func (in QuoteInput) Target() money.Amount { return in.Table.Bounds.Target() }
func (in QuoteInput) Floor() money.Amount  { return in.Table.Bounds.Floor() }

// CurrentPrice returns the current price, which the shop is committed to: its lowest so far, or else the opening price. No
// answer can ask for more.
func (in QuoteInput) CurrentPrice() money.Amount {
	if counter := in.Table.Progress.Counter; counter.IsPositive() {
		return counter
	}
	return in.Table.Bounds.Opening()
}

// Offers reports whether the buyer offers at least price.
func (in QuoteInput) Offers(price money.Amount) bool {
	offer := in.Offer()
	return offer != nil && offer.Currency() == price.Currency() && offer.Minor() >= price.Minor()
}

// House returns the answer of the policy's rules.
func (in QuoteInput) House() QuoteAnswer { return QuoteAnswer{Decision: negotiation.Decide(in.Table)} }

// Accept accepts the offer, at the list price at most. Without an offer it returns House.
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

// Counter asks for price. Without an offer it quotes price, and an offer of at least price is accepted.
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

// Say adds a message to the buyer, and Because adds the reasoning behind the answer.
func (a QuoteAnswer) Say(message string) QuoteAnswer       { a.Message = message; return a }
func (a QuoteAnswer) Because(reasoning string) QuoteAnswer { a.Reasoning = reasoning; return a }

// All returns all candidates.
func (in SearchInput) All() SearchAnswer { return SearchAnswer{in.Candidates} }

// Only returns the candidates that pass, in their order. Total and facets still count all matches.
func (in SearchInput) Only(passes func(catalog.Hit) bool) SearchAnswer {
	found := in.Candidates
	found.Hits = slices.DeleteFunc(slices.Clone(found.Hits), func(h catalog.Hit) bool { return !passes(h) })
	return SearchAnswer{found}
}

// Consent lets a checkout or a payment go on.
func Consent() Verdict { return Verdict{} }

// Refuse stops a checkout or a payment. The buyer reads the reason.
func Refuse(reason string) Verdict { return Verdict{Refused, reason} }

// AskReview stops a checkout or a payment until a person of the shop has reviewed it. The buyer reads the reason. Over
// protocols that support it the buyer is sent to that person; over others it is a refusal.
func AskReview(reason string) Verdict { return Verdict{InReview, reason} }

// PercentOff returns price less percent of it, rounded up: PercentOff(19.99 USD, 15) is 17.00 USD. A percent below 0
// counts as 0, and one above 100 as 100.
func PercentOff(price money.Amount, percent int) money.Amount {
	return between(price, money.Zero(price.Currency()), int64(min(max(percent, 0), 100)))
}

// Halfway returns the middle of two prices of one currency, rounded in favour of the first: from 100.00 towards 85.01
// it is 92.51. It returns from if the currencies differ.
func Halfway(from, towards money.Amount) money.Amount {
	return between(from, towards, 50)
}

// between returns the price that lies percent of the way between two prices of one currency.
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
