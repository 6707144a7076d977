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

// strangers are buyers whom nobody knows, at a server whose background work the test runs.
type strangers struct {
	*testing.T
	config   boot.Config
	app      *boot.App
	db       *sql.DB
	sqlite   bool
	buyer    merchant
	products []string
	keys     int
}

func meetStrangers(t *testing.T, engine boottest.Engine) *strangers {
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
	shop := merchant{t, server.URL, boottest.Key}.keep("shop")
	s := &strangers{
		T:      t,
		config: config,
		app:    app,
		db:     inspect(t, database),
		sqlite: strings.HasPrefix(database, "sqlite"),
		buyer:  merchant{t, server.URL + "/p/shop", ""},
	}
	for i := range 48 {
		p := shop.ask(201, "POST", "/v1/catalog/products", fmt.Sprintf(
			`{"name": "Trail mug %d", "sku": "MUG-%d", "price": 100, "category": "Kitchen", "quantity": 1000,
			"description": "An enamelled mug with a wooden handle that keeps tea warm on cold mornings in the mountains."}`, i, i))
		s.products = append(s.products, p["id"].(string))
	}
	return s
}

// hostile are the requests of the security review, by their names there.
var hostile = []struct {
	name string
	send func(*strangers)
}{
	{"search, new session", func(s *strangers) { s.buyer.call(200, "POST", "/acp/search", `{"query": "mug"}`) }},
	{"search with three claims of 200 letters", func(s *strangers) {
		s.buyer.call(200, "POST", "/acp/search", `{"query": "mug", "buyer_context": `+fatClaims+`}`)
	}},
	{"search under a random Idempotency-Key", func(s *strangers) {
		s.keys++
		s.buyer.call(200, "POST", "/acp/search", `{"query": "mug"}`, fmt.Sprintf("Idempotency-Key: random-and-long-%08d", s.keys))
	}},
	{"quote, new session", func(s *strangers) { s.quote("") }},
	{"quote with a message of 2,000 emoji and fat claims", func(s *strangers) {
		s.quote(`, "message": "` + strings.Repeat("🎪", 2_000) + `", "buyer_context": ` + fatClaims)
	}},
	{"checkout/init, 48 lines, long address", func(s *strangers) {
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

var fatClaims = func() string {
	fat := strings.Repeat("y", 200)
	return fmt.Sprintf(`{"loyalty_tier": %q, "location": %q, "urgency": %q}`, fat, fat, fat)
}()

func (s *strangers) quote(more string) {
	s.Helper()
	s.buyer.call(200, "POST", "/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": 85%s}`, s.products[0], more))
}

// pass has background work be done as of a time: the zero time is now.
func (s *strangers) pass(at time.Time) {
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

// exec runs a statement on the database.
func (s *strangers) exec(statement string) {
	s.Helper()
	if _, err := s.db.Exec(statement); err != nil {
		s.Fatalf("%s: %v", statement, err)
	}
}

// handedOut has every event be with its subscribers, of whom there are none.
func (s *strangers) handedOut() {
	s.Helper()
	s.exec("UPDATE outbox SET due_at = NULL")
	s.exec("UPDATE idempotency_keys SET created_at = 1")
}

func (s *strangers) number(query string) (n int) {
	s.Helper()
	if err := s.db.QueryRow(query).Scan(&n); err != nil {
		s.Fatalf("%s: %v", query, err)
	}
	return n
}

// used is how many bytes the SQLite file has in use.
func (s *strangers) used() int {
	s.Helper()
	return (s.number("SELECT page_count FROM pragma_page_count") - s.number("SELECT freelist_count FROM pragma_freelist_count")) *
		s.number("SELECT page_size FROM pragma_page_size")
}

// What a stranger's request leaves in the database, and what is left of it after the times of retention. The figures of
// the review were 230, 1,495, 4,956, 1,830, 11,240 and 12,900 bytes, for good.
func TestGrowth_bytesPerRequest(t *testing.T) {
	t.Parallel()
	const requests = 200
	s := meetStrangers(t, boottest.Engines[0])
	day, now := 24*time.Hour, time.Now()
	s.pass(time.Time{})
	t.Logf("%-52s %8s %8s %8s", "bytes kept per request", "at once", "31 days", "181 days")
	for i, h := range hostile {
		before := s.used()
		for range requests {
			h.send(s)
		}
		s.pass(time.Time{})
		kept := []int{s.used() - before}
		s.handedOut()
		// Later than what was looked at for the request before, for a project is looked at every hour.
		for _, after := range []time.Duration{31 * day, 181 * day} {
			at := now.Add(time.Duration(i)*1000*day + after)
			s.pass(at)
			s.handedOut()
			s.pass(at.Add(day)) // what was held, and the events of what ended
			kept = append(kept, s.used()-before)
		}
		t.Logf("%-52s %8d %8d %8d", h.name, kept[0]/requests, kept[1]/requests, kept[2]/requests)
		if kept[0]/requests > 12_000 || kept[2]/requests > 60 {
			t.Errorf("%s keeps %d bytes at once, %d after half a year", h.name, kept[0]/requests, kept[2]/requests)
		}
	}
}

// rows counts the rows of all tables that strangers write.
func (s *strangers) rows() map[string]int {
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
		if name != "analytics_slots" { // a row for each quarter of an hour in which there was something
			counts[name] = s.number("SELECT count(*) FROM " + name)
		}
	}
	return counts
}

// However long strangers go on, the database stops growing: each table has as many rows after the fifth half year as after
// the second, and SQLite's file as many pages. Orders stay.
func TestGrowth_ends(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			s := meetStrangers(t, engine)
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
					for _, h := range hostile {
						h.send(s)
					}
				}
				most = append(most, s.rows())
				for _, days := range []int{31, 91, 181, 182} {
					s.pass(begin.Add(time.Duration(400*year+days) * 24 * time.Hour))
					s.handedOut()
				}
				rows = append(rows, s.rows())
				if s.sqlite {
					s.exec("PRAGMA wal_checkpoint(TRUNCATE)")
					pages = append(pages, s.number("SELECT page_count FROM pragma_page_count"))
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
			// Verifying takes what is older than these times for removed, if they are as they were sealed.
			for _, forged := range []string{"decision_chains SET folded_until = folded_until", "retention SET sessions_until = sessions_until", "retention SET events_until = events_until"} {
				s.exec("UPDATE " + forged + " + 1")
				checked, err = boot.Verify(t.Context(), s.config, "", 0, nil)
				if found := checked.Violations(); err != nil || len(found) != 1 || !strings.Contains(found[0].Says, "is not as it was sealed") {
					t.Errorf("%s: %v, %v", forged, found, err)
				}
				s.exec("UPDATE " + forged + " - 1")
			}
		})
	}
}
