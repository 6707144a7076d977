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
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// far is a merchant's handlers, which answer all events alike.
type far struct {
	quote   agent.QuoteAnswer
	search  agent.SearchAnswer
	verdict agent.Verdict
	err     error
	asked   []ports.RemoteHandler
}

func (f *far) Search(_ ports.Outbound, to ports.RemoteHandler, _ agent.SearchInput) (agent.SearchAnswer, error) {
	f.asked = append(f.asked, to)
	return f.search, f.err
}

func (f *far) Quote(_ ports.Outbound, to ports.RemoteHandler, _ agent.QuoteInput) (agent.QuoteAnswer, error) {
	f.asked = append(f.asked, to)
	return f.quote, f.err
}

func (f *far) Checkout(_ ports.Outbound, to ports.RemoteHandler, _ agent.CheckoutInput) (agent.Verdict, error) {
	f.asked = append(f.asked, to)
	return f.verdict, f.err
}

func (f *far) Finalize(_ ports.Outbound, to ports.RemoteHandler, _ agent.FinalizeInput) (agent.Verdict, error) {
	f.asked = append(f.asked, to)
	return f.verdict, f.err
}

// safe opens what it sealed for the same purpose.
type safe struct{ ports.Vault }

func (safe) Open(sealed []byte, purpose string) ([]byte, error) {
	plain, ok := strings.CutPrefix(string(sealed), purpose+"|")
	if !ok {
		return nil, errors.New("sealed for something else")
	}
	return []byte(plain), nil
}

// employer has one active agent. reading hears of every look at it.
type employer struct {
	ports.ActiveAgents
	agent   *agent.Agent
	err     error
	reads   int
	reading func()
}

func (e *employer) Active(context.Context, id.Project) (*agent.Agent, error) {
	active := e.agent
	if e.reads++; e.reading != nil {
		e.reading()
	}
	return active, e.err
}

// exchange is a router between one agent and its handlers.
type exchange struct {
	*agents.Router
	employer *employer
	far      *far
	log      *strings.Builder
	project  *project.Project
}

// newExchange has an agent all of whose handlers are the same. Beside the house's there are the given programs.
func newExchange(h agent.Handler, programs ...*agent.Program) *exchange {
	x := &exchange{
		far:     &far{},
		log:     &strings.Builder{},
		project: scene("en-US").Project,
	}
	a := &agent.Agent{
		ID:      id.New[id.Agent]([16]byte{4}),
		Project: x.project.ID,
		Policy:  negotiation.Builtin(),
		Handlers: agent.Handlers{
			Search:   h,
			Quote:    h,
			Checkout: h,
			Finalize: h,
		},
	}
	a.Secret = []byte(agent.SecretPurpose(a.ID) + "|whsec_1")
	x.employer = &employer{agent: a}
	x.Router = &agents.Router{
		Active:   x.employer,
		Remote:   x.far,
		Vault:    safe{},
		Log:      slog.New(slog.NewTextHandler(x.log, nil)),
		Programs: map[string]*agent.Program{agent.House: agents.Builtin},
	}
	for _, p := range programs {
		x.Programs[p.Name()] = p
	}
	return x
}

var (
	elsewhere = agent.Handler{Kind: agent.Remote, URL: "https://agents.example.com/all"}
	inHouse   = agent.Handler{Kind: agent.Builtin, Program: agent.House}
)

func ofProgram(name string) agent.Handler { return agent.Handler{Kind: agent.Builtin, Program: name} }

func (x *exchange) scene() agent.Scene {
	return agent.Scene{Project: x.project, Mandate: agent.Mandate{Agent: x.employer.agent, Policy: x.employer.agent.Policy}}
}

// input is an offer of so much to which the rules counter, or one under the floor.
func (x *exchange) input(minor int64) agent.QuoteInput {
	in := quoteInput(minor, "")
	in.Scene = x.scene()
	return in
}

// quoting is a program that answers every offer alike.
func quoting(name string, handle func(agent.QuoteInput) (agent.QuoteAnswer, error), inputs ...agent.Input) *agent.Program {
	return agent.MustProgram(name, agent.OnACPEvent(agent.Quote, func(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) {
		return handle(in)
	}, inputs...))
}

func unavailable(code string) error { return fault.New(fault.Unavailable, code, "The agent is away.") }
