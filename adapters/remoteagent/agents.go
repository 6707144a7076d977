package remoteagent

import (
	"context"
	"net/http"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/ports"
)

// Timeout of a question in all, its answer included.
const Timeout = 2 * time.Second

// Agents asks remote handlers. It is safe for concurrent use, and meant to be one for the whole program: it remembers
// who fails.
type Agents struct {
	client    *http.Client
	clock     ports.Clock
	entropy   ports.Entropy
	userAgent string
	circuits  bulkhead.Cache[string, *circuit]
	room      *bulkhead.Room
}

// shares bound the questions under way. Beyond them the house answers at once.
var shares = bulkhead.Shares{
	Places: 256,
	Tenant: 64,
	Target: 8,
}

var _ ports.RemoteAgents = (*Agents)(nil)

// New asks through a client, whose transport decides what may be reached. Its timeout and its redirects are set here.
func New(client *http.Client, clock ports.Clock, entropy ports.Entropy, userAgent string) *Agents {
	own := *client
	own.Timeout, own.Jar = Timeout, nil
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Agents{&own, clock, entropy, userAgent, bulkhead.NewCache[string](known, newCircuit), bulkhead.NewRoom(shares)}
}

// Room is where questions wait for their answers.
func (a *Agents) Room() *bulkhead.Room { return a.room }

// Suspended is how many handlers are left alone at the moment.
func (a *Agents) Suspended() int { return a.circuits.Open() }

// Search is RemoteAgents'.
func (a *Agents) Search(ctx ports.Outbound, to ports.RemoteHandler, in agent.SearchInput) (agent.SearchAnswer, error) {
	q := question{"acp.search", in.Scene, func(context.Context) any { return toAPISearch(in) }}
	return ask(ctx, a, to, q, func(body []byte) (agent.SearchAnswer, error) { return readSearch(body, in) })
}

// Quote is RemoteAgents'.
func (a *Agents) Quote(ctx ports.Outbound, to ports.RemoteHandler, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	q := question{"acp.quote", in.Scene, func(ctx context.Context) any { return toAPIQuote(in, recall(ctx, in.Scene)) }}
	return ask(ctx, a, to, q, func(body []byte) (agent.QuoteAnswer, error) { return readQuote(body, in) })
}

// Checkout is RemoteAgents'.
func (a *Agents) Checkout(ctx ports.Outbound, to ports.RemoteHandler, in agent.CheckoutInput) (agent.Verdict, error) {
	q := question{"acp.checkout", in.Scene, func(context.Context) any { return toAPICheckout(in) }}
	return ask(ctx, a, to, q, readVerdict)
}

// Finalize is RemoteAgents'.
func (a *Agents) Finalize(ctx ports.Outbound, to ports.RemoteHandler, in agent.FinalizeInput) (agent.Verdict, error) {
	q := question{"acp.finalize", in.Scene, func(context.Context) any { return toAPIFinalize(in) }}
	return ask(ctx, a, to, q, readVerdict)
}
