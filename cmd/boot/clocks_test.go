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

// remoteClock is a provider's clock by the answers of its adapter.
type remoteClock struct{ skew atomic.Int64 }

func (r *remoteClock) Skew() (time.Duration, bool) {
	skew := time.Duration(r.skew.Load())
	return skew, skew != 0
}

// clocksOf are those of a database and of a provider, which are ahead by so much.
func clocksOf(t *testing.T, database time.Duration) (*clocks, *remoteClock, *atomic.Int64, *bytes.Buffer) {
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
	told, log := &remoteClock{}, &bytes.Buffer{}
	return &clocks{
		database:  clock,
		log:       slog.New(slog.NewTextHandler(log, nil)),
		wrong:     map[string]bool{},
		providers: map[string]*providerClock{"stripe": {RemoteClock: told, address: provider.URL, ours: clock}},
	}, told, &ahead, log
}

func readiness(c *clocks) (int, string) {
	h, answer := telemetry.NewHealth(slog.New(slog.DiscardHandler), nil), httptest.NewRecorder()
	c.watch(h)
	h.Ready(answer, httptest.NewRequest("GET", "/readyz", nil))
	return answer.Code, answer.Body.String()
}

// This machine's clock is a configuration error of this replica: no work is sent to it.
func TestNotReadyWithAWrongClock(t *testing.T) {
	for database, want := range map[time.Duration]int{0: 200, 50 * time.Second: 200, 75 * time.Second: 503, -75 * time.Second: 503} {
		c, _, _, log := clocksOf(t, database)
		if err := c.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		code, body := readiness(c)
		if code != want || strings.Contains(body, "clock: ") != (want == 503) || strings.Contains(log.String(), "too far apart") != (want == 503) {
			t.Errorf("the database is %v ahead: %d %s %s", database, code, body, log)
		}
	}
}

// A provider's clock is told of, and does not make the replica unready. Nothing is paid through the provider
// while it is wrong, so that it is asked for the time until it is right.
func TestAProvidersWrongClock(t *testing.T) {
	c, told, ahead, log := clocksOf(t, 0)
	ahead.Store(int64(75 * time.Second))
	told.skew.Store(int64(76 * time.Second))
	for range 2 {
		if err := c.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	code, body := readiness(c)
	if code != 200 || !strings.Contains(body, "warning: stripe clock: its clock is 1m") || strings.Count(log.String(), "too far apart") != 1 {
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
	told.skew.Store(int64(-90 * time.Second)) // what requests say is newer
	if skew := c.skews()["stripe"]; skew != -90*time.Second {
		t.Errorf("%v", skew)
	}
}
