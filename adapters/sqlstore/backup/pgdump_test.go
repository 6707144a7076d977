package backup_test

import (
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// A pg_dump by the role that the README prescribes is complete: a backup of its copy is a backup of the original. A
// pg_dump by the server's own role is refused.
func TestWrite_afterPgDump(t *testing.T) {
	t.Parallel()
	server, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	for _, name := range []string{"shop", "copy"} {
		if err := server.CreateDatabase(name, ""); err != nil {
			t.Fatal(err)
		}
	}
	shop := storetest.OpenStore(t, sqlstore.Config{URL: server.URL("shop")})
	if err := shop.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	sold(t, shop)
	if _, err := server.PSQL("shop", "CREATE ROLE haggle_backup LOGIN BYPASSRLS; GRANT pg_read_all_data TO haggle_backup"); err != nil {
		t.Fatal(err)
	}
	dump := func(role string) (string, error) {
		address, err := url.Parse(server.AdminURL("shop"))
		if err != nil {
			t.Fatal(err)
		}
		address.User = url.User(role)
		out, err := exec.CommandContext(t.Context(), server.Program("pg_dump"), address.String()).CombinedOutput()
		return string(out), err
	}
	if out, err := dump(pgserver.Owner); err == nil || !strings.Contains(out, "row-level security") {
		t.Errorf("by the server's role: %v\n%s", err, out[:min(len(out), 500)])
	}
	text, err := dump("haggle_backup")
	if err != nil {
		t.Fatal(text)
	}
	restore := exec.CommandContext(t.Context(), server.Program("psql"), "-v", "ON_ERROR_STOP=1", "-q", server.AdminURL("copy"))
	restore.Stdin = strings.NewReader(text)
	if out, err := restore.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	restored := storetest.OpenStore(t, sqlstore.Config{URL: server.URL("copy")})
	if content(written(t, restored)) != content(written(t, shop)) {
		t.Error("the copy is not what was dumped")
	}
}
