package haggling_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Tests of the agent's part in a quote: its input, the policy of its mandate, its words, and the stored record.

// The mandate's policy prices the tent: at most 10 % off where the project's would allow 20 %.
func TestPrepareQuote_mandatePolicy(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.mandate.policy.Version, s.mandate.policy.MaxDiscount = 7, 100
	s.mandate.policy.Segments = []negotiation.Segment{{Category: "camping", Curve: negotiation.Curve{Give: [negotiation.Steps]money.Percent{500}}}}
	s.tent.Category = "camping/tents"
	a := s.mustQuote(haggling.Request{Offer: offer(880_00)})
	want := negotiation.Rejected{
		Price: usd(950_00),
		Hint:  usd(900_00),
		By:    negotiation.BelowFloor,
	} // half the way to 900.00
	if a.Decision != want {
		t.Errorf("%+v, want %+v", a.Decision, want)
	}
	if e := s.book.last().Entry; e.PolicyVersion != 7 || a.Quote.PolicyVersion != 7 {
		t.Errorf("by version %d, the quote %d", e.PolicyVersion, a.Quote.PolicyVersion)
	}
}

func TestBundle_policy(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.mandate.policy.Bundles.Share = 1000
	if b := s.mustQuote(haggling.Request{Offer: offer(880_00)}).Quote.Bundle; b == nil || b.Price != usd(40_00) {
		t.Errorf("suggested %+v", b)
	}
	s = newFixture(t)
	s.mandate.policy.Bundles.Off = true
	if b := s.mustQuote(haggling.Request{Offer: offer(880_00)}).Quote.Bundle; b != nil || s.index.asked != 0 {
		t.Errorf("suggested %+v, the index was asked %d times", b, s.index.asked)
	}
}

// The mandate is the session's, even for a session that the offer itself opens.
func TestPrepareQuote_sessionMandate(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	first := s.mustQuote(haggling.Request{})
	s.mustQuote(haggling.Request{Ask: again(first)})
	// Before anything is read, and once more for the session.
	want := []id.Session{{}, first.Session, first.Session, first.Session}
	if got := s.mandate.sessions; !slices.Equal(got, want) || first.Session.IsZero() {
		t.Errorf("%v, want %v", got, want)
	}
	s.mandate.err = errors.New("the database is gone")
	if _, err := s.quote(haggling.Request{}); !errors.Is(err, s.mandate.err) || len(s.book.saved) != 2 {
		t.Errorf("%v, %d answers were stored", err, len(s.book.saved))
	}
}

// The agent's input describes the product and offer, and lets the agent read the session's history.
func TestDecide_agentInput(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.tent.Category = "camping"
	said := []negotiation.Entry{{Seq: 1}}
	s.service.Sessions = fakeSessions{history: said}
	listener := &scripted{}
	s.service.Agent = listener
	first := s.mustQuote(haggling.Request{})
	s.mustQuote(haggling.Request{Ask: again(first), Offer: offer(880_00)})
	in := listener.asked[1]
	want := agent.Product{
		ID:       s.tent.ID,
		Variant:  s.tent.Variants[0].ID,
		Name:     "Tent",
		Category: "camping",
		Quantity: 1,
	}
	if in.Product != want || in.Project != s.project || in.Session.ID != first.Session || in.Mandate.Agent != defaultAgent || *in.Offer() != usd(880_00) {
		t.Errorf("%+v", in)
	}
	if past, err := listener.asked[0].Past(t.Context()); past != nil || err != nil {
		t.Errorf("the history of a new session is %v, %v", past, err)
	}
	if past, err := in.Past(t.Context()); err != nil || len(past) != 1 || past[0].Seq != 1 {
		t.Errorf("the history is %v, %v", past, err)
	}
}

// fakeSessions has the same history for every session.
type fakeSessions struct {
	ports.Sessions
	history []negotiation.Entry
}

func (m fakeSessions) Visit(context.Context, id.Project, id.Session) (ports.Visit, error) {
	return ports.Visit{History: m.history}, nil
}

