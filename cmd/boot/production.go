package boot

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/domain/account"
)

// shortestMasterKey is how many bytes a master key has at least in production. The keys that tokens of strangers are
// made by are derived from it: a short one can be found by trying.
const shortestMasterKey = 32

// weakMasterKey says what is wrong with one of the master keys; "": none is weak.
func (c Config) weakMasterKey() string {
	for i, key := range c.masterKeys() {
		switch {
		case key == vault.SandboxKey:
			return fmt.Sprintf("key %d is the sandbox's, which is public", i+1)
		case len(key) < shortestMasterKey:
			return fmt.Sprintf("key %d has %d bytes, and needs %d or more, as from `openssl rand -base64 32`", i+1, len(key), shortestMasterKey)
		}
	}
	return ""
}

// checkServing says what keeps the server from serving in production. Commands still run: one of them replaces a weak
// master key, which it has to have for that.
func (c Config) checkServing() error {
	weak := c.weakMasterKey()
	if weak == "" || c.Env != account.Production.String() {
		return nil
	}
	return fmt.Errorf("HAGGLE_MASTER_KEY: %s. To replace it, put a strong key before it, run `haggle keys rotate-master`, and take the weak one away", weak)
}

// checkLogin refuses to serve in production as a role of PostgreSQL that row-level security does not hold.
func (a *App) checkLogin(ctx context.Context) error {
	role, err := a.store.UnguardedLogin(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("cannot read the rights of the PostgreSQL role: %w", err)
	case role != "" && a.env == account.Production:
		return fmt.Errorf("HAGGLE_DATABASE_URL: %s", unguarded(role))
	}
	return nil
}

func unguarded(role string) string {
	return fmt.Sprintf("the role %q is a superuser or has BYPASSRLS, so row-level security does not hold it: log in as another role", role)
}
