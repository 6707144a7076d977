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

// shop is a platform with records, so many to a page.
type shop struct {
	ports.Connector
	mu      sync.Mutex
	records map[syncrun.Resource][]syncrun.Record
	size    int
	asked   []string
	// answer is asked before each page; nil, or what it leaves undecided, is answered from the records.
	answer func(r ports.PageRequest) (*ports.RecordPage, error)
}

func (s *shop) Read(_ ports.Outbound, _ ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
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
	to := min(from+s.size, len(all))
	page := ports.RecordPage{Records: slices.Clone(all[from:to])}
	if to < len(all) {
		page.Next = strconv.Itoa(to)
	}
	return page, nil
}

// open lets everybody use the integration, as it is now.
type open struct{ replica *synctest.Replica }

func (o open) Use(_ ports.Outbound, i *integration.Integration, work func(ports.Connection) error) error {
	if o.replica.Dead() {
		return synctest.ErrDead
	}
	if i.Status == integration.Disconnected {
		return integration.ErrDisconnected()
	}
	return work(ports.Connection{Key: i.ID.String()})
}

type lab struct {
	*synctest.World
	shop    *shop
	entropy *synctest.Entropy
	mu      sync.Mutex
	changed []id.Product
}

func newLab(records ...syncrun.Record) *lab {
	l := &lab{
		World:   synctest.New(integration.Custom),
		shop:    &shop{records: map[syncrun.Resource][]syncrun.Record{}, size: 10},
		entropy: &synctest.Entropy{},
	}
	for _, r := range records {
		l.shop.records[r.Resource] = append(l.shop.records[r.Resource], r)
	}
	return l
}

func (l *lab) engine(r *synctest.Replica) *Engine {
	return &Engine{
		Queue:        r.Queue(),
		Integrations: r.Integrations(),
		Projects:     r,
		Unit:         r,
		Accounts:     open{r},
		Connectors:   map[string]ports.Connector{"custom": l.shop},
		Taker:        &Taker{l, l.entropy},
		Clock:        l,
		Entropy:      l.entropy,
		Log:          slog.New(slog.NewTextHandler(io.Discard, nil)),
		Changed: func(_ context.Context, _ id.Project, products []id.Product) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.changed = append(l.changed, products...)
		},
		Announced: func() {},
	}
}

func (l *lab) service() *Service {
	r := l.Replica(0)
	return &Service{
		Stores: &ports.Stores{
			Integrations: r.Integrations(),
			SyncRuns:     r.RunStore(),
		},
		Clock:   l,
		Entropy: l.entropy,
		Wake:    func() {},
	}
}

func (l *lab) start(t *testing.T, full bool, resources ...string) id.Sync {
	t.Helper()
	run, err := l.service().Start(t.Context(), l.Project, l.World.Integration, Wanted{Resources: resources, Full: full})
	if err != nil {
		t.Fatal(err)
	}
	return run.ID
}

// work has a replica work on what is due until nothing is.
func (l *lab) work(t *testing.T, r *synctest.Replica) {
	t.Helper()
	job := l.engine(r).Job()
	job.Before = nil
	_, _ = jobs.NewWorker(job).Once(t.Context())
}

// sync reads everything once, and returns the run.
func (l *lab) sync(t *testing.T, full bool, resources ...string) syncrun.Run {
	t.Helper()
	run := l.start(t, full, resources...)
	l.work(t, l.Replica(0))
	return l.Run(run)
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

// tell takes records as a webhook's call would.
func (l *lab) tell(t *testing.T, records ...syncrun.Record) ports.Taken {
	t.Helper()
	taken, err := l.take(t, ports.Taking{Project: l.Project}, records...)
	if err != nil {
		t.Error(err)
	}
	return taken
}

func (l *lab) take(t *testing.T, on ports.Taking, records ...syncrun.Record) (taken ports.Taken, err error) {
	t.Helper()
	on.Integration = l.World.Integration
	r := l.Replica(0)
	err = r.InTx(t.Context(), l.Project.ID, func(s ports.SyncStores) error {
		taken, err = (&Taker{l, l.entropy}).Take(t.Context(), s, on, records)
		return err
	})
	return taken, err
}
