package boot_test

import (
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/domain/id"
)

// shopPair is two shops on a server whose background loops the test runs. Work for the bad shop, which is first in order of
// project ids, fails.
type shopPair struct {
	*testing.T
	app       *boot.App
	url       string
	db        *sql.DB
	watched   *boot.Watched
	bad, good projectClient
	slugs     map[string]string // by project
}

func (s *shopPair) exec(statement string, args ...any) {
	s.Helper()
	if _, err := s.db.Exec(statement, args...); err != nil {
		s.Fatalf("%s: %v", statement, err)
	}
}

func (s *shopPair) expectNone(query string, args ...any) {
	s.Helper()
	s.expectCount(0, query, args...)
}

func (s *shopPair) expectCount(want int, query string, args ...any) {
	s.Helper()
	var n int
	if err := s.db.QueryRow(query, args...).Scan(&n); err != nil || n != want {
		s.Errorf("%s: %d, %v, want %d", query, n, err, want)
	}
}

// dropTriggers lets the test change rows that triggers make immutable.
func (s *shopPair) dropTriggers(table string) {
	s.Helper()
	rows, err := s.db.Query("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = $1", table)
	if err != nil { // PostgreSQL
		s.exec("ALTER TABLE " + table + " DISABLE TRIGGER USER")
		return
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			s.Fatal(err)
		}
		names = append(names, name)
	}
	for _, name := range names {
		s.exec("DROP TRIGGER " + name)
	}
}

func (s *shopPair) run(loop string) error { return s.app.Background()[loop](s.Context()) }

// expectEvent expects an event of the good shop in the outbox.
func (s *shopPair) expectEvent(kind string) {
	s.Helper()
	s.expectCount(1, "SELECT count(*) FROM outbox WHERE type = $1 AND project_id = $2", kind, s.good.project)
}

// makeOffers has a buyer of each shop make an offer and open a checkout.
func (s *shopPair) makeOffers() {
	s.Helper()
	for _, k := range []projectClient{s.bad, s.good} {
		buyer := apiClient{k.T, s.url + "/p/" + s.slugs[k.project], ""}
		p := k.ask(201, "POST", "/v1/catalog/products", `{"name":"Mug","sku":"`+s.slugs[k.project]+`","price":100,"category":"Kitchen","quantity":2}`)["id"]
		quote := buyer.call(200, "POST", "/acp/quote", fmt.Sprintf(`{"product_id":%q,"quantity":1,"offer_price":10}`, p))
		buyer.call(200, "POST", "/acp/checkout/init", fmt.Sprintf(`{"session_id":%q,"items":[{"product_id":%q,"quantity":1}],
			"shipping_address":{"name":"A. Buyer","line1":"1 Main St","city":"Springfield","state":"CA","postal_code":"90001","country":"US"}}`,
			quote["session_id"], p))
	}
}

const spoilCheckouts = "UPDATE checkouts SET lines = '{' WHERE project_id = $1"

// projectLoops are the loops that work for several projects. arrange creates work, spoil is a statement that corrupts the bad
// shop's rows (if it is empty, work for the bad shop panics), and done checks that the good shop's work was done.
var projectLoops = map[string]struct {
	arrange func(*shopPair)
	spoil   string
	done    func(*shopPair)
}{
	"remove what is over": {
		arrange: func(s *shopPair) {
			for _, loop := range []string{"fold analytics", "seal decisions"} {
				if err := s.run(loop); err != nil {
					s.Fatal(err)
				}
			}
			s.exec("DELETE FROM haggled_sessions")
			s.exec("UPDATE checkouts SET status = 'canceled'")
			s.exec("UPDATE sessions SET created_at = 1, expires_at = 2")
		},
		spoil: "UPDATE projects SET settings = '{' WHERE id = $1",
		done: func(s *shopPair) {
			s.expectNone("SELECT count(*) FROM sessions WHERE project_id = $1", s.good.project)
		},
	},
	"learn sales": {
		done: func(s *shopPair) { s.expectReached("learn sales") },
	},
	"hear of stock": {
		done: func(s *shopPair) { s.expectReached("hear of stock") },
	},
	"fold analytics": {
		spoil: spoilCheckouts,
		done: func(s *shopPair) {
			s.expectNone("SELECT count(*) FROM analytics_pending WHERE project_id = $1", s.good.project)
		},
	},
	"announce low stock": {
		arrange: func(s *shopPair) { s.exec("UPDATE stock SET quantity = 1") },
		done:    func(s *shopPair) { s.expectEvent("inventory.low") },
	},
	"expire checkouts": {
		arrange: func(s *shopPair) { s.exec("UPDATE checkouts SET valid_until = 1") },
		done:    func(s *shopPair) { s.expectEvent("checkout.abandoned") },
	},
	"announce lost negotiations": {
		arrange: func(s *shopPair) {
			if err := s.run("fold analytics"); err != nil {
				s.Fatal(err)
			}
			s.exec("UPDATE sessions SET expires_at = 1")
			s.exec("UPDATE haggled_sessions SET due_at = CASE project_id WHEN $1 THEN 1 ELSE 2 END", s.bad.project)
		},
		done: func(s *shopPair) { s.expectEvent("negotiation.lost") },
	},
	"tune agents": {
		arrange: func(s *shopPair) {
			s.dropTriggers("agent_policies")
			s.exec("UPDATE agents SET automatic = true")
			s.exec("UPDATE agent_policies SET activated_at = 1")
		},
		done: func(s *shopPair) { s.expectReached("tune agents") },
	},
	"seal decisions": {
		arrange: func(s *shopPair) { s.dropTriggers("decisions") },
		spoil:   "UPDATE decisions SET before = '{' WHERE project_id = $1",
		done: func(s *shopPair) {
			s.expectNone("SELECT count(*) FROM decisions WHERE position IS NULL AND project_id = $1", s.good.project)
		},
	},
	"refresh tokens": {
		arrange: func(s *shopPair) {
			for i, k := range []projectClient{s.bad, s.good} {
				s.exec(`INSERT INTO integrations (project_id, id, type, name, status, account, live, webhook_id, webhook_remote, webhook_status,
					sealed, last_error, created_at, updated_at, expires_at)
					VALUES ($1, $2, 'shopify', 'Shopify', 'connected', 'a', false, $2, '', 'none', $3, '', 1, 1, $4)`,
					k.project, "int_"+k.project, []byte{1}, i+1)
			}
		},
		spoil: "UPDATE integrations SET type = 'unknown' WHERE project_id = $1",
		done: func(s *shopPair) { // it was attempted: the credentials cannot be opened
			s.expectCount(1, "SELECT count(*) FROM integrations WHERE status = 'error' AND project_id = $1", s.good.project)
		},
	},
	"announce unresolved payments": {
		arrange: func(s *shopPair) {
			s.exec("UPDATE checkouts SET status = 'processing', attempt = 1, claimed_at = 1, lease_until = 1, retry_at = 1")
		},
		done: func(s *shopPair) { s.expectEvent("payment.unresolved") },
	},
	"give products their vectors": {
		arrange: func(s *shopPair) {
			for _, slug := range s.slugs {
				apiClient{s.T, s.url + "/p/" + slug, ""}.call(200, "POST", "/acp/search", `{"query":"mug"}`)
			}
		},
		done: func(s *shopPair) { s.expectReached("give products their vectors") },
	},
}

