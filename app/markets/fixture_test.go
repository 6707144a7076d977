package markets_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/markets"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fixture is a project with an agent and products, and the queue of its only job.
type fixture struct {
	*testing.T
	project  *project.Project
	agent    *agent.Agent
	products []*catalog.Product
	haggled  []ports.HaggledProduct
	broken   error // the error of reading products

	lock    sync.Mutex
	job     *job.Job
	until   time.Time // the end of the lease
	beats   int
	onBeat  func(*job.Job)
	settled int
}

func newFixture(t *testing.T) *fixture {
	s := &fixture{T: t, project: &project.Project{ID: id.New[id.Project]([16]byte{1}), Settings: project.DefaultSettings()}}
	s.agent = &agent.Agent{
		ID:      id.New[id.Agent]([16]byte{2}),
		Project: s.project.ID,
		Policy:  negotiation.Builtin(),
	}
	s.sell("Tent", 100_00, 50_00)
	s.sell("Mug", 12_00, 0)
	return s
}

// sell adds a product. A cost of 0 means that it is unknown.
func (s *fixture) sell(name string, price, cost int64) *catalog.Product {
	n := byte(len(s.products) + 1)
	p := &catalog.Product{
		ID:         id.New[id.Product]([16]byte{n}),
		Name:       name,
		Price:      money.Of(price, money.USD),
		Status:     catalog.Active,
		Negotiable: true,
		Variants:   []catalog.Variant{{ID: id.New[id.Variant]([16]byte{n})}},
	}
	if cost > 0 {
		known := money.Of(cost, money.USD)
		p.Cost = &known
	}
	s.products = append(s.products, p)
	return p
}

func (s *fixture) stores() *ports.Stores {
	return &ports.Stores{
		Agents:    fakeAgents{of: s},
		Versions:  fakeVersions{of: s},
		Products:  fakeProducts{of: s},
		Inventory: fakeInventory{of: s},
		Record:    fakeRecord{of: s},
		Jobs:      fakeJobs{of: s},
	}
}

func (s *fixture) service() *markets.Service {
	return &markets.Service{
		Stores:  s.stores(),
		Clock:   s,
		Entropy: entropy{},
	}
}

func (s *fixture) start(r job.MarketRequest) error {
	j, err := s.service().Start(s.Context(), s.project, s.agent.ID, r)
	s.job = j
	return err
}

// mustStart starts a run, of 50 buyers by default.
func (s *fixture) mustStart(r job.MarketRequest) {
	s.Helper()
	if r.Buyers == 0 {
		r.Buyers = 50
	}
	if err := s.start(r); err != nil {
		s.Fatal(err)
	}
}

// work leases the job and runs it, as a replica would.
func (s *fixture) work(ctx context.Context) error {
	s.lock.Lock()
	s.until = s.until.Add(time.Minute)
	s.job.DueAt = s.until
	held := ports.Held{
		Project: s.project.ID,
		Key:     s.job.ID.String(),
		Until:   s.until,
	}
	s.lock.Unlock()
	runner := &markets.Runner{
		Stores:   s.stores(),
		Queue:    s,
		Projects: s,
		Clock:    s,
		Log:      slog.New(slog.DiscardHandler),
	}
	return runner.Job().Work(ports.NewOutbound(ctx), jobs.Task[*job.Job]{
		Items: []ports.Leased[*job.Job]{{Held: held, Item: s.job}},
		Clock: s,
	})
}

func (s *fixture) Now() time.Time { return noon }

func (s *fixture) ByProject(context.Context, id.Project) (*project.Project, error) {
	return s.project, nil
}

func (s *fixture) Waiting(context.Context) ([]string, error) { return nil, nil }

func (s *fixture) Claim(context.Context, time.Duration, []ports.Share) ([]ports.Leased[*job.Job], error) {
	return nil, nil
}

