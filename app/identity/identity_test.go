package identity_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	address = "https://agent.example/profile.json"
	older   = "https://agent.example/2026-04-08.json"
	future  = "https://agent.example/2027-01-01.json"
	bare    = "https://agent.example/bare.json"
	broken  = "https://agent.example/broken.json"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// fixture implements the ports of the service: profiles by address, and signatures that are headers "Signature: KEY".
type fixture struct {
	profiles map[string]agentid.Profile
	renewed  map[string]agentid.Profile
	calls    []string

	ports.AgentKeys
	keys map[[32]byte]*agentkey.Key
}

var (
	shop, otherShop = id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2})

	laptop  = "hak_test_" + strings.Repeat("a", 32) // for the profile at address
	revoked = "hak_test_" + strings.Repeat("b", 32)
	lost    = "hak_test_" + strings.Repeat("c", 32) // for a profile that cannot be fetched
	unknown = "hak_test_" + strings.Repeat("d", 32)
	failing = "hak_test_" + strings.Repeat("e", 32) // the store fails
)

func (s *fixture) ByHash(_ context.Context, project id.Project, hash [32]byte) (*agentkey.Key, error) {
	s.calls = append(s.calls, "key")
	k, ok := s.keys[hash]
	switch {
	case ok && k == nil:
		return nil, fault.New(fault.Unavailable, "storage_unavailable", "")
	case !ok || k.Project != project:
		return nil, fault.Missing("agent_key")
	}
	return k, nil
}

func (s *fixture) Now() time.Time { return noon }

func (s *fixture) Profile(_ ports.Outbound, url, _ string) (agentid.Profile, error) {
	s.calls = append(s.calls, "profile")
	p, ok := s.profiles[url]
	if !ok {
		return agentid.Profile{}, fault.New(fault.Unfulfilled, "profile_unreachable", "")
	}
	return p, nil
}

func (s *fixture) Renew(_ ports.Outbound, url, _ string) (agentid.Profile, error) {
	s.calls = append(s.calls, "renew")
	if p, ok := s.renewed[url]; ok {
		return p, nil
	}
	return s.profiles[url], nil
}

func (s *fixture) Signed(r ports.SignedRequest) (bool, error) {
	s.calls = append(s.calls, "signed")
	if len(r.Body) > 0 {
		return true, fault.New(fault.Malformed, "digest_mismatch", "")
	}
	return len(r.Header["Signature"]) > 0, nil
}

func (s *fixture) Verify(r ports.SignedRequest, now time.Time, find func(string) (agentid.Key, bool)) (agentid.Key, error) {
	s.calls = append(s.calls, "verify")
	if !now.Equal(noon) {
		return agentid.Key{}, errors.New("another time")
	}
	key, ok := find(r.Header["Signature"][0])
	switch {
	case !ok:
		return key, fault.New(fault.Unauthenticated, "key_not_found", "")
	case key.ID == "bad":
		return agentid.Key{}, fault.New(fault.Unauthenticated, "signature_invalid", "")
	}
	return key, nil
}

func key(id string, n byte) agentid.Key {
	return agentid.Key{
		ID:     id,
		Public: signing.Ed25519{n},
		Signs:  true,
	}
}

func newFixture() (*fixture, *identity.Service) {
	declares := func(release capability.Version, names ...capability.Name) agentid.Profile {
		p := agentid.Profile{
			Declares: capability.Set{Release: release},
			Keys:     []agentid.Key{key("k", 1), key("bad", 2)},
		}
		for _, n := range names {
			p.Declares.Capabilities = append(p.Declares.Capabilities, capability.Declared{Name: n, Version: release})
		}
		return p
	}
	later, _ := capability.ParseVersion("2027-01-01")
	s := &fixture{renewed: map[string]agentid.Profile{}, profiles: map[string]agentid.Profile{
		address: declares(capability.V20260825, capability.Cart, capability.Checkout, capability.Discount),
		older:   declares(capability.V20260408, capability.Checkout),
		future:  declares(later),
		bare:    declares(capability.V20260825),
	}}
	s.keys = map[[32]byte]*agentkey.Key{}
	for secret, profile := range map[string]string{
		laptop:  address,
		revoked: address,
		lost:    broken,
	} {
		k := agentkey.New(id.AgentKey{}, shop, agentkey.Draft{Profile: profile}, secret, noon)
		s.keys[k.Hash] = k
		if secret == revoked {
			k.RevokedAt = &noon
		}
	}
	hash, _ := agentkey.Hash(failing)
	s.keys[hash] = nil
	return s, &identity.Service{
		Profiles:   s,
		Signatures: s,
		Keys:       s,
		Clock:      s,
	}
}

var business = []capability.Set{
	capability.Served(capability.V20260825, capability.Name{}),
	capability.Served(capability.V20260408, capability.Name{}),
}

