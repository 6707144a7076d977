package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Accounts keeps accounts, and finds them by the hashes of their API keys.
type Accounts interface {
	// KeyByHash finds a key, revoked and expired ones too, and its account: NotFound api_key_not_found.
	KeyByHash(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error)
	// Open stores a new account.
	Open(ctx context.Context, a *account.Account) error
	// Oldest is the account that was opened first on the plan, or on any if plan is zero: NotFound if
	// there is none.
	Oldest(ctx context.Context, plan account.Plan) (*account.Account, error)
	ByID(ctx context.Context, account id.Account) (*account.Account, error)
	// Update loads the account for exclusive use, runs change on it, stores it if change returns nil,
	// and returns it. change does no I/O and may run more than once.
	Update(ctx context.Context, account id.Account, change func(*account.Account) error) (*account.Account, error)
}

// Keys manages the API keys of accounts. Another account's keys are unknown.
type Keys interface {
	// Add stores a key. A key with the same hash is left as it is, so that adding a bootstrap key may
	// be repeated and raced. An account with account.MaxKeys that work when this one is made, however
	// many are added at once: Conflict too_many_keys.
	Add(ctx context.Context, k *account.Key) error
	// List is the keys that are not revoked, newest first: if bound is not empty, those that are bound
	// to some of its projects and no others.
	List(ctx context.Context, account id.Account, bound []id.Project, page Page) ([]*account.Key, int, error)
	// Key is a key that is not revoked: NotFound api_key_not_found.
	Key(ctx context.Context, account id.Account, key id.APIKey) (*account.Key, error)
	// Revoke ends a key permanently. Of several concurrent calls one succeeds: NotFound to the others, and for an
	// unknown key.
	Revoke(ctx context.Context, account id.Account, key id.APIKey, at time.Time) error
	// Used records when keys were last used. It never moves a time back, and ignores unknown keys.
	Used(ctx context.Context, uses map[id.APIKey]time.Time) error
	// Reach returns those of the wanted projects that belong to the account, or all of the account's projects if none
	// are wanted.
	Reach(ctx context.Context, account id.Account, wanted []id.Project) ([]Reached, error)
}

// KeyCache caches KeyByHash for the path of every request. Its answers are at most 800 ms old, on every replica, and
// shared: callers must not change them. Unknown keys are looked up again each time.
type KeyCache interface {
	// KeyByHash is fault.Unavailable, overloaded, if too many keys are looked up at once.
	KeyByHash(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error)
	// Known reports whether the key was found recently, even if its cache entry has expired.
	Known(hash [32]byte) bool
	// Forget is called before a transaction of this process changes a key. From then on, and for longer than any
	// transaction lasts, the key is read anew.
	Forget(hash [32]byte)
}

// Reached is a project that keys of an account may open.
type Reached struct {
	Project     id.Project
	MFARequired bool
}

// Authenticators stores the second factors of accounts and members. Each has at most one that is active and one that is
// pending.
type Authenticators interface {
	// Of returns a holder's authenticators: nil for one that it does not have.
	Of(ctx context.Context, of account.Holder) (active, pending *account.Authenticator, err error)
	// Enrol stores a pending authenticator, in place of another pending one.
	Enrol(ctx context.Context, a *account.Authenticator) error
	// Activate makes a pending authenticator the active one, with a first used step, and removes the former one. Of
	// several concurrent calls one succeeds; if it is not pending: NotFound mfa_not_found.
	Activate(ctx context.Context, a *account.Authenticator, step int64, at time.Time) error
	// Spend uses up a code of an active authenticator: its step and all before, or the recovery code. It reports
	// whether the code was still unused: of several concurrent calls with one code, one gets true.
	Spend(ctx context.Context, authenticator id.Authenticator, c account.Code) (bool, error)
	// Remove forgets the holder's authenticators: NotFound mfa_not_found if it has none.
	Remove(ctx context.Context, of account.Holder) error
}

// Tries counts wrong codes.
type Tries interface {
	// Try runs attempt on a holder's tries for exclusive use, stores the changed tries even if attempt returns an
	// error, and returns that error. It is always a transaction of its own, never a part of the caller's, so that
	// counted tries stay counted. A caller that is in a transaction must therefore not have written yet. attempt does
	// no I/O and may run more than once.
	Try(ctx context.Context, of account.Holder, attempt func(*account.Tries) error) error
}

// TOTP makes time-based one-time passwords (RFC 6238) that common authenticator apps know: SHA-1, six
// digits, steps of 30 seconds.
type TOTP interface {
	// Enrol makes a secret for an account's name, and the otpauth:// address that apps read it from.
	Enrol(name string) (secret, address string, err error)
	// Step is the step whose code this is: the current one, the one before or the one after.
	Step(secret, code string, now time.Time) (step int64, ok bool)
}
