package storetest

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/id"
)

type eventRow struct {
	ID        string
	Type      string
	Payload   string
	CreatedAt int64  `db:"created_at"`
	DueAt     *int64 `db:"due_at"`
}

// Events are a project's, by type.
func Events(t *testing.T, s *Store, project id.Project) []eventRow {
	t.Helper()
	var rows []eventRow
	b := s.DB.Read(project)
	b.Query(&rows, "SELECT id, type, payload, created_at, due_at FROM outbox WHERE project_id = $1 ORDER BY type", project.String())
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return rows
}
