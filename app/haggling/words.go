package haggling

import (
	"fmt"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// words returns the texts for a decision: the agent's if it wrote any, else built-in ones.
func words(a Answer, proposal agent.QuoteAnswer) (reasoning, message string) {
	reasoning, message = builtinWords(a)
	if proposal.Reasoning != "" {
		reasoning = proposal.Reasoning
	}
	if proposal.Message != "" {
		message = proposal.Message
	}
	return reasoning, message
}

func builtinWords(a Answer) (reasoning, message string) {
	agreed, ok := a.Decision.(negotiation.Accepted)
	if !ok {
		return a.Why, ""
	}
	message = fmt.Sprintf("Agreed: %s each for %d × %s.", agent.FormatAmount(agreed.Price), a.Quote.Item.Quantity, a.Product.Name)
	if a.Quote.WithBundle {
		message += fmt.Sprintf(" With it, 1 × %s at %s.", a.Quote.Bundle.Name, agent.FormatAmount(a.Quote.Bundle.Price))
	}
	return "", message + " " + a.Why
}

// public is what the buyer knows once it has an answer. Neither floor nor rule is part of it, so that nothing that follows
// from it reveals them (features/PROTOCOL.md#negotiation).
type public struct {
	list  money.Amount
	named money.Amount // the lowest price that the shop had named for the item; zero: none
	best  money.Amount // the buyer's last offer that counted as a move; zero: none
	offer *money.Amount

	outcome negotiation.Outcome
	price   money.Amount
	hint    money.Amount // of a rejection
	final   bool
}

// publicOf returns what the buyer knows after the decision.
func publicOf(t negotiation.Table, d negotiation.Decision, final bool) public {
	p := public{
		list:    t.Bounds.List(),
		named:   t.Progress.Counter,
		best:    t.Progress.BestOffer,
		offer:   t.Offer,
		outcome: d.Outcome(),
		price:   *negotiation.PriceIn(d),
		final:   final,
	}
	if rejected, ok := d.(negotiation.Rejected); ok {
		p.hint = rejected.Hint
	}
	return p
}

// why explains an answer to the buyer in a sentence, without names. It has no number but the answer's price, so that no text
// needs to be read for a number.
func (p public) why() string {
	switch p.outcome {
	case negotiation.OutcomeQuoted:
		return p.whyQuoted()
	case negotiation.OutcomeAccepted:
		return p.whyAccepted()
	case negotiation.OutcomeRejected:
		if p.hint == p.list {
			return "We do not negotiate about this item: it is sold at its price of " + agent.FormatAmount(p.price) + "."
		}
		return "The offer is too low; " + p.movement() + "."
	}
	return capital(p.movement()) + "."
}

func (p public) whyQuoted() string {
	text := "The list price is " + agent.FormatAmount(p.price)
	switch {
	case p.named.IsPositive() && p.price == p.named:
		text = "Our price is still " + agent.FormatAmount(p.price)
	case p.price != p.list:
		text = "Our price is " + agent.FormatAmount(p.price) + ", which is below the list price"
	}
	if p.final {
		return text + ", and it is final."
	}
	return text + ", and an offer may lower it."
}

func (p public) whyAccepted() string {
	switch {
	case p.offer.Minor() > p.price.Minor():
		return "You pay no more than the list price."
	case p.named.IsPositive() && p.offer.Minor() >= p.named.Minor():
		return "We accept because your offer is at least the price that we named."
	case *p.offer == p.list:
		return "We accept because you offer the list price."
	case p.named.IsPositive():
		return "We accept because your offer is close enough to the price that we named."
	}
	return "We accept because your offer is close enough to our price."
}

// movement says how the price moved, and why.
func (p public) movement() string {
	price, reason, end := agent.FormatAmount(p.price), " because you raised your offer", ""
	if !p.best.IsPositive() {
		reason = " in answer to your offer"
	}
	if p.final {
		end = ", which is final"
	}
	switch {
	case !p.named.IsPositive() && p.price.Minor() < p.list.Minor():
		return "our price is " + price + ", which is below the list price" + end
	case p.named.IsPositive() && p.price.Minor() < p.named.Minor() && p.raised():
		return "the price came down to " + price + reason + end
	case p.named.IsPositive() && p.price.Minor() < p.named.Minor():
		return "the price came down to " + price + end
	case p.final:
		return "our final price is " + price
	case !p.raised():
		return "our price stays at " + price + " because your offer did not rise by at least a hundredth of the list price"
	}
	return "our price stays at " + price + ", and a higher offer may lower it"
}

// raised reports whether the offer is far enough above the last one that counted to count as well: see
// negotiation.Bounds.Moves. Without an earlier one it is.
func (p public) raised() bool {
	return !p.best.IsPositive() || p.offer.Minor()-p.best.Minor() >= max(p.list.Minor()/100, 1)
}

func capital(text string) string { return string(text[0]-'a'+'A') + text[1:] }
