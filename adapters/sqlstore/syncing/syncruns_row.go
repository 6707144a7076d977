package syncing

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

var (
	syncRuns = db.NewTable[syncRunRow]("sync_runs", db.Columns{"Full": "whole", "Steps": "-", "EndedAt": ",null"})
	problems = db.NewTable[syncrun.Problem]("sync_problems", db.Columns{"At": "noted_at"})
)

type syncRunRow struct {
	syncrun.Run
	Stored []stepJSON `db:"steps,json"`
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

func toSyncRunRow(r *syncrun.Run) syncRunRow {
	row := syncRunRow{Run: *r, Stored: make([]stepJSON, len(r.Steps))}
	row.Error = db.Printable(r.Error)
	for i, s := range r.Steps {
		row.Stored[i] = stepJSON{
			Resource: s.Resource.String(), Since: db.MillisOrNull(s.Since), Cursor: s.Cursor, Pages: s.Pages, Mark: s.Mark,
			High: db.MillisOrNull(s.High), Blind: s.Blind, Sweeping: s.Sweeping, Done: s.Done,
			Created: s.Created, Updated: s.Updated, Unchanged: s.Unchanged, Errors: s.Errors,
		}
	}
	return row
}

func (r syncRunRow) run() *syncrun.Run {
	for _, s := range r.Stored {
		r.Steps = append(r.Steps, syncrun.Step{
			Resource: syncrun.StoredResource(s.Resource), Since: db.TimeOrZero(s.Since), Cursor: s.Cursor, Pages: s.Pages, Mark: s.Mark,
			High: db.TimeOrZero(s.High), Blind: s.Blind, Sweeping: s.Sweeping, Done: s.Done,
			Counters: syncrun.Counters{Created: s.Created, Updated: s.Updated, Unchanged: s.Unchanged, Errors: s.Errors},
		})
	}
	return &r.Run
}
