package boot

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/keycache"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/adapters/totp"
	"github.com/haggle-commerce/haggle/app/access"
)

// accessOn is the access service on the whole store, the first time, and then on views of it.
func (a *App) accessOn(st *sqlstore.Store) *access.Service {
	if a.Access != nil {
		return a.Access.Within(st.Accounts(), st.Keys(), st.Keys(), st.Authenticators())
	}
	return &access.Service{
		Accounts: st.Accounts(), Keys: st.Keys(), Reach: st.Keys(), Authenticators: st.Authenticators(), Tries: st.Tries(),
		TOTP: totp.Codes{}, Vault: a.vault, Clock: a.clock, Entropy: system.Entropy{}, Environment: a.env,
		Cache: keycache.New(st.Accounts(), time.Now), Uses: access.NewUses(),
	}
}
