package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
)

// PlanOf returns the output of EXPLAIN, its last column.
func PlanOf(t *testing.T, s *Store, project id.Project, query string, args ...any) string {
	t.Helper()
	var plan strings.Builder
	err := s.DB.InTx(t.Context(), project, func(x *db.Tx) error {
		rows, err := x.Connection(t.Context()).QueryxContext(t.Context(), query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			values, err := rows.SliceScan()
			if err != nil {
				return err
			}
			text, isBytes := values[len(values)-1].([]byte)
			if !isBytes {
				text = fmt.Append(nil, values[len(values)-1])
			}
			plan.Write(append(text, '\n'))
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}
