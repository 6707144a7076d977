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

// A commit waits for a second node, where PostgreSQL replicates synchronously. As long as no node has the transaction,
// it is not reported as committed and nobody sees it: if the leader is lost now, so is the transaction. It shows when
// the node comes back.
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
					if errors.As(err, new(retryable)) {
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
	t.Cleanup(func() { _, _ = server.Stop(true), server.Close() }) // a commit that waits holds up a shutdown in good order
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
		// The checkpointer tells the others.
		for deadline := time.Now().Add(10 * time.Second); waits(t, admin) != (nodes != ""); {
			if time.Now().After(deadline) {
				t.Fatalf("commits wait for the nodes %q: %t", nodes, nodes == "")
			}
		}
	}
}

// waits reports whether a commit waits for a node. The wait is cancelled, after which the commit succeeds.
func waits(t *testing.T, admin *sql.DB) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := admin.ExecContext(ctx, "SELECT pg_logical_emit_message(true, 'test', 'a commit')")
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	return ctx.Err() != nil
}
