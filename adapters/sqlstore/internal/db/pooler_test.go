package db

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports/porttest/pgbouncer"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

var theirs = id.Stored[id.Project]("proj_theirs")

// session is what a transaction finds itself in.
type session struct {
	Role    string
	Project string
	Process int
	Limits  string
}

const selectSession = `
SELECT CAST(current_user AS TEXT) AS role, current_setting('haggle.project_id') AS project, pg_backend_pid() AS process,
  current_setting('statement_timeout') || ' ' || current_setting('lock_timeout') || ' ' || current_setting('jit') AS limits`

// expect checks that a session is that of a request in a project, under the URL's limits.
func (s session) expect(t *testing.T, project id.Project) {
	t.Helper()
	if s.Role != "haggle_app" || s.Project != project.String() || s.Limits != "30s 30s off" {
		t.Errorf("in %s a transaction has %+v", project, s)
	}
}

// Many connections share two sessions of PostgreSQL. In each of their transactions, the first one too, also after errors
// and cancelled requests, rows of the transaction's project are there and nobody else's.
func TestTransactionPooler_rowLevelSecurity(t *testing.T) {
	t.Parallel()
	s := freshPooled(t)
	const clients, rounds = 12, 25
	var all sync.WaitGroup
	var met sync.Map // processes, and whose transactions they ran
	for c := range clients {
		all.Go(func() {
			for round := range rounds {
				project := []id.Project{mine, theirs}[(c+round/3)%2]
				process := s.useSession(t, project, fmt.Sprint(c, "-", round), round%5)
				met.Store(fmt.Sprint(process, " ", project), process)
			}
		})
	}
	all.Wait()
	shared := 0
	met.Range(func(of, process any) bool {
		if _, both := met.Load(fmt.Sprint(process, " ", theirs)); both && strings.HasSuffix(of.(string), mine.String()) {
			shared++
		}
		return true
	})
	if shared == 0 {
		t.Error("no session of PostgreSQL was shared by the projects")
	}
	left(t, s)
}

// useSession puts a row into a project and reads all rows, without a condition. It returns the session's process.
func (s *DB) useSession(t *testing.T, project id.Project, key string, way int) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var found session
	var owners []string
	switch way {
	case 0: // an error
		err := s.InTx(ctx, project, func(x *Tx) error {
			return errors.Join(x.Select(ctx, &found, selectSession), x.Select(ctx, new(int), "SELECT 1 / 0"))
		})
		if err == nil {
			t.Error("an error is lost")
		}
	case 1: // a request that is cancelled while PostgreSQL works for it
		time.AfterFunc(20*time.Millisecond, cancel)
		err := s.InTx(ctx, project, func(x *Tx) error {
			return errors.Join(x.Select(ctx, &found, selectSession), x.Select(ctx, new(string), "SELECT CAST(pg_sleep(30) AS TEXT)"))
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if found.Role == "" {
			return 0 // cancelled while it waited for a session
		}
	case 2: // a unit
		err := s.InRequest(ctx, nil, func(view *DB) error {
			return view.InTx(ctx, project, func(x *Tx) error {
				_, err := x.Exec(ctx, addCharge, project.String(), key, 1)
				return errors.Join(err, x.Select(ctx, &found, selectSession), x.Select(ctx, &owners, "SELECT project_id FROM sandbox_failures"))
			})
		})
		if err != nil {
			t.Error(err)
		}
	case 3: // a transaction
		err := s.InTx(ctx, project, func(x *Tx) error {
			_, err := x.Exec(ctx, addCharge, project.String(), key, 1)
			return errors.Join(err, x.Select(ctx, &owners, "SELECT project_id FROM sandbox_failures"), x.Select(ctx, &found, selectSession))
		})
		if err != nil {
			t.Error(err)
		}
	default: // a batch
		b := s.Read(project)
		b.Query(&owners, "SELECT project_id FROM sandbox_failures")
		b.Query(&found, selectSession)
		if err := b.Run(ctx); err != nil {
			t.Error(err)
		}
	}
	found.expect(t, project)
	for _, owner := range owners {
		if owner != project.String() {
			t.Errorf("%s sees rows of %s", project, owner)
		}
	}
	return found.Process
}

// left checks that transactions leave nothing in the sessions of PostgreSQL that they shared.
func left(t *testing.T, s *DB) {
	t.Helper()
	for range 2 * pgbouncer.Connections {
		var found struct {
			Role, Limits       string
			Project            string
			Statements, Locks  int
			Listening, Tempted int
		}
		err := s.login.GetContext(t.Context(), &found, `
SELECT CAST(current_user AS TEXT) AS role, coalesce(current_setting('haggle.project_id', true), '') AS project,
  current_setting('statement_timeout') || current_setting('lock_timeout') AS limits,
  (SELECT count(*) FROM pg_prepared_statements) AS statements,
  (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
  (SELECT count(*) FROM pg_listening_channels()) AS listening,
  (SELECT count(*) FROM pg_class WHERE relpersistence = 't') AS tempted`)
		if err != nil || found.Role != pgserver.Owner || found.Project != "" || found.Limits != "00" ||
			found.Statements+found.Locks+found.Listening+found.Tempted > 0 {
			t.Errorf("a session is left with %+v, %v", found, err)
		}
	}
}

// droppingParameters has PgBouncer drop whatever a connection begins with.
func droppingParameters() string {
	return "ignore_startup_parameters = " + strings.Join(slices.Sorted(maps.Keys(serving)), ", ") + ", " + sessionMark
}

// A pooler that is not expected is detected, whether it refuses start-up parameters or drops them.
func TestNoPooler_behindPgBouncer(t *testing.T) {
	t.Parallel()
	direct := pgserver.Shared(t).Migrated(t, migrated)
	dropped := droppingParameters()
	for name, settings := range map[string][]string{
		"refuses parameters":             nil,
		"drops parameters":               {dropped},
		"drops parameters, goes round":   {dropped, "server_round_robin = 1"},
		"drops parameters, session mode": {dropped, "pool_mode = session"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgbouncer.Start(t, direct, settings...).URL(direct)
			s, err := Open(t.Context(), Config{URL: url}, os.DirFS("../../migrations"))
			if err == nil {
				s.Close()
			}
			sign := "do not reach PostgreSQL"
			if settings == nil {
				sign = "unsupported startup parameter"
			}
			if err == nil || !strings.Contains(err.Error(), "HAGGLE_DATABASE_POOLER") || !strings.Contains(err.Error(), sign) {
				t.Errorf("got %v, want %s", err, sign)
			}
			s = openStore(t, Config{URL: url, Pooler: TransactionPooler})
			s.mustPut(t, name, 1)
			left(t, s)
		})
	}
}

