package telemetry_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
)

// backlog is a fake database that counts queries.
type backlog struct {
	pending int
	oldest  time.Time
	err     error
	hangs   bool
	ahead   time.Duration // how far the database's clock is ahead of ours
	asked   int
}

func (b *backlog) lag(ctx context.Context) (int, time.Time, error) {
	b.asked++
	if b.hangs {
		<-ctx.Done()
		return 0, time.Time{}, ctx.Err()
	}
	return b.pending, b.oldest, b.err
}

func watched(b *backlog) *telemetry.Metrics {
	m := telemetry.NewMetrics("1.2.3")
	m.Outbox(b.lag, func() time.Time { return time.Now().Add(b.ahead) })
	return m
}

func TestMetrics_Outbox_cached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &backlog{pending: 3, oldest: time.Now().Add(-90 * time.Second)}
		m := watched(b)
		wantLines(t, scrape(t, m), "haggle_outbox_pending 3", "haggle_outbox_oldest_seconds 90")
		b.pending = 4
		time.Sleep(4999 * time.Millisecond)
		wantLines(t, scrape(t, m), "haggle_outbox_pending 3", "haggle_outbox_oldest_seconds 94.999") // still older
		if b.asked != 1 {
			t.Fatalf("asked %d times within five seconds", b.asked)
		}
		time.Sleep(time.Millisecond)
		wantLines(t, scrape(t, m), "haggle_outbox_pending 4", "haggle_outbox_oldest_seconds 95", "haggle_scrape_errors_total 0")
	})
}

func TestMetrics_Outbox_empty(t *testing.T) {
	t.Parallel()
	wantLines(t, scrape(t, watched(&backlog{})), "haggle_outbox_pending 0", "haggle_outbox_oldest_seconds 0")
	future := &backlog{pending: 1, oldest: time.Now().Add(time.Hour)} // another machine's clock
	wantLines(t, scrape(t, watched(future)), "haggle_outbox_pending 1", "haggle_outbox_oldest_seconds 0")
}

func TestMetrics_Outbox_databaseClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &backlog{
			pending: 1,
			oldest:  time.Now().Add(80 * time.Second),
			ahead:   90 * time.Second,
		}
		wantLines(t, scrape(t, watched(slow)), "haggle_outbox_oldest_seconds 10")
	})
}

func TestMetrics_Outbox_concurrentScrapes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &backlog{}
		m := watched(b)
		var scrapes sync.WaitGroup
		for range 3 {
			scrapes.Go(func() { scrape(t, m) })
		}
		scrapes.Wait()
		if b.asked != 1 {
			t.Errorf("asked %d times", b.asked)
		}
	})
}

// While the outbox cannot be read, its gauges are absent and haggle_scrape_errors_total rises.
func TestMetrics_Outbox_failing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &backlog{err: errors.New("no database")}
		m := watched(b)
		for range 3 {
			wantNone(t, scrape(t, m), "haggle_outbox")
		}
		if wantLines(t, scrape(t, m), "haggle_scrape_errors_total 1"); b.asked != 1 {
			t.Errorf("a failing database is asked %d times within five seconds", b.asked)
		}
		b.err = nil
		time.Sleep(5 * time.Second)
		wantLines(t, scrape(t, m), "haggle_outbox_pending 0", "haggle_scrape_errors_total 1")
	})
}

// A slow database delays a scrape by at most a second.
func TestMetrics_Outbox_slow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := watched(&backlog{hangs: true})
		start := time.Now()
		page := scrape(t, m)
		if took := time.Since(start); took != time.Second {
			t.Errorf("took %s", took)
		}
		wantNone(t, page, "haggle_outbox")
		wantLines(t, scrape(t, m), "haggle_scrape_errors_total 1")
	})
}
