package sqlstore_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// A statement that forgets its project sees the transaction's own rows and no others, and writes none
// of another project.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	s := storetest.FreshPostgres(t)
	own, other := porttest.NewSale(t, storetest.Views(s)), porttest.NewSale(t, storetest.Views(s))
	for _, sale := range []*porttest.Sale{own, other} {
		sale.Finalize(sale.Init(sale.Quote()))
		sale.Return()
	}
	for _, table := range []string{
		"products", "variants", "stock", "sessions", "cart_items", "shown", "quotes", "decisions",
		"checkouts", "orders", "payments", "returns", "outbox",
	} {
		both := []string{own.Project().String(), other.Project().String()}
		slices.Sort(both)
		for _, c := range []struct {
			scope id.Project
			want  []string
		}{
			{own.Project(), []string{own.Project().String()}},
			{db.NoProject, nil},
			{db.AnyProject, both},
		} {
			if got := projectsIn(t, s, c.scope, table); !slices.Equal(got, c.want) {
				t.Errorf("%s in scope %q holds rows of %v, want %v", table, c.scope, got, c.want)
			}
		}
	}
	b := s.DB.Write(own.Project())
	b.Exec("INSERT INTO sandbox_failures (project_id, key, failures) VALUES ($1, $2, 1)", other.Project().String(), "key")
	if err := b.Run(t.Context()); err == nil {
		t.Error("a row of another project was written")
	}
}

func projectsIn(t *testing.T, s *storetest.Store, scope id.Project, table string) []string {
	t.Helper()
	var rows []struct {
		ProjectID string `db:"project_id"`
	}
	b := s.DB.Read(scope)
	b.Query(&rows, "SELECT DISTINCT project_id FROM "+table+" ORDER BY project_id")
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var projects []string
	for _, r := range rows {
		projects = append(projects, r.ProjectID)
	}
	return projects
}
