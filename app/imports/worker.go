package imports

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Products are the products of a file.
type Products interface {
	// Lines yields them. What ends the reading early is an error of Err afterwards.
	Lines() iter.Seq[catalogs.Line]
	Err() error
	// Columns are those of CSV; nil: it is NDJSON.
	Columns() []string
}

// Worker works on imports.
type Worker struct {
	*ports.Stores
	Catalogs *catalogs.Service
	// Open reads the head of a file; an error says what is wrong with it.
	Open func(file io.Reader, r job.ImportRequest, p *project.Project) (Products, error)
}

// Work imports the file of a job that was begun, after the products of an earlier attempt. progress hears how many bytes
// are read.
func (w *Worker) Work(ctx context.Context, p *project.Project, j *job.Job, progress func(done, total int)) (job.Result, error) {
	from := &file{
		ctx:     ctx,
		imports: w.Imports,
		project: j.Project,
		job:     j.ID,
	}
	asked := *j.Request.Import
	read, err := w.Open(from, asked, p)
	if err != nil {
		return j.Result, cmp.Or(from.failed, unreadable(err))
	}
	so := job.ImportResult{Columns: read.Columns()}
	if j.Result.Import != nil {
		so = *j.Result.Import
	}
	r := &run{
		worker: w,
		job:    j,
		so:     so,
	}
	_, err = w.Catalogs.Import(ctx, p, catalogs.Import{
		Lines:    read.Lines(),
		DryRun:   asked.DryRun,
		Skip:     so.Read,
		Done:     r.record,
		Progress: func(catalogs.Summary) { r.so = r.next; progress(from.read, asked.Bytes) },
	}, catalogs.Summary{
		Read:      so.Read,
		Created:   so.Created,
		Updated:   so.Updated,
		Unchanged: so.Unchanged,
		Refused:   so.Refused,
	})
	switch {
	case err != nil:
	case from.failed != nil:
		err = from.failed
	case read.Err() != nil:
		err = unreadable(read.Err())
	}
	return job.Result{Import: &r.so}, err
}

// unreadable is a file that cannot be imported, or not further.
func unreadable(err error) error {
	return fault.New(fault.Invalid, "unreadable_file", fmt.Sprintf("The file %v.", err))
}

// run is one attempt.
type run struct {
	worker   *Worker
	job      *job.Job
	so, next job.ImportResult // after the last chunk, and after the one that is being stored
}

// record keeps what a chunk came to, in its transaction. It fails once the job is canceled, or another replica's.
func (r *run) record(ctx context.Context, stores *ports.Stores, sum catalogs.Summary, c catalogs.Chunk) error {
	r.next = r.so
	r.next.Read, r.next.Created, r.next.Updated = sum.Read, sum.Created, sum.Updated
	r.next.Unchanged, r.next.Refused = sum.Unchanged, sum.Refused
	for _, one := range c.Refused {
		r.next.Problems = bounded(r.next.Problems, one.Problems)
	}
	r.next.Warnings = bounded(r.next.Warnings, c.Warnings)
	if _, err := stores.Jobs.Update(ctx, r.job.Project, r.job.ID, func(j *job.Job) error {
		return j.Advance(r.job.Attempts, job.Result{Import: &r.next})
	}); err != nil {
		return err
	}
	return stores.Imports.Refuse(ctx, r.job.Project, r.job.ID, r.kept(c.Refused))
}

func bounded(list, more []catalog.LineProblem) []catalog.LineProblem {
	room := max(job.MostShownProblems-len(list), 0)
	return append(list[:len(list):len(list)], more[:min(room, len(more))]...)
}

// kept are the refused products for which there is room.
func (r *run) kept(refused []catalogs.Refusal) (kept []ports.RefusedProduct) {
	var columns []string // nil: it is NDJSON
	if len(r.so.Columns) > 0 {
		columns = r.so.Columns
	}
	for n, one := range refused {
		position := r.so.Refused + n + 1
		if position > job.MostKeptRefusals {
			break
		}
		kept = append(kept, ports.RefusedProduct{Position: position, Rows: one.Table(columns)})
	}
	return kept
}

// file reads a stored file.
type file struct {
	ctx     context.Context // io.Reader has none
	imports ports.Imports
	project id.Project
	job     id.Job
	next    int
	part    []byte
	read    int
	failed  error // of the store
}

func (f *file) Read(to []byte) (int, error) {
	if len(f.part) == 0 {
		part, err := f.imports.Part(f.ctx, f.project, f.job, f.next)
		switch {
		case err != nil:
			f.failed = err
			return 0, err
		case part == nil:
			return 0, io.EOF
		}
		f.part = part
		f.next++
	}
	n := copy(to, f.part)
	f.part = f.part[n:]
	f.read += n
	return n, nil
}
