package sqlstore_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports/porttest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// A statement without a condition on project_id sees only rows of the transaction's own project, and writes none of
// another project.
func TestMigrations_rowLevelSecurityOfSales(t *testing.T) {
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

// Row-level security does not apply to superusers, so a superuser's login gives its rights up in every transaction.
func TestStore_superuser(t *testing.T) {
	t.Parallel()
	const name = "superuser"
	server := pgserver.Shared(t)
	if err := server.CreateDatabase(name, ""); err != nil {
		t.Fatal(err)
	}
	if err := storetest.Migrated(server.AdminURL(name)); err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenStore(t, sqlstore.Config{URL: server.AdminURL(name)})
	for _, p := range []id.Project{storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID} {
		b := s.DB.Write(p)
		b.Exec(storetest.AddCharge, p.String(), "key", 1)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	b := s.DB.Read(storetest.Numbered[id.Project](1))
	b.Query(&n, `SELECT count(*) AS n FROM sandbox_failures`)
	if err := b.Run(t.Context()); err != nil || n != 1 {
		t.Errorf("sees %d, %v; want its own row", n, err)
	}
	err := s.DB.InTx(t.Context(), storetest.Numbered[id.Project](1), func(x *db.Tx) error {
		_, err := x.Exec(t.Context(), storetest.AddCharge, storetest.Numbered[id.Project](2).String(), "other", 1)
		return err
	})
	if fault.KindOf(err) != fault.Internal || err == nil {
		t.Errorf("writing a row of another project: %v", err)
	}
}
