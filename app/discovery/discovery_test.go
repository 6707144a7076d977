package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	noon    = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	errGone = errors.New("the database is gone")
)

// fixture is a shop in memory that implements every port of discovery. Methods that discovery must not call panic.
type fixture struct {
	ports.CatalogReader
	ports.Inventory
	products    []*catalog.Product
	levels      []catalog.Level
	categories  []catalog.Category
	complements []ports.Complement
	soldOut     bool // in the index
	finds       int
	agent       fakeAgent
	mandates    fakeMandates
	session     *session.Session
	cart        []session.CartItem

	looks    func()       // called when the index's version is read
	reading  func()       // called when the catalogue's changes are read
	readings atomic.Int64 // of the catalogue's changes
	readErr  error
	stockErr error
	findErr  error

	mu       sync.Mutex
	version  int64
	restocks []map[id.Variant]int
	created  []*session.Session
	touched  int // how often the session was
	shown    []id.Product
}

func (s *fixture) Changes(_ context.Context, _ id.Project, since int64) (ports.CatalogChanges, error) {
	s.readings.Add(1)
	if s.reading != nil {
		s.reading()
	}
	return ports.CatalogChanges{Version: since + 3}, s.readErr
}

func (s *fixture) Categories(context.Context, id.Project) ([]catalog.Category, error) {
	return s.categories, s.readErr
}

func (s *fixture) Active(_ context.Context, _ id.Project, wanted []id.Product) (found []*catalog.Product, err error) {
	for _, p := range s.products {
		if slices.Contains(wanted, p.ID) {
			found = append(found, p)
		}
	}
	return found, s.readErr
}

func (s *fixture) LevelsOf(context.Context, id.Project, []id.Product) ([]catalog.Level, error) {
	return s.levels, s.stockErr
}

func (s *fixture) TotalsOf(context.Context, id.Project, []id.Variant) (map[id.Variant]int, error) {
	return catalog.Totals(s.levels), s.stockErr
}

type fakeIndex struct {
	ports.Index
	*fixture
}

func (i fakeIndex) Version(id.Project) int64 {
	if i.looks != nil {
		defer i.looks()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.version
}

func (i fakeIndex) Apply(_ id.Project, c ports.CatalogChanges) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.version = c.Version
}

func (i fakeIndex) Restock(_ id.Project, totals map[id.Variant]int) {
	i.restocks = append(i.restocks, totals)
}

// Search finds everything.
func (i fakeIndex) Search(ports.Outbound, id.Project, catalog.Query) (catalog.Found, error) {
	i.finds++
	found := catalog.Found{Total: len(i.products)}
	for _, p := range i.products {
		found.Hits = append(found.Hits, catalog.Hit{
			Product: p,
			Score:   500,
			InStock: !i.soldOut,
		})
	}
	return found, i.findErr
}

// fakeAgent is an agent that returns all candidates unless choose is set, and records its inputs.
type fakeAgent struct {
	ports.Agent
	choose func(agent.SearchInput) (agent.SearchAnswer, error)
	asked  []agent.SearchInput
}

func (c *fakeAgent) Search(_ ports.Outbound, in agent.SearchInput) (agent.SearchAnswer, error) {
	c.asked = append(c.asked, in)
	if c.choose == nil {
		return in.All(), nil
	}
	return c.choose(in)
}

// fakeMandates returns the built-in policy unless another is set, and records the sessions.
type fakeMandates struct {
	policy   *negotiation.Policy
	err      error
	sessions []id.Session
}

func (m *fakeMandates) Mandate(_ context.Context, p *project.Project, visit id.Session) (agent.Mandate, error) {
	m.sessions = append(m.sessions, visit)
	policy := negotiation.Builtin()
	if m.policy != nil {
		policy = *m.policy
	}
	return agent.Mandate{Agent: &agent.Agent{ID: id.New[id.Agent]([16]byte{8}), Project: p.ID}, Policy: policy.Under(p.Settings)}, m.err
}

func (i fakeIndex) Complements(id.Project, []id.Product, int) []ports.Complement {
	return i.complements
}

type fakeSessions struct {
	ports.Sessions
	*fixture
}

func (s fakeSessions) Create(_ context.Context, v *session.Session, shown ...id.Product) error {
	s.created, s.fixture.shown = append(s.created, v), append(s.fixture.shown, shown...)
	return nil
}

func (s fakeSessions) Keep(_ context.Context, visit *session.Session, t session.Touched, shown ...id.Product) error {
	if t.Any() {
		s.touched++
		*s.session = *visit
	}
	s.fixture.shown = append(s.fixture.shown, shown...)
	return nil
}

type fakeHaggling struct {
	ports.Haggling
	*fixture
}

func (h fakeHaggling) Load(_ context.Context, _ id.Project, ask ports.HaggleAsk) (found ports.Haggle, err error) {
	for _, p := range h.products {
		if p.ID == ask.Product {
			found.Product = p
		}
	}
	if h.session != nil && ask.Session == h.session.ID {
		visit := *h.session
		found.Session, found.Cart = &visit, h.cart
	}
	found.Stock = map[id.Variant]int{}
	for _, l := range h.levels {
		found.Stock[l.Variant] += l.Quantity
	}
	return found, h.readErr
}

type system struct{ n byte }

func (*system) Now() time.Time      { return noon }
func (s *system) Bits128() [16]byte { s.n++; return [16]byte{s.n} }

func (s *system) IDBits() [16]byte { return s.Bits128() }
func (*system) Secret(int) string  { return "" }

func usd(cents int64) money.Amount { return money.Of(cents, money.USD) }

