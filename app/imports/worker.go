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
	// Lines yields the products. If it stops before the end of the file, Err returns the reason.
	Lines() iter.Seq[catalogs.Line]
	Err() error
	// Columns returns the columns of a CSV file, or nil for NDJSON.
	Columns() []string
}

// Worker runs import jobs.
type Worker struct {
	*ports.Stores
	Catalogs *catalogs.Service
	// Open reads the head of a file. Its error describes what is wrong with the file.
	Open func(file io.Reader, r job.ImportRequest, p *project.Project) (Products, error)
}

// Work imports the file of a claimed job and skips the products that an earlier attempt imported. It calls progress with the
// number of bytes read.
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
	soFar := job.ImportResult{Columns: read.Columns()}
	if j.Result.Import != nil {
		soFar = *j.Result.Import
	}
	r := &run{
		worker: w,
		job:    j,
		soFar:  soFar,
	}
	_, err = w.Catalogs.Import(ctx, p, catalogs.Import{
		Lines:    read.Lines(),
		DryRun:   asked.DryRun,
		Skip:     soFar.Read,
		Done:     r.record,
		Progress: func(catalogs.Summary) { r.soFar = r.next; progress(from.read, asked.Bytes) },
	}, catalogs.Summary{
		Read:      soFar.Read,
		Created:   soFar.Created,
		Updated:   soFar.Updated,
		Unchanged: soFar.Unchanged,
		Refused:   soFar.Refused,
	})
	switch {
	case err != nil:
	case from.failed != nil:
		err = from.failed
	case read.Err() != nil:
		err = unreadable(read.Err())
	}
	return job.Result{Import: &r.soFar}, err
}

// unreadable returns the error for a file that cannot be imported, or not to its end.
func unreadable(err error) error {
	return fault.New(fault.Invalid, "unreadable_file", fmt.Sprintf("The file %v.", err))
}

// run is one attempt to import a file.
type run struct {
	worker      *Worker
	job         *job.Job
	soFar, next job.ImportResult // after the last stored chunk, and after the one that is being stored
}

// record stores the result of a chunk in the chunk's transaction. It fails if the job is canceled or claimed by another replica.
func (r *run) record(ctx context.Context, stores *ports.Stores, sum catalogs.Summary, c catalogs.Chunk) error {
	r.next = r.soFar
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

// kept returns the refused products that still fit within job.MostKeptRefusals.
func (r *run) kept(refused []catalogs.Refusal) (kept []ports.RefusedProduct) {
	var columns []string // nil for NDJSON
	if len(r.soFar.Columns) > 0 {
		columns = r.soFar.Columns
	}
	for n, one := range refused {
		position := r.soFar.Refused + n + 1
		if position > job.MostKeptRefusals {
			break
		}
		kept = append(kept, ports.RefusedProduct{Position: position, Rows: one.Table(columns)})
	}
	return kept
}

// file is an io.Reader of a stored file.
type file struct {
	ctx     context.Context // io.Reader has none
	imports ports.Imports
	project id.Project
	job     id.Job
	next    int
	part    []byte
	read    int
	failed  error // an error of the store, not of the file
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
