package management_test

import (
	"context"
	"crypto/sha256"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeKeys has the API keys of one account, by the name in their secrets, hk_test_NAME.
type fakeKeys struct {
	ports.Accounts
	owner *account.Account
	known map[[32]byte]*account.Key
	asked int // how often
}

func (k *fakeKeys) add(name string, scopes []string, bound ...id.Project) {
	hash := sha256.Sum256([]byte("hk_test_" + name))
	k.known[hash] = &account.Key{
		Account:  k.owner.ID,
		Hash:     hash,
		Scopes:   scopes,
		Projects: bound,
	}
}

func (k *fakeKeys) KeyByHash(_ context.Context, hash [32]byte) (*account.Key, *account.Account, error) {
	k.asked++
	if key, ok := k.known[hash]; ok {
		return key, k.owner, nil
	}
	return nil, nil, fault.Missing("key")
}

// fakeProjects holds the account's projects.
type fakeProjects struct {
	ports.Projects
	projects map[id.Project]*project.Project
}

func (s *fakeProjects) ByID(_ context.Context, _ id.Account, p id.Project) (*project.Project, error) {
	if found, ok := s.projects[p]; ok {
		return found, nil
	}
	return nil, fault.Missing("row")
}

func (s *fakeProjects) Update(_ context.Context, _ id.Account, p id.Project, change func(*project.Project) error) (*project.Project, error) {
	next := *s.projects[p]
	if err := change(&next); err != nil {
		return nil, err
	}
	s.projects[p] = &next
	return &next, nil
}

// emptyCatalog is a catalogue without products.
type emptyCatalog struct {
	ports.CatalogReader
	ports.Products
	ports.Index
}

func (emptyCatalog) Categories(context.Context, id.Project) ([]catalog.Category, error) {
	return []catalog.Category{{Path: "a", Count: 2}, {Path: "a/b", Count: 1}, {Path: "c", Count: 1}}, nil
}

func (emptyCatalog) Create(context.Context, ports.ProductWrite) error { return nil }
func (emptyCatalog) Version(id.Project) int64                         { return 0 }

type emptyInventory struct{ ports.Inventory }

func (emptyInventory) ShelvesOf(context.Context, id.Project, []id.Product) ([]catalog.Shelf, error) {
	return nil, nil
}

type system struct{}

func (system) Now() time.Time    { return time.Date(2026, 1, 2, 3, 4, 5, 670e6, time.UTC) }
func (system) Bits128() [16]byte { return [16]byte{5} }

func (s system) IDBits() [16]byte      { return s.Bits128() }
func (system) Secret(int) string       { return "" }
func (system) LeadsInside(string) bool { return false }

// fixture is the API for one account with two projects.
type fixture struct {
	handler  http.Handler
	api      huma.API
	keys     *fakeKeys
	projects *fakeProjects
	one, two id.Project
	limiter  fakeLimiter
	logged   []audit.Event
}

// Record remembers the events that the audit log gets.
func (w *fixture) Record(_ context.Context, r ports.Record) error {
	w.logged = append(w.logged, *r.Event)
	return nil
}

// fakeLimiter admits all requests, or none if it is full, and remembers the counted keys.
type fakeLimiter struct {
	ports.Limiter
	full    bool
	counted []string
}

func (l *fakeLimiter) Allow(_ context.Context, key string, r ports.Rate) ports.Verdict {
	l.counted = append(l.counted, key)
	return ports.Verdict{
		Allowed:    !l.full,
		Limit:      r.Burst,
		Remaining:  7,
		Reset:      1500 * time.Millisecond,
		RetryAfter: 2100 * time.Millisecond,
	}
}

// Look gives the same verdict as Take, and counts nothing.
func (l *fakeLimiter) Peek(_ context.Context, _ string, r ports.Rate) ports.Verdict {
	return ports.Verdict{
		Allowed:    !l.full,
		Limit:      r.Burst,
		RetryAfter: 2100 * time.Millisecond,
	}
}

// newFixture starts the API with the services that more adds.
func newFixture(t *testing.T, more ...func(*management.Services)) *fixture {
	t.Helper()
	w := &fixture{
		keys:     &fakeKeys{owner: &account.Account{ID: id.New[id.Account]([16]byte{1})}, known: map[[32]byte]*account.Key{}},
		projects: &fakeProjects{projects: map[id.Project]*project.Project{}},
	}
	for n, p := range []*id.Project{&w.one, &w.two} {
		*p = id.New[id.Project]([16]byte{byte(n + 1)})
		opened, err := project.Open(*p, w.keys.owner.ID, project.Draft{Name: "Shop", Slug: "shop"}, system{}.Now())
		if err != nil {
			t.Fatal(err)
		}
		w.projects.projects[*p] = opened
	}
	w.keys.add("admin", []string{"*"})
	mux := http.NewServeMux()
	w.api = wire.NewAPI(mux, wire.Config{Title: "Test", Version: "1"})
	stores := &ports.Stores{
		Accounts:  w.keys,
		Projects:  w.projects,
		Products:  emptyCatalog{},
		Catalog:   emptyCatalog{},
		Index:     emptyCatalog{},
		Inventory: emptyInventory{},
	}
	services := management.Services{
		UseCases: management.UseCases{
			Access: &access.Service{
				Stores:      stores,
				Clock:       system{},
				Entropy:     system{},
				Environment: account.Sandbox,
			},
			Projects: &projects.Service{
				Stores:    stores,
				Clock:     system{},
				Entropy:   system{},
				Addresses: system{},
			},
			Catalogs: &catalogs.Service{
				Stores:  stores,
				Clock:   system{},
				Entropy: system{},
			},
			Discovery: discovery.New(discovery.Service{Stores: stores}),
		},
		Stores:        stores,
		ACPAddress:    func(slug string) string { return "https://" + slug + ".example" },
		APIAddress:    "https://api.example/v1",
		ClientAddress: func(r *http.Request) netip.Addr { return netip.MustParseAddr("203.0.113.7") },
		Limiter:       &w.limiter,
		Rate:          func(account.Plan) ports.Rate { return ports.Rate{PerMinute: 60, Burst: 90} },
		Lane:          wire.NewLane(10, 10, nil),
		Clock:         system{},
		NewEventID:    func() id.AuditEvent { return id.New[id.AuditEvent]([16]byte{9}) },
	}
	services.Keys.Clock = system{}
	services.Begin = func(_ context.Context, _ *ports.KeyUsage, work func(*ports.Stores, ports.Records) error) (bool, error) {
		err := work(services.Stores, w)
		return err == nil, err
	}
	for _, add := range more {
		add(&services)
	}
	management.Register(w.api, services)
	mux.Handle("/v1/", management.Unrouted(services, wire.Unrouted(mux, wire.Plain)))
	w.handler = wire.Handler(mux, wire.Watch{Log: slog.New(slog.DiscardHandler)})
	return w
}

// call returns the status text and the body of an answer. A header is "Name: value".
func (w *fixture) call(key, method, path, body string, headers ...string) string {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Authorization", "Bearer hk_test_"+key)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	out := httptest.NewRecorder()
	w.handler.ServeHTTP(out, r)
	text, _ := io.ReadAll(out.Body) // a recorder's buffer does not fail
	return strings.TrimSpace(http.StatusText(out.Code) + " " + string(text))
}

func (w *fixture) in(p id.Project) string { return "X-Project-ID: " + p.String() }

func wants(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(got, part) {
			t.Errorf("%s\nhas no %s", got, part)
		}
	}
}