// The record names the handler that answered, its proposal, and why the built-in rules replaced it.
func TestEntry_handlerAndProposal(t *testing.T) {
	t.Parallel()
	countered := func(cents int64) negotiation.Decision {
		return negotiation.Countered{Price: usd(cents), By: negotiation.AgentAnswer}
	}
	for name, test := range map[string]struct {
		agent    scripted
		handler  string
		fallback string
		proposal *money.Amount
		price    int64
	}{
		"the house": {
			scripted{answer: agent.QuoteAnswer{Decision: countered(960_00), Answered: agent.Answered{Handler: agent.HouseHandler}}},
			agent.HouseHandler, "", nil, 960_00,
		},
		"the house in the place of another": {
			scripted{answer: agent.QuoteAnswer{Decision: countered(960_00), Answered: agent.Answered{Handler: agent.HouseHandler, Fallback: "agent_timeout"}}},
			agent.HouseHandler, "agent_timeout", nil, 960_00,
		},
		"another agent": {
			scripted{answer: agent.QuoteAnswer{Decision: countered(960_00), Answered: agent.Answered{Handler: "remote"}}},
			"remote", "", offer(960_00), 960_00,
		},
		"one that undercuts the floor": { // the built-in rules decide, because a price raised to the floor would reveal the floor
			scripted{answer: agent.QuoteAnswer{Decision: countered(1_00), Answered: agent.Answered{Handler: "remote"}}},
			"remote", "", offer(1_00), 976_80,
		},
		"one with a price in another currency": { // it counts as the current price
			scripted{answer: agent.QuoteAnswer{
				Decision: negotiation.Countered{Price: money.Of(900, money.Currency{}), By: negotiation.AgentAnswer}, Answered: agent.Answered{Handler: "program"},
			}},
			"program", "", offer(1000_00), 1000_00,
		},
		"one that leaves it to the rules": { // 1.11 times the offer
			scripted{answer: agent.QuoteAnswer{Answered: agent.Answered{Handler: "remote"}}},
			"remote", "", nil, 976_80,
		},
		"one that fails": {scripted{err: errors.New("lost")}, agent.HouseHandler, "agent_failed", nil, 976_80},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			s.service.Agent, s.mandate.policy.Probing.Product = &test.agent, 100
			s.mustQuote(haggling.Request{Offer: offer(880_00), Ask: ports.HaggleAsk{
				Product:  s.tent.ID,
				Quantity: 1,
				Client:   "a hash",
			}})
			e := s.book.last().Entry
			if e.Agent != defaultAgent.ID || e.Client != "a hash" || e.Handler != test.handler || e.Fallback != test.fallback {
				t.Errorf("agent %s, client %q, handler %q, fallback %q", e.Agent, e.Client, e.Handler, e.Fallback)
			}
			if (e.Proposal == nil) != (test.proposal == nil) || e.Proposal != nil && *e.Proposal != *test.proposal {
				t.Errorf("proposed %v, want %v", e.Proposal, test.proposal)
			}
			if e.Price == nil || e.Price.Minor() != test.price {
				t.Errorf("at %v, want %d", e.Price, test.price)
			}
		})
	}
}

// The buyer reads an agent's refusal of the request, and nothing is stored.
func TestPropose_invalidRequest(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.service.Agent = &scripted{err: fault.Field("quantity", "must be at most 20")}
	_, err := s.quote(haggling.Request{Offer: offer(880_00)})
	expectFault(t, err, "validation_error", "quantity")
	if len(s.book.saved) != 0 || s.book.tries != 0 {
		t.Errorf("%d answers were stored", len(s.book.saved))
	}
}

