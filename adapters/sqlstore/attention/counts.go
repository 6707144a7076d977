package attention

import (
	"context"
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// countUpTo reads no more rows than it counts.
const countUpTo = `
SELECT '%s' AS kind, count(*) AS waiting
FROM (
  SELECT 1
  FROM %s AS v
  WHERE project_id = $1
    AND %s
  LIMIT $2
) AS capped`

type countRow struct {
	Kind    string
	Waiting int
}

// Counts is one statement.
func (v Attention) Counts(ctx context.Context, project id.Project, kinds []ports.WaitingKind, most int) (map[ports.WaitingKind]int, error) {
	if len(kinds) == 0 {
		return nil, nil
	}
	queries := make([]string, len(kinds))
	for i, kind := range kinds {
		s := sources[kind]
		queries[i] = fmt.Sprintf(countUpTo, kind, s.table, s.where)
	}
	var rows []countRow
	b := v.Store.Read(project)
	b.Query(&rows, "SELECT kind, waiting FROM ("+strings.Join(queries, "\nUNION ALL")+"\n) AS found WHERE waiting > 0", project, most)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	counts := make(map[ports.WaitingKind]int, len(rows))
	for _, r := range rows {
		counts[ports.WaitingKind(r.Kind)] = r.Waiting
	}
	return counts, nil
}
