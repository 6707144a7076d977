package db

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
)

const ()

func TestBatch_Run_resultOrder(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		var none, first, last []countRow
		var keys []struct{ Key string }
		b := s.Write(mine)
		b.Query(&none, `SELECT 1 AS n WHERE 1 = 2`)
		b.Exec(addCharge, "proj_mine", "a", 1)
		b.Query(&first, countCharge, "proj_mine")
		b.Query(&keys, `UPDATE sandbox_failures SET failures = failures + 1 WHERE project_id = $1 RETURNING key`, "proj_mine")
		b.Exec(addCharge, "proj_mine", "b", 1)
		b.Query(&none, `DELETE FROM sandbox_failures WHERE project_id = $1 AND key = 'z' RETURNING failures AS n`, "proj_mine")
		b.Query(&last, countCharge, "proj_mine")
		b.Exec(`DELETE FROM sandbox_failures WHERE project_id = $1 AND key = 'b'`, "proj_mine")
		if err := b.Run(t.Context()); err != nil {
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

// A batch that fails anywhere leaves no writes, and its connection stays usable.
func TestBatch_Run_allOrNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		for name, spoil := range map[string]func(*Batch){
			"first, without rows":  func(b *Batch) { b.Exec(`UPDATE nowhere SET x = 1`) },
			"a constraint":         func(b *Batch) { b.Exec(addCharge, "proj_mine", "a", 1) },
			"a query":              func(b *Batch) { b.Query(new([]countRow), `SELECT n FROM nowhere`) },
			"an argument":          func(b *Batch) { b.Exec(addCharge, "proj_mine", "b", 1.5) },
			"text that is no text": func(b *Batch) { b.Exec(addCharge, "proj_mine", "\x00", 1) },
			"a missing argument":   func(b *Batch) { b.Exec(addCharge, "proj_mine") },
			"a second statement":   func(b *Batch) { b.Exec(addCharge+"; SELECT nothing FROM nowhere", "proj_mine", "b", 1) },
		} {
			b := s.Write(mine)
			b.Exec(addCharge, "proj_mine", "a", 1)
			var rows []countRow
			b.Query(&rows, countCharge, "proj_mine")
			spoil(b)
			b.Exec(addCharge, "proj_mine", "c", 1)
			if err := b.Run(t.Context()); err == nil {
				t.Errorf("%s: no error", name)
			}
			if n := failures(t, s, mine); n != 0 {
				t.Errorf("%s left %d rows", name, n)
			}
		}
	})
}

func TestRead_writeRefused(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		b := s.Read(mine)
		b.Exec(addCharge, "proj_mine", "a", 1)
		if err := b.Run(t.Context()); err == nil {
			t.Error("a reading batch wrote")
		}
		if n := failures(t, s, mine); n != 0 {
			t.Errorf("%d rows were written", n)
		}
	})
}

// The end of the request's context is reported as it is, not as a fault.
func TestTranslate_endedContext(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		b := s.Write(mine)
		b.Exec(addCharge, "proj_mine", "a", 1)
		if err := b.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("batch: %v", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		err := s.InTx(ctx, mine, func(x *Tx) error {
			if _, err := x.Exec(ctx, addCharge, "proj_mine", "a", 1); err != nil {
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

func TestBatch_Run_wrongStatements(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		b := s.Read(mine)
		b.Query(new([]countRow), `SELECT 1 AS other`)
		if err := b.Run(t.Context()); err == nil || fault.KindOf(err) != fault.Internal {
			t.Errorf("a column without a field: %v", err)
		}
	})
	s := freshPostgres(t)
	b := s.Read(mine)
	b.Exec(`SELECT 1`)
	if err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "has rows") {
		t.Errorf("rows that nobody takes: %v", err)
	}
	b = s.Read(mine)
	b.Query(new([]countRow), `SELECT 1 AS n`)
	b.Query(new([]countRow), `SET LOCAL enable_seqscan = off`)
	if err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "has no rows") {
		t.Errorf("rows that do not come: %v", err)
	}
}
