package boot_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// anonymousBuyers sends requests of unknown buyers to a server whose background loops the test runs.
type anonymousBuyers struct {
	*testing.T
	config   boot.Config
	app      *boot.App
	db       *sql.DB
	sqlite   bool
	buyer    apiClient
	products []string
	keys     int
}

func newAnonymousBuyers(t *testing.T, engine boottest.Engine) *anonymousBuyers {
	t.Helper()
	database := engine.URL(t)
	config := boot.Config{
		Addr:           "127.0.0.1:0",
		OpsAddr:        "127.0.0.1:0",
		DatabaseURL:    database,
		Env:            "sandbox",
		BootstrapKey:   boottest.Key,
		ACPRate:        "off",
		EnterpriseRate: "1000000/1000000",
	}
	app, err := boot.New(t.Context(), config, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	server := httptest.NewServer(app.Handler())
	t.Cleanup(server.Close)
	shop := apiClient{t, server.URL, boottest.Key}.openProject("shop")
	s := &anonymousBuyers{
		T:      t,
		config: config,
		app:    app,
		db:     boottest.Inspect(t, database),
		sqlite: strings.HasPrefix(database, "sqlite"),
		buyer:  apiClient{t, server.URL + "/p/shop", ""},
	}
	for i := range 48 {
		p := shop.ask(201, "POST", "/v1/catalog/products", fmt.Sprintf(
			`{"name": "Trail mug %d", "sku": "MUG-%d", "price": 100, "category": "Kitchen", "quantity": 1000,
			"description": "An enamelled mug with a wooden handle that keeps tea warm on cold mornings in the mountains."}`, i, i))
		s.products = append(s.products, p["id"].(string))
	}
	return s
}

// hostileRequests are the requests of the security review, with their names there.
var hostileRequests = []struct {
	name string
	send func(*anonymousBuyers)
}{
	{"search, new session", func(s *anonymousBuyers) { s.buyer.call(200, "POST", "/acp/search", `{"query": "mug"}`) }},
	{"search with three claims of 200 letters", func(s *anonymousBuyers) {
		s.buyer.call(200, "POST", "/acp/search", `{"query": "mug", "buyer_context": `+longClaims+`}`)
	}},
	{"search under a random Idempotency-Key", func(s *anonymousBuyers) {
		s.keys++
		s.buyer.call(200, "POST", "/acp/search", `{"query": "mug"}`, fmt.Sprintf("Idempotency-Key: random-and-long-%08d", s.keys))
	}},
	{"quote, new session", func(s *anonymousBuyers) { s.quote("") }},
	{"quote with a message of 2,000 emoji and fat claims", func(s *anonymousBuyers) {
		s.quote(`, "message": "` + strings.Repeat("🎪", 2_000) + `", "buyer_context": ` + longClaims)
	}},
	{"checkout/init, 48 lines, long address", func(s *anonymousBuyers) {
		session := s.buyer.call(200, "POST", "/acp/search", `{"query": "mug"}`)["session_id"]
		var items []map[string]any
		for _, p := range s.products {
			items = append(items, map[string]any{"product_id": p, "quantity": 1})
		}
		long := strings.Repeat("x", 100)
		body, err := json.Marshal(map[string]any{"session_id": session, "items": items, "shipping_address": map[string]any{
			"name": long, "line1": long, "line2": long, "city": long, "state": "CA", "postal_code": "90001", "country": "US",
		}})
		if err != nil {
			s.Fatal(err)
		}
		s.buyer.call(200, "POST", "/acp/checkout/init", string(body))
	}},
}

var longClaims = func() string {
	fat := strings.Repeat("y", 200)
	return fmt.Sprintf(`{"loyalty_tier": %q, "location": %q, "urgency": %q}`, fat, fat, fat)
}()

func (s *anonymousBuyers) quote(more string) {
	s.Helper()
	s.buyer.call(200, "POST", "/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": 85%s}`, s.products[0], more))
}

// runBackground runs the background loops as of a time; the zero time is now.
func (s *anonymousBuyers) runBackground(at time.Time) {
	s.Helper()
	s.app.SetDatabaseClock(at)
	defer s.app.SetDatabaseClock(time.Time{})
	for _, loop := range []string{
		"fold analytics", "seal decisions", "expire checkouts", "announce lost negotiations", "forget idempotency keys", "remove what is over",
	} {
		if err := s.app.Background()[loop](s.Context()); err != nil {
			s.Fatalf("%s: %v", loop, err)
		}
	}
}

// exec executes a statement on the database.
func (s *anonymousBuyers) exec(statement string) {
	s.Helper()
	if _, err := s.db.Exec(statement); err != nil {
		s.Fatalf("%s: %v", statement, err)
	}
}

// markPublished marks all events as published (there are no subscribers), and makes idempotency keys old.
func (s *anonymousBuyers) markPublished() {
	s.Helper()
	s.exec("UPDATE outbox SET due_at = NULL")
	s.exec("UPDATE idempotency_keys SET created_at = 1")
}

func (s *anonymousBuyers) queryInt(query string) (n int) {
	s.Helper()
	if err := s.db.QueryRow(query).Scan(&n); err != nil {
		s.Fatalf("%s: %v", query, err)
	}
	return n
}

// usedBytes returns how many bytes of the SQLite file are in use.
func (s *anonymousBuyers) usedBytes() int {
	s.Helper()
	return (s.queryInt("SELECT page_count FROM pragma_page_count") - s.queryInt("SELECT freelist_count FROM pragma_freelist_count")) *
		s.queryInt("SELECT page_size FROM pragma_page_size")
}

// A request of an unknown buyer leaves at most 12,000 bytes in the database, and at most 60 after the retention times. In the
// security review the requests left 230, 1,495, 4,956, 1,830, 11,240 and 12,900 bytes permanently.
func TestRetention_bytesPerRequest(t *testing.T) {
	t.Parallel()
	const requests = 200
	s := newAnonymousBuyers(t, boottest.Engines[0])
	day, now := 24*time.Hour, time.Now()
	s.runBackground(time.Time{})
	t.Logf("%-52s %8s %8s %8s", "bytes kept per request", "at once", "31 days", "181 days")
	for i, h := range hostileRequests {
		before := s.usedBytes()
		for range requests {
			h.send(s)
		}
		s.runBackground(time.Time{})
		kept := []int{s.usedBytes() - before}
		s.markPublished()
		// Later than the times for the request before, because retention checks a project once an hour.
		for _, after := range []time.Duration{31 * day, 181 * day} {
			at := now.Add(time.Duration(i)*1000*day + after)
			s.runBackground(at)
			s.markPublished()
			s.runBackground(at.Add(day)) // removes what was retained, and the events of what expired
			kept = append(kept, s.usedBytes()-before)
		}
		t.Logf("%-52s %8d %8d %8d", h.name, kept[0]/requests, kept[1]/requests, kept[2]/requests)
		if kept[0]/requests > 12_000 || kept[2]/requests > 60 {
			t.Errorf("%s keeps %d bytes at once, %d after half a year", h.name, kept[0]/requests, kept[2]/requests)
		}
	}
}

// rows returns the row count of each table that unknown buyers' requests write.
func (s *anonymousBuyers) rows() map[string]int {
	s.Helper()
	list := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if !s.sqlite {
		list = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
	}
	found, err := s.db.Query(list)
	if err != nil {
		s.Fatal(err)
	}
	defer found.Close()
	var names []string
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			s.Fatal(err)
		}
		names = append(names, name)
	}
	counts := map[string]int{}
	for _, name := range names {
		if name != "analytics_slots" { // it has a row for each quarter of an hour with events
			counts[name] = s.queryInt("SELECT count(*) FROM " + name)
		}
	}
	return counts
}

// The database stops growing, however long unknown buyers send requests: after the fifth period no table has more rows than after
// the second, and SQLite's file has no more pages. Orders stay.
func TestRetention_boundedGrowth(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			s := newAnonymousBuyers(t, engine)
			bought := s.buyer.call(200, "POST", "/acp/checkout/init", fmt.Sprintf(`{"session_id": %q, "items": [{"product_id": %q, "quantity": 1}],
				"shipping_address": {"name": "A. Buyer", "line1": "1 Main St", "city": "Springfield", "state": "CA", "postal_code": "90001", "country": "US"}}`,
				s.buyer.call(200, "POST", "/acp/search", `{"query": "mug"}`)["session_id"], s.products[0]))
			s.buyer.call(200, "POST", "/acp/checkout/finalize", fmt.Sprintf(
				`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "buyer@example.com"}`, bought["checkout_id"]))
			begin := time.Now()
			var rows, most []map[string]int
			var pages []int
			for year := range 5 {
				for range 20 {
					for _, h := range hostileRequests {
						h.send(s)
					}
				}
				most = append(most, s.rows())
				for _, days := range []int{31, 91, 181, 182} {
					s.runBackground(begin.Add(time.Duration(400*year+days) * 24 * time.Hour))
					s.markPublished()
				}
				rows = append(rows, s.rows())
				if s.sqlite {
					s.exec("PRAGMA wal_checkpoint(TRUNCATE)")
					pages = append(pages, s.queryInt("SELECT page_count FROM pragma_page_count"))
				}
			}
			for _, table := range slices.Sorted(maps.Keys(rows[1])) {
				t.Logf("%-24s %6d rows, %6d afterwards, %6d at last", table, most[0][table], rows[1][table], rows[4][table])
				if rows[4][table] > rows[1][table] {
					t.Errorf("%s grows: %d rows, then %d", table, rows[1][table], rows[4][table])
				}
			}
			if s.sqlite {
				t.Logf("pages of the file: %v", pages)
				if pages[4] > pages[1] {
					t.Errorf("the file grows: %v", pages)
				}
			}
			for _, table := range []string{"orders", "payments", "sessions"} {
				if rows[4][table] != 1 {
					t.Errorf("%d %s are left of the one that was bought in", rows[4][table], table)
				}
			}
			if rows[4]["decisions"] != 0 || most[0]["decisions"] == 0 {
				t.Errorf("%d decisions are left of %d", rows[4]["decisions"], most[0]["decisions"])
			}
			checked, err := boot.Verify(t.Context(), s.config, "", 0, nil)
			if err != nil || len(checked.Violations()) > 0 {
				t.Errorf("%v, %v", checked.Violations(), err)
			}
			// Verify assumes that records older than these times were removed. It detects changes of them by their seals.
			for _, forged := range []string{"decision_chains SET folded_until = folded_until", "retention SET sessions_until = sessions_until", "retention SET events_until = events_until"} {
				s.exec("UPDATE " + forged + " + 1")
				checked, err = boot.Verify(t.Context(), s.config, "", 0, nil)
				if found := checked.Violations(); err != nil || len(found) != 1 || !strings.Contains(found[0].Says, "does not match its seal") {
					t.Errorf("%s: %v, %v", forged, found, err)
				}
				s.exec("UPDATE " + forged + " - 1")
			}
		})
	}
}
