package main

import (
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// A replica is killed repeatedly while clients send it changes with idempotency keys. The clients retry at the other replica
// until they get a result: every change happened exactly once, and no client waited too long.
func TestServeCmd_Run_killedDuringIdempotentRequests(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	k := &killing{survivor: startReplica(t, database, manyProjects), past: boottest.Inspect(t, database)}
	k.shop = k.survivor.openShop(t, "shop")
	k.survivor.must(t, 201, nil, boottest.Key, "POST", "/v1/catalog/products",
		`{"name":"Mug","sku":"mug","price":10,"category":"Kitchen","quantity":0}`, "X-Project-ID", k.shop)
	must(t, k.past, waitAtCommit)
	var committing int64
	for round := range 6 {
		at := lock{"relation", "LOCK TABLE audit_events IN SHARE MODE"} // every change writes to this table
		if round%2 == 1 {
			at = lock{"advisory", "SELECT pg_advisory_xact_lock(7)"}
		}
		waiting := k.round(t, fmt.Sprint(round), at, startReplica(t, database, manyProjects))
		if at.event == "advisory" {
			committing += waiting
		}
	}
	var stock struct{ Data []struct{ Quantity int64 } }
	k.survivor.must(t, 200, &stock, boottest.Key, "GET", "/v1/catalog/inventory?sku=mug", "", "X-Project-ID", k.shop)
	var projects struct{ Meta struct{ Total int64 } }
	k.survivor.must(t, 200, &projects, boottest.Key, "GET", "/v1/projects?limit=1", "")
	if len(stock.Data) != 1 || stock.Data[0].Quantity != k.adjusted.Load() || projects.Meta.Total != k.opened.Load()+1 {
		t.Errorf("%v in stock after %d adjustments, %d projects after %d", stock.Data, k.adjusted.Load(), projects.Meta.Total, k.opened.Load()+1)
	}
	if k.replayed.Load() < committing {
		t.Errorf("%d were answered again, but %d were killed at COMMIT", k.replayed.Load(), committing)
	}
	t.Logf("%d keys, %d asked to wait, %d had taken effect", k.keys.Load(), k.waited.Load(), k.replayed.Load())
}

// waitAtCommit makes transactions that changed something wait at COMMIT while another session holds advisory lock 7.
const waitAtCommit = `
CREATE FUNCTION wait_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7);
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER wait_at_commit AFTER INSERT ON audit_events
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_at_commit()`

func must(t *testing.T, past *sql.DB, statement string) {
	t.Helper()
	if _, err := past.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// lock is a lock and the statement that acquires it. event is the wait event that PostgreSQL reports for sessions that wait for
// it.
type lock struct{ event, statement string }

// manyProjects raises an account's limits so that the test's clients can open their projects.
const manyProjects = "--enterprise-limits=100000/10000000"

// killing is the state that the test's clients share.
type killing struct {
	survivor               *replica
	past                   *sql.DB // a direct connection to the replicas' database
	shop                   string
	keys, waited, replayed atomic.Int64
	adjusted, opened       atomic.Int64
}

// round sends changes to victim from many clients, kills it while transactions wait for a lock, and continues with the
// survivor. It returns how many transactions waited.
func (k *killing) round(t *testing.T, name string, at lock, victim *replica) (waiting int64) {
	var stop atomic.Bool
	var all sync.WaitGroup
	for client := range 24 {
		path, body, count := "/v1/catalog/inventory/adjust", `{"adjustments":[{"sku":"mug","delta":1}]}`, &k.adjusted
		all.Go(func() {
			for i := 0; !stop.Load(); i++ {
				key := fmt.Sprintf("%s-%d-%d", name, client, i)
				if client%2 == 0 {
					path, body, count = "/v1/projects", `{"name":"Opened","slug":"round-`+key+`"}`, &k.opened
				}
				if k.untilAnswered(t, victim, key, path, body) {
					count.Add(1)
				}
				k.keys.Add(1)
			}
		})
	}
	reach := func(target int64) {
		for k.keys.Load() < target {
			time.Sleep(time.Millisecond)
		}
	}
	reach(k.keys.Load() + 150)
	waiting, release := k.hold(t, at)
	victim.kill()
	release()
	reach(k.keys.Load() + 50)
	stop.Store(true)
	all.Wait()
	return waiting
}

// hold acquires a lock that changes need, and returns once a transaction waits for it.
func (k *killing) hold(t *testing.T, at lock) (waiting int64, release func()) {
	t.Helper()
	tx, err := k.past.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(at.statement); err != nil {
		t.Fatal(err)
	}
	const query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = $1"
	for ; waiting == 0; time.Sleep(time.Millisecond) {
		if err := k.past.QueryRow(query, at.event).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	return waiting, func() {
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}

// untilAnswered sends a request to victim, and retries at the survivor as long as responses ask for it.
func (k *killing) untilAnswered(t *testing.T, victim *replica, key, path, body string) bool {
	const soon = 20 * time.Second
	begin, at := time.Now(), victim
	for time.Since(begin) < soon {
		s, err := at.ask(boottest.Key, "POST", path, body, "Idempotency-Key", key, "X-Project-ID", k.shop)
		switch {
		case err != nil && at == victim:
		case err == nil && (s.code() == "idempotency_in_progress" || s.code() == "overloaded"):
			k.waited.Add(1)
			time.Sleep(50 * time.Millisecond)
		case err == nil && (s.status == 200 || s.status == 201):
			if s.header.Get("Idempotent-Replayed") != "" {
				k.replayed.Add(1)
			}
			return true
		default:
			t.Errorf("key %s: %v, %d %s", key, err, s.status, s.body)
			return false
		}
		at = k.survivor
	}
	t.Errorf("key %s has no answer after %v", key, soon)
	return false
}