func signedBy(kid string) ports.SignedRequest {
	return ports.SignedRequest{Header: map[string][]string{"Signature": {kid}}}
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request identity.Request
		agent   agentid.Agent
		release capability.Version
		active  int
		calls   string
	}{
		"unsigned":        {identity.Request{Profile: address}, agentid.Agent{Profile: address}, capability.V20260825, 3, "signed profile"},
		"unsigned, older": {identity.Request{Profile: older, Needs: capability.Checkout}, agentid.Agent{Profile: older}, capability.V20260408, 1, "signed profile"},
		"signed": {identity.Request{Profile: address, Signed: signedBy("k")}, agentid.Agent{
			Profile:  address,
			Verified: true,
			Key:      signing.Ed25519{1}.Thumbprint(),
		}, capability.V20260825, 3, "signed profile verify"},
		"signed, as it must be": {identity.Request{
			Profile:  older,
			Signed:   signedBy("k"),
			MustSign: true,
		}, agentid.Agent{
			Profile:  older,
			Verified: true,
			Key:      signing.Ed25519{1}.Thumbprint(),
		}, capability.V20260408, 1, "signed profile verify"},
		"signed by a new key": {identity.Request{Profile: address, Signed: signedBy("new")}, agentid.Agent{
			Profile:  address,
			Verified: true,
			Key:      signing.Ed25519{3}.Thumbprint(),
		}, capability.V20260825, 1, "signed profile verify renew verify"},
		"anonymous":            {identity.Request{Anonymous: true, Needs: capability.Order}, agentid.Agent{}, capability.V20260825, 7, "signed"},
		"not anonymous at all": {identity.Request{Anonymous: true, Profile: older}, agentid.Agent{Profile: older}, capability.V20260408, 1, "signed profile"},
	} {
		fixture, service := newFixture()
		changed := fixture.profiles[bare]
		changed.Keys = []agentid.Key{key("new", 3)}
		changed.Declares.Capabilities = fixture.profiles[address].Declares.Capabilities[:1]
		fixture.renewed[address] = changed
		test.request.Business = business
		got, err := service.Identify(ports.NewOutbound(t.Context()), test.request)
		if err != nil || got.Agent != test.agent || got.Active.Release() != test.release || len(got.Active.All()) != test.active {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if calls := strings.Join(fixture.calls, " "); calls != test.calls {
			t.Errorf("%s: %s, want %s", name, calls, test.calls)
		}
		if said := got.Agent.Said(); said != (len(got.Profile.Keys) > 0) {
			t.Errorf("%s: the profile is %+v", name, got.Profile)
		}
	}
}

// Identify refuses invalid requests before it makes calls that cost more.
func TestIdentify_refuses(t *testing.T) {
	t.Parallel()
	body := signedBy("k")
	body.Body = []byte("{}")
	for name, test := range map[string]struct {
		request identity.Request
		code    string
		kind    fault.Kind
		calls   string
	}{
		"no profile":                {identity.Request{}, "invalid_profile_url", fault.Malformed, ""},
		"not https":                 {identity.Request{Profile: "http://agent.example/"}, "invalid_profile_url", fault.Malformed, ""},
		"loopback":                  {identity.Request{Profile: "http://127.0.0.1/"}, "invalid_profile_url", fault.Malformed, ""},
		"no URL, not anonymous":     {identity.Request{Profile: "me", Anonymous: true}, "invalid_profile_url", fault.Malformed, ""},
		"unreachable":               {identity.Request{Profile: broken}, "profile_unreachable", fault.Unfulfilled, "signed profile"},
		"unsigned where it must be": {identity.Request{Profile: address, MustSign: true}, "signature_missing", fault.Unauthenticated, "signed"},
		"a wrong digest":            {identity.Request{Profile: address, Signed: body}, "digest_mismatch", fault.Malformed, "signed"},
		"another release":           {identity.Request{Profile: future, Signed: signedBy("k")}, "version_unsupported", fault.Invalid, "signed profile"},
		"a bad signature":           {identity.Request{Profile: address, Signed: signedBy("bad")}, "signature_invalid", fault.Unauthenticated, "signed profile verify"},
		"a foreign key":             {identity.Request{Profile: address, Signed: signedBy("x")}, "key_not_found", fault.Unauthenticated, "signed profile verify renew verify"},
		"nothing in common":         {identity.Request{Profile: bare}, "capabilities_incompatible", fault.Invalid, "signed profile"},
		"not what is needed":        {identity.Request{Profile: address, Needs: capability.Order}, "capabilities_incompatible", fault.Invalid, "signed profile"},
		"anonymous, must be signed": {identity.Request{Anonymous: true, MustSign: true}, "signature_missing", fault.Unauthenticated, "signed"},
		"anonymous, but signed":     {identity.Request{Anonymous: true, Signed: signedBy("k")}, "key_not_found", fault.Unauthenticated, "signed"},
		"anonymous, wrong digest":   {identity.Request{Anonymous: true, Signed: body}, "digest_mismatch", fault.Malformed, "signed"},
	} {
		fixture, service := newFixture()
		test.request.Business = business
		got, err := service.Identify(ports.NewOutbound(t.Context()), test.request)
		if !fault.Is(err, test.code) || fault.KindOf(err) != test.kind || got.Agent != (agentid.Agent{}) || len(got.Active.All()) > 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if calls := strings.Join(fixture.calls, " "); calls != test.calls {
			t.Errorf("%s: %s, want %s", name, calls, test.calls)
		}
	}
}

