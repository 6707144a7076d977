// Package signingkeys gives projects the keys with which they sign what they send to agents, and replaces them. What is
// signed with them, others decide.
package signingkeys

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

// Service keeps the keys of projects. A project's first keys are made when they are needed first.
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

// Published are the keys by which receivers verify what the project signs, the one that signs first.
func (s *Service) Published(ctx context.Context, project id.Project) ([]signing.Key, error) {
	set, now, err := s.SigningKeys.Keys(ctx, project)
	if err != nil || set.Begun() {
		return set.Published(now), err
	}
	return s.begin(ctx, project)
}

// Signer is the key that signs for the project.
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

// begin makes the first keys, unless somebody else did meanwhile.
func (s *Service) begin(ctx context.Context, project id.Project) ([]signing.Key, error) {
	current, next := s.fresh(project), s.fresh(project)
	return s.change(ctx, project, func(set *signing.Set, now time.Time) error {
		if !set.Begun() {
			set.Begin(current, next, now)
		}
		return nil
	})
}

// Rotate lets the next key sign, and returns what is published then. Refusals are those of signing.Set.
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

// Revoke ends a key at once, and returns what is published then. Unknown: NotFound.
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

// fresh makes a key. Random bits that are no key, one in 2^32, are drawn again.
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
