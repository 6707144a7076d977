// Package agents serves a project's four agent events (spec 6.1) with the built-in negotiator.
package agents

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// Builtin answers from the index and the negotiation rules, and leaves all wording to the house.
type Builtin struct{ Index ports.Index }

func (b Builtin) Search(ctx context.Context, e agent.SearchEvent) (catalog.Found, error) {
	return b.Index.Search(ctx, e.Project.ID, e.Query)
}

func (Builtin) Quote(_ context.Context, e agent.QuoteEvent) (agent.QuoteAnswer, error) {
	return agent.QuoteAnswer{Decision: negotiation.Decide(e.Table)}, nil
}

// Checkout consents: what a cart must fulfil is checked by the checkout itself.
func (Builtin) Checkout(context.Context, agent.CheckoutEvent) (agent.Verdict, error) {
	return agent.Verdict{}, nil
}

// Finalize consents: stock, tokens and payment are checked by the purchase itself.
func (Builtin) Finalize(context.Context, agent.FinalizeEvent) (agent.Verdict, error) {
	return agent.Verdict{}, nil
}
