package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Imports stores the files of imports.
type Imports struct{ Store *db.DB }

var _ ports.Imports = Imports{}

const (
	// insertPart is completed by the database's clock.
	insertPart = `
INSERT INTO import_files (project_id, job_id, part, content, created_at)
VALUES ($1, $2, $3, $4, %s)`

	selectPart = `
SELECT content
FROM import_files
WHERE project_id = $1
  AND job_id = $2
  AND part = $3`

	deleteFile = `
DELETE FROM import_files
WHERE project_id = $1
  AND job_id = $2`

	insertRefusals = `
INSERT INTO import_refusals (project_id, job_id, position, content)
VALUES `

	keepRefusals = `
ON CONFLICT (project_id, job_id, position) DO NOTHING`

	selectRefusals = `
SELECT position, content
FROM import_refusals
WHERE project_id = $1
  AND job_id = $2
  AND position >= $3
ORDER BY position
LIMIT $4`

	// forgetFiles is completed by the database's clock.
	forgetFiles = `
DELETE FROM import_files
WHERE (project_id, job_id, part) IN (
  SELECT f.project_id, f.job_id, f.part
  FROM import_files f
  WHERE f.created_at < %s - $1
    AND NOT EXISTS (
      SELECT 1
      FROM jobs j
      WHERE j.project_id = f.project_id
        AND j.id = f.job_id
        AND j.finished_at IS NULL
    )
  ORDER BY f.created_at, f.project_id, f.job_id, f.part
  LIMIT $2
)`
)

const (
	// startedBy is the time within which the job of a file is started.
	startedBy = time.Hour
	// partsAtOnce is the number of parts that one statement removes.
	partsAtOnce = 100
)

// Keep implements ports.Imports.
func (v Imports) Keep(ctx context.Context, project id.Project, of id.Job, part int, content []byte) error {
	return v.Store.InTx(ctx, project, func(t *db.Tx) error {
		_, err := t.Exec(ctx, fmt.Sprintf(insertPart, t.Dialect.Moment()), project, of, part, content)
		return err
	})
}

// Part implements ports.Imports.
func (v Imports) Part(ctx context.Context, project id.Project, of id.Job, part int) ([]byte, error) {
	var rows []struct{ Content []byte }
	b := v.Store.Read(project)
	b.Query(&rows, selectPart, project, of, part)
	if err := b.Run(ctx); err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0].Content, nil
}

// Discard implements ports.Imports.
func (v Imports) Discard(ctx context.Context, project id.Project, of id.Job) error {
	return v.Store.InTx(ctx, project, func(t *db.Tx) error {
		_, err := t.Exec(ctx, deleteFile, project, of)
		return err
	})
}

// Refuse implements ports.Imports.
func (v Imports) Refuse(ctx context.Context, project id.Project, of id.Job, refused []ports.RefusedProduct) error {
	rows := make([][]any, len(refused))
	for i, r := range refused {
		text, err := json.Marshal(r.Rows)
		if err != nil {
			return err
		}
		rows[i] = []any{project, of, r.Position, db.Printable(string(text))}
	}
	return v.Store.InTx(ctx, project, func(t *db.Tx) error { return t.Insert(ctx, insertRefusals, rows, keepRefusals) })
}

// Refused implements ports.Imports.
func (v Imports) Refused(ctx context.Context, project id.Project, of id.Job, from, most int) ([]ports.RefusedProduct, error) {
	var rows []struct {
		Position int
		Content  string
	}
	b := v.Store.Read(project)
	b.Query(&rows, selectRefusals, project, of, from, most)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	refused := make([]ports.RefusedProduct, len(rows))
	for i, r := range rows {
		refused[i].Position = r.Position
		if err := json.Unmarshal([]byte(r.Content), &refused[i].Rows); err != nil {
			return nil, err
		}
	}
	return refused, nil
}

// Forget implements ports.Imports.
func (v Imports) Forget(ctx context.Context) (more bool, err error) {
	rows, err := db.InTx(ctx, v.Store, db.AnyProject, func(t *db.Tx) (int64, error) {
		return t.Exec(ctx, fmt.Sprintf(forgetFiles, t.Dialect.Moment()), startedBy.Milliseconds(), partsAtOnce)
	})
	return rows == partsAtOnce, err
}
