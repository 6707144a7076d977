package syncing

import (
	"cmp"
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// SyncChanges stores the changes that syncs have found.
type SyncChanges struct{ Store *db.DB }

var _ ports.SyncChanges = SyncChanges{}

// changeRow is a change with its key.
type changeRow struct {
	Project     id.Project
	Integration id.Integration
	syncrun.Change
	Field string // of a conflict
}

var (
	changes = db.NewTable[changeRow]("sync_changes", db.Columns{"Run": "run_id", "Fields": ",json", "At": "noted_at"})
	_       = stored.JSON[syncrun.FieldChange](stored.Tags{
		"FieldChange.Rule":             ",omitempty",
		"Value.Text":                   ",omitempty",
		"Value.Tags":                   ",omitempty",
		"Value.Images":                 ",omitempty",
		"Value.Attributes":             ",omitempty",
		"Value.Variants":               ",omitempty",
		"Value.Cut":                    ",omitempty",
		"VariantValue.Size":            ",omitempty",
		"VariantValue.Color":           ",omitempty",
		"VariantValue.Price":           ",omitempty",
		"VariantValue.GTIN":            ",omitempty",
		"VariantValue.MPN":             ",omitempty",
		"VariantValue.InventoryPolicy": ",omitempty",
		"VariantValue.Digital":         ",omitempty",
	})

	insertChanges  = "INSERT INTO sync_changes (" + changes.Columns() + ")\nVALUES "
	replaceChanges = `
ON CONFLICT (project_id, integration_id, run_id, resource, remote, kind, field) DO UPDATE
SET ` + db.Excluded("preview", "local", "title", "fields", "noted_at")
)

const (
	clearChanges = `
DELETE FROM sync_changes
WHERE project_id = $1
  AND integration_id = $2
  AND run_id = $3
  AND resource = $4`

	changesOf = `
FROM sync_changes
WHERE project_id = $1
  AND integration_id = $2
  AND run_id = $3`

	conflictsOf = `
FROM sync_changes
WHERE project_id = $1
  AND integration_id = $2
  AND kind = 'conflict'
  AND NOT preview`
)

// Add stores the last one of changes that are given twice. It locks the project's row, so that none is left behind when
// the project is deleted.
func (v SyncChanges) Add(ctx context.Context, project id.Project, integration id.Integration, list []syncrun.Change) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]changeRow, len(list))
	for i, c := range list {
		row := changeRow{
			Project:     project,
			Integration: integration,
			Change:      c,
		}
		row.Remote, row.Title = db.Printable(c.Remote), db.Printable(c.Title)
		if c.Kind == syncrun.Conflict {
			row.Field = c.Fields[0].Field
		}
		rows[len(list)-1-i] = row
	}
	slices.SortStableFunc(rows, byKey)
	rows = slices.CompactFunc(rows, func(a, b changeRow) bool { return byKey(a, b) == 0 }) // keeps the last one given
	args := make([][]any, len(rows))
	for i, row := range rows {
		args[i] = changes.Args(row)
	}
	return v.Store.InTx(ctx, project, func(t *db.Tx) error {
		if there, err := db.ProjectStays(ctx, t, project); err != nil || !there {
			return db.OrMissingProject(err)
		}
		return t.Insert(ctx, insertChanges, args, replaceChanges)
	})
}

func (v SyncChanges) Clear(ctx context.Context, project id.Project, integration id.Integration, run id.Sync, resource syncrun.Resource) error {
	return v.Store.Exec(ctx, project, clearChanges, project, integration, run, resource)
}

// byKey is the order in which rows are locked.
func byKey(a, b changeRow) int {
	return cmp.Or(
		cmp.Compare(a.Run.String(), b.Run.String()),
		cmp.Compare(a.Resource.String(), b.Resource.String()),
		cmp.Compare(a.Remote, b.Remote),
		cmp.Compare(a.Kind.String(), b.Kind.String()),
		cmp.Compare(a.Field, b.Field),
	)
}

func (v SyncChanges) List(ctx context.Context, project id.Project, integration id.Integration, run id.Sync, f ports.ChangeFilter, page ports.Page) ([]syncrun.Change, int, error) {
	where := db.Conditions{Args: db.Args{project, integration, run}}
	where.Equal("resource", f.Resource)
	where.Equal("kind", f.Kind)
	return v.page(ctx, project, changesOf, where, "resource, remote, kind, field", page)
}

func (v SyncChanges) Conflicts(ctx context.Context, project id.Project, integration id.Integration, page ports.Page) ([]syncrun.Change, int, error) {
	where := db.Conditions{Args: db.Args{project, integration}}
	return v.page(ctx, project, conflictsOf, where, "noted_at DESC, run_id, resource, remote, field", page)
}

func (v SyncChanges) page(ctx context.Context, project id.Project, from string, where db.Conditions, order string, page ports.Page) ([]syncrun.Change, int, error) {
	rows, total, err := db.Page[changeRow](ctx, v.Store.Read(project), changes.Columns(), from, where, order, page)
	if err != nil {
		return nil, 0, err
	}
	list := make([]syncrun.Change, len(rows))
	for i, row := range rows {
		list[i] = row.Change
	}
	return list, total, nil
}
