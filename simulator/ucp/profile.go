package ucp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// negotiationProtocol is the config value by which the negotiation capability is recognized, under any name.
const negotiationProtocol = "haggle-negotiation/1"

// Profile is a shop's profile.
type Profile struct {
	UCP struct {
		Version           string               `json:"version"`
		SupportedVersions map[string]string    `json:"supported_versions"`
		Services          map[string][]Service `json:"services"`
		Capabilities      map[string][]struct {
			Version string          `json:"version"`
			Schema  string          `json:"schema"`
			Config  json.RawMessage `json:"config"`
		} `json:"capabilities"`
		PaymentHandlers map[string][]Handler `json:"payment_handlers"`
	} `json:"ucp"`
	Keys        []JWK `json:"keys"`
	SigningKeys []JWK `json:"signing_keys"` // 2026-04-08
}

// Service is one transport of a service.
type Service struct {
	Version   string    `json:"version"`
	Transport Transport `json:"transport"`
	Endpoint  string    `json:"endpoint"`
}

// JWK is a public key.
type JWK struct {
	Kid string `json:"kid"`
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	X   string `json:"x"`
	Y   string `json:"y"`
	Alg string `json:"alg"`
	Use string `json:"use"`
}

// Negotiation returns the name of the negotiation capability, or "" if the shop has none.
func (p Profile) Negotiation() string {
	for name, entries := range p.UCP.Capabilities {
		for _, entry := range entries {
			var config struct {
				Protocol string `json:"protocol"`
			}
			if json.Unmarshal(entry.Config, &config) == nil && config.Protocol == negotiationProtocol {
				return name
			}
		}
	}
	return ""
}

// endpoint returns the path of a service over a transport, or "" if there is none.
func (p Profile) endpoint(service string, transport Transport) string {
	for _, entry := range p.UCP.Services[service] {
		if address, err := url.Parse(entry.Endpoint); err == nil && entry.Transport == transport {
			return strings.TrimSuffix(address.EscapedPath(), "/")
		}
	}
	return ""
}

// ProfilePath returns the path of a shop's profile.
func ProfilePath(shop string, version schema.Version) string {
	base := "/p/" + url.PathEscape(shop)
	if version != schema.V20260825 {
		base += "/" + string(version)
	}
	return base + "/.well-known/ucp"
}

func (c *Client) discover(ctx context.Context) error {
	done := Call{Operation: judge.BusinessProfile, At: time.Now()}
	raw, err := c.config.Connection.Do(ctx, exchange.Request{Method: http.MethodGet, Path: ProfilePath(c.config.Shop, c.config.Version)})
	done.Raw, done.Answer = raw, raw.Body
	switch {
	case err != nil:
	case raw.Status != http.StatusOK:
		err = transportError(raw)
	default:
		done.Wrong = c.config.Judge.Answer(judge.BusinessProfile, nil, raw.Body)
		c.report(judge.BusinessProfile, raw, done.Wrong)
		err = json.Unmarshal(raw.Body, &c.Profile)
	}
	done.Err = err
	if err == nil {
		done.Response = c.Profile
	}
	for _, observe := range c.config.Observers {
		observe(done)
	}
	if err != nil {
		return err
	}
	c.endpoint = c.Profile.endpoint("dev.ucp.shopping", c.config.Transport)
	if c.endpoint == "" {
		return fmt.Errorf("the profile has no shopping service over %s", c.config.Transport)
	}
	c.deals = c.endpoint
	if service, isCapability := strings.CutSuffix(c.Profile.Negotiation(), ".quote"); isCapability {
		if own := c.Profile.endpoint(service, c.config.Transport); own != "" {
			c.deals = own
		}
	}
	return nil
}
