package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
)

// watched is a store on SQLite whose writing connection calls before each statement without rows. An error of it is
// the statement's.
func watched(t *testing.T, before func(statement string) error) *DB {
	t.Helper()
	s := freshSQLite(t)
	path := fileOf(t, s)
	connector, err := sqlite.NewConnector(SQLiteAddress(path, 0, "synchronous(full)", "temp_store(memory)"))
	if err != nil {
		t.Fatal(err)
	}
	commits := newGroupCommit()
	commits.groupTime, commits.memberTime = time.Hour, time.Hour
	if err := s.write.Close(); err != nil {
		t.Fatal(err)
	}
	s.write = newPool(sqlx.NewDb(sql.OpenDB(watchedConnector{stmtCacheConnector{connector, commits}, before}), "sqlite"), 1)
	s.write.group = commits
	s.login = s.write.DB
	return s
}

func fileOf(t *testing.T, s *DB) (path string) {
	t.Helper()
	if err := s.read.Get(&path, "SELECT file FROM pragma_database_list"); err != nil {
		t.Fatal(err)
	}
	return path
}

type watchedConnector struct {
	stmtCacheConnector
	before func(string) error
}

func (w watchedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := w.stmtCacheConnector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return watchedConn{conn.(*guardedConn), w.before}, nil
}

type watchedConn struct {
	*guardedConn
	before func(string) error
}

func (c watchedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.before(query); err != nil {
		return nil, err
	}
	return c.guardedConn.ExecContext(ctx, query, args)
}

// commits counts COMMITs.
type commits struct{ n atomic.Int32 }

func (c *commits) before(statement string) error {
	if statement == "COMMIT" {
		c.n.Add(1)
	}
	return nil
}

// inOneGroup runs first as a transaction, which ends when members wait for the connection in their order.
func inOneGroup(t *testing.T, s *DB, first func(*Tx) error, members ...func()) (err error) {
	t.Helper()
	began, queued := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(began) })
	var all sync.WaitGroup
	all.Go(func() {
		err = s.InTx(t.Context(), mine, func(x *Tx) error {
			err := first(x)
			begin()
			<-queued
			return err
		})
	})
	<-began
	for i, m := range members {
		all.Go(m)
		for s.write.places.Waiting() <= i {
			time.Sleep(time.Millisecond)
		}
	}
	close(queued)
	all.Wait()
	return err
}

// adding is a transaction that adds keys, and then does what then does.
func adding(t *testing.T, s *DB, err *error, then func(*Tx) error, keys ...string) func() {
	return func() {
		*err = s.InTx(t.Context(), mine, func(x *Tx) error {
			for _, key := range keys {
				if err := add(t.Context(), x, key); err != nil {
					return err
				}
			}
			if then == nil {
				return nil
			}
			return then(x)
		})
	}
}

func keys(t *testing.T, s *DB) (keys []string) {
	t.Helper()
	if err := s.read.Select(&keys, "SELECT key FROM sandbox_failures ORDER BY key"); err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestGroupCommit_sharesCommits(t *testing.T) {
	t.Parallel()
	var count commits
	s := watched(t, count.before)
	const writers = 32
	errs := make([]error, writers)
	var members []func()
	for i := range writers - 1 {
		if members = append(members, adding(t, s, &errs[i], nil, fmt.Sprint(i))); i%2 == 0 {
			members[i] = func() { errs[i] = s.Exec(t.Context(), mine, addCharge, "proj_mine", fmt.Sprint(i), 1) }
		}
	}
	errs[writers-1] = inOneGroup(t, s, func(x *Tx) error { return add(t.Context(), x, "first") }, members...)
	if err := errors.Join(errs...); err != nil || len(keys(t, s)) != writers {
		t.Errorf("%v, %d rows", err, len(keys(t, s)))
	}
	if n, want := int(count.n.Load()), writers/newGroupCommit().mostMembers; n != want {
		t.Errorf("%d transactions took %d COMMITs, want %d", writers, n, want)
	}
	if err := addIn(t, s, "alone"); err != nil || count.n.Load() != 3 {
		t.Errorf("%v after %d COMMITs", err, count.n.Load())
	}
}

func TestGroupCommit_answersNobodyBeforeCommit(t *testing.T) {
	t.Parallel()
	var answered, early atomic.Int32
	s := watched(t, func(statement string) error {
		if statement == "COMMIT" {
			time.Sleep(10 * time.Millisecond)
			early.Store(answered.Load())
		}
		return nil
	})
	var errs [3]error
	member := func(i int) func() {
		add := adding(t, s, &errs[i], nil, fmt.Sprint(i))
		return func() { add(); answered.Add(1) }
	}
	err := inOneGroup(t, s, func(x *Tx) error { return nil }, member(0), member(1), member(2))
	if err := errors.Join(append(errs[:], err)...); err != nil || early.Load() != 0 || answered.Load() != 3 {
		t.Errorf("%v, %d were answered before COMMIT", err, early.Load())
	}
}

// Members before a slow one return before it ends.
func TestGroupCommit_aSlowMember(t *testing.T) {
	t.Parallel()
	s := watched(t, func(string) error { return nil })
	s.write.group.memberTime = 5 * time.Millisecond
	answered := make(chan struct{})
	first := true
	var slow error
	ran := make(chan error, 1)
	go func() {
		ran <- inOneGroup(t, s, func(x *Tx) error { return add(t.Context(), x, "a") },
			adding(t, s, &slow, func(x *Tx) error {
				if !first {
					return isClosed(answered)
				}
				first = false
				for began := time.Now(); time.Since(began) < 10*time.Second; {
					if _, err := x.Now(t.Context()); err != nil {
						return nil // the limit holds whatever becomes of the failure
					}
				}
				return errors.New("it may take as long as it likes")
			}, "slow"),
			func() { adding(t, s, new(error), nil, "b")() },
		)
	}()
	for len(keys(t, s)) == 0 {
		time.Sleep(time.Millisecond)
	}
	close(answered)
	if err := errors.Join(<-ran, slow); err != nil || len(keys(t, s)) != 3 {
		t.Errorf("%v, %v", err, keys(t, s))
	}
}

// isClosed waits for somebody else's transaction, which must not wait for its caller's.
func isClosed(done chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-time.After(10 * time.Second):
		return errors.New("those before it wait")
	}
}

