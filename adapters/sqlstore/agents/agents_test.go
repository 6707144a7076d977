package agents_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/agents"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/negotiation/negotiationtest"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// The migration of a database without agents creates the agents of new projects, with the policy that was built in then, and lets
// old decisions be sealed.
func TestFirstAgent_likeMigrations(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		conn, err := sql.Open("sqlite", db.SQLiteAddress(filepath.Join(t.TempDir(), "old.db"), 0))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		agentsAfter(t, storetest.StoreOver(sqlx.NewDb(conn, "sqlite"), 1), goose.DialectSQLite3, "sqlite")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		conn, err := sqlx.Open("postgres", pgserver.Shared(t).Database(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		agentsAfter(t, storetest.StoreOver(conn, 2), goose.DialectPostgres, "postgres")
	})
}

func agentsAfter(t *testing.T, s *storetest.Store, d goose.Dialect, engine string) {
	t.Helper()
	provider, err := goose.NewProvider(d, s.DB.WritePool().DB, storetest.MigrationsOf(engine), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 18); err != nil {
		t.Fatal(err)
	}
	made := time.UnixMilli(1234).UTC()
	old := &project.Project{ID: storetest.Numbered[id.Project](7), CreatedAt: made}
	b := s.DB.Write(old.ID)
	b.Exec(`INSERT INTO accounts (id, name, plan, created_at) VALUES ('acct', '', 'starter', 0)`)
	b.Exec(`
INSERT INTO projects (id, account_id, slug, name, description, currency, settings, storefront, routes, catalog_version, created_at, updated_at)
VALUES ($1, 'acct', 'old', '', '', 'USD', '{}', '{}', '{}', 0, $2, $2)`, old.ID.String(), db.Millis(made))
	b.Exec(`
INSERT INTO sessions (project_id, id, loyalty_tier, location, purchase_history, urgency, created_at, last_activity, expires_at)
VALUES ($1, 's', '', '', 0, '', 0, 0, 0)`, old.ID.String())
	for seq := 1; seq <= 3; seq++ {
		b.Exec(`
INSERT INTO decisions (project_id, session_id, seq, id, quote_id, product_id, variant_id, quantity, at, currency, offer, response, price,
  rule, policy_version, list_price, opening, target, floor, before, signals, message)
VALUES ($1, 's', $2, $3, 'q', 'p', 'v', 1, 5, 'USD', NULL, 'quote', 90, 'no_offer', 1, 100, 90, 80, 70, '{"rounds":0,"moves":0}',
  '{"list":100,"negotiable":true,"quantity":1,"cart_value":0,"stock":3,"purchases":0}', '')`, old.ID.String(), seq, storetest.Numbered[id.Decision](seq).String())
	}
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, version := agents.FirstAgent(old)
	want.Policy, version.Policy = negotiationtest.Patient(), negotiationtest.Patient()
	want.Policy.Version, want.Latest = 2, 2
	got, err := s.Agents().Active(t.Context(), old.ID)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the agent is\n %+v, want\n %+v (%v)", got, want, err)
	}
	versions, _, err := s.Agents().Versions(t.Context(), old.ID, want.ID, ports.Page{Limit: 9})
	if err != nil || len(versions) != 2 || !reflect.DeepEqual(versions[0].Policy, want.Policy) || versions[0].ActivatedAt.IsZero() {
		t.Fatalf("the versions are\n %+v (%v)", versions, err)
	}
	version.Policy.Leanings.Flexible, version.Policy.Probing.Product = 50, 0
	if !reflect.DeepEqual(versions[1], version) {
		t.Errorf("the first version is\n %+v, want\n %+v", versions[1], version)
	}
	sameTexts(t, s, old)
	if n, err := s.Decisions().Seal(t.Context(), 10); n != 3 || err != nil {
		t.Errorf("%d old decisions were sealed (%v)", n, err)
	}
	if err := storetest.WholeChain(t, s, old.ID); err != nil {
		t.Error(err)
	}
}

