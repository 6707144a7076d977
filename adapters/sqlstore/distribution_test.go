package sqlstore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// acrossProjects are the tables of projects that are not distributed by project, and why.
var acrossProjects = map[string]string{
	"authorizations":       "a platform sends the state of an authorization back without a project",
	"integration_webhooks": "a platform calls the address of a webhook without a project",
	"integrations":         "a platform calls the address of a webhook without a project",
}

// A new table is distributed by project, or it is listed here or among those without row-level security.
func TestDistribution(t *testing.T) {
	t.Parallel()
	s := storetest.FreshPostgres(t)
	d, err := s.DB.Distribution(t.Context())
	if err != nil || len(d.Problems) > 0 {
		t.Fatalf("%v, %v", err, d.Problems)
	}
	for _, name := range guarded(t, s) {
		reason := acrossProjects[name]
		if distributed := slices.Contains(d.Distributed, name); distributed == (reason != "") {
			t.Errorf("%s: distributed %t, and its reason not to be is %q", name, distributed, reason)
		}
		if reason != "" && !slices.Contains(d.Reference, name) {
			t.Errorf("%s is not among the reference tables %v", name, d.Reference)
		}
	}
	for _, name := range slices.Concat(d.Reference, d.Local) {
		if acrossProjects[name] == "" && unguarded[name] == "" {
			t.Errorf("%s is not distributed", name)
		}
	}
	for _, name := range []string{"accounts", "projects"} {
		if !slices.Contains(d.Reference, name) {
			t.Errorf("%s is not among the reference tables %v", name, d.Reference)
		}
	}
	statements := d.Statements()
	if len(statements) != 1+len(d.Reference)+len(d.Distributed) {
		t.Errorf("%d statements for %d and %d tables", len(statements), len(d.Reference), len(d.Distributed))
	}
	referring(t, s, statements)
}

// referring checks that each table is distributed after those that it refers to.
func referring(t *testing.T, s *storetest.Store, statements []string) {
	t.Helper()
	var references []struct{ From, Onto string }
	const foreignKeys = "SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS onto FROM pg_constraint WHERE contype = 'f'"
	if err := s.DB.ReadPool().SelectContext(t.Context(), &references, foreignKeys); err != nil {
		t.Fatal(err)
	}
	at := func(table string) int {
		return slices.IndexFunc(statements, func(s string) bool { return strings.Contains(s, "table('"+table+"'") })
	}
	for _, r := range references {
		if from := at(r.From); from >= 0 && r.From != r.Onto && (at(r.Onto) < 0 || at(r.Onto) > from) {
			t.Errorf("%s is distributed before %s, which it refers to", r.From, r.Onto)
		}
	}
}

// Each of these changes breaks what Citus asks for.
func TestDistribution_problems(t *testing.T) {
	t.Parallel()
	for statement, says := range map[string]string{
		"CREATE UNIQUE INDEX across ON orders (checkout_id)":                                                                                 "refers to",
		"CREATE TABLE added (project_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (project_id, id), order_id TEXT UNIQUE)":                "",
		"ALTER TABLE accounts ADD COLUMN order_id TEXT, ADD COLUMN p TEXT, ADD FOREIGN KEY (p, order_id) REFERENCES orders (project_id, id)": "which is distributed",
	} {
		s := storetest.FreshPostgres(t)
		before, err := s.DB.Distribution(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.DB.WritePool().ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		after, err := s.DB.Distribution(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(after.Reference)+len(after.Problems) <= len(before.Reference) || !strings.Contains(fmt.Sprint(after.Problems), says) {
			t.Errorf("%s: %v, %v", statement, after.Reference, after.Problems)
		}
	}
}
