package boot

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/domain/account"
)

// shortestMasterKey is the minimum length of a master key in production, in bytes. The keys of buyers' tokens are derived from
// it, so a short one could be found by brute force.
const shortestMasterKey = 32

// weakMasterKey describes the first weak master key, or returns "" if none is weak.
func (c Config) weakMasterKey() string {
	for i, key := range c.masterKeys() {
		switch {
		case key == vault.SandboxKey:
			return fmt.Sprintf("key %d is the public key of the sandbox", i+1)
		case len(key) < shortestMasterKey:
			return fmt.Sprintf("key %d has %d bytes; the minimum is %d. Create one with `openssl rand -base64 32`", i+1, len(key), shortestMasterKey)
		}
	}
	return ""
}

// checkServing returns an error if the server must not serve in production because a master key is weak. Commands still run,
// because one of them replaces a weak master key and needs it for that.
func (c Config) checkServing() error {
	weak := c.weakMasterKey()
	if weak == "" || c.Env != account.Production.String() {
		return nil
	}
	return fmt.Errorf("HAGGLE_MASTER_KEY: %s. To replace a weak key, put a new key before it, run `haggle keys rotate-master`, and then remove the weak key", weak)
}

// checkLogin returns an error in production if the PostgreSQL role bypasses row-level security.
func (a *App) checkLogin(ctx context.Context) error {
	role, err := a.store.UnguardedLogin(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("cannot read the privileges of the PostgreSQL role: %w", err)
	case role != "" && a.env == account.Production:
		return fmt.Errorf("HAGGLE_DATABASE_URL: %s", unguarded(role))
	}
	return nil
}

func unguarded(role string) string {
	return fmt.Sprintf("the role %q is a superuser or has BYPASSRLS, so row-level security does not apply to it: connect as another role", role)
}