func (s *fixture) SetAside(context.Context, ports.Held, string) error { return nil }
func (s *fixture) Restore(context.Context, ports.Held) error          { return nil }

func (s *fixture) Progress(_ context.Context, held ports.Held, done, total int, _ time.Duration) (time.Time, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.onBeat != nil {
		s.onBeat(s.job)
	}
	if s.job.Status != job.Running || !held.Until.Equal(s.until) {
		return time.Time{}, ports.ErrJobTaken
	}
	s.beats++
	s.job.Done, s.job.Total = done, total
	s.until = s.until.Add(time.Second)
	s.job.DueAt = s.until
	return s.until, nil
}

func (s *fixture) Settle(_ context.Context, held ports.Held, change func(*job.Job) error) (*job.Job, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.job.Finished() || !held.Until.Equal(s.until) {
		return nil, ports.ErrJobTaken
	}
	s.settled++
	next := *s.job
	if err := change(&next); err != nil {
		return nil, err
	}
	*s.job = next
	return &next, nil
}

type entropy struct{ ports.Entropy }

func (entropy) IDBits() [16]byte { return [16]byte{9} }

type fakeAgents struct {
	ports.Agents
	of *fixture
}

func (a fakeAgents) ByID(_ context.Context, _ id.Project, wanted id.Agent) (*agent.Agent, error) {
	if wanted != a.of.agent.ID {
		return nil, fault.Missing("agent")
	}
	return a.of.agent, nil
}

// fakeVersions has version 2, which keeps margin.
type fakeVersions struct {
	ports.PolicyVersions
	of *fixture
}

func (v fakeVersions) Version(_ context.Context, _ id.Project, _ id.Agent, number int) (agent.Version, error) {
	if number != 2 {
		return agent.Version{}, fault.Missing("policy")
	}
	p := negotiation.Presets()[0].Policy
	p.Version = 2
	return agent.Version{Policy: p}, nil
}

type fakeProducts struct {
	ports.Products
	of *fixture
}

func (p fakeProducts) Get(_ context.Context, _ id.Project, wanted id.Product) (*catalog.Product, error) {
	i := slices.IndexFunc(p.of.products, func(one *catalog.Product) bool { return one.ID == wanted })
	switch {
	case p.of.broken != nil:
		return nil, p.of.broken
	case i < 0:
		return nil, fault.Missing("product")
	}
	return p.of.products[i], nil
}

func (p fakeProducts) List(context.Context, id.Project, ports.ProductFilter, ports.Page) ([]*catalog.Product, int, error) {
	return p.of.products, len(p.of.products), p.of.broken
}

type fakeInventory struct {
	ports.Inventory
	of *fixture
}

func (l fakeInventory) LevelsOf(context.Context, id.Project, []id.Product) (levels []catalog.Level, err error) {
	for _, p := range l.of.products {
		levels = append(levels, catalog.Level{
			Product:  p.ID,
			Variant:  p.Variants[0].ID,
			Quantity: 20,
		})
	}
	return levels, nil
}

// record is an alias of ports.Decisions, so that the embedded field does not have the name of one of its methods.
type record = ports.Decisions

type fakeRecord struct {
	record
	of *fixture
}

func (r fakeRecord) Haggled(_ context.Context, _ id.Project, since time.Time, _ []id.Product, _ int) ([]ports.HaggledProduct, error) {
	if !since.Equal(noon.AddDate(0, 0, -30)) {
		r.of.Errorf("the record is counted from %s", since)
	}
	return r.of.haggled, nil
}

type fakeJobs struct {
	ports.Jobs
	of *fixture
}

func (j fakeJobs) Start(_ context.Context, made *job.Job) error { return nil }

func (j fakeJobs) Update(_ context.Context, _ id.Project, _ id.Job, change func(*job.Job) error) (*job.Job, error) {
	j.of.lock.Lock()
	defer j.of.lock.Unlock()
	return j.of.job, change(j.of.job)
}
