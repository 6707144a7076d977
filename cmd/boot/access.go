package boot

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/keycache"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/adapters/totp"
	"github.com/haggle-commerce/haggle/app/access"
)

func (a *App) accessOn(s stores) *access.Service {
	return &access.Service{
		Stores:      s.Access(),
		Tries:       s.view.Tries(),
		TOTP:        totp.Codes{},
		Vault:       a.vault,
		Clock:       a.clock,
		Entropy:     system.Entropy{},
		Environment: a.env,
		Cache:       keycache.New(s.view.Accounts(), time.Now),
		Uses:        access.NewUses(),
	}
}
