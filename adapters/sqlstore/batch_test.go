package sqlstore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	addCharge   = `INSERT INTO sandbox_failures (project_id, key, failures) VALUES ($1, $2, $3)`
	countCharge = `SELECT count(*) AS n FROM sandbox_failures WHERE project_id = $1`
)

var mine = id.Stored[id.Project]("proj_mine")

func failures(t *testing.T, s *Store, p id.Project) int {
	t.Helper()
	var rows []countRow
	b := s.reading(p)
	b.query(&rows, countCharge, p.String())
	if err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return rows[0].N
}

func TestBatchAnswersInOrder(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		var none, first, last []countRow
		var keys []struct{ Key string }
		b := s.writing(mine)
		b.query(&none, `SELECT 1 AS n WHERE 1 = 2`)
		b.exec(addCharge, "proj_mine", "a", 1)
		b.query(&first, countCharge, "proj_mine")
		b.query(&keys, `UPDATE sandbox_failures SET failures = failures + 1 WHERE project_id = $1 RETURNING key`, "proj_mine")
		b.exec(addCharge, "proj_mine", "b", 1)
		b.query(&none, `DELETE FROM sandbox_failures WHERE project_id = $1 AND key = 'z' RETURNING failures AS n`, "proj_mine")
		b.query(&last, countCharge, "proj_mine")
		b.exec(`DELETE FROM sandbox_failures WHERE project_id = $1 AND key = 'b'`, "proj_mine")
		if err := b.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(none) != 0 || first[0].N != 1 || len(keys) != 1 || keys[0].Key != "a" || last[0].N != 2 {
			t.Errorf("got %v %v %v %v", none, first, keys, last)
		}
		if n := failures(t, s, mine); n != 1 {
			t.Errorf("%d rows are left, want 1", n)
		}
	})
}

// A batch that fails anywhere leaves nothing behind, and its connection serves on.
func TestBatchFailsAsAWhole(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		for name, spoil := range map[string]func(*batch){
			"first, without rows":  func(b *batch) { b.exec(`UPDATE nowhere SET x = 1`) },
			"a constraint":         func(b *batch) { b.exec(addCharge, "proj_mine", "a", 1) },
			"a query":              func(b *batch) { b.query(new([]countRow), `SELECT n FROM nowhere`) },
			"an argument":          func(b *batch) { b.exec(addCharge, "proj_mine", "b", 1.5) },
			"text that is no text": func(b *batch) { b.exec(addCharge, "proj_mine", "\x00", 1) },
			"a missing argument":   func(b *batch) { b.exec(addCharge, "proj_mine") },
			"a second statement":   func(b *batch) { b.exec(addCharge+"; SELECT nothing FROM nowhere", "proj_mine", "b", 1) },
		} {
			b := s.writing(mine)
			b.exec(addCharge, "proj_mine", "a", 1)
			var rows []countRow
			b.query(&rows, countCharge, "proj_mine")
			spoil(b)
			b.exec(addCharge, "proj_mine", "c", 1)
			if err := b.run(t.Context()); err == nil {
				t.Errorf("%s: no error", name)
			}
			if n := failures(t, s, mine); n != 0 {
				t.Errorf("%s left %d rows", name, n)
			}
		}
	})
}

func TestReadingBatchCannotWrite(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		b := s.reading(mine)
		b.exec(addCharge, "proj_mine", "a", 1)
		if err := b.run(t.Context()); err == nil {
			t.Error("a reading batch wrote")
		}
		if n := failures(t, s, mine); n != 0 {
			t.Errorf("%d rows were written", n)
		}
	})
}

// The end of the request's context is reported as it is, not as a fault.
func TestEndedContext(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		b := s.writing(mine)
		b.exec(addCharge, "proj_mine", "a", 1)
		if err := b.run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("batch: %v", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		err := s.inTx(ctx, mine, func(x *tx) error {
			if _, err := x.exec(ctx, addCharge, "proj_mine", "a", 1); err != nil {
				return err
			}
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("transaction: %v", err)
		}
		if n := failures(t, s, mine); n != 0 {
			t.Errorf("%d rows were written", n)
		}
	})
}

func TestStatementsInTheWrongPlace(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		b := s.reading(mine)
		b.query(new([]countRow), `SELECT 1 AS other`)
		if err := b.run(t.Context()); err == nil || fault.KindOf(err) != fault.Internal {
			t.Errorf("a column without a field: %v", err)
		}
	})
	s := freshPostgres(t)
	b := s.reading(mine)
	b.exec(`SELECT 1`)
	if err := b.run(t.Context()); err == nil || !strings.Contains(err.Error(), "has rows") {
		t.Errorf("rows that nobody takes: %v", err)
	}
	b = s.reading(mine)
	b.query(new([]countRow), `SELECT 1 AS n`)
	b.query(new([]countRow), `SET LOCAL enable_seqscan = off`)
	if err := b.run(t.Context()); err == nil || !strings.Contains(err.Error(), "has no rows") {
		t.Errorf("rows that do not come: %v", err)
	}
}
