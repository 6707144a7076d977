// Package access decides who a program is by its API key, and what its key lets it do. Which of an
// account's projects a request is about is asked elsewhere.
package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Service knows keys by the hashes of their secrets.
type Service struct {
	Accounts    ports.Accounts
	Clock       ports.Clock
	Entropy     ports.Entropy
	Environment account.Environment
}

// Caller is who a request comes from.
type Caller struct {
	Account *account.Account
	Key     *account.Key
}

// Require refuses a caller whose key lacks a scope such as "catalog:read".
func (c Caller) Require(scope string) error {
	if c.Key.Allows(scope) {
		return nil
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

// Authenticate finds the caller of a bearer secret. Whatever is wrong with it, unknown, expired,
// revoked or of the other environment, the answer is the same: Unauthenticated.
func (s *Service) Authenticate(ctx context.Context, bearer string) (Caller, error) {
	refused := fault.New(fault.Unauthenticated, "unauthenticated", "A valid API key is required.")
	if !strings.HasPrefix(bearer, s.Environment.KeyMark()) || len(bearer) > longestSecret {
		return Caller{}, refused
	}
	hash := sha256.Sum256([]byte(bearer))
	key, owner, err := s.Accounts.KeyByHash(ctx, hash)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Caller{}, refused
	case err != nil:
		return Caller{}, err
	case subtle.ConstantTimeCompare(key.Hash[:], hash[:]) != 1 || !key.Valid(s.Clock.Now()):
		return Caller{}, refused
	}
	return Caller{owner, key}, nil
}
