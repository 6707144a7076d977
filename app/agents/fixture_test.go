package agents_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/negotiation/negotiationtest"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeStore is an in-memory store of one project's agents, versions and decisions. It is also the vault, the clock and the entropy.
type fakeStore struct {
	ports.Agents
	agents       map[id.Agent]*agent.Agent
	versions     []agent.Version
	negotiations []ports.Negotiation
	chain        []negotiation.Link
	head         ports.ChainHead
	product      *catalog.Product
	asked        struct {
		limit    int
		sessions []id.Negotiation
	}
	made byte
}

var midday = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func (s *fakeStore) Now() time.Time { return midday }

func (s *fakeStore) Bits128() [16]byte {
	s.made++
	return [16]byte{s.made}
}

func (s *fakeStore) IDBits() [16]byte { return s.Bits128() }

func (s *fakeStore) Secret(int) string { return "" }

// LeadsInside reports whether a URL's host ends in .internal.
func (s *fakeStore) LeadsInside(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.HasSuffix(u.Hostname(), ".internal")
}

func (s *fakeStore) Seal(plain []byte, purpose string) []byte {
	return []byte(purpose + "|" + string(plain))
}

func (s *fakeStore) Open(sealed []byte, purpose string) ([]byte, error) {
	plain, ok := strings.CutPrefix(string(sealed), purpose+"|")
	if !ok {
		return nil, errors.New("sealed for something else")
	}
	return []byte(plain), nil
}

func (s *fakeStore) Create(_ context.Context, a *agent.Agent, first agent.Version) error {
	s.agents[a.ID], s.versions = a, append(s.versions, first)
	return nil
}

func (s *fakeStore) ByID(_ context.Context, _ id.Project, wanted id.Agent) (*agent.Agent, error) {
	if a, ok := s.agents[wanted]; ok {
		copied := *a
		return &copied, nil
	}
	return nil, fault.Missing("agent")
}

func (s *fakeStore) List(context.Context, id.Project, ports.Page) (list []*agent.Agent, total int, err error) {
	for _, a := range s.agents {
		list = append(list, a)
	}
	return list, len(list), nil
}

func (s *fakeStore) Update(ctx context.Context, p id.Project, wanted id.Agent, change func(*agent.Agent) (*agent.Version, error)) (*agent.Agent, error) {
	a, err := s.ByID(ctx, p, wanted)
	if err != nil {
		return nil, err
	}
	v, err := change(a)
	if err != nil {
		return nil, err
	}
	if s.agents[wanted] = a; v != nil {
		s.versions = append(s.versions, *v)
	}
	return a, nil
}

func (s *fakeStore) Versions(context.Context, id.Project, id.Agent, ports.Page) ([]agent.Version, int, error) {
	return s.versions, len(s.versions), nil
}

func (s *fakeStore) Version(_ context.Context, _ id.Project, of id.Agent, number int) (agent.Version, error) {
	for _, v := range s.versions {
		if v.Agent == of && v.Policy.Version == number {
			return v, nil
		}
	}
	return agent.Version{}, fault.Missing("policy")
}

func (s *fakeStore) Decisions(context.Context, id.Project, ports.DecisionFilter, ports.Page) ([]negotiation.Link, int, error) {
	return nil, 0, nil
}

func (s *fakeStore) Negotiations(_ context.Context, _ id.Project, f ports.NegotiationFilter, limit int, show func(ports.Negotiation) error) error {
	s.asked.limit, s.asked.sessions = limit, f.Sessions
	for _, n := range s.negotiations[:min(limit, len(s.negotiations))] {
		if err := show(n); err != nil {
			return err
		}
	}
	return nil
}

func (s *fakeStore) Haggled(context.Context, id.Project, time.Time, []id.Product, int) ([]ports.HaggledProduct, error) {
	return nil, nil
}

func (s *fakeStore) Head(context.Context, id.Project) (ports.ChainHead, error) { return s.head, nil }

func (s *fakeStore) Sealed(_ context.Context, _ id.Project, from int64, limit int) ([]negotiation.Link, error) {
	i := slices.IndexFunc(s.chain, func(d negotiation.Link) bool { return d.Position >= from })
	if i < 0 {
		return nil, nil
	}
	return slices.Clone(s.chain[i:min(i+limit, len(s.chain))]), nil
}

// fakeCatalog serves the fake store's product.
type fakeCatalog struct {
	ports.Products
	ports.Inventory
	store *fakeStore
}

func (c fakeCatalog) Get(_ context.Context, _ id.Project, wanted id.Product) (*catalog.Product, error) {
	if c.store.product == nil || c.store.product.ID != wanted {
		return nil, fault.Missing("product")
	}
	return c.store.product, nil
}

func (c fakeCatalog) LevelsOf(context.Context, id.Project, []id.Product) ([]catalog.Level, error) {
	return []catalog.Level{{Variant: c.store.product.Variants[0].ID, Quantity: 3}, {Variant: c.store.product.Variants[0].ID, Quantity: 4}}, nil
}

// fakeAgent answers quotes and records the inputs.
type fakeAgent struct {
	ports.Agent
	asked  []agent.QuoteInput
	answer func(agent.QuoteInput) agent.QuoteAnswer
}

func (f *fakeAgent) Quote(_ ports.Outbound, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	f.asked = append(f.asked, in)
	return f.answer(in), nil
}

// fixture is a project with one built-in agent.
type fixture struct {
	*fakeStore
	*agents.Service
	serving *fakeAgent
	project *project.Project
	first   id.Agent
	ctx     context.Context
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	store := &fakeStore{agents: map[id.Agent]*agent.Agent{}}
	answering := &fakeAgent{answer: func(in agent.QuoteInput) agent.QuoteAnswer {
		answer := in.House()
		answer.Answered.Handler = agent.HouseHandler
		return answer
	}}
	f := &fixture{
		fakeStore: store,
		serving:   answering,
		ctx:       context.Background(),
		project:   &project.Project{ID: id.New[id.Project]([16]byte{1}), Settings: project.DefaultSettings()},
		Service: &agents.Service{
			Stores: &ports.Stores{
				Agents:    store,
				Versions:  store,
				Record:    store,
				Products:  fakeCatalog{store: store},
				Inventory: fakeCatalog{store: store},
			},
			Serving:   answering,
			Vault:     store,
			Addresses: store,
			Clock:     store,
			Entropy:   store,
		},
	}
	a, _, err := f.Service.Create(f.ctx, f.project, agent.Change{Name: patch.To("Ann")}, negotiationtest.Patient())
	if err != nil {
		t.Fatal(err)
	}
	f.first = a.ID
	return f
}

// remoteDraft returns a draft whose quotes are served by a remote handler.
func remoteDraft(url string) agent.Change {
	return agent.Change{Name: patch.To("Bob"), Handlers: agent.HandlersChange{Quote: patch.To(agent.HandlerDraft{Type: "remote", URL: url})}}
}

// faultFields returns the fields of a fault, or its code if it has none.
func faultFields(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return fmt.Sprint(err)
	}
	if len(f.Details) == 0 {
		return f.Code
	}
	var fields []string
	for _, d := range f.Details {
		fields = append(fields, d.Field)
	}
	return strings.Join(fields, " ")
}
