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

// In production a server does not start with a weak master key, or as a role that bypasses row-level security.
func TestNew_refusedInProduction(t *testing.T) {
	t.Parallel()
	strong := strings.Repeat("k", 32)
	for name, c := range map[string]struct{ key, database, says string }{
		"the sandbox's key":                 {vault.SandboxKey, "", "key 1 is the public key of the sandbox"},
		"the sandbox's, among keys":         {strong + "," + vault.SandboxKey, "", "key 2 is the public key of the sandbox"},
		"one letter":                        {"x", "", "key 1 has 1 bytes"},
		"a short one among keys":            {strong + ", " + strong[1:], "", "key 2 has 31 bytes"},
		"a superuser":                       {strong, superuser(t), "superuser or has BYPASSRLS"},
		"a role without row-level security": {strong, bypassing(t), "superuser or has BYPASSRLS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := boot.Config{
				Addr:        "127.0.0.1:0",
				OpsAddr:     "127.0.0.1:0",
				Env:         "production",
				MasterKey:   c.key,
				DatabaseURL: c.database,
			}
			if config.DatabaseURL == "" {
				config.DatabaseURL = sqlite(t)
			}
			app, err := boot.New(t.Context(), config, slog.New(slog.NewTextHandler(io.Discard, nil)))
			if err == nil {
				_ = app.Close()
				t.Fatal("it starts")
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("it says %q, want one line with %q", err, c.says)
			}
		})
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