// sameTexts checks that the migration wrote the handlers and the model that the program writes for a new project.
func sameTexts(t *testing.T, s *storetest.Store, old *project.Project) {
	t.Helper()
	p, err := project.Open(storetest.Numbered[id.Project](8), id.Stored[id.Account]("acct"), project.Draft{Name: "New", Slug: "new"}, old.CreatedAt)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Projects().Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	var texts []string
	b := s.DB.Read(db.AnyProject)
	var rows []struct{ Text string }
	b.Query(&rows, `
SELECT DISTINCT a.handlers || a.model AS text
FROM agents AS a`)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		texts = append(texts, r.Text)
	}
	if len(texts) != 1 {
		t.Errorf("the migration and the program differ:\n%q", texts)
	}
}

// Reading the active agent and a client's probes takes no additional round trip.
func TestAgents_Active_roundTrips(t *testing.T) {
	t.Parallel()
	s, w := storetest.WiredPostgres(t)
	p := storetest.StoreProject(t, s, 1)
	if trips := w.Count(func() {
		if _, err := s.Agents().Active(t.Context(), p.ID); err != nil {
			t.Error(err)
		}
	}); trips != 1 {
		t.Errorf("the active agent took %d round trips, want 1", trips)
	}
	ask := ports.HaggleAsk{
		Session:      storetest.Numbered[id.Session](1),
		Product:      storetest.Numbered[id.Product](1),
		Quantity:     1,
		Client:       "client",
		Since:        time.UnixMilli(0),
		ProductSince: time.UnixMilli(0),
		Sessions:     40,
	}
	if trips := w.Count(func() {
		if _, err := s.Haggling().Load(t.Context(), p.ID, ask); err != nil {
			t.Error(err)
		}
	}); trips != 1 {
		t.Errorf("an ask of a client took %d round trips, want 1", trips)
	}
}

func TestAgents_Reseal(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		a, first := agents.FirstAgent(p)
		a.ID, a.Status, a.Secret = storetest.Numbered[id.Agent](2), agent.Draft, []byte("old")
		if err := s.Agents().Create(t.Context(), a, first); err != nil {
			t.Fatal(err)
		}
		failed := errors.New("no such key")
		for _, c := range []struct {
			fails    error
			secret   string
			revision int64
		}{{failed, "old", 1}, {nil, "new old", 2}} {
			n, err := s.Agents().Reseal(t.Context(), func(of id.Agent, sealed []byte) ([]byte, error) {
				if of != a.ID {
					t.Errorf("%s has no secret", of)
				}
				return append([]byte("new "), sealed...), c.fails
			})
			if !errors.Is(err, c.fails) || err == nil && n != 1 {
				t.Errorf("%d were sealed anew (%v)", n, err)
			}
			got, err := s.Agents().ByID(t.Context(), p.ID, a.ID)
			if err != nil || string(got.Secret) != c.secret {
				t.Errorf("the secret is %q (%v), want %q", got.Secret, err, c.secret)
			}
			if now, err := s.Storefronts().ByProject(t.Context(), p.ID); err != nil || now.AgentRevision != c.revision {
				t.Errorf("the revision is %d (%v), want %d", now.AgentRevision, err, c.revision)
			}
		}
	})
}

// A policy is read back exactly as it was stored: nothing is lost, and nothing is added.
func TestAgents_Create_wholePolicy(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		for n, want := range []negotiation.Policy{fieldtest.Fill[negotiation.Policy](), negotiation.Builtin(), {}} {
			want.Version = n + 3
			a, first := agents.FirstAgent(p)
			a.ID, a.Status, a.Policy, first.Policy = storetest.Numbered[id.Agent](n+2), agent.Draft, want, want
			if err := s.Agents().Create(t.Context(), a, first); err != nil {
				t.Fatal(err)
			}
			got, err := s.Agents().ByID(t.Context(), p.ID, a.ID)
			if err != nil || !reflect.DeepEqual(got.Policy, want) {
				t.Errorf("the agent's is %+v (%v), want %+v", got.Policy, err, want)
			}
			version, err := s.Agents().Version(t.Context(), p.ID, a.ID, want.Version)
			if err != nil || !reflect.DeepEqual(version.Policy, want) {
				t.Errorf("the version's is %+v (%v), want %+v", version.Policy, err, want)
			}
		}
	})
}
