// Package access decides who a program is by its API key, what its key lets it do, and whether the
// account's owner, or the member who asks, stands behind it by a second factor. Which of an account's projects a request is about is asked
// elsewhere.
package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Service knows keys by the hashes of their secrets.
type Service struct {
	*ports.Stores

	// Tries are counted in transactions of their own, also when a request's transaction rolls back.
	Tries       ports.Tries
	TOTP        ports.TOTP
	Vault       ports.Vault
	Clock       ports.Clock
	Entropy     ports.Entropy
	Environment account.Environment

	// Cache answers Authenticate. It knows nothing of a request's transaction. Nil: every key is looked up.
	Cache ports.KeyCache
	Uses  *Uses // nil: nobody wants to know
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Caller is who a request comes from. Its parts are shared with other requests: nobody changes them.
type Caller struct {
	Account *account.Account
	Key     *account.Key    // of a member: what the role allows, without an id
	Member  *member.Member  // nil: a program calls, with the key
	Session *member.Session // the member's
}

// Holder is whose second factor confirms what the caller wants: the member's own, or that of the account.
func (c Caller) Holder() account.Holder {
	of := account.Holder{Account: c.Account.ID}
	if c.Member != nil {
		of.Member = c.Member.ID
	}
	return of
}

// Actor is the id of the member who calls, or of the key.
func (c Caller) Actor() string {
	if c.Member != nil {
		return c.Member.ID.String()
	}
	return c.Key.ID.String()
}

// Require refuses a caller whose key or role lacks a scope such as "catalog:read".
func (c Caller) Require(scope string) error {
	if c.Key.Allows(scope) {
		return nil
	}
	if c.Member != nil {
		return fault.New(fault.Forbidden, "insufficient_scope", "The role "+c.Member.Role.String()+" lacks the scope "+scope+".")
	}
	return fault.New(fault.Forbidden, "insufficient_scope", "This API key lacks the scope "+scope+".")
}

// Bound is the only project of a key that is bound to exactly one.
func (c Caller) Bound() (id.Project, bool) {
	if len(c.Key.Projects) == 1 {
		return c.Key.Projects[0], true
	}
	return id.Project{}, false
}

// longestSecret bounds what is hashed for a caller that nobody knows.
const longestSecret = 256

// Authenticate finds the caller of a bearer secret, which is a key or the token of a member's session, and notes its use.
// Whatever is wrong with it, unknown, expired, revoked or of the other environment, the answer is the same:
// Unauthenticated.
func (s *Service) Authenticate(ctx context.Context, bearer string) (Caller, error) {
	if strings.HasPrefix(bearer, member.TokenMark) {
		return s.authenticateMember(ctx, bearer)
	}
	if !strings.HasPrefix(bearer, s.Environment.KeyMark()) || len(bearer) > longestSecret {
		return Caller{}, refused()
	}
	hash := sha256.Sum256([]byte(bearer))
	key, owner, err := s.find(ctx, hash)
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			err = refused()
		}
		return Caller{}, err
	}
	now := s.Clock.Now()
	if subtle.ConstantTimeCompare(key.Hash[:], hash[:]) != 1 || !key.Valid(now) {
		return Caller{}, refused()
	}
	if s.Uses != nil {
		s.Uses.keys.note(key.ID, now)
	}
	return Caller{Account: owner, Key: key}, nil
}

// Known reports whether a bearer secret is that of a key that was found lately. Authenticating others
// costs a lookup each time.
func (s *Service) Known(bearer string) bool {
	return s.Cache != nil && len(bearer) <= longestSecret && s.Cache.Known(sha256.Sum256([]byte(bearer)))
}

func refused() error {
	return fault.New(fault.Unauthenticated, "unauthenticated", "A valid API key is required.")
}

func (s *Service) find(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error) {
	if s.Cache == nil {
		return s.Accounts.KeyByHash(ctx, hash)
	}
	return s.Cache.KeyByHash(ctx, hash)
}