func (s *shopPair) expectReached(loop string) {
	s.Helper()
	if !s.watched.Reached[loop+" "+s.good.project] {
		s.Errorf("%s did nothing for the good shop", loop)
	}
}

// untestedLoops are the loops that the test omits, with the reason.
var untestedLoops = map[string]string{
	"follow the database's clock":        "it reads one clock",
	"forget members' links and sessions": "of accounts, by statements that read no row",
	"record blocked sign-ins":            "of accounts; each address is tried, whatever fails for another",
	"record uses of keys":                "one statement that reads no row",
	"forget idempotency keys":            "one statement that reads no row",
	"forget declines":                    "one statement that reads no row",
	"forget consents":                    "one statement that reads no row",
	"log refused webhook calls":          "it inserts rows of its own: TestReceive_refusals of app/inbox",
	"forget work set aside":              "one statement that reads no row",
	"forget stock turns":                 "one statement that reads no row",
	"forget released slugs":              "one statement that reads no row",
	"forget finished jobs":               "one statement that reads no row",
	"forget vectors":                     "one statement that reads no row",
	"reconcile books":                    "an integration is claimed alone, and set aside: app/finance has its tests",
	"analyze grown tables":               "it reads no row: TestAnalyzeGrown of the store",
	"name negotiations":                  "it derives a name from an id, which cannot fail for one row",
	"close projects":                     "one at a time: TestCloser of app/projects breaks one",
}

// Every loop does its work for the other projects even if it fails for one, and returns the error.
func TestLoops_oneProjectFails(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			for loop, c := range projectLoops {
				t.Run(loop, func(t *testing.T) {
					s := newShopPair(t, engine.URL(t))
					s.makeOffers()
					if c.arrange != nil {
						c.arrange(s)
					}
					if c.spoil != "" {
						s.exec(c.spoil, s.bad.project)
					} else {
						s.watched.Bad = id.Stored[id.Project](s.bad.project)
					}
					func() {
						defer func() {
							if p := recover(); p != nil {
								t.Errorf("a panic: %v", p)
							}
						}()
						if err := s.run(loop); err == nil {
							t.Error("nobody hears of what failed")
						}
					}()
					c.done(s)
				})
			}
		})
	}
}

func newShopPair(t *testing.T, database string) *shopPair {
	t.Helper()
	app, err := boot.New(t.Context(), boot.Config{
		Addr:           "127.0.0.1:0",
		OpsAddr:        "127.0.0.1:0",
		DatabaseURL:    database,
		Env:            "sandbox",
		BootstrapKey:   boottest.Key,
		ACPRate:        "off",
		EnterpriseRate: "1000000/1000000",
		EmbeddingsURL:  "http://127.0.0.1:9/v1",
	}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	server := httptest.NewServer(app.Handler())
	t.Cleanup(server.Close)
	s := &shopPair{
		T:       t,
		app:     app,
		url:     server.URL,
		db:      boottest.Inspect(t, database),
		watched: app.Watch(),
	}
	m := apiClient{t, server.URL, boottest.Key}
	s.bad, s.good = m.openProject("one"), m.openProject("two")
	s.slugs = map[string]string{s.bad.project: "one", s.good.project: "two"}
	if s.bad.project > s.good.project {
		s.bad, s.good = s.good, s.bad
	}
	s.watched.Loaded = []id.Project{id.Stored[id.Project](s.bad.project), id.Stored[id.Project](s.good.project)}
	known := slices.Sorted(maps.Keys(app.Background()))
	for _, name := range known {
		if _, tested := projectLoops[name]; !tested && untestedLoops[name] == "" {
			t.Errorf("no test of the loop %q", name)
		}
	}
	return s
}
