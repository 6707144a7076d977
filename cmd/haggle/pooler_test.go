package main

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgbouncer"
)

// Every command on the database works through PgBouncer if HAGGLE_DATABASE_POOLER names it, and otherwise fails with one line.
func TestDatabase_open_behindPgBouncer(t *testing.T) {
	t.Parallel()
	direct := boottest.Engines[1].URL(t)
	url := pgbouncer.Start(t, direct).URL(direct)
	for _, args := range []string{"migrate", "verify", "keys create --new-account=Shop", "keys list", "keys rotate-master", "doctor"} {
		for variable, works := range map[string]bool{"HAGGLE_DATABASE_POOLER=transaction": true, "HAGGLE_DATABASE_POOLER=none": false} {
			c := command(t, url, strings.Fields(args)...)
			c.Env = append(c.Env, variable)
			out, err := c.CombinedOutput()
			if named := strings.Contains(string(out), "connection pooler"); named == works || (err == nil) != works {
				t.Errorf("%s haggle %s: %v\n%s", variable, args, err, out)
			}
		}
	}
}
