package agents_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation/negotiationtest"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeRemote is a merchant's remote handler that answers all events of a kind alike.
type fakeRemote struct {
	quote   agent.QuoteAnswer
	search  agent.SearchAnswer
	verdict agent.Verdict
	err     error
	asked   []ports.RemoteHandler
}

func (f *fakeRemote) Search(_ ports.Outbound, to ports.RemoteHandler, _ agent.SearchInput) (agent.SearchAnswer, error) {
	f.asked = append(f.asked, to)
	return f.search, f.err
}

func (f *fakeRemote) Quote(_ ports.Outbound, to ports.RemoteHandler, _ agent.QuoteInput) (agent.QuoteAnswer, error) {
	f.asked = append(f.asked, to)
	return f.quote, f.err
}

func (f *fakeRemote) Checkout(_ ports.Outbound, to ports.RemoteHandler, _ agent.CheckoutInput) (agent.Verdict, error) {
	f.asked = append(f.asked, to)
	return f.verdict, f.err
}

func (f *fakeRemote) Finalize(_ ports.Outbound, to ports.RemoteHandler, _ agent.FinalizeInput) (agent.Verdict, error) {
	f.asked = append(f.asked, to)
	return f.verdict, f.err
}

// fakeVault opens what was sealed for the same purpose.
type fakeVault struct{ ports.Vault }

func (fakeVault) Open(sealed []byte, purpose string) ([]byte, error) {
	plain, ok := strings.CutPrefix(string(sealed), purpose+"|")
	if !ok {
		return nil, errors.New("sealed for something else")
	}
	return []byte(plain), nil
}

// fakeActiveAgents has one active agent. It calls reading on each read.
type fakeActiveAgents struct {
	ports.ActiveAgents
	agent   *agent.Agent
	err     error
	reads   int
	reading func()
}

func (e *fakeActiveAgents) Active(context.Context, id.Project) (*agent.Agent, error) {
	active := e.agent
	if e.reads++; e.reading != nil {
		e.reading()
	}
	return active, e.err
}

// routerFixture is a router with one agent and its handlers.
type routerFixture struct {
	*agents.Router
	active  *fakeActiveAgents
	remote  *fakeRemote
	log     *strings.Builder
	project *project.Project
}

// newRouterFixture makes a router whose agent has the same handler for all events. It serves the built-in program and programs.
func newRouterFixture(h agent.Handler, programs ...*agent.Program) *routerFixture {
	x := &routerFixture{
		remote:  &fakeRemote{},
		log:     &strings.Builder{},
		project: scene("en-US").Project,
	}
	a := &agent.Agent{
		ID:      id.New[id.Agent]([16]byte{4}),
		Project: x.project.ID,
		Policy:  negotiationtest.Patient(),
		Handlers: agent.Handlers{
			Search:   h,
			Quote:    h,
			Checkout: h,
			Finalize: h,
		},
	}
	a.Secret = []byte(agent.SecretPurpose(a.ID) + "|whsec_1")
	x.active = &fakeActiveAgents{agent: a}
	x.Router = &agents.Router{
		Active:   x.active,
		Remote:   x.remote,
		Vault:    fakeVault{},
		Log:      slog.New(slog.NewTextHandler(x.log, nil)),
		Programs: map[string]*agent.Program{agent.House: agents.Builtin},
	}
	for _, p := range programs {
		x.Programs[p.Name()] = p
	}
	return x
}

var (
	remoteHandler  = agent.Handler{Kind: agent.Remote, URL: "https://agents.example.com/all"}
	builtinHandler = agent.Handler{Kind: agent.Builtin, Program: agent.House}
)

func programHandler(name string) agent.Handler {
	return agent.Handler{Kind: agent.Builtin, Program: name}
}

func (x *routerFixture) scene() agent.Scene {
	return agent.Scene{Project: x.project, Mandate: agent.Mandate{Agent: x.active.agent, Policy: x.active.agent.Policy}}
}

// input returns an offer. The rules counter it, or reject it if it is below the floor.
func (x *routerFixture) input(minor int64) agent.QuoteInput {
	in := quoteInput(minor, "")
	in.Scene = x.scene()
	return in
}

// quoteProgram returns a program that handles only quotes.
func quoteProgram(name string, handle func(agent.QuoteInput) (agent.QuoteAnswer, error), inputs ...agent.Input) *agent.Program {
	return agent.MustProgram(name, agent.OnACPEvent(agent.Quote, func(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) {
		return handle(in)
	}, inputs...))
}

func unavailable(code string) error { return fault.New(fault.Unavailable, code, "The agent is away.") }
