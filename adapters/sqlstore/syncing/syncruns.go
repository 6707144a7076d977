package syncing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// SyncRuns stores sync runs.
type SyncRuns struct{ Store *db.DB }

var _ ports.SyncRuns = SyncRuns{}

// NewSyncQueue returns a view that leases runs.
func NewSyncQueue(s *db.DB) ports.SyncQueue {
	return syncQueue{queue.Queue[syncrun.Run, *syncrun.Run]{
		Store: s,
		Table: DueSyncRuns,
		Item:  queue.Row[syncrun.Run],
	}}
}

type syncQueue struct {
	queue.Queue[syncrun.Run, *syncrun.Run]
}

var DueSyncRuns = queue.Table{
	Name:    "sync runs",
	Table:   "sync_runs",
	Key:     "id",
	Group:   "project_id",
	Waits:   "status = 'running'",
	Due:     "due_at",
	Lease:   "due_at",
	Retry:   "due_at",
	Columns: syncRuns.Columns(),
}

// maxSyncProblems is the number of problems that are kept of a run.
const maxSyncProblems = 1000

var (
	syncRuns = db.NewTable[syncrun.Run]("sync_runs", db.Columns{"Full": "whole", "Steps": ",json", "Notices": ",json", "EndedAt": ",null"})
	problems = db.NewTable[syncrun.Problem]("sync_problems", db.Columns{"At": "noted_at"})
	_        = stored.JSON[syncrun.Notice](nil)
	_        = stored.JSON[syncrun.Step](stored.Tags{"Step.Since": ",omitempty", "Step.High": ",omitempty", "Step.Blind": ",omitempty", "Step.Expected": ",omitempty", "Step.Read": ",omitempty", "Step.Pace": ",omitempty", "Step.Waited": ",omitempty", "Step.Found": ",omitempty"})

	updateSyncRun = syncRuns.Update([]string{"project_id", "id"}, "status", "steps", "error", "notices", "failures", "ended_at", "due_at")
)

const (
	fromSyncRuns = `
FROM sync_runs
WHERE project_id = $1
  AND integration_id = $2`

	oneSyncRun = `
WHERE project_id = $1
  AND id = $2`

	insertSyncProblems = `
INSERT INTO sync_problems (project_id, run_id, number, integration_id, resource, remote, reason, noted_at)
VALUES `

	// wanting begins with those that have waited longest for a run.
	wanting = `
WHERE wanted <> ''
  AND NOT EXISTS (
    SELECT 1 FROM sync_runs AS r
    WHERE r.project_id = integrations.project_id AND r.integration_id = integrations.id AND r.status = 'running'
  )
ORDER BY coalesce(last_sync, 0), project_id, id
LIMIT $1 OFFSET $2`

	scheduled = `
WHERE sync_schedule <> ''
  AND status = 'connected'
  AND (next_sync IS NULL OR next_sync <= $1)
ORDER BY coalesce(next_sync, 0), project_id, id
LIMIT $2 OFFSET $3`

	expiring = `
WHERE expires_at IS NOT NULL
  AND expires_at < $1
  AND status = 'connected'
  AND (refreshing IS NULL OR refreshing <= $2)
ORDER BY expires_at, project_id, id
LIMIT $3 OFFSET $4`
)

// Start locks the integration's row, so that the run is not left behind when the project is deleted.
func (v SyncRuns) Start(ctx context.Context, r *syncrun.Run) error {
	return v.Store.InTx(ctx, r.Project, func(t *db.Tx) error {
		var name string
		there, err := t.Get(ctx, &name, "SELECT id\nFROM integrations"+oneIntegration+t.Dialect.ForKeyShare, r.Project, r.Integration)
		switch {
		case err != nil:
			return err
		case !there:
			return fault.Missing("integration")
		}
		_, err = t.Exec(ctx, syncRuns.Insert(), syncRuns.Args(printable(r))...)
		return err
	})
}

func (v SyncRuns) ByID(ctx context.Context, project id.Project, integration id.Integration, run id.Sync) (*syncrun.Run, error) {
	return db.One[syncrun.Run](ctx, v.Store.Read(project), "sync", syncRuns.Select()+oneSyncRun+"\n  AND integration_id = $3",
		project, run, integration)
}

