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

// What a session's agent says, by whose policy it is held, and what the record keeps of it.

// The tent sells by the policy of the mandate: at most 10 % off where the project would let go of 20 %.
func TestTheMandatesPolicyPrices(t *testing.T) {
	t.Parallel()
	s := newShop(t)
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

func TestBundlesOfThePolicy(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.mandate.policy.Bundles.Share = 1000
	if b := s.mustQuote(haggling.Request{Offer: offer(880_00)}).Quote.Bundle; b == nil || b.Price != usd(40_00) {
		t.Errorf("suggested %+v", b)
	}
	s = newShop(t)
	s.mandate.policy.Bundles.Off = true
	if b := s.mustQuote(haggling.Request{Offer: offer(880_00)}).Quote.Bundle; b != nil || s.index.asked != 0 {
		t.Errorf("suggested %+v, the index was asked %d times", b, s.index.asked)
	}
}

// The mandate is that of the session, also of one that this very offer opens.
func TestMandateOfTheSession(t *testing.T) {
	t.Parallel()
	s := newShop(t)
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

// The agent sees what it is about, and may read what was said before.
func TestWhatTheAgentIsAsked(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.tent.Category = "camping"
	said := []negotiation.Entry{{Seq: 1}}
	s.service.Sessions = memory{history: said}
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
	if in.Product != want || in.Project != s.project || in.Session.ID != first.Session || in.Mandate.Agent != employed || *in.Offer() != usd(880_00) {
		t.Errorf("%+v", in)
	}
	if past, err := listener.asked[0].Past(t.Context()); past != nil || err != nil {
		t.Errorf("the history of a new session is %v, %v", past, err)
	}
	if past, err := in.Past(t.Context()); err != nil || len(past) != 1 || past[0].Seq != 1 {
		t.Errorf("the history is %v, %v", past, err)
	}
}

// memory is sessions in which the same was said.
type memory struct {
	ports.Sessions
	history []negotiation.Entry
}

func (m memory) Visit(context.Context, id.Project, id.Session) (ports.Visit, error) {
	return ports.Visit{History: m.history}, nil
}

// The record tells who answered, what it had proposed, and why the house stood in.
func TestRecordOfAnAnswer(t *testing.T) {
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
		"one that undercuts the floor": { // the house decides: what is raised to the floor would show it
			scripted{answer: agent.QuoteAnswer{Decision: countered(1_00), Answered: agent.Answered{Handler: "remote"}}},
			"remote", "", offer(1_00), 976_80,
		},
		"one with a price in another currency": { // it counts as the one that stands
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
			s := newShop(t)
			s.service.Agent, s.mandate.policy.Probing.Product = &test.agent, 100
			s.mustQuote(haggling.Request{Offer: offer(880_00), Ask: ports.HaggleAsk{
				Product:  s.tent.ID,
				Quantity: 1,
				Client:   "a hash",
			}})
			e := s.book.last().Entry
			if e.Agent != employed.ID || e.Client != "a hash" || e.Handler != test.handler || e.Fallback != test.fallback {
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

// What an agent's own rules refuse is the buyer's to read, and leaves no trace.
func TestAgentRefusesTheRequest(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.service.Agent = &scripted{err: fault.Field("quantity", "must be at most 20")}
	_, err := s.quote(haggling.Request{Offer: offer(880_00)})
	expectFault(t, err, "validation_error", "quantity")
	if len(s.book.saved) != 0 || s.book.tries != 0 {
		t.Errorf("%d answers were stored", len(s.book.saved))
	}
}

// Words are the agent's, else those of Word, else the house's.
func TestWhoseWords(t *testing.T) {
	t.Parallel()
	const house = "We can come down to 960.00 USD. It is yours at that price."
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
			s := newShop(t)
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

// Who tried too much hears the standing price: sessions of a day, or those of an hour about one product.
func TestTooMuchTriedOut(t *testing.T) {
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
		s := newShop(t)
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

// Who a buyer's client is, is noted with every answer, for tuning weighs by it. It is counted where the policy says so.
func TestClientsAreNotedAndCountedWhereTheyAreLimited(t *testing.T) {
	t.Parallel()
	s := newShop(t)
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
