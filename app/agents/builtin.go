package agents

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/agent"
)

// Builtin is the house's agent: it sells what the index found, at prices that the policy's rules decide, and leaves all
// wording to the house.
var Builtin = agent.MustProgram(agent.House,
	agent.OnACPEvent(agent.Search, house{}.search),
	agent.OnACPEvent(agent.Quote, house{}.quote),
	agent.OnACPEvent(agent.Checkout, house{}.checkout),
	agent.OnACPEvent(agent.Finalize, house{}.finalize),
)

type house struct{}

func (house) search(_ context.Context, in agent.SearchInput) (agent.SearchAnswer, error) {
	return in.All(), nil
}

func (house) quote(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	return in.House(), nil
}

// checkout consents: what a cart must fulfil is checked by the checkout itself.
func (house) checkout(context.Context, agent.CheckoutInput) (agent.Verdict, error) {
	return agent.Consent(), nil
}

// finalize consents: stock, tokens and payment are checked by the purchase itself.
func (house) finalize(context.Context, agent.FinalizeInput) (agent.Verdict, error) {
	return agent.Consent(), nil
}
