package haggling_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/negotiation/negotiationtest"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// fakeHaggling holds one negotiation in memory, as the last answer left it.
type fakeHaggling struct {
	state ports.Haggle
	saved []ports.HaggleResult
	stale int // how many more saves fail as stale
	tries int
	asks  []ports.HaggleAsk
	err   error
}

func (b *fakeHaggling) Load(_ context.Context, _ id.Project, ask ports.HaggleAsk) (ports.Haggle, error) {
	b.asks = append(b.asks, ask)
	h := b.state
	if ask.Session.IsZero() || h.Session == nil || ask.Session != h.Session.ID {
		h.Session, h.Quote, h.Prior = nil, nil, nil
	}
	if h.Quote != nil && ask.Quote != h.Quote.Snapshot().ID {
		h.Quote = nil
	}
	if h.Quote != nil {
		h.Quote = negotiation.Rehydrate(h.Quote.Snapshot())
	}
	return h, b.err
}

func (b *fakeHaggling) Save(_ context.Context, r ports.HaggleResult) error {
	if b.tries++; b.stale > 0 {
		b.stale--
		return fault.New(fault.Conflict, "stale", "")
	}
	b.saved = append(b.saved, r)
	b.state.Session, b.state.Quote, b.state.Prior, b.state.LastSeq = r.Session, r.Quote, r.Quote, r.Entry.Seq
	return nil
}

func (b *fakeHaggling) Decline(_ context.Context, q *negotiation.Quote) error {
	b.state.Quote = q
	return nil
}

func (*fakeHaggling) Basket(context.Context, id.Project, ports.BasketAsk) (ports.Basket, error) {
	return ports.Basket{}, nil
}

func (b *fakeHaggling) last() ports.HaggleResult { return b.saved[len(b.saved)-1] }

// rulesAgent is an agent that answers by the built-in rules and has no words of its own.
type rulesAgent struct{ ports.Agent }

func (rulesAgent) Quote(_ ports.Outbound, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	return in.House(), nil
}

func (rulesAgent) Word(ports.Outbound, agent.WordInput) agent.Texts { return agent.Texts{} }

// scripted is an agent that gives the same answer to every offer and the same words for all decisions, and records its
// inputs.
type scripted struct {
	ports.Agent
	answer agent.QuoteAnswer
	err    error
	asked  []agent.QuoteInput
	words  agent.Texts
	worded []agent.WordInput
}

func (s *scripted) Quote(_ ports.Outbound, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	s.asked = append(s.asked, in)
	return s.answer, s.err
}

func (s *scripted) Word(_ ports.Outbound, in agent.WordInput) agent.Texts {
	s.worded = append(s.worded, in)
	return s.words
}

// fakeMandates returns the same agent and policy for every session, and records the sessions.
type fakeMandates struct {
	policy   negotiation.Policy
	agent    *agent.Agent // nil: defaultAgent
	err      error
	sessions []id.Session
}

var defaultAgent = &agent.Agent{ID: id.New[id.Agent]([16]byte{8})}

func (m *fakeMandates) Mandate(_ context.Context, p *project.Project, visit id.Session) (agent.Mandate, error) {
	m.sessions = append(m.sessions, visit)
	serves := m.agent
	if serves == nil {
		serves = defaultAgent
	}
	return agent.Mandate{Agent: serves, Policy: m.policy.Under(p.Settings)}, m.err
}

// fakeIndex is an index that returns the given complements.
type fakeIndex struct {
	ports.Index
	complements []ports.Complement
	asked       int
}

func (n *fakeIndex) Complements(id.Project, []id.Product, int) []ports.Complement {
	n.asked++
	return slices.Clone(n.complements)
}

// at is a clock that stands still, this long after noon.
type at time.Duration

// system is a clock that stands still at noon, and an entropy source that counts.
type system struct{ n byte }

func (*system) Now() time.Time      { return noon }
func (a at) Now() time.Time         { return noon.Add(time.Duration(a)) }
func (s *system) Bits128() [16]byte { s.n++; return [16]byte{s.n} }

func (s *system) IDBits() [16]byte    { return s.Bits128() }
func (s *system) Secret(int) string   { s.n++; return strings.Repeat("s", int(s.n)) }
func usd(cents int64) money.Amount    { return money.Of(cents, money.USD) }
func offer(cents int64) *money.Amount { return new(usd(cents)) }

// fixture is a shop that sells a tent for 1,000.00, with a lantern for 50.00 as its complement.
type fixture struct {
	t       *testing.T
	project *project.Project
	tent    *catalog.Product
	lantern *catalog.Product
	book    *fakeHaggling
	index   *fakeIndex
	log     *strings.Builder
	mandate *fakeMandates
	service *haggling.Service
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	s := &fixture{
		t:       t,
		project: &project.Project{ID: id.New[id.Project]([16]byte{1}), Settings: project.DefaultSettings()},
		tent:    product(1, "Tent", 1000_00),
		lantern: product(2, "Lantern", 50_00),
		log:     &strings.Builder{},
	}
	s.book = &fakeHaggling{state: ports.Haggle{Product: s.tent, Stock: map[id.Variant]int{s.tent.Variants[0].ID: 20}}}
	s.mandate = &fakeMandates{policy: negotiationtest.Patient()}
	s.index = &fakeIndex{complements: []ports.Complement{{Product: s.lantern, Variant: s.lantern.Variants[0]}}}
	s.service = &haggling.Service{
		Stores: &ports.Stores{
			Haggling: s.book,
		},
		Agent:    rulesAgent{},
		Mandates: s.mandate,
		Index:    s.index,
		Clock:    &system{},
		Entropy:  &system{},
		Log:      slog.New(slog.NewTextHandler(io.Writer(s.log), nil)),
		Fresh:    func(context.Context, *project.Project) error { return nil },
	}
	return s
}

func product(n byte, name string, cents int64) *catalog.Product {
	return &catalog.Product{
		ID:         id.New[id.Product]([16]byte{n}),
		Name:       name,
		SKU:        name,
		Price:      usd(cents),
		Negotiable: true,
		Status:     catalog.Active,
		Variants:   []catalog.Variant{{ID: id.New[id.Variant]([16]byte{n}), SKU: name}},
	}
}

// quote sends a request about one tent.
func (s *fixture) quote(r haggling.Request) (haggling.Answer, error) {
	if r.Ask == (ports.HaggleAsk{}) {
		r.Ask = ports.HaggleAsk{Product: s.tent.ID, Quantity: 1}
	}
	prepared, err := s.service.PrepareQuote(ports.NewOutbound(s.t.Context()), s.project, r)
	if err == nil {
		err = prepared.Commit(s.t.Context(), s.service.Stores)
	}
	if err != nil {
		return haggling.Answer{}, err
	}
	return prepared.Answer, nil
}

func (s *fixture) mustQuote(r haggling.Request) haggling.Answer {
	s.t.Helper()
	a, err := s.quote(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// again returns the ask of a follow-up to an answer.
func again(a haggling.Answer) ports.HaggleAsk {
	return ports.HaggleAsk{Session: a.Session, Quote: a.Quote.ID}
}

func expectFault(t *testing.T, err error, code, field string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	named := ""
	for _, d := range f.Details {
		named += d.Field + " "
	}
	if strings.TrimSpace(named) != field {
		t.Errorf("%s names %q, want %q", code, named, field)
	}
}