// A profile that is fetched again for an unknown key may have another release.
func TestIdentify_releaseChanges(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]string{older: "", future: "version_unsupported"} {
		fixture, service := newFixture()
		changed := fixture.profiles[release]
		changed.Keys = []agentid.Key{key("new", 3)}
		fixture.renewed[address] = changed
		got, err := service.Identify(ports.NewOutbound(t.Context()), identity.Request{
			Profile:  address,
			Signed:   signedBy("new"),
			Business: business,
		})
		if want != "" && !fault.Is(err, want) || want == "" && (err != nil || got.Active.Release() != capability.V20260408) {
			t.Errorf("%s: %+v, %v", release, got, err)
		}
	}
}

// A request with a key counts as signed for the key's profile, whether it names that profile or none.
func TestIdentify_key(t *testing.T) {
	t.Parallel()
	verified := agentid.Agent{Profile: address, Verified: true}
	proved := verified
	proved.Key = signing.Ed25519{1}.Thumbprint()
	for name, test := range map[string]struct {
		request identity.Request
		agent   agentid.Agent
		code    string
		calls   string
	}{
		"without a profile":       {identity.Request{Key: laptop}, verified, "", "key signed profile"},
		"of a plain client":       {identity.Request{Key: laptop, Anonymous: true}, verified, "", "key signed profile"},
		"with its profile":        {identity.Request{Key: laptop, Profile: address}, verified, "", "key signed profile"},
		"where it must be signed": {identity.Request{Key: laptop, MustSign: true}, verified, "", "key signed profile"},
		"signed, too":             {identity.Request{Key: laptop, Signed: signedBy("k")}, proved, "", "key signed profile verify"},
		"with another profile":    {identity.Request{Key: laptop, Profile: older}, agentid.Agent{}, "agent_key_invalid", "key"},
		"signed for another profile": {identity.Request{
			Key:     laptop,
			Profile: older,
			Signed:  signedBy("k"),
		}, agentid.Agent{}, "agent_key_invalid", "key"},
		"badly signed, too": {identity.Request{Key: laptop, Signed: signedBy("bad")}, agentid.Agent{}, "signature_invalid", "key signed profile verify"},
		"an unknown one, well signed": {identity.Request{
			Key:     unknown,
			Profile: address,
			Signed:  signedBy("k"),
		}, agentid.Agent{}, "agent_key_invalid", "key"},
		"an unknown one":             {identity.Request{Key: unknown, Profile: address}, agentid.Agent{}, "agent_key_invalid", "key"},
		"of a plain client, unknown": {identity.Request{Key: unknown, Anonymous: true}, agentid.Agent{}, "agent_key_invalid", "key"},
		"what cannot be one":         {identity.Request{Key: "hak_", Anonymous: true}, agentid.Agent{}, "agent_key_invalid", ""},
		"a revoked one":              {identity.Request{Key: revoked, Anonymous: true}, agentid.Agent{}, "agent_key_invalid", "key"},
		"another shop's":             {identity.Request{Key: laptop, Shop: otherShop}, agentid.Agent{}, "agent_key_invalid", "key"},
		"its profile is unreachable": {identity.Request{Key: lost, Anonymous: true}, agentid.Agent{}, "profile_unreachable", "key signed profile"},
		"the store fails":            {identity.Request{Key: failing, Anonymous: true}, agentid.Agent{}, "storage_unavailable", "key"},
		"not what is needed":         {identity.Request{Key: laptop, Needs: capability.Order}, agentid.Agent{}, "capabilities_incompatible", "key signed profile"},
	} {
		fixture, service := newFixture()
		test.request.Business = business
		if test.request.Shop.IsZero() {
			test.request.Shop = shop
		}
		got, err := service.Identify(ports.NewOutbound(t.Context()), test.request)
		if got.Agent != test.agent || test.code == "" && err != nil || test.code != "" && !fault.Is(err, test.code) {
			t.Errorf("%s: %+v, %v", name, got.Agent, err)
		}
		if test.code == "agent_key_invalid" && fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
		if calls := strings.Join(fixture.calls, " "); calls != test.calls {
			t.Errorf("%s: %s, want %s", name, calls, test.calls)
		}
	}
}
