package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
)

// Jobs stores background jobs.
type Jobs interface {
	// Start stores a queued job, and deletes the project's oldest finished jobs beyond job.MostKept. A project with
	// job.MostUnfinished unfinished jobs: job.ErrTooMany.
	Start(ctx context.Context, j *job.Job) error
	ByID(ctx context.Context, project id.Project, wanted id.Job) (*job.Job, error)
	// List has the newest first.
	List(ctx context.Context, project id.Project, f JobFilter, page Page) ([]*job.Job, int, error)
	// Update loads a job for exclusive use, runs change on it and stores it if change returns nil.
	Update(ctx context.Context, project id.Project, wanted id.Job, change func(*job.Job) error) (*job.Job, error)
	// Forget removes finished jobs that are older than job.Kept, of all projects, some at a time. It reports whether
	// there may be more.
	Forget(ctx context.Context) (more bool, err error)
}

// JobFilter narrows a list of jobs. Zero fields narrow nothing.
type JobFilter struct {
	Kind  job.Kind
	Agent id.Agent
}

// ErrJobTaken is returned to a worker if another worker has its job by now, or if the job is finished.
var ErrJobTaken = fault.New(fault.Conflict, "job_taken", "The job is finished, or worked on elsewhere.")

// JobQueue leases unfinished jobs.
type JobQueue interface {
	Queue[*job.Job]
	// Progress stores how far a held job is, and extends its lease from now on by the store's clock. It returns the new
	// end of the lease. The job is not held any longer, or canceled: ErrJobTaken.
	Progress(ctx context.Context, held Held, done, total int, lease time.Duration) (time.Time, error)
	// Settle is Jobs.Update of a held job. The job is not held any longer, or finished: ErrJobTaken.
	Settle(ctx context.Context, held Held, change func(*job.Job) error) (*job.Job, error)
}

// Imports keeps the files of imports, in parts, until their jobs are finished, and the products of them that were refused.
type Imports interface {
	// Keep adds a part of a file. Parts count from 0.
	Keep(ctx context.Context, project id.Project, of id.Job, part int, content []byte) error
	// Part reads a part of a file; nil: it has no more.
	Part(ctx context.Context, project id.Project, of id.Job, part int) ([]byte, error)
	// Discard removes a file.
	Discard(ctx context.Context, project id.Project, of id.Job) error
	// Refuse keeps refused products of a stored job. Those that are there already are left alone.
	Refuse(ctx context.Context, project id.Project, of id.Job, refused []RefusedProduct) error
	// Refused reads them in the order of the file, from a position on.
	Refused(ctx context.Context, project id.Project, of id.Job, from, most int) ([]RefusedProduct, error)
	// Forget removes files that were stored an hour ago and more, and whose jobs are finished or were never started, of all
	// projects, some parts at a time. It reports whether there may be more.
	Forget(ctx context.Context) (more bool, err error)
}

// RefusedProduct has the rows of a refused product of an import.
type RefusedProduct struct {
	Position int // among the refused products of the file, from 1
	Rows     [][]string
}
