package jobs_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func importOf(project id.Project, at time.Time) *job.Job {
	r := job.ImportRequest{
		Format: "shopify",
		DryRun: true,
		Bytes:  7,
	}
	return job.NewImport(porttest.Random[id.Job](), project, r, money.USD, at)
}

// keep stores a file in two parts.
func keep(t *testing.T, s *storetest.Store, j *job.Job) {
	t.Helper()
	for part, content := range [][]byte{{0xff, 0, 'a'}, []byte("rest")} {
		if err := s.Imports().Keep(t.Context(), j.Project, j.ID, part, content); err != nil {
			t.Fatal(err)
		}
	}
}

func parts(t *testing.T, s *storetest.Store, project id.Project, of id.Job) (all []byte) {
	t.Helper()
	for n := 0; ; n++ {
		part, err := s.Imports().Part(t.Context(), project, of, n)
		if err != nil {
			t.Fatal(err)
		}
		if part == nil {
			return all
		}
		all = append(all, part...)
	}
}

// A file is read as it was stored, in its own project, until it is discarded.
func TestImports_Part(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		j := importOf(mine, porttest.Noon)
		keep(t, s, j)
		if got := parts(t, s, mine, j.ID); !bytes.Equal(got, []byte("\xff\x00arest")) {
			t.Errorf("%q", got)
		}
		if got := parts(t, s, other, j.ID); got != nil {
			t.Errorf("another project reads %q", got)
		}
		if err := s.Imports().Discard(t.Context(), mine, j.ID); err != nil || parts(t, s, mine, j.ID) != nil {
			t.Errorf("discarded: %v", err)
		}
	})
}

// An import's request and counts are read as they were stored.
func TestJobs_Update_import(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine := storetest.StoreProject(t, s, 1).ID
		j := start(t, s, importOf(mine, porttest.Noon))
		j.Attempts, j.Status = 1, job.Running
		j.Result = job.Result{Import: &job.ImportResult{
			Read:      5,
			Created:   1,
			Updated:   1,
			Unchanged: 1,
			Refused:   2,
			Columns:   []string{"sku"},
			Problems:  []catalog.LineProblem{{Line: 2, SKU: "A", Field: "price", Value: "x", Message: "is not a decimal number"}},
			Warnings:  []catalog.LineProblem{},
		}}
		change(t, s, j, func(stored *job.Job) error {
			*stored = *j
			return nil
		})
		got, err := s.Jobs().ByID(t.Context(), mine, j.ID)
		if err != nil {
			t.Fatal(err)
		}
		porttest.Same(t, "job", got, j)
	})
}

// Refused products are read in their order, each once, and go with their job.
func TestImports_Refused(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine := storetest.StoreProject(t, s, 1).ID
		j := start(t, s, importOf(mine, porttest.Noon))
		var want []ports.RefusedProduct
		for n := range 5 {
			want = append(want, ports.RefusedProduct{Position: 2 * (n + 1), Rows: [][]string{{fmt.Sprint(n), "a\x00b\n"}, {"", "\"é"}}})
		}
		for range 2 {
			if err := s.Imports().Refuse(t.Context(), mine, j.ID, want); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Imports().Refused(t.Context(), mine, j.ID, 3, 3)
		if err != nil {
			t.Fatal(err)
		}
		porttest.Same(t, "refused", got, want[1:4])
		change(t, s, j, cancelAt(time.Now().Add(-job.Kept-time.Hour)))
		if _, err := s.Jobs().Forget(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Imports().Refused(t.Context(), mine, j.ID, 1, 10); err != nil || len(got) > 0 {
			t.Errorf("of a forgotten job: %v, %v", got, err)
		}
	})
}

// Files are kept for their jobs, and for an hour without one.
func TestImports_Forget(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		now := time.Now().Truncate(time.Millisecond)
		s.SetClock(now)
		mine := storetest.StoreProject(t, s, 1).ID
		waiting, finished, never := start(t, s, importOf(mine, now)), start(t, s, importOf(mine, now)), importOf(mine, now)
		for _, j := range []*job.Job{waiting, finished, never} {
			keep(t, s, j)
		}
		change(t, s, finished, cancelAt(now))
		for _, c := range []struct {
			after time.Duration
			left  []*job.Job
		}{{time.Hour, []*job.Job{waiting, finished, never}}, {time.Hour + time.Millisecond, []*job.Job{waiting}}} {
			s.SetClock(now.Add(c.after))
			if more, err := s.Imports().Forget(t.Context()); err != nil || more {
				t.Fatal(more, err)
			}
			left := 0
			for _, j := range c.left {
				if parts(t, s, mine, j.ID) != nil {
					left++
				}
			}
			var rows int
			if err := s.DB.InTx(t.Context(), mine, func(tx *db.Tx) error {
				_, err := tx.Get(t.Context(), &rows, "SELECT count(*) FROM import_files")
				return err
			}); err != nil || left != len(c.left) || rows != 2*len(c.left) {
				t.Errorf("after %s: %d files and %d parts are left, %v", c.after, left, rows, err)
			}
		}
	})
}