func product(n byte, cents int64) *catalog.Product {
	return &catalog.Product{
		ID:         id.New[id.Product]([16]byte{n}),
		Price:      usd(cents),
		Negotiable: true,
		Status:     catalog.Active,
		Variants:   []catalog.Variant{{ID: id.New[id.Variant]([16]byte{n})}},
	}
}

func level(p *catalog.Product, location string, pieces int) catalog.Level {
	return catalog.Level{
		Product:  p.ID,
		Variant:  p.Variants[0].ID,
		Location: location,
		Quantity: pieces,
	}
}

// open returns a service and project for a shop whose index is empty.
func open(s *fixture) (*discovery.Service, *project.Project) {
	settings := project.DefaultSettings()
	p := &project.Project{
		ID:             id.New[id.Project]([16]byte{1}),
		Settings:       settings,
		Storefront:     project.DefaultStorefront(settings),
		CatalogVersion: 3,
	}
	return discovery.New(discovery.Service{
		Stores: &ports.Stores{
			Catalog:   s,
			Inventory: s,
			Sessions:  fakeSessions{fixture: s},
			Haggling:  fakeHaggling{fixture: s},
		},
		Agent:    &s.agent,
		Mandates: &s.mandates,
		Index:    fakeIndex{fixture: s},
		Clock:    &system{},
		Entropy:  &system{},
	}), p
}

// search prepares and commits a search, as a protocol does.
func search(t *testing.T, service *discovery.Service, p *project.Project, r discovery.SearchRequest) (discovery.SearchAnswer, error) {
	prepared, err := service.PrepareSearch(ports.NewOutbound(t.Context()), p, r)
	if err != nil {
		return discovery.SearchAnswer{}, err
	}
	err = prepared.Commit(t.Context(), service.Stores)
	return prepared.Answer, err
}

func expectFault(t *testing.T, err error, code string, fields ...string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	var named []string
	for _, d := range f.Details {
		named = append(named, d.Field)
	}
	if !slices.Equal(named, fields) {
		t.Errorf("%s names %q, want %q", code, named, fields)
	}
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	_, p := open(&fixture{})
	house := negotiation.Builtin()
	if got := discovery.Capabilities(p, house.Under(p.Settings)); !reflect.DeepEqual(got, []string{"recommend", "negotiate", "bundle"}) {
		t.Errorf("by default %q", got)
	}
	quiet := house
	quiet.Enabled, quiet.Bundles.Off = false, true
	if got := discovery.Capabilities(p, quiet.Under(p.Settings)); !reflect.DeepEqual(got, []string{"recommend"}) {
		t.Errorf("by a policy that does neither %q", got)
	}
	p.Settings.NegotiationEnabled, p.Settings.BundleSuggestions, p.Settings.SubscriptionEnabled = false, false, true
	if got := discovery.Capabilities(p, house.Under(p.Settings)); !reflect.DeepEqual(got, []string{"recommend", "subscribe"}) {
		t.Errorf("otherwise %q", got)
	}
}

// countingFixture counts how often categories are read.
type countingFixture struct {
	*fixture
	counts int
}

func (s *countingFixture) Categories(ctx context.Context, of id.Project) ([]catalog.Category, error) {
	s.counts++
	return slices.Clone(s.fixture.categories), nil
}

func TestCategories_cache(t *testing.T) {
	t.Parallel()
	want := []catalog.Category{{Path: "a", Count: 3}, {Path: "a/b", Count: 2}}
	s := &countingFixture{fixture: &fixture{categories: want}}
	service := discovery.New(discovery.Service{Stores: &ports.Stores{Catalog: s}})
	ask := func(n int, version int64) {
		t.Helper()
		p := &project.Project{ID: id.Stored[id.Project](fmt.Sprint("proj_", n)), CatalogVersion: version}
		for _, read := range []func(context.Context, *project.Project) ([]catalog.Category, error){service.Categories, service.TopCategories} {
			got, err := read(t.Context(), p)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("categories of %d: %v, %v, want %v", n, got, err, want)
			}
			got[0].Count = 99 // the caller owns the result
		}
	}
	for n := range 200 {
		ask(n, 1)
		ask(n, 1)
	}
	if s.counts != 200 {
		t.Errorf("200 projects' categories are counted %d times, want once each", s.counts)
	}
	ask(199, 2)
	ask(199, 2)
	if s.counts != 201 {
		t.Errorf("a new version is counted %d times, want once", s.counts-200)
	}
	ask(200, 1)
	ask(0, 1) // was the oldest
	if s.counts != 203 {
		t.Errorf("more than 200 projects are remembered: %d counts, want 203", s.counts)
	}
}

func TestTopCategories(t *testing.T) {
	t.Parallel()
	s := &fixture{categories: []catalog.Category{{Path: "a", Count: 3}, {Path: "a/b", Count: 2}, {Path: "a/b/c", Count: 1}}}
	service, p := open(s)
	got, err := service.TopCategories(t.Context(), p)
	if err != nil || !reflect.DeepEqual(got, s.categories[:2]) {
		t.Errorf("%v, %v", got, err)
	}
	s.readErr = errGone
	if all, err := service.Categories(t.Context(), p); err != nil || !reflect.DeepEqual(all, s.categories) {
		t.Errorf("all are %v, %v", all, err)
	}
	if again, err := service.TopCategories(t.Context(), p); err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("the catalogue is the same, and it was read again: %v, %v", again, err)
	}
	p.CatalogVersion++
	if _, err := service.TopCategories(t.Context(), p); !errors.Is(err, errGone) {
		t.Errorf("the catalogue changed, and it was not read again: %v", err)
	}
}
