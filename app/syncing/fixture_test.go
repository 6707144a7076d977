package syncing

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

// fakeShop is a platform with records and a page size.
type fakeShop struct {
	ports.Connector
	mu       sync.Mutex
	records  map[syncrun.Resource][]syncrun.Record
	pageSize int
	asked    []string
	// answer is called before each page. If it returns nil, the page comes from the records.
	answer func(r ports.PageRequest) (*ports.RecordPage, error)
}

func (s *fakeShop) Read(_ ports.Outbound, _ ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Resource.String()+"@"+r.Cursor)
	if s.answer != nil {
		if page, err := s.answer(r); page != nil || err != nil {
			if page == nil {
				page = &ports.RecordPage{}
			}
			return *page, err
		}
	}
	from, _ := strconv.Atoi(r.Cursor)
	all := s.records[r.Resource]
	to := min(from+s.pageSize, len(all))
	page := ports.RecordPage{Records: slices.Clone(all[from:to])}
	if to < len(all) {
		page.Next = strconv.Itoa(to)
	}
	return page, nil
}

// fakeAccounts lets everybody use the integration as it is passed.
type fakeAccounts struct{ replica *synctest.Replica }

func (o fakeAccounts) Use(_ ports.Outbound, i *integration.Integration, work func(ports.Connection) error) error {
	if o.replica.Dead() {
		return synctest.ErrDead
	}
	if i.Status == integration.Disconnected {
		return integration.ErrDisconnected()
	}
	return work(ports.Connection{Key: i.ID.String()})
}

type fixture struct {
	*synctest.World
	platform *fakeShop
	entropy  *synctest.Entropy
	mu       sync.Mutex
	changed  []id.Product
}

func newFixture(records ...syncrun.Record) *fixture {
	f := &fixture{
		World:    synctest.New(integration.Custom),
		platform: &fakeShop{records: map[syncrun.Resource][]syncrun.Record{}, pageSize: 10},
		entropy:  &synctest.Entropy{},
	}
	for _, r := range records {
		f.platform.records[r.Resource] = append(f.platform.records[r.Resource], r)
	}
	return f
}

func (f *fixture) engine(r *synctest.Replica) *Engine {
	return &Engine{
		Queue:        r.Queue(),
		Integrations: r.Integrations(),
		Projects:     r,
		Unit:         r,
		Accounts:     fakeAccounts{r},
		Connectors:   map[string]ports.Connector{"custom": f.platform},
		Importer:     &Importer{f, f.entropy},
		Clock:        f,
		Entropy:      f.entropy,
		Log:          slog.New(slog.NewTextHandler(io.Discard, nil)),
		Changed: func(_ context.Context, _ id.Project, products []id.Product) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.changed = append(f.changed, products...)
		},
		Announced: func() {},
	}
}

func (f *fixture) service() *Service {
	r := f.Replica(0)
	return &Service{
		Stores: &ports.Stores{
			Integrations: r.Integrations(),
			SyncRuns:     r.RunStore(),
		},
		Clock:   f,
		Entropy: f.entropy,
		Wake:    func() {},
	}
}

func (f *fixture) start(t *testing.T, full bool, resources ...string) id.Sync {
	t.Helper()
	run, err := f.service().Start(t.Context(), f.Project, f.World.Integration, Wanted{Resources: resources, Full: full})
	if err != nil {
		t.Fatal(err)
	}
	return run.ID
}

// work lets a replica work until nothing is due.
func (f *fixture) work(t *testing.T, r *synctest.Replica) {
	t.Helper()
	job := f.engine(r).Job()
	job.Before = nil
	_, _ = jobs.NewWorker(job).Once(t.Context())
}

// sync runs one sync and returns the run.
func (f *fixture) sync(t *testing.T, full bool, resources ...string) syncrun.Run {
	t.Helper()
	run := f.start(t, full, resources...)
	f.work(t, f.Replica(0))
	return f.Run(run)
}

func tent(n int, at time.Time) syncrun.Record {
	return syncrun.Record{
		Resource: syncrun.Products,
		Remote:   fmt.Sprint("p", n),
		At:       at,
		Product: &syncrun.Product{
			SKU:   fmt.Sprint("T-", n),
			Name:  fmt.Sprint("Tent ", n),
			Price: "19.99",
			Item:  fmt.Sprint("i", n),
		},
	}
}

func level(n, quantity int, at time.Time) syncrun.Record {
	return syncrun.Record{
		Resource: syncrun.Inventory,
		Remote:   fmt.Sprint("i", n, ":main"),
		At:       at,
		Level: &syncrun.Level{
			Item:     fmt.Sprint("i", n),
			Location: "main",
			Quantity: quantity,
		},
	}
}

var early = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)

func tents(n int) (list []syncrun.Record) {
	for i := range n {
		list = append(list, tent(i, early.Add(time.Duration(i)*time.Second)))
	}
	return list
}

func counters(r syncrun.Run) (all []syncrun.Counters) {
	for _, s := range r.Steps {
		all = append(all, s.Counters)
	}
	return all
}

func want(t *testing.T, r syncrun.Run, status syncrun.Status, all ...syncrun.Counters) {
	t.Helper()
	if r.Status != status || !slices.Equal(counters(r), all) {
		t.Errorf("%s %q with %+v, want %s with %+v", r.Status, r.Error, counters(r), status, all)
	}
}

// importByWebhook imports records as a webhook's call does.
func (f *fixture) importByWebhook(t *testing.T, records ...syncrun.Record) ports.ImportResult {
	t.Helper()
	taken, err := f.importRecords(t, ports.ImportScope{Project: f.Project}, records...)
	if err != nil {
		t.Error(err)
	}
	return taken
}

func (f *fixture) importRecords(t *testing.T, on ports.ImportScope, records ...syncrun.Record) (taken ports.ImportResult, err error) {
	t.Helper()
	on.Integration = f.World.Integration
	r := f.Replica(0)
	err = r.InTx(t.Context(), f.Project.ID, func(s ports.SyncStores) error {
		taken, err = (&Importer{f, f.entropy}).Import(t.Context(), s, on, records)
		return err
	})
	return taken, err
}
