package agents

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/agent"
)

// Builtin is the built-in agent. It sells what the index found, at prices that the policy's rules decide, and leaves the
// wording to the server's templates.
var Builtin = agent.MustProgram(agent.House,
	agent.OnACPEvent(agent.Search, builtinAgent{}.search),
	agent.OnACPEvent(agent.Quote, builtinAgent{}.quote),
	agent.OnACPEvent(agent.Checkout, builtinAgent{}.checkout),
	agent.OnACPEvent(agent.Finalize, builtinAgent{}.finalize),
)

type builtinAgent struct{}

func (builtinAgent) search(_ context.Context, in agent.SearchInput) (agent.SearchAnswer, error) {
	return in.All(), nil
}

func (builtinAgent) quote(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	return in.House(), nil
}

// checkout consents, because the checkout itself checks what a cart must fulfil.
func (builtinAgent) checkout(context.Context, agent.CheckoutInput) (agent.Verdict, error) {
	return agent.Consent(), nil
}

// finalize consents, because the purchase itself checks stock, tokens and payment.
func (builtinAgent) finalize(context.Context, agent.FinalizeInput) (agent.Verdict, error) {
	return agent.Consent(), nil
}
