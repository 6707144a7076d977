package db

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports/porttest/pgbouncer"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// line is a connection to a PostgreSQL server on which the next COMMIT or its reply gets lost.
type line struct {
	server string // its socket
	gone   atomic.Bool
	// lose is what becomes of the next COMMIT.
	lose atomic.Int32
}

const (
	nothing    = iota
	theCommit  // the connection breaks before the server sees it
	itsAnswer  // the server commits, and the connection breaks before it says so
	bothSilent // the server never sees it, and the connection stays open
)

// behindLine opens a store whose connections go over such a line.
func behindLine(t *testing.T, p Pooler) (*DB, *line) {
	t.Helper()
	direct := pgserver.Shared(t).Migrated(t, migrated)
	if p == TransactionPooler {
		direct = pgbouncer.Shared(t, direct).URL(direct)
	}
	at, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	w := &line{server: filepath.Join(at.Query().Get("host"), ".s.PGSQL.5432")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go w.carry(client)
		}
	}()
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	at.RawQuery = url.Values{"host": {host}, "port": {port}, "sslmode": {"disable"}}.Encode()
	return openStore(t, Config{URL: at.String(), Pooler: p}), w
}

func (w *line) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", w.server)
	if err != nil {
		return
	}
	if w.gone.Load() {
		server.Close()
		return
	}
	defer server.Close()
	mute := make(chan struct{})
	go func() {
		answers := make([]byte, 1<<16)
		for {
			n, err := server.Read(answers)
			select {
			case <-mute: // the server has answered
				client.Close()
				return
			default:
			}
			if _, failed := client.Write(answers[:n]); err != nil || failed != nil {
				client.Close()
				return
			}
		}
	}()
	text := make([]byte, 1<<16)
	for {
		n, err := client.Read(text)
		if n > 0 && bytes.Contains(text[:n], []byte("COMMIT\x00")) {
			switch w.lose.Swap(nothing) {
			case theCommit:
				return
			case itsAnswer:
				close(mute)
			case bothSilent:
				_, _ = io.Copy(io.Discard, client)
				return
			}
		}
		if _, failed := server.Write(text[:n]); err != nil || failed != nil {
			return
		}
	}
}

// If the reply to COMMIT is lost, the work takes effect once, and its caller gets no error.
func TestCommit_replyLost(t *testing.T) {
	for _, p := range []Pooler{NoPooler, TransactionPooler} {
		t.Run("pooler "+p.String(), func(t *testing.T) { loseCommits(t, p) })
	}
}

func loseCommits(t *testing.T, p Pooler) {
	t.Parallel()
	for name, lose := range map[string]int32{"the commit": theCommit, "its answer": itsAnswer, "both, and nobody hangs up": bothSilent} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := behindLine(t, p)
			runs := 0
			w.lose.Store(lose)
			if err := s.InTx(t.Context(), mine, func(x *Tx) error { runs++; return add(t.Context(), x, "a") }); err != nil {
				t.Errorf("transaction: %v", err)
			}
			want := 2
			if lose == itsAnswer {
				want = 1
			}
			if n := failures(t, s, mine); n != 1 || runs != want || w.lose.Load() != nothing {
				t.Errorf("the work ran %d times and left %d rows", runs, n)
			}

			w.lose.Store(lose)
			runs = 0
			if err := s.InTx(t.Context(), mine, func(x *Tx) error {
				runs++
				if err := x.Select(t.Context(), new(int), "SELECT 1 AS n"); err != nil {
					return err
				}
				return x.Last(t.Context(), raise("a", 1))
			}); err != nil {
				t.Errorf("transaction whose last statement goes with COMMIT: %v", err)
			}
			if n := sumOfFailures(t, s); n != 2 || runs != want || w.lose.Load() != nothing {
				t.Errorf("the work ran %d times and left %d failures", runs, n)
			}

			if lose == bothSilent {
				return // it takes seconds, and what comes after it is the same
			}
			w.lose.Store(lose)
			runs = 0
			if err := s.InRequest(t.Context(), nil, func(view *DB) error {
				runs++
				return view.InTx(t.Context(), mine, func(x *Tx) error { return add(t.Context(), x, "b") })
			}); err != nil {
				t.Errorf("unit: %v", err)
			}
			if n := failures(t, s, mine); n != 2 || runs != want || w.lose.Load() != nothing {
				t.Errorf("the unit ran %d times and left %d rows", runs, n-1)
			}
		})
	}
}

// If the server does not come back, the outcome stays unknown, and the error says so.
func TestCommit_unknownOutcome(t *testing.T) {
	t.Parallel()
	s, w := behindLine(t, NoPooler)
	ctx, cancel := context.WithCancel(t.Context())
	w.lose.Store(itsAnswer)
	err := s.InTx(ctx, mine, func(x *Tx) error {
		w.gone.Store(true)
		return add(ctx, x, "a")
	})
	cancel()
	if fault.KindOf(err) != fault.Unavailable || errors.As(err, &retryable{}) {
		t.Errorf("got %v", err)
	}
}

// A crashed server reuses numbers of transactions of which nothing had reached its disk. A committed transaction with
// the same number proves nothing.
func TestFateByNumber_reusedNumber(t *testing.T) {
	t.Parallel()
	server, err := pgserver.Start(pgserver.Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	if err := errors.Join(server.CreateDatabase("crashed", ""), migrated(server.URL("crashed"))); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, Config{URL: server.URL("crashed")})
	runs := 0
	err = s.InTx(t.Context(), mine, func(x *Tx) error {
		if runs++; runs > 1 {
			return add(t.Context(), x, "lost")
		}
		if err := add(t.Context(), x, "lost"); err != nil {
			return err
		}
		if err := server.Restart(true); err != nil {
			return err
		}
		other := openStore(t, Config{URL: server.URL("crashed")})
		for i := range 3 {
			key := string(rune('a' + i))
			if err := other.InTx(t.Context(), mine, func(x *Tx) error { return add(t.Context(), x, key) }); err != nil {
				return err
			}
		}
		return nil // and COMMIT goes to a connection that is dead
	})
	rows := failures(t, s, mine)
	if err == nil && rows != 4 || err != nil && (rows != 3 || fault.KindOf(err) != fault.Unavailable) {
		t.Errorf("%v after %d runs, %d rows", err, runs, rows)
	}
}
