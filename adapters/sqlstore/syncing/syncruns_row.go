package syncing

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

const syncRunColumns = `project_id, id, integration_id, whole, status, steps, error, failures, started_at, ended_at, due_at`

type syncRunRow struct {
	ProjectID     string `db:"project_id"`
	ID            string
	IntegrationID string `db:"integration_id"`
	Whole         bool
	Status        string
	Steps         string
	Error         string
	Failures      int
	StartedAt     int64  `db:"started_at"`
	EndedAt       *int64 `db:"ended_at"`
	DueAt         int64  `db:"due_at"`
}

type stepJSON struct {
	Resource  string `json:"resource"`
	Since     *int64 `json:"since,omitempty"`
	Cursor    string `json:"cursor"`
	Pages     int    `json:"pages"`
	Mark      string `json:"mark"`
	High      *int64 `json:"high,omitempty"`
	Blind     bool   `json:"blind,omitempty"`
	Sweeping  bool   `json:"sweeping"`
	Done      bool   `json:"done"`
	Created   int    `json:"created"`
	Updated   int    `json:"updated"`
	Unchanged int    `json:"unchanged"`
	Errors    int    `json:"errors"`
}

func toSyncRunRow(r *syncrun.Run) (syncRunRow, error) {
	steps := make([]stepJSON, len(r.Steps))
	for i, s := range r.Steps {
		steps[i] = stepJSON{
			Resource: s.Resource.String(), Since: db.MillisOrNull(s.Since), Cursor: s.Cursor, Pages: s.Pages, Mark: s.Mark,
			High: db.MillisOrNull(s.High), Blind: s.Blind, Sweeping: s.Sweeping, Done: s.Done,
			Created: s.Created, Updated: s.Updated, Unchanged: s.Unchanged, Errors: s.Errors,
		}
	}
	text, err := db.ToJSON(steps)
	return syncRunRow{
		ProjectID: r.Project.String(), ID: r.ID.String(), IntegrationID: r.Integration.String(), Whole: r.Full,
		Status: r.Status.String(), Steps: text, Error: db.Printable(r.Error), Failures: r.Failures,
		StartedAt: db.Millis(r.StartedAt), EndedAt: db.MillisOrNull(r.EndedAt), DueAt: db.Millis(r.DueAt),
	}, err
}

func (r syncRunRow) args() []any {
	return []any{
		r.ProjectID, r.ID, r.IntegrationID, r.Whole, r.Status, r.Steps, r.Error, r.Failures, r.StartedAt, r.EndedAt, r.DueAt,
	}
}

// updateArgs are the values of updateSyncRun.
func (r syncRunRow) updateArgs() []any {
	return []any{r.ProjectID, r.ID, r.Status, r.Steps, r.Error, r.Failures, r.EndedAt, r.DueAt}
}

func fromSyncRunRow(r syncRunRow) (*syncrun.Run, error) {
	var steps []stepJSON
	if err := db.FromJSON(r.Steps, &steps); err != nil {
		return nil, err
	}
	run := &syncrun.Run{
		Project: id.Stored[id.Project](r.ProjectID), ID: id.Stored[id.Sync](r.ID), Integration: id.Stored[id.Integration](r.IntegrationID),
		Full: r.Whole, Status: syncrun.Statuses[r.Status], Error: r.Error, Failures: r.Failures,
		StartedAt: db.Time(r.StartedAt), EndedAt: db.TimeOrZero(r.EndedAt), DueAt: db.Time(r.DueAt),
	}
	for _, s := range steps {
		run.Steps = append(run.Steps, syncrun.Step{
			Resource: syncrun.StoredResource(s.Resource), Since: db.TimeOrZero(s.Since), Cursor: s.Cursor, Pages: s.Pages, Mark: s.Mark,
			High: db.TimeOrZero(s.High), Blind: s.Blind, Sweeping: s.Sweeping, Done: s.Done,
			Counters: syncrun.Counters{Created: s.Created, Updated: s.Updated, Unchanged: s.Unchanged, Errors: s.Errors},
		})
	}
	return run, nil
}

func fromSyncRunRows(rows []syncRunRow) ([]*syncrun.Run, error) {
	list := make([]*syncrun.Run, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromSyncRunRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

type syncProblemRow struct {
	Resource string
	Remote   string
	Reason   string
	NotedAt  int64 `db:"noted_at"`
}

func fromSyncProblemRows(rows []syncProblemRow) []syncrun.Problem {
	list := make([]syncrun.Problem, len(rows))
	for i, r := range rows {
		list[i] = syncrun.Problem{
			Resource: syncrun.StoredResource(r.Resource), Remote: r.Remote, Reason: r.Reason, At: db.Time(r.NotedAt),
		}
	}
	return list
}
