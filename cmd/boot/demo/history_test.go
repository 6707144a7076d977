package demo_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/history"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/cmd/boot/demo"
)

// demoServer is a running server with the demo and its history.
type demoServer struct {
	*testing.T
	url  string
	app  *boot.App
	shop boot.DemoShop
	db   *sql.DB
}

func onEngines(t *testing.T, test func(demoServer)) {
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			url := engine.URL(t)
			l := demoServer{
				T:   t,
				url: url,
				app: boottest.Start(t, url),
				db:  boottest.Inspect(t, url),
			}
			var err error
			if l.shop, err = l.app.DemoWithHistory(t.Context()); err != nil {
				t.Fatal(err)
			}
			test(l)
		})
	}
}

func (l demoServer) count(query string, args ...any) (n int) {
	l.Helper()
	if err := l.db.QueryRow(query, args...).Scan(&n); err != nil {
		l.Fatalf("%s: %v", query, err)
	}
	return n
}

// get sends a request to the Management API and returns the response.
func (l demoServer) get(method, path, body string) map[string]any {
	l.Helper()
	r, err := http.NewRequestWithContext(l.Context(), method, l.app.URL()+path, strings.NewReader(body))
	if err != nil {
		l.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+l.shop.Key)
	r.Header.Set("X-Project-ID", l.shop.Project.String())
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		l.Fatal(err)
	}
	defer answer.Body.Close()
	var said map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil || answer.StatusCode != http.StatusOK {
		l.Fatalf("%s %s: %d %v %v", method, path, answer.StatusCode, said, err)
	}
	return said
}

// number returns the number at a dotted path of a response.
func (l demoServer) number(answer map[string]any, path string) float64 {
	l.Helper()
	var at any = answer
	for name := range strings.SplitSeq(path, ".") {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	n, ok := at.(float64)
	if !ok {
		l.Errorf("there is no %s in %v", path, answer)
	}
	return n
}

func (l demoServer) sealed() {
	l.Helper()
	for deadline := time.Now().Add(30 * time.Second); l.count("SELECT count(*) FROM decisions WHERE position IS NULL") > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.Fatal("the decisions are not sealed")
		}
	}
}

func TestHistory_verified(t *testing.T) {
	onEngines(t, func(l demoServer) {
		l.sealed()
		found, err := boot.Verify(l.Context(), boot.Config{DatabaseURL: l.url, Env: "sandbox"}, "", 0, nil)
		if err != nil || found.Undecided != 0 || len(found.Violations()) > 0 {
			l.Errorf("%v, %d undecided, %v", err, found.Undecided, found.Violations())
		}
		chain, err := l.app.VerifyDecisions(l.Context(), "demo")
		if err != nil || chain.BrokenAt != 0 || chain.Decisions < 2000 {
			l.Errorf("the chain of decisions: %+v, %v", chain, err)
		}
		for table, want := range map[string]int{
			"orders": 150, "sessions": 600, "decisions": 2000, "returns": 15, "refunds": 15, "audit_events": 300, "agent_policies": 3,
			"sessions WHERE protocol = 'ucp'": 100, "sessions WHERE protocol = 'mcp'": 50, "analytics_lost": 100,
			"orders WHERE status = 'canceled'": 5, "orders WHERE fulfillment_status = 'processing' AND status = 'confirmed'": 2,
			"disputes WHERE response = 'needed'": 1, "disputes WHERE status = 'lost'": 1,
			"returns WHERE status = 'requested'": 1, "returns WHERE status = 'rejected'": 1,
		} {
			if n := l.count("SELECT count(*) FROM " + table); n < want {
				l.Errorf("%d %s, want at least %d", n, table, want)
			}
		}
		newest := l.count("SELECT max(at) FROM decisions")
		if age := time.Since(time.UnixMilli(int64(newest))); age < 0 || age > 48*time.Hour {
			l.Errorf("the last decision is %s old", age)
		}
	})
}

// Neither a restart nor background work changes the past events of the history.
func TestHistory_nothingIsDue(t *testing.T) {
	onEngines(t, func(l demoServer) {
		l.sealed()
		events, sessions := l.count("SELECT count(*) FROM outbox"), l.count("SELECT count(*) FROM sessions")
		for what, query := range map[string]string{
			"events to deliver":    "SELECT count(*) FROM outbox WHERE due_at IS NOT NULL",
			"refunds":              "SELECT count(*) FROM refunds WHERE due_at IS NOT NULL",
			"payments":             "SELECT count(*) FROM checkouts WHERE status = 'processing'",
			"things in the future": fmt.Sprintf("SELECT count(*) FROM outbox WHERE created_at > %d", time.Now().UnixMilli()),
		} {
			if n := l.count(query); n > 0 {
				l.Errorf("%d %s", n, what)
			}
		}
		if _, err := l.app.DemoWithHistory(l.Context()); err != nil {
			l.Error(err)
		}
		time.Sleep(3 * time.Second) // background work runs
		if n := l.count("SELECT count(*) FROM sessions"); n != sessions {
			l.Errorf("%d sessions, %d before", n, sessions)
		}
		if n := l.count("SELECT count(*) FROM outbox"); n > events+3 {
			l.Errorf("%d events, %d before", n, events)
		}
		if pending := l.count("SELECT count(*) FROM analytics_pending"); pending > 0 {
			l.Errorf("%d records are counted twice", pending)
		}
	})
}

