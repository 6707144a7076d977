package boot_test

import (
	"io"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// superuser returns the address of an empty database for a superuser, who bypasses row-level security.
func superuser(t *testing.T) string {
	t.Helper()
	server := pgserver.Shared(t)
	u, err := url.Parse(server.Database(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	return server.AdminURL(strings.TrimPrefix(u.Path, "/"))
}

// bypassing returns the same for a role with BYPASSRLS.
func bypassing(t *testing.T) string {
	t.Helper()
	server := pgserver.Shared(t)
	address := server.Database(t, "")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	role := "bypass_" + strings.TrimPrefix(u.Path, "/")
	if _, err := server.PSQL("postgres", `CREATE ROLE "`+role+`" LOGIN BYPASSRLS IN ROLE `+pgserver.Owner); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = server.PSQL("postgres", `DROP ROLE "`+role+`"`) })
	u.User = url.User(role)
	return u.String()
}

// A server does not start in production with a weak master key.
func TestNew_weakMasterKeyInProduction(t *testing.T) {
	t.Parallel()
	strong := strings.Repeat("k", 32)
	for name, c := range map[string]struct{ key, says string }{
		"the sandbox's key":         {vault.SandboxKey, "key 1 is the public key of the sandbox"},
		"the sandbox's, among keys": {strong + "," + vault.SandboxKey, "key 2 is the public key of the sandbox"},
		"one letter":                {"x", "key 1 has 1 bytes"},
		"a short one among keys":    {strong + ", " + strong[1:], "key 2 has 31 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusedInProduction(t, c.key, sqlite(t), c.says)
		})
	}
}

// A server does not start in production as a role that bypasses row-level security. The error names the role.
func TestNew_unguardedRoleInProduction(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]string{
		"a superuser":                       superuser(t),
		"a role without row-level security": bypassing(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(database)
			if err != nil {
				t.Fatal(err)
			}
			says := `HAGGLE_DATABASE_URL: the role "` + u.User.Username() + `" is a superuser or has BYPASSRLS`
			refusedInProduction(t, strings.Repeat("k", 32), database, says)
		})
	}
}

// refusedInProduction checks that New returns an error of one line that contains a text.
func refusedInProduction(t *testing.T, key, database, says string) {
	t.Helper()
	app, err := boot.New(t.Context(), boot.Config{
		Addr:        "127.0.0.1:0",
		OpsAddr:     "127.0.0.1:0",
		Env:         "production",
		MasterKey:   key,
		DatabaseURL: database,
	}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err == nil {
		_ = app.Close()
		t.Fatal("it starts")
	}
	if !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		t.Errorf("it says %q, want one line with %q", err, says)
	}
}

func TestNew_production(t *testing.T) {
	t.Parallel()
	boottest.Start(t, pgserver.Shared(t).Database(t, ""), func(c *boot.Config) {
		c.Env, c.BootstrapKey, c.MasterKey = "production", liveKey, strings.Repeat("k", 32)+","+strings.Repeat("o", 32)
	})
}

// Commands run with a weak master key, because one of them replaces it.
func TestNewTools_weakMasterKey(t *testing.T) {
	t.Parallel()
	app, err := boot.NewTools(t.Context(), boot.Config{
		Env:         "production",
		MasterKey:   strings.Repeat("k", 32) + ",weak",
		DatabaseURL: sqlite(t),
	}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Close(); err != nil {
		t.Error(err)
	}
}