// The words come from the agent's answer, else from Agent.Word, else from the built-in texts.
func TestWords_precedence(t *testing.T) {
	t.Parallel()
	const house = "Our price is 960.00 USD, which is below the list price."
	fair := negotiation.Countered{Price: usd(960_00), By: negotiation.AgentAnswer}
	for name, test := range map[string]struct {
		answer             agent.QuoteAnswer
		words              agent.Texts
		reasoning, message string
		asked              int
	}{
		"the house's":             {agent.QuoteAnswer{Decision: fair}, agent.Texts{}, house, "", 1},
		"Word's":                  {agent.QuoteAnswer{Decision: fair}, agent.Texts{Reasoning: "Because.", Message: "Hello."}, "Because.", "Hello.", 1},
		"half of them":            {agent.QuoteAnswer{Decision: fair}, agent.Texts{Message: "Hello."}, house, "Hello.", 1},
		"the agent's":             {agent.QuoteAnswer{Decision: fair, Reasoning: "Mine."}, agent.Texts{Reasoning: "Because.", Message: "Hello."}, "Mine.", "", 0},
		"about another price":     {agent.QuoteAnswer{Decision: negotiation.Countered{Price: usd(9600_00)}, Reasoning: "Mine."}, agent.Texts{Reasoning: "Because."}, "Because.", "", 1},
		"about no price whatever": {agent.QuoteAnswer{Reasoning: "Mine."}, agent.Texts{Reasoning: "Because."}, "Because.", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			speaker := &scripted{answer: test.answer, words: test.words}
			s.service.Agent = speaker
			a := s.mustQuote(haggling.Request{Offer: offer(880_00), Message: "Please!"})
			expectWords(t, a, test.reasoning, test.message)
			if len(speaker.worded) != test.asked {
				t.Fatalf("asked for words %d times, want %d", len(speaker.worded), test.asked)
			}
			for _, in := range speaker.worded {
				if in.Decision != a.Decision || in.List != usd(1000_00) || in.Product.Name != "Tent" {
					t.Errorf("asked to word %+v", in)
				}
			}
		})
	}
}

// A client over its limit gets the current price: sessions of a day, or sessions of an hour about one product.
func TestWithProbeWindows_overLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits negotiation.Probing
		tried  negotiation.Probed
		counts ports.HaggleAsk
	}{
		"sessions": {negotiation.Probing{Client: 5}, negotiation.Probed{Client: 5}, ports.HaggleAsk{Since: noon.Add(-24 * time.Hour)}},
		"sessions about the product": {negotiation.Builtin().Probing, negotiation.Probed{Product: 20},
			ports.HaggleAsk{ProductSince: noon.Add(-time.Hour), Sessions: 40}},
		"with a high limit": {negotiation.Probing{Product: 1000}, negotiation.Probed{Product: 1000},
			ports.HaggleAsk{ProductSince: noon.Add(-time.Hour), Sessions: 2000}},
	} {
		s := newFixture(t)
		s.mandate.policy.Probing, s.book.state.Probed = c.limits, c.tried
		gold := &session.Claims{LoyaltyTier: "gold"}
		a := s.mustQuote(haggling.Request{
			Offer:  offer(810_00),
			Claims: gold,
			Ask:    ports.HaggleAsk{Product: s.tent.ID, Client: "a hash"},
		})
		want := negotiation.Countered{
			Price: a.Quote.Bounds.Opening(),
			Final: true,
			By:    negotiation.ProbingLimit,
		}
		if a.Decision != want {
			t.Errorf("%s: %+v, want %+v", name, a.Decision, want)
		}
		ask := s.book.asks[0]
		if got := (ports.HaggleAsk{
			Since:        ask.Since,
			ProductSince: ask.ProductSince,
			Sessions:     ask.Sessions,
		}); got != c.counts || ask.Client != "a hash" {
			t.Errorf("%s: counted %+v", name, ask)
		}
	}
}

// Every answer records the client, because tuning weighs by it. Its sessions are counted only if the policy limits them.
func TestWithProbeWindows_noLimit(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.mandate.policy.Probing = negotiation.Probing{}
	s.mustQuote(haggling.Request{Offer: offer(880_00), Ask: ports.HaggleAsk{
		Product:  s.tent.ID,
		Quantity: 1,
		Client:   "a hash",
	}})
	if e := s.book.last().Entry; e.Client != "a hash" {
		t.Errorf("client %q", e.Client)
	}
	if ask := s.book.asks[0]; !ask.Since.IsZero() || !ask.ProductSince.IsZero() {
		t.Errorf("counted %+v", ask)
	}
}
