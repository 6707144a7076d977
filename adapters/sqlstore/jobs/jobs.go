// Package jobs stores background jobs of merchants and the files of product imports, and leases jobs to workers. It
// does not do their work.
package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/ports"
)

// Jobs stores jobs.
type Jobs struct{ Store *db.DB }

var (
	_ ports.Jobs     = Jobs{}
	_ ports.JobQueue = jobQueue{}
)

var (
	jobs = db.NewTable[job.Job]("jobs", db.Columns{
		"Request":    ",json",
		"Result":     ",json",
		"StartedAt":  ",null",
		"FinishedAt": ",null",
	})
	_ = stored.JSON[job.Request](stored.Tags{"MarketRequest.Policy": ",omitempty"})
	_ = stored.JSON[job.Result](nil)

	updateJob = jobs.Update([]string{"project_id", "id"}, "status", "result", "done", "total", "attempts", "code", "reason",
		"started_at", "finished_at", "due_at")
)

const (
	oneJob = `
WHERE project_id = $1
  AND id = $2`

	unfinishedJobs = `
FROM jobs
WHERE project_id = $1
  AND finished_at IS NULL`

	// forgetBeyond removes what is older than the newest $2 finished jobs.
	forgetBeyond = `
DELETE FROM jobs
WHERE project_id = $1
  AND finished_at IS NOT NULL
  AND id NOT IN (
    SELECT id
    FROM jobs
    WHERE project_id = $1
      AND finished_at IS NOT NULL
    ORDER BY finished_at DESC, id
    LIMIT $2
  )`

	// forgetOld is completed by the database's clock.
	forgetOld = `
DELETE FROM jobs
WHERE (project_id, id) IN (
  SELECT project_id, id
  FROM jobs
  WHERE finished_at < %s - $1
  ORDER BY finished_at, project_id, id
  LIMIT $2
)`

	// advance is completed by the database's clock.
	advance = `
UPDATE jobs
SET done = $4, total = $5, due_at = %s + $6
WHERE project_id = $1
  AND id = $2
  AND due_at = $3
  AND status = 'running'
RETURNING due_at`
)

// forgottenAtOnce is how many jobs one statement removes.
const forgottenAtOnce = 500

// Start implements ports.Jobs. It locks the project, so that its jobs are counted one after the other.
func (v Jobs) Start(ctx context.Context, j *job.Job) error {
	return v.Store.InTx(ctx, j.Project, func(t *db.Tx) error {
		var name string
		if there, err := t.Get(ctx, &name, "SELECT id FROM projects WHERE id = $1"+db.ActiveOnly+t.Dialect.ForUpdate, j.Project); err != nil || !there {
			return db.OrMissingProject(err)
		}
		var unfinished int
		if _, err := t.Get(ctx, &unfinished, "SELECT count(*)"+unfinishedJobs, j.Project); err != nil {
			return err
		}
		if unfinished >= job.MostUnfinished {
			return job.ErrTooMany
		}
		if _, err := t.Exec(ctx, forgetBeyond, j.Project, job.MostKept-1); err != nil {
			return err
		}
		_, err := t.Exec(ctx, jobs.Insert(), jobs.Args(*j)...)
		return err
	})
}

// ByID implements ports.Jobs.
func (v Jobs) ByID(ctx context.Context, project id.Project, wanted id.Job) (*job.Job, error) {
	return db.One[job.Job](ctx, v.Store.Read(project), "job", jobs.Select()+oneJob, project, wanted)
}

// List implements ports.Jobs.
func (v Jobs) List(ctx context.Context, project id.Project, f ports.JobFilter, page ports.Page) ([]*job.Job, int, error) {
	w := db.Conditions{Args: db.Args{project}}
	w.Equal("kind", f.Kind)
	w.Equal("agent_id", f.Agent)
	return db.Page[*job.Job](ctx, v.Store.Read(project), jobs.Columns(), "\nFROM jobs\nWHERE project_id = $1", w, "created_at DESC, id DESC", page)
}

// Update implements ports.Jobs.
func (v Jobs) Update(ctx context.Context, project id.Project, wanted id.Job, change func(*job.Job) error) (*job.Job, error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (*job.Job, error) {
		return update(ctx, t, project, wanted, change)
	})
}

func update(ctx context.Context, t *db.Tx, project id.Project, wanted id.Job, change func(*job.Job) error) (*job.Job, error) {
	j, err := db.One[job.Job](ctx, t, "job", jobs.Select()+oneJob+t.Dialect.ForUpdate, project, wanted)
	if err != nil {
		return nil, err
	}
	if err := change(j); err != nil {
		return nil, err
	}
	kept := *j
	kept.Reason = db.Printable(j.Reason)
	_, err = t.Exec(ctx, updateJob.Text, updateJob.Args(kept)...)
	return j, err
}

// Forget implements ports.Jobs.
func (v Jobs) Forget(ctx context.Context) (more bool, err error) {
	rows, err := db.InTx(ctx, v.Store, db.AnyProject, func(t *db.Tx) (int64, error) {
		return t.Exec(ctx, fmt.Sprintf(forgetOld, t.Dialect.Moment()), job.Kept.Milliseconds(), forgottenAtOnce)
	})
	return rows == forgottenAtOnce, err
}

// NewQueue returns a view that leases jobs.
func NewQueue(s *db.DB) ports.JobQueue {
	return jobQueue{queue.Queue[job.Job, *job.Job]{
		Store: s,
		Table: Due,
		Item:  queue.Row[job.Job],
	}}
}

type jobQueue struct {
	queue.Queue[job.Job, *job.Job]
}

// Due are the jobs to work on.
var Due = queue.Table{
	Name:    "jobs",
	Table:   "jobs",
	Key:     "id",
	Group:   "project_id",
	Waits:   "finished_at IS NULL",
	Due:     "due_at",
	Lease:   "due_at",
	Retry:   "due_at",
	Columns: jobs.Columns(),
}

// Progress implements ports.JobQueue.
func (q jobQueue) Progress(ctx context.Context, held ports.Held, done, total int, lease time.Duration) (time.Time, error) {
	return db.InTx(ctx, q.Store.OutsideRequest(), held.Project, func(t *db.Tx) (until time.Time, err error) {
		going, err := t.Get(ctx, &until, fmt.Sprintf(advance, t.Dialect.Moment()),
			held.Project, held.Key, held.Until, done, total, lease.Milliseconds())
		if err == nil && !going {
			err = ports.ErrJobTaken
		}
		return until, err
	})
}

// Settle implements ports.JobQueue.
func (q jobQueue) Settle(ctx context.Context, held ports.Held, change func(*job.Job) error) (*job.Job, error) {
	return db.InTx(ctx, q.Store.OutsideRequest(), held.Project, func(t *db.Tx) (*job.Job, error) {
		j, err := update(ctx, t, held.Project, id.Stored[id.Job](held.Key), func(j *job.Job) error {
			if j.Finished() || !j.DueAt.Equal(held.Until) {
				return ports.ErrJobTaken
			}
			return change(j)
		})
		if fault.KindOf(err) == fault.NotFound { // the project is being deleted
			err = ports.ErrJobTaken
		}
		return j, err
	})
}
