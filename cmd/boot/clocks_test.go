package boot

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/adapters/telemetry"
)

// fakeRemoteClock is a provider's clock as its adapter reports it. A skew of zero is unknown.
type fakeRemoteClock struct{ skew atomic.Int64 }

func (r *fakeRemoteClock) Skew() (time.Duration, bool) {
	skew := time.Duration(r.skew.Load())
	return skew, skew != 0
}

// newTestClocks returns the clocks of a database that is ahead by so much and of a provider, the skew that the provider's
// adapter reports, the skew of the provider's Date header, and the log.
func newTestClocks(t *testing.T, database time.Duration) (*clocks, *fakeRemoteClock, *atomic.Int64, *bytes.Buffer) {
	t.Helper()
	clock, err := system.NewDatabaseClock(t.Context(), func(context.Context) (time.Time, error) { return time.Now().Add(database), nil })
	if err != nil {
		t.Fatal(err)
	}
	var ahead atomic.Int64
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", clock.Now().Add(time.Duration(ahead.Load())).Format(http.TimeFormat))
	}))
	t.Cleanup(provider.Close)
	remote, log := &fakeRemoteClock{}, &bytes.Buffer{}
	return &clocks{
		database:  clock,
		log:       slog.New(slog.NewTextHandler(log, nil)),
		wrong:     map[string]bool{},
		providers: map[string]*providerClock{"stripe": {RemoteClock: remote, address: provider.URL, ours: clock}},
	}, remote, &ahead, log
}

func readiness(c *clocks) (int, string) {
	h, answer := telemetry.NewHealth(slog.New(slog.DiscardHandler), nil), httptest.NewRecorder()
	c.watch(h)
	h.Ready(answer, httptest.NewRequest("GET", "/readyz", nil))
	return answer.Code, answer.Body.String()
}

// A replica whose clock differs from the database's by more than a minute is not ready, so it gets no requests.
func TestClocks_check_skewedDatabase(t *testing.T) {
	for database, want := range map[time.Duration]int{0: 200, 50 * time.Second: 200, 75 * time.Second: 503, -75 * time.Second: 503} {
		c, _, _, log := newTestClocks(t, database)
		if err := c.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		code, body := readiness(c)
		if code != want || strings.Contains(body, "clock: ") != (want == 503) || strings.Contains(log.String(), "difference between clocks is too large") != (want == 503) {
			t.Errorf("the database is %v ahead: %d %s %s", database, code, body, log)
		}
	}
}

// A provider's wrong clock is a warning and does not make the replica unready. No payment is sent to the provider meanwhile, so
// follow asks it for its time until the clock is right.
func TestClocks_follow_skewedProvider(t *testing.T) {
	c, remote, ahead, log := newTestClocks(t, 0)
	ahead.Store(int64(75 * time.Second))
	remote.skew.Store(int64(76 * time.Second))
	for range 2 {
		if err := c.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	code, body := readiness(c)
	if code != 200 || !strings.Contains(body, "warning: stripe clock: its clock is 1m") || strings.Count(log.String(), "difference between clocks is too large") != 1 {
		t.Errorf("%d %s %s", code, body, log)
	}
	ahead.Store(0)
	for range 2 {
		if err := c.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if code, body := readiness(c); code != 200 || body != "ok\n" || !strings.Contains(log.String(), "agree again") {
		t.Errorf("%d %s %s", code, body, log)
	}
	remote.skew.Store(int64(-90 * time.Second)) // the skew of later payment requests takes precedence
	if skew := c.skews()["stripe"]; skew != -90*time.Second {
		t.Errorf("%v", skew)
	}
}
