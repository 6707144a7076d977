// Package identity finds out who sends a request over the Universal Commerce Protocol, and what can be done together: the
// agent by its profile, whether it proved by a signature or a key that the profile is its own, and the capabilities that are
// active.
// It reads no header: protocols hand over what they read.
package identity

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Service finds out who is asking.
type Service struct {
	Profiles   ports.AgentProfiles
	Signatures ports.RequestSignatures
	Keys       ports.AgentKeys
	Rules      agentid.Rules
	Clock      ports.Clock
}

// Request is what a request says of who sends it, and what its operation wants.
type Request struct {
	Profile string              // the URL of the agent's profile as it says it; "": it says none, or nothing that can be read
	Signed  ports.SignedRequest // the request as it was sent
	Shop    id.Project          // that it is sent to
	Key     string              // the secret of the agent key that it is sent with; "": without one
	Asker   string              // the client among whose share the agent's profile is fetched

	// Business is what the shop offers, by release of the protocol, the current one first.
	Business []capability.Set
	// Needs is the capability that the operation is of; the zero Name: none.
	Needs capability.Name
	// MustSign refuses requests that are neither signed nor sent with a key.
	MustSign bool
	// Anonymous serves requests without a profile, as if the agent could do all that the current release of the shop can.
	Anonymous bool
}

// Caller is who is asking.
type Caller struct {
	Agent   agentid.Agent   // zero: anonymous
	Profile agentid.Profile // zero: anonymous. It is shared: nobody changes it
	Active  capability.Active
}

// Identify finds out who is asking. It calls third parties: no more than two requests, of three seconds at most each.
// Faults, by the protocol's codes:
//
//	invalid_profile_url        Malformed        no profile, or no URL that could be one
//	profile_unreachable        Unfulfilled      it cannot be fetched
//	profile_malformed          Invalid          it breaks its schema
//	version_unsupported        Invalid          it is of no release that the shop speaks
//	agent_key_invalid          Unauthenticated  the key is none of the shop's that works, or is for another profile
//	signature_missing          Unauthenticated  the operation wants a signature
//	signature_invalid          Unauthenticated
//	key_not_found              Unauthenticated
//	digest_mismatch            Malformed
//	algorithm_unsupported      Malformed
//	capabilities_incompatible  Invalid          nothing in common that the operation needs; protocols answer it as a result
//	overloaded                 Unavailable      too many profiles are being looked for
//
// A request that says it is signed, or is sent with a key, is never treated as if it were not. One that does both must do both
// well, for one profile.
func (s *Service) Identify(ctx ports.Outbound, r Request) (Caller, error) {
	keyed := r.Key != ""
	if keyed {
		of, err := s.profileOf(ctx, r)
		if err != nil {
			return Caller{}, err
		}
		r.Profile = of
	}
	if r.Profile == "" && r.Anonymous {
		return s.anonymous(r)
	}
	agent, ok := s.Rules.Claim(r.Profile)
	if !ok {
		return Caller{}, agentid.ErrProfileURL()
	}
	agent.Verified = keyed
	signed, err := s.signed(r)
	if err != nil {
		return Caller{}, err
	}
	profile, err := s.Profiles.Profile(ctx, r.Profile, r.Asker)
	if err != nil {
		return Caller{}, err
	}
	if _, err := capability.Choose(r.Business, profile.Declares.Release); err != nil {
		return Caller{}, err
	}
	if signed {
		if agent, profile, err = s.prove(ctx, r, agent, profile); err != nil {
			return Caller{}, err
		}
	}
	business, err := capability.Choose(r.Business, profile.Declares.Release)
	if err != nil {
		return Caller{}, err
	}
	active, err := capability.Intersect(business, profile.Declares)
	if err == nil && r.Needs != (capability.Name{}) {
		err = active.Need(r.Needs)
	}
	if err != nil {
		return Caller{}, err
	}
	return Caller{
		Agent:   agent,
		Profile: profile,
		Active:  active,
	}, nil
}

// profileOf is the profile that the request's key is for, which is the one that the request names if it names one.
func (s *Service) profileOf(ctx context.Context, r Request) (string, error) {
	key, err := s.key(ctx, r.Shop, r.Key)
	switch {
	case err != nil:
		return "", err
	case r.Profile != "" && r.Profile != key.Profile:
		return "", agentkey.ErrInvalid()
	}
	return key.Profile, nil
}

// CheckKey returns the id of an agent key, and refuses one that is none of the shop's that works, with agent_key_invalid. It is
// for requests that need not be an agent's.
func (s *Service) CheckKey(ctx context.Context, shop id.Project, secret string) (id.AgentKey, error) {
	key, err := s.key(ctx, shop, secret)
	if err != nil {
		return id.AgentKey{}, err
	}
	return key.ID, nil
}

// key is the shop's key of that secret.
func (s *Service) key(ctx context.Context, shop id.Project, secret string) (*agentkey.Key, error) {
	hash, ok := agentkey.Hash(secret)
	if !ok {
		return nil, agentkey.ErrInvalid()
	}
	key, err := s.Keys.ByHash(ctx, shop, hash)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil, agentkey.ErrInvalid()
	case err != nil:
		return nil, err
	case !key.Works():
		return nil, agentkey.ErrInvalid()
	}
	return key, nil
}

// signed reports whether the request is signed, and refuses one that must be and is not. A key is as good.
func (s *Service) signed(r Request) (bool, error) {
	signed, err := s.Signatures.Signed(r.Signed)
	if err == nil && !signed && r.MustSign && r.Key == "" {
		err = fault.New(fault.Unauthenticated, "signature_missing", "The request must be signed by a key of the agent's profile (RFC 9421), or sent with an agent key of the shop.")
	}
	return signed, err
}

// anonymous is the caller of a request without a profile. There is no key by which it could be signed.
func (s *Service) anonymous(r Request) (Caller, error) {
	signed, err := s.signed(r)
	switch {
	case err != nil:
		return Caller{}, err
	case signed:
		return Caller{}, fault.New(fault.Unauthenticated, "key_not_found", "The request is signed, and names no profile with the key.")
	}
	if len(r.Business) == 0 {
		return Caller{}, fault.New(fault.Invalid, capability.Incompatible, "This business offers nothing.")
	}
	active, err := capability.Intersect(r.Business[0], r.Business[0])
	if err == nil && r.Needs != (capability.Name{}) {
		err = active.Need(r.Needs)
	}
	return Caller{Active: active}, err
}

// prove verifies that the request is signed by a key of the profile. For a key that is not in it, the profile is read anew,
// which may be of another release then.
func (s *Service) prove(ctx ports.Outbound, r Request, agent agentid.Agent, profile agentid.Profile) (agentid.Agent, agentid.Profile, error) {
	key, err := s.Signatures.Verify(r.Signed, s.Clock.Now(), profile.KeyNamed)
	if fault.Is(err, "key_not_found") {
		if profile, err = s.Profiles.Renew(ctx, r.Profile, r.Asker); err != nil {
			return agent, profile, err
		}
		key, err = s.Signatures.Verify(r.Signed, s.Clock.Now(), profile.KeyNamed)
	}
	if err != nil {
		return agent, profile, err
	}
	agent.Verified, agent.Key = true, key.Public.Thumbprint()
	return agent, profile, nil
}