// A pooler that passes the mark of a connection on is detected by the PostgreSQL processes behind it.
func TestCheckSessions(t *testing.T) {
	t.Parallel()
	direct := pgserver.Shared(t).Migrated(t, migrated)
	if err := openStore(t, Config{URL: direct}).checkSessions(t.Context()); err != nil {
		t.Errorf("without a pooler: %v", err)
	}
	for size := 1; size <= 3; size++ {
		for _, turns := range []string{"server_round_robin = 0", "server_round_robin = 1"} {
			bouncer := pgbouncer.Start(t, direct, turns, fmt.Sprintf("default_pool_size = %d", size))
			s := openStore(t, Config{URL: bouncer.URL(direct), Pooler: TransactionPooler})
			useAtOnce(t, s, size)
			for range 4 { // from wherever the turn has come to
				err := s.checkSessions(t.Context())
				if found := new(poolerError); !errors.As(err, &found) {
					t.Errorf("%d sessions, %s: %v", size, turns, err)
				}
			}
		}
	}
}

// useAtOnce has the pooler open so many sessions.
func useAtOnce(t *testing.T, s *DB, sessions int) {
	t.Helper()
	var open []*sqlx.Conn
	for range sessions {
		conn, err := s.login.Connx(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.ExecContext(t.Context(), "BEGIN"); err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	for _, conn := range open {
		if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
}

// A pooler that is added in front of a running process's database is detected by the next connection.
func TestNoPooler_later(t *testing.T) {
	t.Parallel()
	direct := pgserver.Shared(t).Migrated(t, migrated)
	bouncer := pgbouncer.Start(t, direct, droppingParameters())
	s, err := openPostgres(t.Context(), Config{URL: bouncer.URL(direct)}, os.DirFS("../../migrations"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Exec(t.Context(), mine, addCharge, "proj_mine", "a", 1)
	if found := new(poolerError); !errors.As(err, &found) {
		t.Errorf("got %v", err)
	}
	left(t, openStore(t, Config{URL: bouncer.URL(direct), Pooler: TransactionPooler}))
}

// Behind a pooler Migrate fails unless the schema is current, because migrations need a direct connection.
func TestTransactionPooler_migrate(t *testing.T) {
	t.Parallel()
	server := pgserver.Shared(t)
	current, fresh := server.Migrated(t, migrated), server.Database(t, "")
	bouncer := pgbouncer.Start(t, current)
	s := openStore(t, Config{URL: bouncer.URL(current), Pooler: TransactionPooler})
	if err := s.Migrate(t.Context()); err != nil {
		t.Errorf("a current schema: %v", err)
	}
	err := s.OnWriter(t.Context(), func(conn *sqlx.Conn) error {
		_, err := conn.ExecContext(t.Context(), "DELETE FROM goose_db_version WHERE version_id > 60")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, url := range map[string]string{"old": current, "no": fresh} {
		err := openStore(t, Config{URL: bouncer.URL(url), Pooler: TransactionPooler}).Migrate(t.Context())
		if err == nil || !strings.Contains(err.Error(), "HAGGLE_DATABASE_POOLER=none") || !strings.Contains(err.Error(), "haggle migrate") {
			t.Errorf("%s schema: %v", name, err)
		}
	}
}

// Work that runs as the login has the time limits of requests.
func TestTransactionPooler_login(t *testing.T) {
	t.Parallel()
	s := freshPooled(t)
	if err := s.Analyze(t.Context()); err != nil {
		t.Error(err)
	}
	limit := ""
	err := s.onLogin(t.Context(), func(conn *sqlx.Conn) error { return conn.GetContext(t.Context(), &limit, "SHOW statement_timeout") })
	if limit != "30s" || err != nil {
		t.Errorf("a statement may take %s, %v", limit, err)
	}
	if role, err := s.UnguardedLogin(t.Context()); role != "" || err != nil {
		t.Errorf("%q, %v", role, err)
	}
	left(t, s)
}

func TestParsePooler(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Pooler{"none": NoPooler, "transaction": TransactionPooler} {
		if got, err := ParsePooler(text); got != want || err != nil || got.String() != text {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "session", "None", "statement"} {
		if got, err := ParsePooler(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestLocalSettings(t *testing.T) {
	t.Parallel()
	got, err := localSettings(map[string]string{"search_path": "public, it's", "lock_timeout": "2s"})
	if want := "; SET LOCAL lock_timeout = '2s'; SET LOCAL search_path = 'public', 'it''s'"; got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for _, name := range []string{"", "a b", "a; DROP TABLE orders", "1a"} {
		if got, err := localSettings(map[string]string{name: "1"}); err == nil {
			t.Errorf("%q: %s", name, got)
		}
	}
}