func (v SyncRuns) List(ctx context.Context, project id.Project, integration id.Integration, page ports.Page) ([]*syncrun.Run, int, error) {
	return db.Page[*syncrun.Run](ctx, v.Store.Read(project), syncRuns.Columns(), fromSyncRuns,
		db.Conditions{Args: db.Args{project, integration}}, "started_at DESC, id", page)
}

// printable is a run as it is stored.
func printable(r *syncrun.Run) syncrun.Run {
	stored := *r
	stored.Error = db.Printable(r.Error)
	stored.Notices = slices.Clone(r.Notices)
	for i := range stored.Notices {
		stored.Notices[i].Message = db.Printable(stored.Notices[i].Message)
	}
	return stored
}

func (v SyncRuns) Update(ctx context.Context, project id.Project, run id.Sync, change func(*syncrun.Run) error) (*syncrun.Run, error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (*syncrun.Run, error) {
		r, err := lockSyncRun(ctx, t, project, run)
		if err != nil {
			return nil, err
		}
		if err := change(r); err != nil {
			return nil, err
		}
		_, err = t.Exec(ctx, updateSyncRun.Text, updateSyncRun.Args(printable(r))...)
		return r, err
	})
}

// lockSyncRun loads a run for exclusive use.
func lockSyncRun(ctx context.Context, t *db.Tx, project id.Project, run id.Sync) (*syncrun.Run, error) {
	return db.One[syncrun.Run](ctx, t, "sync", syncRuns.Select()+oneSyncRun+t.Dialect.ForUpdate, project, run)
}

// Note locks the run's row, so that concurrent calls get different numbers.
func (v SyncRuns) Note(ctx context.Context, project id.Project, run id.Sync, problems []syncrun.Problem) error {
	return v.Store.InTx(ctx, project, func(t *db.Tx) error {
		r, err := lockSyncRun(ctx, t, project, run)
		if err != nil {
			return err
		}
		var noted int
		if _, err := t.Get(ctx, &noted, `
SELECT coalesce(max(number), 0)
FROM sync_problems
WHERE project_id = $1
  AND run_id = $2`, project, run); err != nil {
			return err
		}
		var rows [][]any
		for i, p := range problems[:min(len(problems), maxSyncProblems-noted)] {
			rows = append(rows, []any{
				project, run, noted + i + 1, r.Integration, p.Resource, db.Printable(p.Remote), db.Printable(p.Reason), p.At,
			})
		}
		return t.Insert(ctx, insertSyncProblems, rows, "")
	})
}

func (v SyncRuns) Problems(ctx context.Context, project id.Project, run id.Sync, page ports.Page) ([]syncrun.Problem, int, error) {
	var runs int
	b := v.Store.Read(project)
	b.Query(&runs, "SELECT count(*) AS n\nFROM sync_runs"+oneSyncRun, project, run)
	list, total, err := db.Page[syncrun.Problem](ctx, b, problems.Columns(), `
FROM sync_problems
WHERE project_id = $1
  AND run_id = $2`, db.Conditions{Args: db.Args{project, run}}, "number", page)
	if err == nil && runs == 0 {
		err = fault.Missing("sync")
	}
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}

func (v syncQueue) Wanting(ctx context.Context, n int) ([]*integration.Integration, error) {
	return v.integrations(ctx, wanting, n)
}

func (v syncQueue) Scheduled(ctx context.Context, now time.Time, n int) ([]*integration.Integration, error) {
	return v.integrations(ctx, scheduled, n, now)
}

func (v syncQueue) Expiring(ctx context.Context, before, now time.Time, n int) ([]*integration.Integration, error) {
	return v.integrations(ctx, expiring, n, before, now)
}

// integrations returns the first n readable integrations, of all projects, that meet a condition. The last parameters
// of the condition are a limit and an offset.
func (v syncQueue) integrations(ctx context.Context, where string, n int, args ...any) (list []*integration.Integration, unreadable error) {
	for offset := 0; ; offset += n {
		rows, err := db.All[db.Decoded[integration.Integration]](ctx, v.Store.Read(db.AnyProject), integrations.Select()+where,
			append(slices.Clone(args), n, offset)...)
		if err != nil {
			return nil, errors.Join(unreadable, err)
		}
		for i := range rows {
			if err := rows[i].Err; err != nil {
				unreadable = errors.Join(unreadable, fmt.Errorf("integration %s: %w", rows[i].Value.ID, err))
				continue
			}
			list = append(list, &rows[i].Value)
		}
		if len(list) >= n || len(rows) < n {
			return list[:min(len(list), n)], unreadable
		}
	}
}
