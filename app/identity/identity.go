// Package identity identifies the agent that sends a request over the Universal Commerce Protocol: its profile, whether a
// signature or an agent key proves that the profile is its own, and the capabilities that are active.
// It reads no headers; protocol adapters parse them and pass a Request.
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

// Service identifies agents.
type Service struct {
	Profiles   ports.AgentProfiles
	Signatures ports.RequestSignatures
	Keys       ports.AgentKeys
	Rules      agentid.Rules
	Clock      ports.Clock
}

// Request has the claims of a request about its sender, and the requirements of its operation.
type Request struct {
	Profile string              // the claimed URL of the agent's profile; "": none, or unreadable
	Signed  ports.SignedRequest // the request as it was sent
	Shop    id.Project          // that it is sent to
	Key     string              // the secret of the agent key that it is sent with; "": none
	Asker   string              // the client to whose rate limit a fetch of the profile counts

	// Business lists the shop's capabilities by release of the protocol, the current release first.
	Business []capability.Set
	// Needs is the capability that the operation belongs to; the zero Name: none.
	Needs capability.Name
	// MustSign refuses requests that are neither signed nor sent with a key.
	MustSign bool
	// Anonymous serves requests without a profile, as if the agent had all capabilities of the shop's current release.
	Anonymous bool
}

// Caller is an identified sender.
type Caller struct {
	Agent   agentid.Agent   // zero: anonymous
	Profile agentid.Profile // zero: anonymous. It is shared and must not be changed
	Active  capability.Active
}

// Identify returns the sender of a request. It sends at most two requests to third parties, of at most three seconds each.
// Faults, by the protocol's codes:
//
//	invalid_profile_url        Malformed        no profile, or no URL that could be one
//	profile_unreachable        Unfulfilled      it cannot be fetched
//	profile_malformed          Invalid          it breaks its schema
//	version_unsupported        Invalid          the shop does not support its release
//	agent_key_invalid          Unauthenticated  the shop has no such key, it is revoked, or it is for another profile
//	signature_missing          Unauthenticated  the operation requires a signature
//	signature_invalid          Unauthenticated
//	key_not_found              Unauthenticated
//	digest_mismatch            Malformed
//	algorithm_unsupported      Malformed
//	capabilities_incompatible  Invalid          a needed capability is not shared; protocols return it as a result
//	overloaded                 Unavailable      too many profiles are being fetched
//
// A request with a signature or a key is never treated as one without. If it has both, both must be valid and for the same
// profile.
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
		if agent, profile, err = s.verifySignature(ctx, r, agent, profile); err != nil {
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

// profileOf returns the profile that the request's key is for. It refuses a request that names another one.
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

// CheckKey returns the id of an agent key, or agent_key_invalid if the shop has no such key or it is revoked. It is for
// requests that clients without an agent profile may send, too.
func (s *Service) CheckKey(ctx context.Context, shop id.Project, secret string) (id.AgentKey, error) {
	key, err := s.key(ctx, shop, secret)
	if err != nil {
		return id.AgentKey{}, err
	}
	return key.ID, nil
}

// key returns the shop's agent key with that secret.
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

// signed reports whether the request is signed. It refuses a request that must be signed and has neither signature nor key.
func (s *Service) signed(r Request) (bool, error) {
	signed, err := s.Signatures.Signed(r.Signed)
	if err == nil && !signed && r.MustSign && r.Key == "" {
		err = fault.New(fault.Unauthenticated, "signature_missing", "The request must be signed by a key of the agent's profile (RFC 9421), or sent with an agent key of the shop.")
	}
	return signed, err
}

// anonymous returns the caller of a request without a profile. Such a request cannot be signed, because the key would be in
// the profile.
func (s *Service) anonymous(r Request) (Caller, error) {
	signed, err := s.signed(r)
	switch {
	case err != nil:
		return Caller{}, err
	case signed:
		return Caller{}, fault.New(fault.Unauthenticated, "key_not_found", "The request is signed but names no profile with the key.")
	}
	if len(r.Business) == 0 {
		return Caller{}, fault.New(fault.Invalid, capability.Incompatible, "This business has no capabilities.")
	}
	active, err := capability.Intersect(r.Business[0], r.Business[0])
	if err == nil && r.Needs != (capability.Name{}) {
		err = active.Need(r.Needs)
	}
	return Caller{Active: active}, err
}

// verifySignature verifies that the request is signed by a key of the profile. If the key is not in the profile, it fetches
// the profile again, whose release may have changed.
func (s *Service) verifySignature(ctx ports.Outbound, r Request, agent agentid.Agent, profile agentid.Profile) (agentid.Agent, agentid.Profile, error) {
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
