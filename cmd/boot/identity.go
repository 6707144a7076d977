package boot

import (
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/adapters/agentprofiles"
	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/ports"
)

// sandboxAgents are the agents' profiles that every sandbox knows, with their UCP release. They support every capability.
var sandboxAgents = map[string]capability.Version{
	"https://haggle.invalid/agent":            capability.V20260825,
	"https://haggle.invalid/2026-04-08/agent": capability.V20260408,
}

// sandboxAuthority is the reversed host of a sandbox that has no domain.
const sandboxAuthority = "com.haggle"

// authority returns the configured prefix of our own capability's name, or else the reversed host of the public URL.
func (c Config) authority() string {
	if c.UCPAuthority != "" {
		return c.UCPAuthority
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil || !isHTTPS(c.PublicURL) {
		return sandboxAuthority
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return sandboxAuthority
	}
	authority, ok := capability.Authority(u.Hostname())
	if !ok {
		return sandboxAuthority
	}
	return authority
}

// negotiation returns the name of our own capability.
func (c Config) negotiation() capability.Name {
	name, _ := capability.Negotiation(c.authority()) // Check has validated it
	return name
}

// agentRules returns the rules for addresses of agents' profiles.
func (c Config) agentRules() agentid.Rules { return agentid.Rules{AllowLoopback: c.AllowLoopback} }

// knownAgents returns the profiles that are never fetched: those of HAGGLE_UCP_PLATFORMS, which take precedence, and the
// sandbox's.
func (c Config) knownAgents() (map[string]agentid.Profile, error) {
	known := map[string]agentid.Profile{}
	if c.UCPPlatforms != "" {
		var err error
		if known, err = agentprofiles.ReadKnown(c.UCPPlatforms, c.agentRules()); err != nil {
			return nil, fmt.Errorf("HAGGLE_UCP_PLATFORMS: %w", err)
		}
	}
	if c.Env != account.Sandbox.String() {
		return known, nil
	}
	for address, release := range sandboxAgents {
		if _, there := known[address]; !there {
			known[address] = agentid.Profile{URL: address, Declares: capability.Served(release, c.negotiation())}
		}
	}
	return known, nil
}

// openIdentity creates the service that identifies agents. It does not fetch the profiles in known.
func (c Config) openIdentity(known map[string]agentid.Profile, keys ports.AgentKeys, clock ports.Clock, log *slog.Logger) (*identity.Service, *agentprofiles.Profiles) {
	profiles := agentprofiles.New(agentprofiles.Config{
		Client:    delivery.SafeClient(c.AllowLoopback),
		UserAgent: "Haggle/" + Version,
		Addresses: delivery.Addresses{AllowLoopback: c.AllowLoopback},
		Known:     known,
		Trusting:  c.AllowLoopback,
		Unlimited: c.ProfilesUnlimited,
		Now:       time.Now,
		Log:       log,
	})
	return &identity.Service{
		Profiles:   profiles,
		Signatures: httpsig.Requests{},
		Keys:       keys,
		Rules:      c.agentRules(),
		Clock:      clock,
	}, profiles
}
