package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

func TestMigrateCmd_printDistribution(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	if out, err := command(t, database, "migrate").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := command(t, database, "migrate", "--print-distribution").CombinedOutput()
	for _, statement := range []string{
		"-- These tables stay on the coordinator: ",
		"SELECT create_reference_table('projects');",
		"SELECT create_distributed_table('orders', 'project_id', colocate_with => '",
	} {
		if err != nil || !strings.Contains(string(out), "\n"+statement) {
			t.Errorf("%v, no %s in\n%s", err, statement, out)
		}
	}
	sqlite := "sqlite://" + filepath.Join(t.TempDir(), "new.db")
	if out, err := command(t, sqlite, "migrate").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := command(t, sqlite, "migrate", "--print-distribution").CombinedOutput(); err == nil || !strings.Contains(string(out), "only PostgreSQL's tables") {
		t.Errorf("SQLite: %v\n%s", err, out)
	}
}
