package db

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
)

// oneConn is a connection to a new file, and all use the same.
func oneConn(tb testing.TB) *sqlx.DB {
	tb.Helper()
	db, err := openPool(1, SQLiteAddress(filepath.Join(tb.TempDir(), "kept.db"), 0, "synchronous(off)"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	if _, err := db.Exec("CREATE TABLE shelf (id INTEGER PRIMARY KEY, n INTEGER NOT NULL CHECK (n > 0)) STRICT"); err != nil {
		tb.Fatal(err)
	}
	return db.DB
}

// A cached statement gives the same results as one that is compiled anew, no matter how its earlier uses ended.
func TestStmtCacheConn_sameAnswers(t *testing.T) {
	t.Parallel()
	db := oneConn(t)
	insert := func(id, n int) error {
		_, err := db.Exec("INSERT INTO shelf (id, n) VALUES ($1, $2)", id, n)
		return err
	}
	for i := range 3 * compiled { // more texts than are kept, between uses of one
		if err := insert(i, i+1); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := db.Get(&n, fmt.Sprintf("SELECT n + %d FROM shelf WHERE id = $1", i), i); err != nil || n != 2*i+1 {
			t.Fatalf("%d: %d, %v", i, n, err)
		}
	}
	if err := insert(1, 1); err == nil {
		t.Error("a key twice")
	}
	if err := insert(-1, 0); err == nil {
		t.Error("a zero")
	}
	if err := insert(-1, 1); err != nil {
		t.Errorf("after failures: %v", err)
	}
	if _, err := db.Exec("ALTER TABLE shelf ADD COLUMN label TEXT NOT NULL DEFAULT 'new'"); err != nil {
		t.Fatal(err)
	}
	if err := insert(-2, 1); err != nil {
		t.Errorf("after a change of the schema: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.ExecContext(gone, "INSERT INTO shelf (id, n) VALUES ($1, $2)", -3, 1); err == nil {
		t.Error("work for nobody")
	}
	if err := insert(-3, 1); err != nil {
		t.Errorf("after a call that was given up: %v", err)
	}
}

// One query may run twice at the same time on a connection, and each run has its own rows.
func TestStmtCacheConn_nestedQuery(t *testing.T) {
	t.Parallel()
	db := oneConn(t)
	if _, err := db.Exec("INSERT INTO shelf (id, n) VALUES (1, 1), (2, 2), (3, 3)"); err != nil {
		t.Fatal(err)
	}
	conn, err := db.Connx(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const all = "SELECT n FROM shelf ORDER BY id"
	for range 2 { // the second time both are kept, as far as they are
		outer, err := conn.QueryContext(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for outer.Next() {
			var n int
			var inner []int
			if err := outer.Scan(&n); err != nil {
				t.Fatal(err)
			}
			if err := conn.SelectContext(t.Context(), &inner, all); err != nil || len(inner) != 3 {
				t.Fatalf("%v, %v", inner, err)
			}
			sum += n
		}
		if err := outer.Err(); err != nil || sum != 6 {
			t.Errorf("%d, %v", sum, err)
		}
		if err := outer.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// An interrupted statement affects neither the next one nor a COMMIT.
func TestStmtCacheConn_interrupted(t *testing.T) {
	t.Parallel()
	db := oneConn(t)
	conn, err := db.Connx(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const forever = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
	for range 2 {
		short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		var n int
		if err := conn.GetContext(short, &n, forever); err == nil {
			t.Fatal("it ended")
		}
		cancel()
		for _, s := range []string{"BEGIN IMMEDIATE", "INSERT INTO shelf (n) VALUES (1)", "COMMIT"} {
			if _, err := conn.ExecContext(t.Context(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	}
}

func BenchmarkKeptStatement(b *testing.B) {
	db := oneConn(b)
	for b.Loop() {
		if _, err := db.Exec("INSERT INTO shelf (id, n) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n = excluded.n", 1, 2); err != nil {
			b.Fatal(err)
		}
	}
}

func TestPositional(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]string{
		"SELECT 1":                             "SELECT 1",
		"INSERT INTO a (b, c) VALUES ($1, $2)": "INSERT INTO a (b, c) VALUES (?, ?)",
		"UPDATE a SET b = '$7' -- $8\nWHERE \"$9\" - $1 = $2": "UPDATE a SET b = '$7' -- $8\nWHERE \"$9\" - ? = ?",
		"SELECT $2, $1":      "SELECT $2, $1",
		"SELECT $1, $1":      "SELECT $1, $1",
		"SELECT $1, $22":     "SELECT $1, $22",
		"SELECT '$1', $1, x": "SELECT '$1', ?, x",
	} {
		if got := positional(statement); got != want {
			t.Errorf("%s: got %s, want %s", statement, got, want)
		}
	}
}
