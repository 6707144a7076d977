package syncing

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// SyncRuns is the store's view of runs.
type SyncRuns struct{ store *db.DB }

var _ ports.SyncRuns = SyncRuns{}

// NewSyncRuns returns a view that keeps runs.
func NewSyncRuns(s *db.DB) SyncRuns { return SyncRuns{s} }

// NewSyncQueue returns a view that hands runs out.
func NewSyncQueue(s *db.DB) ports.SyncQueue {
	return syncQueue{queue.Queue[leasedSyncRunRow, *syncrun.Run]{Store: s, Table: DueSyncRuns, Lease: leasedSyncRunRow.lease}}
}

type syncQueue struct {
	queue.Queue[leasedSyncRunRow, *syncrun.Run]
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
	Columns: syncRunColumns,
}

type leasedSyncRunRow struct {
	syncRunRow
	queue.HeldRow
}

func (r leasedSyncRunRow) lease() ports.Leased[*syncrun.Run] {
	return queue.Decoded(r.Held(r.ProjectID, r.ID, r.ProjectID), func() (*syncrun.Run, error) { return fromSyncRunRow(r.syncRunRow) })
}

// maxSyncProblems are kept of a run.
const maxSyncProblems = 1000

const (
	insertSyncRun = `
INSERT INTO sync_runs (` + syncRunColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

	selectSyncRuns = `
SELECT ` + syncRunColumns + `
FROM sync_runs`

	oneSyncRun = `
WHERE project_id = $1
  AND id = $2`

	updateSyncRun = `
UPDATE sync_runs
SET status = $3, steps = $4, error = $5, failures = $6, ended_at = $7, due_at = $8
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

	expiring = `
WHERE expires_at IS NOT NULL
  AND expires_at < $1
  AND status = 'connected'
  AND (refreshing IS NULL OR refreshing <= $2)
ORDER BY expires_at, project_id, id
LIMIT $3 OFFSET $4`
)

func missingSyncRun() *fault.Error { return fault.Missing("sync") }

// Start holds the integration's row, so that the run is not left behind when the project is deleted.
func (v SyncRuns) Start(ctx context.Context, r *syncrun.Run) error {
	row, err := toSyncRunRow(r)
	if err != nil {
		return err
	}
	return v.store.InTx(ctx, r.Project, func(t *db.Tx) error {
		var name string
		there, err := t.Get(ctx, &name, "SELECT id\nFROM integrations"+oneIntegration+t.Dialect.ForKeyShare, row.ProjectID, row.IntegrationID)
		switch {
		case err != nil:
			return err
		case !there:
			return fault.Missing("integration")
		}
		_, err = t.Exec(ctx, insertSyncRun, row.args()...)
		return err
	})
}

func (v SyncRuns) ByID(ctx context.Context, project id.Project, integration id.Integration, run id.Sync) (*syncrun.Run, error) {
	var rows []syncRunRow
	b := v.store.Read(project)
	b.Query(&rows, selectSyncRuns+oneSyncRun+`
  AND integration_id = $3`, project.String(), run.String(), integration.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, missingSyncRun()
	}
	return fromSyncRunRow(rows[0])
}

func (v SyncRuns) List(ctx context.Context, project id.Project, integration id.Integration, page ports.Page) ([]*syncrun.Run, int, error) {
	var rows []syncRunRow
	var total []db.CountRow
	b := v.store.Read(project)
	b.Query(&total, `
SELECT count(*) AS n
FROM sync_runs
WHERE project_id = $1
  AND integration_id = $2`, project.String(), integration.String())
	b.Query(&rows, selectSyncRuns+`
WHERE project_id = $1
  AND integration_id = $2
ORDER BY started_at DESC, id
LIMIT $3 OFFSET $4`, project.String(), integration.String(), page.Limit, page.Offset)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	list, err := fromSyncRunRows(rows)
	return list, total[0].N, err
}

func (v SyncRuns) Update(ctx context.Context, project id.Project, run id.Sync, change func(*syncrun.Run) error) (changed *syncrun.Run, err error) {
	err = v.store.InTx(ctx, project, func(t *db.Tx) error {
		if changed, err = lockSyncRun(ctx, t, project, run); err != nil {
			return err
		}
		if err := change(changed); err != nil {
			return err
		}
		row, err := toSyncRunRow(changed)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateSyncRun, row.updateArgs()...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// lockSyncRun loads a run for exclusive use.
func lockSyncRun(ctx context.Context, t *db.Tx, project id.Project, run id.Sync) (*syncrun.Run, error) {
	var row syncRunRow
	found, err := t.Get(ctx, &row, selectSyncRuns+oneSyncRun+t.Dialect.ForUpdate, project.String(), run.String())
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, missingSyncRun()
	}
	return fromSyncRunRow(row)
}

// Note holds the run's row, so that whoever else notes something waits for the next number.
func (v SyncRuns) Note(ctx context.Context, project id.Project, run id.Sync, problems []syncrun.Problem) error {
	return v.store.InTx(ctx, project, func(t *db.Tx) error {
		r, err := lockSyncRun(ctx, t, project, run)
		if err != nil {
			return err
		}
		var noted int
		if _, err := t.Get(ctx, &noted, `
SELECT coalesce(max(number), 0)
FROM sync_problems
WHERE project_id = $1
  AND run_id = $2`, project.String(), run.String()); err != nil {
			return err
		}
		var rows [][]any
		for i, p := range problems[:min(len(problems), maxSyncProblems-noted)] {
			rows = append(rows, []any{
				project.String(), run.String(), noted + i + 1, r.Integration.String(),
				p.Resource.String(), db.Printable(p.Remote), db.Printable(p.Reason), db.Millis(p.At),
			})
		}
		return t.Insert(ctx, insertSyncProblems, rows, "")
	})
}

func (v SyncRuns) Problems(ctx context.Context, project id.Project, run id.Sync, page ports.Page) ([]syncrun.Problem, int, error) {
	var runs, total []db.CountRow
	var rows []syncProblemRow
	b := v.store.Read(project)
	b.Query(&runs, "SELECT count(*) AS n\nFROM sync_runs"+oneSyncRun, project.String(), run.String())
	b.Query(&total, `
SELECT count(*) AS n
FROM sync_problems
WHERE project_id = $1
  AND run_id = $2`, project.String(), run.String())
	b.Query(&rows, `
SELECT resource, remote, reason, noted_at
FROM sync_problems
WHERE project_id = $1
  AND run_id = $2
ORDER BY number
LIMIT $3 OFFSET $4`, project.String(), run.String(), page.Limit, page.Offset)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	if runs[0].N == 0 {
		return nil, 0, missingSyncRun()
	}
	return fromSyncProblemRows(rows), total[0].N, nil
}

func (v syncQueue) Wanting(ctx context.Context, n int) ([]*integration.Integration, error) {
	return v.integrations(ctx, wanting, n)
}

func (v syncQueue) Expiring(ctx context.Context, before, now time.Time, n int) ([]*integration.Integration, error) {
	return v.integrations(ctx, expiring, n, db.Millis(before), db.Millis(now))
}

// integrations are the first n, of all projects, that a condition finds and that can be read. Its last parameters are
// a limit and an offset.
func (v syncQueue) integrations(ctx context.Context, where string, n int, args ...any) (list []*integration.Integration, unreadable error) {
	for offset := 0; ; offset += n {
		var rows []integrationRow
		b := v.Store.Read(db.AnyProject)
		b.Query(&rows, selectIntegration+where, append(slices.Clone(args), n, offset)...)
		if err := b.Run(ctx); err != nil {
			return nil, errors.Join(unreadable, err)
		}
		more, err := queue.Readable(rows, func(r integrationRow) string { return "integration " + r.ID }, fromIntegrationRow)
		list, unreadable = append(list, more...), errors.Join(unreadable, err)
		if len(list) >= n || len(rows) < n {
			return list[:min(len(list), n)], unreadable
		}
	}
}