func TestHistory_analytics(t *testing.T) {
	onEngines(t, func(l demoServer) {
		l.sealed()
		until := time.Now().UTC().Format(time.RFC3339)
		from := time.Now().UTC().AddDate(0, 0, -30).Format(time.RFC3339)
		span := "?from=" + from + "&to=" + until
		summary := l.get("GET", "/v1/analytics/summary"+span, "")
		for path, within := range map[string][2]float64{
			"orders":               {60, 200},
			"previous.orders":      {60, 200},
			"negotiations":         {150, 500},
			"deal_rate":            {.3, .7},
			"margin.share":         {.2, .6},
			"previous.revenue.net": {5_000, 20_000},
			"revenue.refunded":     {100, 3_000},
		} {
			if n := l.number(summary, path); n < within[0] || n > within[1] {
				l.Errorf("%s is %v, want %v", path, n, within)
			}
		}
		if lost := l.number(l.get("GET", "/v1/analytics/negotiations"+span, ""), "lost_deals.count"); lost < 10 {
			l.Errorf("%v lost deals", lost)
		}
		agent := "/v1/agents/" + l.get("GET", "/v1/agents", "")["data"].([]any)[0].(map[string]any)["id"].(string)
		for path, answer := range map[string]map[string]any{
			"deals.before":              l.get("POST", agent+"/replay", `{"limit": 500}`),
			"after.deal_rate":           l.get("POST", agent+"/tune", `{"limit": 1000}`),
			"baseline.earned.deal_rate": l.get("GET", agent+"/holdout", ""),
			"in_force.earned.deal_rate": l.get("GET", agent+"/holdout", ""),
		} {
			if n := l.number(answer, path); n <= 0 {
				l.Errorf("%s is %v", path, n)
			}
		}
	})
}

// The file has the columns of the schema. If the schema changes, make demo-history has to write a new file.
func TestHistory_columns(t *testing.T) {
	url := boottest.Engines[0].URL(t)
	db := boottest.Inspect(t, url)
	columns := func(table string) (names []string) {
		rows, err := db.Query("SELECT name FROM pragma_table_info($1) ORDER BY cid", table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		return names
	}
	if err := history.Outdated(demo.History(), columns); err != nil {
		t.Error(err)
	}
	wider := func(table string) []string {
		if table == "orders" {
			return append(columns(table), "gift")
		}
		return columns(table)
	}
	if err := history.Outdated(demo.History(), wider); !errors.Is(err, history.ErrOutdated) || !strings.Contains(err.Error(), "make demo-history") {
		t.Errorf("another column: %v", err)
	}
}

// Every table with a project_id is in the file, or is left out with a reason.
func TestHistory_tables(t *testing.T) {
	db := boottest.Inspect(t, boottest.Engines[0].URL(t))
	rows, err := db.Query(`
SELECT t.name
FROM sqlite_master AS t
WHERE t.type = 'table'
  AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS c WHERE c.name = 'project_id')
ORDER BY t.name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	seen := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		seen[name] = true
		if in := slices.Contains(history.Tables(), name); in == (history.LeftOut[name] != "") {
			t.Errorf("%s: in the file %t, left out %q", name, in, history.LeftOut[name])
		}
	}
	for name := range history.LeftOut {
		if !seen[name] {
			t.Errorf("there is no table %s", name)
		}
	}
}

// A start that is interrupted while it loads the history leaves no row of it, and the next start loads all of it once.
func TestHistory_interruptedStart(t *testing.T) {
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			url := engine.URL(t)
			l := demoServer{
				T:   t,
				app: boottest.Start(t, url),
				db:  boottest.Inspect(t, url),
			}
			interrupted, stop := context.WithTimeout(t.Context(), 150*time.Millisecond)
			defer stop()
			if _, err := l.app.DemoWithHistory(interrupted); err == nil {
				t.Log("it was done before it could be interrupted")
			} else if n := l.count("SELECT count(*) FROM orders"); n > 0 {
				t.Errorf("%d orders are left", n)
			}
			var loaded []int
			for range 2 {
				if _, err := l.app.DemoWithHistory(t.Context()); err != nil {
					t.Fatal(err)
				}
				loaded = append(loaded, l.count("SELECT count(*) FROM orders"), l.count("SELECT count(*) FROM products"))
			}
			if loaded[0] < 150 || loaded[1] != demo.Count() || loaded[2] != loaded[0] || loaded[3] != loaded[1] {
				t.Errorf("orders and products after the first and the second whole start: %v", loaded)
			}
		})
	}
}

func BenchmarkDemo(b *testing.B) {
	for name, open := range map[string]func(*boot.App) error{
		"bare":    func(a *boot.App) error { _, err := a.Demo(b.Context()); return err },
		"history": func(a *boot.App) error { _, err := a.DemoWithHistory(b.Context()); return err },
	} {
		for _, engine := range boottest.Engines {
			b.Run(name+"/"+engine.Name, func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					config := boot.Config{
						DatabaseURL: engine.URL(b),
						Env:         "sandbox",
						PublicURL:   "http://127.0.0.1:8080",
					}
					app, err := boot.NewTools(b.Context(), config, slog.New(slog.NewTextHandler(io.Discard, nil)))
					if err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					if err := open(app); err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					if err := app.Close(); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
			})
		}
	}
}
