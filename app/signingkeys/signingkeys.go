// Package signingkeys creates, rotates and revokes the keys with which projects sign their responses and webhooks to agents. It
// does not sign.
package signingkeys

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

// Service manages the signing keys of projects. It creates a project's first keys when they are first needed.
type Service struct {
	*ports.Stores

	Vault   ports.Vault
	Entropy ports.Entropy
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Published returns the keys with which receivers verify the project's signatures. The one that signs now is the first.
func (s *Service) Published(ctx context.Context, project id.Project) ([]signing.Key, error) {
	set, now, err := s.SigningKeys.Keys(ctx, project)
	if err != nil || set.Begun() {
		return set.Published(now), err
	}
	return s.begin(ctx, project)
}

// Signer returns the key that signs for the project.
func (s *Service) Signer(ctx context.Context, project id.Project) (signing.Private, error) {
	keys, err := s.Published(ctx, project)
	if err != nil {
		return signing.Private{}, err
	}
	raw, err := s.Vault.Open(keys[0].Sealed, Purpose(keys[0].ID))
	if err != nil {
		return signing.Private{}, err
	}
	return signing.ParsePrivate(raw)
}

// begin creates the first keys, unless another process has done so meanwhile.
func (s *Service) begin(ctx context.Context, project id.Project) ([]signing.Key, error) {
	current, next := s.fresh(project), s.fresh(project)
	return s.change(ctx, project, func(set *signing.Set, now time.Time) error {
		if !set.Begun() {
			set.Begin(current, next, now)
		}
		return nil
	})
}

// Rotate makes the next key the signing key and returns the keys published from then on. Its errors are those of signing.Set.
func (s *Service) Rotate(ctx context.Context, project id.Project) ([]signing.Key, error) {
	current, next := s.fresh(project), s.fresh(project)
	return s.change(ctx, project, func(set *signing.Set, now time.Time) error {
		if !set.Begun() {
			set.Begin(current, next, now)
			return nil
		}
		return set.Rotate(next, now)
	})
}

// Revoke revokes a key at once and returns the keys published from then on. Unknown key: NotFound.
func (s *Service) Revoke(ctx context.Context, project id.Project, key string) ([]signing.Key, error) {
	next := s.fresh(project)
	return s.change(ctx, project, func(set *signing.Set, now time.Time) error {
		if !set.Begun() {
			return fault.Missing("signing_key")
		}
		return set.Revoke(key, next, now)
	})
}

func (s *Service) change(ctx context.Context, project id.Project, change func(*signing.Set, time.Time) error) ([]signing.Key, error) {
	var published []signing.Key
	err := s.SigningKeys.Change(ctx, project, func(set *signing.Set, now time.Time) error {
		err := change(set, now)
		published = set.Published(now)
		return err
	})
	if err != nil {
		return nil, err
	}
	return published, nil
}

// fresh creates a key. One in 2^32 random bit strings is not a valid key; fresh then draws again.
func (s *Service) fresh(project id.Project) signing.Key {
	for {
		one, two := s.Entropy.Bits128(), s.Entropy.Bits128()
		raw := append(one[:], two[:]...)
		if private, err := signing.ParsePrivate(raw); err == nil {
			public := private.Public()
			return signing.Fresh(project, public, s.Vault.Seal(raw, Purpose(public.Thumbprint())))
		}
	}
}

// Purpose binds a sealed private part to its key.
func Purpose(key string) string { return "signing key " + key }
