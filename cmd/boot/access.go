package boot

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/keycache"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/adapters/totp"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/ports"
)

func (a *App) accessOn(s *ports.Stores) *access.Service {
	return &access.Service{
		Stores:      s,
		Tries:       a.store.Tries(),
		TOTP:        totp.Codes{},
		Vault:       a.vault,
		Clock:       a.clock,
		Entropy:     system.Entropy{},
		Environment: a.env,
		Cache:       keycache.New(a.store.Accounts(), time.Now),
		Uses:        access.NewUses(),
	}
}
