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
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// bureau keeps one project's agents, versions and record in memory.
type bureau struct {
	ports.Agents
	agents   map[id.Agent]*agent.Agent
	versions []agent.Version
	talks    []ports.Negotiation
	chain    []negotiation.Link
	head     ports.ChainHead
	product  *catalog.Product
	asked    struct {
		limit    int
		sessions []id.Negotiation
	}
	made byte
}

var midday = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func (b *bureau) Now() time.Time { return midday }

func (b *bureau) Bits128() [16]byte {
	b.made++
	return [16]byte{b.made}
}

func (b *bureau) IDBits() [16]byte { return b.Bits128() }

func (b *bureau) Secret(int) string { return "" }

// LeadsInside reports whether a URL names a host of the house.
func (b *bureau) LeadsInside(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.HasSuffix(u.Hostname(), ".internal")
}

func (b *bureau) Seal(plain []byte, purpose string) []byte {
	return []byte(purpose + "|" + string(plain))
}

func (b *bureau) Open(sealed []byte, purpose string) ([]byte, error) {
	plain, ok := strings.CutPrefix(string(sealed), purpose+"|")
	if !ok {
		return nil, errors.New("sealed for something else")
	}
	return []byte(plain), nil
}

func (b *bureau) Create(_ context.Context, a *agent.Agent, first agent.Version) error {
	b.agents[a.ID], b.versions = a, append(b.versions, first)
	return nil
}

func (b *bureau) ByID(_ context.Context, _ id.Project, wanted id.Agent) (*agent.Agent, error) {
	if a, ok := b.agents[wanted]; ok {
		copied := *a
		return &copied, nil
	}
	return nil, fault.Missing("agent")
}

func (b *bureau) Update(ctx context.Context, p id.Project, wanted id.Agent, change func(*agent.Agent) (*agent.Version, error)) (*agent.Agent, error) {
	a, err := b.ByID(ctx, p, wanted)
	if err != nil {
		return nil, err
	}
	v, err := change(a)
	if err != nil {
		return nil, err
	}
	if b.agents[wanted] = a; v != nil {
		b.versions = append(b.versions, *v)
	}
	return a, nil
}

func (b *bureau) Versions(context.Context, id.Project, id.Agent, ports.Page) ([]agent.Version, int, error) {
	return b.versions, len(b.versions), nil
}

func (b *bureau) Version(_ context.Context, _ id.Project, of id.Agent, number int) (agent.Version, error) {
	for _, v := range b.versions {
		if v.Agent == of && v.Policy.Version == number {
			return v, nil
		}
	}
	return agent.Version{}, fault.Missing("policy")
}

func (b *bureau) Decisions(context.Context, id.Project, ports.DecisionFilter, ports.Page) ([]negotiation.Link, int, error) {
	return nil, 0, nil
}

func (b *bureau) Negotiations(_ context.Context, _ id.Project, f ports.NegotiationFilter, limit int, show func(ports.Negotiation) error) error {
	b.asked.limit, b.asked.sessions = limit, f.Sessions
	for _, n := range b.talks[:min(limit, len(b.talks))] {
		if err := show(n); err != nil {
			return err
		}
	}
	return nil
}

func (b *bureau) Haggled(context.Context, id.Project, time.Time, []id.Product, int) ([]ports.HaggledProduct, error) {
	return nil, nil
}

func (b *bureau) Head(context.Context, id.Project) (ports.ChainHead, error) { return b.head, nil }

func (b *bureau) Sealed(_ context.Context, _ id.Project, from int64, limit int) ([]negotiation.Link, error) {
	i := slices.IndexFunc(b.chain, func(d negotiation.Link) bool { return d.Position >= from })
	if i < 0 {
		return nil, nil
	}
	return slices.Clone(b.chain[i:min(i+limit, len(b.chain))]), nil
}

// shelf has the bureau's product.
type shelf struct {
	ports.Products
	ports.Inventory
	of *bureau
}

func (b shelf) Get(_ context.Context, _ id.Project, wanted id.Product) (*catalog.Product, error) {
	if b.of.product == nil || b.of.product.ID != wanted {
		return nil, fault.Missing("product")
	}
	return b.of.product, nil
}

func (b shelf) LevelsOf(context.Context, id.Project, []id.Product) ([]catalog.Level, error) {
	return []catalog.Level{{Variant: b.of.product.Variants[0].ID, Quantity: 3}, {Variant: b.of.product.Variants[0].ID, Quantity: 4}}, nil
}

// serving answers quotes, and remembers what it was asked.
type serving struct {
	ports.Agent
	asked  []agent.QuoteInput
	answer func(agent.QuoteInput) agent.QuoteAnswer
}

func (s *serving) Quote(_ ports.Outbound, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	s.asked = append(s.asked, in)
	return s.answer(in), nil
}

// office is a project with one agent of the house.
type office struct {
	*bureau
	*agents.Service
	serving *serving
	project *project.Project
	first   id.Agent
	ctx     context.Context
}

func newOffice(t *testing.T) *office {
	t.Helper()
	b := &bureau{agents: map[id.Agent]*agent.Agent{}}
	s := &serving{answer: func(in agent.QuoteInput) agent.QuoteAnswer {
		answer := in.House()
		answer.Answered.Handler = agent.HouseHandler
		return answer
	}}
	o := &office{
		bureau:  b,
		serving: s,
		ctx:     context.Background(),
		project: &project.Project{ID: id.New[id.Project]([16]byte{1}), Settings: project.DefaultSettings()},
		Service: &agents.Service{
			Stores: &ports.Stores{
				Agents:    b,
				Versions:  b,
				Record:    b,
				Products:  shelf{of: b},
				Inventory: shelf{of: b},
			},
			Serving:   s,
			Vault:     b,
			Addresses: b,
			Clock:     b,
			Entropy:   b,
		},
	}
	a, _, err := o.Service.Create(o.ctx, o.project, agent.Change{Name: patch.To("Ann")}, negotiation.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	o.first = a.ID
	return o
}

// remote has a handler elsewhere serve quotes.
func remote(url string) agent.Change {
	return agent.Change{Name: patch.To("Bob"), Handlers: agent.HandlersChange{Quote: patch.To(agent.HandlerDraft{Type: "remote", URL: url})}}
}

// named are the fields of a fault, or its code where it has none.
func named(err error) string {
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
