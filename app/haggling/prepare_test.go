package haggling_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeMeter records answers.
type fakeMeter struct {
	ports.Meter
	answers []string
}

func (m *fakeMeter) Negotiated(o negotiation.Outcome) { m.answers = append(m.answers, o.String()) }
func (m *fakeMeter) QuoteExpired()                    { m.answers = append(m.answers, "expired") }

func (s *fixture) prepare(offered int64, again bool) *haggling.PreparedQuote {
	s.t.Helper()
	q, err := s.service.PrepareQuote(ports.NewOutbound(s.t.Context()), s.project, haggling.Request{
		Ask:   ports.HaggleAsk{Product: s.tent.ID, Quantity: 1},
		Offer: offer(offered),
		Again: again,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return q
}

func TestPrepareQuote_writesNothing(t *testing.T) {
	t.Parallel()
	s, count, transaction := newFixture(t), &fakeMeter{}, &fakeHaggling{}
	s.service.Meter = count
	q := s.prepare(880_00, false)
	if s.book.tries != 0 || len(count.answers) != 0 {
		t.Fatalf("stored %d times, counted %q", s.book.tries, count.answers)
	}
	if err := q.Commit(t.Context(), &ports.Stores{Haggling: transaction}); err != nil {
		t.Fatal(err)
	}
	if s.book.tries != 0 || len(transaction.saved) != 1 || len(count.answers) != 1 {
		t.Errorf("stored %d times outside of the transaction and %d in it, counted %q", s.book.tries, len(transaction.saved), count.answers)
	}
	if saved := transaction.last(); saved.Quote.Snapshot().ID != q.Answer.Quote.ID || saved.Session.ID != q.Answer.Session {
		t.Errorf("stored %+v, answered %+v", saved, q.Answer)
	}
}

func TestPrepareQuote_again(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	remote := &agent.Agent{
		ID:       id.New[id.Agent]([16]byte{8}),
		Handlers: agent.Handlers{Quote: agent.Handler{Kind: agent.Remote}},
	}
	far := &scripted{}
	s.mandate.agent, s.service.Agent, s.book.stale = remote, far, 1
	first := s.prepare(880_00, false)
	if err := first.Commit(t.Context(), s.service.Stores); !fault.Is(err, "stale") {
		t.Fatalf("got %v, want stale", err)
	}
	err := s.prepare(880_00, true).Commit(t.Context(), s.service.Stores)
	if err != nil || len(far.asked) != 1 || s.book.last().Entry.Fallback != "contended" {
		t.Errorf("%v, asked %d times, recorded %+v", err, len(far.asked), s.book.last().Entry)
	}
}

func TestDecide_builtinRules(t *testing.T) {
	t.Parallel()
	program := agent.Handler{Kind: agent.Builtin, Program: "clearance"}
	for name, c := range map[string]struct {
		agent agent.Agent
		asked int
	}{
		"in house":     {agent.Agent{Handlers: agent.Handlers{Quote: agent.InHouse}}, 0},
		"a strategist": {agent.Agent{Handlers: agent.Handlers{Quote: agent.InHouse}, Model: agent.Model{Strategy: true}}, 1},
		"a program":    {agent.Agent{Handlers: agent.Handlers{Quote: program}}, 1},
		"remote":       {agent.Agent{Handlers: agent.Handlers{Quote: agent.Handler{Kind: agent.Remote}}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, asked := newFixture(t), &scripted{answer: agent.QuoteAnswer{
				Decision: negotiation.Countered{Price: usd(990_00), By: negotiation.AgentAnswer},
			}}
			s.mandate.agent, s.service.Agent = &c.agent, asked
			a := s.mustQuote(haggling.Request{Offer: offer(880_00)})
			if len(asked.asked) != c.asked {
				t.Errorf("the agent was asked %d times, want %d", len(asked.asked), c.asked)
			}
			house := negotiation.Countered{Price: usd(976_80), By: a.Decision.Rule()}
			if c.asked == 0 && (a.Decision != house || s.book.last().Entry.Handler != agent.HouseHandler) {
				t.Errorf("decided %+v by %s, want %+v", a.Decision, s.book.last().Entry.Handler, house)
			}
		})
	}
}