// A request's transaction, or a caller that borrows the connection, does not make members of a group wait for its end.
func TestGroupCommit_unitsComeAfterIt(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]func(*DB, func() error) error{
		"a unit": func(s *DB, wait func() error) error {
			return s.InRequest(t.Context(), claimOnce, func(view *DB) error { return errors.Join(addIn(t, view, "b"), wait()) })
		},
		"the connection": func(s *DB, wait func() error) error {
			return s.OnWriter(t.Context(), func(conn *sqlx.Conn) error {
				_, err := conn.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)")
				return errors.Join(err, wait())
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := watched(t, func(string) error { return nil })
			answered := make(chan struct{})
			var after, err error
			began := make(chan struct{})
			var all sync.WaitGroup
			all.Go(func() {
				err = s.InTx(t.Context(), mine, func(x *Tx) error {
					close(began)
					for s.write.places.Waiting() == 0 && s.write.Stats().WaitCount == 0 {
						time.Sleep(time.Millisecond)
					}
					return add(t.Context(), x, "a")
				})
				close(answered)
			})
			<-began
			after = work(s, func() error { return isClosed(answered) })
			all.Wait()
			if errors.Join(err, after) != nil {
				t.Errorf("%v, %v", err, after)
			}
		})
	}
}

// Cancelling a running statement would end the transaction of all members.
func TestGroupCommit_aStatementIsCancelled(t *testing.T) {
	t.Parallel()
	s := watched(t, func(string) error { return nil })
	runs := 0
	var long, other error
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	err := inOneGroup(t, s, func(x *Tx) error { runs++; return add(t.Context(), x, "a") },
		func() {
			const many = `
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
INSERT INTO sandbox_failures (project_id, key, failures) SELECT 'proj_mine', 'n' || i, 1 FROM n`
			long = s.InTx(ctx, mine, func(x *Tx) error {
				time.AfterFunc(20*time.Millisecond, cancel)
				_, err := x.Exec(ctx, many)
				return err
			})
		},
		adding(t, s, &other, nil, "b"))
	if errors.Join(err, other) != nil || !errors.Is(long, context.Canceled) || runs != 1 || !slices.Equal(keys(t, s), []string{"a", "b"}) {
		t.Errorf("%v, %v, %v after %d runs of the first: %d rows", err, long, other, runs, len(keys(t, s)))
	}
}

// Writes that a process has acknowledged are in its files, even if it is killed right afterwards.
func TestGroupCommit_survivesTheProcess(t *testing.T) {
	t.Parallel()
	s := freshSQLite(t)
	path := fileOf(t, s)
	var mu sync.Mutex
	var answered []string
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 20 {
				key := fmt.Sprint(w, " ", i)
				if err := s.Exec(t.Context(), mine, addCharge, "proj_mine", key, 1); err != nil {
					t.Error(err)
				}
				mu.Lock()
				answered = append(answered, key)
				mu.Unlock()
			}
		})
	}
	for moment := range 5 {
		time.Sleep(2 * time.Millisecond)
		mu.Lock()
		promised := slices.Clone(answered)
		mu.Unlock()
		copied := filepath.Join(t.TempDir(), fmt.Sprint(moment, ".db"))
		for _, end := range []string{"", "-wal"} {
			content, err := os.ReadFile(path + end)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(copied+end, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		have := keys(t, openStore(t, Config{URL: "sqlite://" + copied}))
		for _, key := range promised {
			if !slices.Contains(have, key) {
				t.Errorf("%q was answered, and is lost", key)
			}
		}
	}
	all.Wait()
}

func BenchmarkConcurrentWrites(b *testing.B) {
	s := freshSQLite(b)
	var n atomic.Int64
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := s.Exec(b.Context(), mine, addCharge, "proj_mine", fmt.Sprint(n.Add(1)), 1); err != nil {
				b.Error(err)
			}
		}
	})
}
