// Package clearance is an example of a custom negotiator agent, for a shop that clears its stock. A server runs it only
// if it is among the server's programs.
package clearance

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// Program binds the agent to its events. The built-in agent serves finalize.
var Program = agent.MustProgram("clearance",
	agent.OnACPEvent(agent.Search, clearance{}.Search),
	agent.OnACPEvent(agent.Quote, clearance{few: 5}.Quote,
		agent.ValidateInput("offer", agent.Number, agent.Min(1)),
		agent.ValidateInput("quantity", agent.Integer, agent.Required, agent.Max(20)),
	),
	agent.OnACPEvent(agent.Checkout, clearance{}.Checkout),
)

// clearance is the agent. It is shared by all buyers, so it stores nothing about any of them.
type clearance struct{ few int }

// Search returns the products that are in stock.
func (clearance) Search(_ context.Context, in agent.SearchInput) (agent.SearchAnswer, error) {
	return in.Only(func(hit catalog.Hit) bool { return hit.InStock }), nil
}

// Quote opens with a tenth off, accepts offers of at most a quarter off, and counters others halfway.
func (c clearance) Quote(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	offer := in.Offer()
	switch {
	case in.Signals.Stock <= c.few: // nothing to clear
		return in.House(), nil
	case offer == nil:
		return in.Counter(agent.PercentOff(in.List(), 10)).Say("Everything must go. What do you offer?"), nil
	case in.Offers(agent.PercentOff(in.List(), 25)):
		return in.Accept().Say("It is yours."), nil
	}
	return in.Counter(agent.Halfway(in.CurrentPrice(), *offer)).Because("Met halfway.").Say("Let us meet halfway."), nil
}

// Checkout refuses quantities for resale.
func (clearance) Checkout(_ context.Context, in agent.CheckoutInput) (agent.Verdict, error) {
	pieces := 0
	for _, line := range in.Lines {
		pieces += line.Quantity
	}
	if pieces > 50 {
		return agent.Refuse("We sell at most 50 pieces at once."), nil
	}
	return agent.Consent(), nil
}
