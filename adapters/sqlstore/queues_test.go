package sqlstore_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/events"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestStore_queues(t *testing.T) {
	t.Parallel()
	for name, open := range storetest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			porttest.QueueSuite{
				Open: func(tb testing.TB) porttest.PublishingStores {
					s := open(tb)
					return porttest.PublishingStores{
						Stores:        storetest.Views(s),
						Subscriptions: s.Events(),
						EventLog:      s.Events(),
						Deliveries:    s.Events(),
						Outbox:        outboxOf{s.Outbox(), s},
					}
				},
				Spoil: func(stores porttest.PublishingStores, queue, key string, spoilt bool) bool {
					return spoil(t, stores.Outbox.(outboxOf).opened, queue, key, spoilt)
				},
				Work: work,
			}.Run(t)
		})
	}
}

// outboxOf is an outbox that knows its store.
type outboxOf struct {
	events.Outbox
	opened *storetest.Store
}

// spoil makes a row unreadable, as a later version of the program or a hand-made UPDATE may.
func spoil(t *testing.T, s *storetest.Store, queue, key string, spoilt bool) bool {
	statement, known := map[string]string{
		"payments":  "UPDATE checkouts SET taken = CASE $1 WHEN 'bad' THEN '{' ELSE '[' END || substr(taken, 2) WHERE id = $2",
		"orphans":   "UPDATE orphan_charges SET currency = CASE $1 WHEN 'bad' THEN '???' ELSE 'USD' END WHERE id = $2",
		"sync runs": "UPDATE sync_runs SET steps = CASE $1 WHEN 'bad' THEN '{' ELSE '[' END || substr(steps, 2) WHERE id = $2",
	}[queue]
	if known {
		how := "good"
		if spoilt {
			how = "bad"
		}
		storetest.Rewrite(t, s, statement, how, key)
	}
	return known
}

// work runs a worker of app/jobs.
func work(ctx context.Context, q ports.Queue[any], work func(context.Context, ports.Leased[any]) error) (wake func(), done <-chan struct{}) {
	w := jobs.NewWorker(jobs.Job[any]{
		Name:   "test",
		Queue:  q,
		Work:   func(ctx ports.Outbound, t jobs.Task[any]) error { return work(ctx, t.Items[0]) },
		Limits: jobs.Limits{Slots: 8, Each: 4},
		Lease:  15 * time.Second,
		Poll:   time.Hour,
		Clock:  wallClock{},
		Log:    slog.New(slog.DiscardHandler),
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Run(ctx)
	}()
	return w.Wake, ended
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

// While a queue is empty, looking for work is one statement.
func TestStore_queuesIdle(t *testing.T) {
	t.Parallel()
	s, count := storetest.CountedSQLite(t)
	queues := map[string]interface {
		Waiting(context.Context) ([]string, error)
	}{
		"payments":   s.LapsedCheckouts(),
		"refunds":    s.DueRefunds(),
		"orphans":    s.DueOrphans(),
		"deliveries": s.Outbox(),
		"webhooks":   s.InboxQueue(),
		"sync runs":  s.SyncQueue(),
		"jobs":       s.JobQueue(),
		"embeddings": s.Embeddings().Behind("small", time.Hour),
	}
	for name, q := range queues {
		n := count(func() {
			if groups, err := q.Waiting(t.Context()); err != nil || len(groups) != 0 {
				t.Error(groups, err)
			}
		})
		if n != 1 {
			t.Errorf("%s: %d statements", name, n)
		}
	}
}
