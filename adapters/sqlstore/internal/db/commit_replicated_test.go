package db

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports/porttest/pgbouncer"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// writes are the ways to write a row.
var writes = map[string]func(context.Context, *DB, string) error{
	"transaction": func(ctx context.Context, s *DB, key string) error {
		return s.InTx(ctx, mine, func(x *Tx) error { return add(ctx, x, key) })
	},
	"request": func(ctx context.Context, s *DB, key string) error {
		return s.InRequest(ctx, nil, func(view *DB) error { return view.Exec(ctx, mine, addCharge, "proj_mine", key, 1) })
	},
	"batch": func(ctx context.Context, s *DB, key string) error {
		return s.Exec(ctx, mine, addCharge, "proj_mine", key, 1)
	},
	"batch whose request ends": func(ctx context.Context, s *DB, key string) error {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		return s.Exec(ctx, mine, addCharge, "proj_mine", key, 1)
	},
}

// A commit waits for a second node, where PostgreSQL replicates synchronously. As long as no node has the transaction, it is not
// reported as committed and nobody sees it: if the leader is lost now, so is the transaction. It shows when the node comes back.
func TestCommit_notReplicated(t *testing.T) {
	t.Parallel()
	for _, pooler := range []Pooler{NoPooler, TransactionPooler} {
		t.Run(pooler.String(), func(t *testing.T) {
			t.Parallel()
			s, replicas := replicated(t, pooler)
			replicas("nobody")
			var all sync.WaitGroup
			for name, write := range writes {
				all.Go(func() {
					err := write(t.Context(), s, name)
					if err == nil {
						t.Errorf("%s: a commit that no node has is reported as committed", name)
					}
					if errors.As(err, new(unharmed)) {
						t.Errorf("%s: a commit that may still come is reported as undone", name)
					}
				})
			}
			all.Wait()
			if n := failures(t, s, mine); n != 0 {
				t.Errorf("%d commits that no node has show", n)
			}
			replicas("")
			seen := 0
			for deadline := time.Now().Add(10 * time.Second); seen < len(writes) && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
				seen = failures(t, s, mine)
			}
			if seen != len(writes) {
				t.Errorf("%d commits show once nodes have them, want %d", seen, len(writes))
			}
		})
	}
}

// replicated opens a store on a server of its own, and returns what names the nodes that COMMIT waits for.
func replicated(t *testing.T, p Pooler) (*DB, func(nodes string)) {
	t.Helper()
	server, err := pgserver.Start(pgserver.Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	url := server.Migrated(t, migrated)
	admin, err := sql.Open("postgres", server.AdminURL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() })
	if p == TransactionPooler {
		url = pgbouncer.Start(t, url, "default_pool_size = 10").URL(url)
	}
	s := openStore(t, Config{URL: strings.Replace(url, "statement_timeout=30000", "statement_timeout=2000", 1), Pooler: p})
	return s, func(nodes string) {
		t.Helper()
		for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + nodes + "'", "SELECT pg_reload_conf()"} {
			if _, err := admin.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			var now string
			if err := admin.QueryRowContext(t.Context(), "SHOW synchronous_standby_names").Scan(&now); err != nil || time.Now().After(deadline) {
				t.Fatalf("the nodes are %q, %v", now, err)
			}
			if now == nodes {
				return
			}
		}
	}
}
