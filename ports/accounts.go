package ports

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/account"
)

// Accounts keeps accounts and the hashes of their API keys.
type Accounts interface {
	// KeyByHash finds a key, revoked and expired ones too, and its account.
	KeyByHash(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error)
	// Open stores a new account.
	Open(ctx context.Context, a *account.Account) error
	// AddKey stores a key. A key with the same hash is left as it is, so that adding a bootstrap key
	// may be repeated and raced.
	AddKey(ctx context.Context, k *account.Key) error
	// Oldest is the account that was opened first: NotFound on a new installation.
	Oldest(ctx context.Context) (*account.Account, error)
}
