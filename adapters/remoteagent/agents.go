package remoteagent

import (
	"context"
	"net/http"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/ports"
)

// Timeout is the time limit of a whole request, including the response body.
const Timeout = 2 * time.Second

// Agents sends requests to remote handlers. It is safe for concurrent use. The program should have only one, because it
// remembers which handlers fail.
type Agents struct {
	client    *http.Client
	clock     ports.Clock
	entropy   ports.Entropy
	userAgent string
	circuits  bulkhead.Cache[string, *circuit]
	room      *bulkhead.Room
}

// shares bounds the requests in progress. Beyond them, the built-in agent answers at once.
var shares = bulkhead.Shares{
	Places: 256,
	Tenant: 64,
	Target: 8,
}

var _ ports.RemoteAgents = (*Agents)(nil)

// New returns Agents that use a copy of client with its own timeout and redirect policy. The client's transport decides
// which addresses may be reached.
func New(client *http.Client, clock ports.Clock, entropy ports.Entropy, userAgent string) *Agents {
	own := *client
	own.Timeout, own.Jar = Timeout, nil
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Agents{&own, clock, entropy, userAgent, bulkhead.NewCache[string](known, newCircuit), bulkhead.NewRoom(shares)}
}

// Room returns the bulkhead of requests that wait for a response.
func (a *Agents) Room() *bulkhead.Room { return a.room }

// Suspended returns how many handlers are suspended now.
func (a *Agents) Suspended() int { return a.circuits.Open() }

// Search implements ports.RemoteAgents.
func (a *Agents) Search(ctx ports.Outbound, to ports.RemoteHandler, in agent.SearchInput) (agent.SearchAnswer, error) {
	q := question{"acp.search", in.Scene, func(context.Context) any { return toAPISearch(in) }}
	return ask(ctx, a, to, q, func(body []byte) (agent.SearchAnswer, error) { return readSearch(body, in) })
}

// Quote implements ports.RemoteAgents.
func (a *Agents) Quote(ctx ports.Outbound, to ports.RemoteHandler, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	q := question{"acp.quote", in.Scene, func(ctx context.Context) any { return toAPIQuote(in, recall(ctx, in.Scene)) }}
	return ask(ctx, a, to, q, func(body []byte) (agent.QuoteAnswer, error) { return readQuote(body, in) })
}

// Checkout implements ports.RemoteAgents.
func (a *Agents) Checkout(ctx ports.Outbound, to ports.RemoteHandler, in agent.CheckoutInput) (agent.Verdict, error) {
	q := question{"acp.checkout", in.Scene, func(context.Context) any { return toAPICheckout(in) }}
	return ask(ctx, a, to, q, readVerdict)
}

// Finalize implements ports.RemoteAgents.
func (a *Agents) Finalize(ctx ports.Outbound, to ports.RemoteHandler, in agent.FinalizeInput) (agent.Verdict, error) {
	q := question{"acp.finalize", in.Scene, func(context.Context) any { return toAPIFinalize(in) }}
	return ask(ctx, a, to, q, readVerdict)
}
