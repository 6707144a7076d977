package ports

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// Agent serves the four events of spec 6.1. Its answers are proposals: prices are held to the
// guardrails before they leave, whatever it says.
type Agent interface {
	Search(ctx context.Context, e agent.SearchEvent) (catalog.Found, error)
	Quote(ctx context.Context, e agent.QuoteEvent) (agent.QuoteAnswer, error)
	Checkout(ctx context.Context, e agent.CheckoutEvent) (agent.Verdict, error)
	Finalize(ctx context.Context, e agent.FinalizeEvent) (agent.Verdict, error)
}
