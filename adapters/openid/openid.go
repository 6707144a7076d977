// Package openid signs people in at an OpenID Connect provider, using the authorization code flow with PKCE. It does not know
// members: it returns the identity that the provider asserts.
//
// go-oidc verifies an ID token's signature, by an asymmetric algorithm that the provider announces (never none or HMAC), its
// issuer, audience and expiry. This package verifies the rest: the nonce and the authorized party.
package openid

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Config is the registration of this server at the provider.
type Config struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	Name         string        // the provider's name for members; "": the issuer's host
	Redirect     func() string // the exact redirect URI that is registered there
	// Elsewhere is the client for hosts that only the provider's documents name. The operator chooses the issuer's own host,
	// which may be in a private network.
	Elsewhere *http.Client
	Clock     ports.Clock
	Log       *slog.Logger
}

const (
	// timeout is how long a step of a sign-in waits for the provider in all.
	timeout = 8 * time.Second
	// places is how many sign-ins may wait for the provider concurrently.
	places = 16
	// fresh is how long the provider's metadata are used before they are fetched again.
	fresh = time.Hour
)

// Provider is a ports.IdentityProvider. It fetches the provider's metadata when they are first needed.
type Provider struct {
	Config
	client *http.Client
	places chan struct{}

	mu    sync.Mutex
	known *metadata // nil: not fetched yet
}

var _ ports.IdentityProvider = (*Provider)(nil)

// metadata are the provider's metadata (OpenID Connect Discovery 1.0, section 3).
type metadata struct {
	*oidc.Provider
	keys    *oidc.RemoteKeySet
	fetched time.Time
	said    struct {
		Keys        string   `json:"jwks_uri"`
		AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
		Algorithms  []string `json:"id_token_signing_alg_values_supported"`
	}
}

// New returns a provider. It does not connect yet.
func New(c Config) *Provider {
	host := ""
	if u, err := url.Parse(c.Issuer); err == nil {
		host = u.Host
	}
	c.Name = cmp.Or(c.Name, host)
	return &Provider{
		Config: c,
		client: clientFor(host, c.Elsewhere),
		places: make(chan struct{}, places),
	}
}

// Name implements ports.IdentityProvider.
func (p *Provider) Name() string { return p.Config.Name }

// Issuer implements ports.IdentityProvider.
func (p *Provider) Issuer() string { return p.Config.Issuer }

// Address implements ports.IdentityProvider.
func (p *Provider) Address(ctx ports.Outbound, c ports.Challenge) (address string, err error) {
	err = p.within(ctx, func(ctx context.Context) error {
		known, err := p.metadata(ctx)
		if err != nil {
			return err
		}
		address = p.oauth(known).AuthCodeURL(c.State, oidc.Nonce(c.Nonce), oauth2.S256ChallengeOption(c.Verifier))
		return nil
	})
	return address, err
}

// Vouch implements ports.IdentityProvider.
func (p *Provider) Vouch(ctx ports.Outbound, c ports.Challenge, code string) (person member.Vouched, err error) {
	err = p.within(ctx, func(ctx context.Context) error {
		known, err := p.metadata(ctx)
		if err != nil {
			return err
		}
		tokens, err := p.oauth(known).Exchange(ctx, code, oauth2.VerifierOption(c.Verifier))
		if err != nil {
			return exchangeFailed(err)
		}
		raw, _ := tokens.Extra("id_token").(string)
		person, err = p.verify(ctx, known, raw, c.Nonce)
		if err == nil && person.Email == "" && known.UserInfoEndpoint() != "" {
			err = complete(ctx, known, tokens, &person)
		}
		return err
	})
	if err != nil {
		return member.Vouched{}, err
	}
	return person, nil
}

// oauth returns this server's OAuth client at the provider.
func (p *Provider) oauth(known *metadata) *oauth2.Config {
	endpoint := known.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader // the default (OpenID Connect Discovery 1.0, section 3)
	methods := known.said.AuthMethods
	if len(methods) > 0 && !slices.Contains(methods, "client_secret_basic") && slices.Contains(methods, "client_secret_post") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID:     p.ClientID,
		ClientSecret: p.ClientSecret,
		Endpoint:     endpoint,
		RedirectURL:  p.Redirect(),
		Scopes:       []string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile},
	}
}

// errUnreachable means that the provider did not answer, or not as an OpenID provider.
var errUnreachable = errors.New("the provider does not answer")

// within runs a step of a sign-in that waits for the provider, and converts its error to a fault.
func (p *Provider) within(ctx ports.Outbound, step func(context.Context) error) error {
	select {
	case p.places <- struct{}{}:
		defer func() { <-p.places }()
	default:
		return p.unavailable()
	}
	ctx, cancel := ctx.WithTimeout(timeout)
	defer cancel()
	err := step(oidc.ClientContext(ctx, p.client))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errUnreachable):
		p.Log.WarnContext(ctx, "the OpenID Connect provider does not answer as it should", "issuer", p.Config.Issuer, "error", brief(err))
		return p.unavailable()
	}
	p.Log.WarnContext(ctx, "a sign-in by the OpenID Connect provider was refused", "issuer", p.Config.Issuer, "error", brief(err))
	return fault.New(fault.Unauthenticated, "sign_in_refused", p.Name()+" did not sign you in. Start again, or sign in with your password.")
}

// brief returns the beginning of an error, which may quote a response of the provider.
func brief(err error) string {
	const most = 300
	text := err.Error()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func (p *Provider) unavailable() error {
	return fault.New(fault.Unavailable, "provider_unavailable",
		p.Name()+" does not answer at the moment. Sign in with your password, or try again later.").After(10 * time.Second)
}

// metadata returns the metadata fetched in the last hour, or older ones if the provider does not answer. No caller waits for
// another's fetch.
func (p *Provider) metadata(ctx context.Context) (*metadata, error) {
	p.mu.Lock()
	known := p.known
	p.mu.Unlock()
	now := p.Clock.Now()
	if known != nil && now.Sub(known.fetched) < fresh {
		return known, nil
	}
	fetched, err := p.discover(ctx)
	if err != nil {
		if known != nil {
			return known, nil
		}
		return nil, err
	}
	fetched.fetched = now
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = fetched
	return fetched, nil
}

// discover fetches the metadata, whose issuer must be the configured one exactly (OpenID Connect Discovery 1.0, section 4.3).
func (p *Provider) discover(ctx context.Context) (*metadata, error) {
	// Use half of the time only, because old metadata are good enough if these do not arrive.
	soon, cancel := context.WithTimeout(ctx, timeout/2)
	defer cancel()
	found, err := oidc.NewProvider(soon, p.Config.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	m := &metadata{Provider: found}
	if err := found.Claims(&m.said); err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	addresses := []string{found.Endpoint().AuthURL, found.Endpoint().TokenURL, m.said.Keys}
	if info := found.UserInfoEndpoint(); info != "" {
		addresses = append(addresses, info)
	}
	for _, address := range addresses {
		if !p.speaksTo(address) {
			return nil, fmt.Errorf("%w: its metadata name the address %q", errUnreachable, address)
		}
	}
	m.keys = oidc.NewRemoteKeySet(ctx, m.said.Keys)
	return m, nil
}

// speaksTo reports whether a URL of the metadata may be used: it must be https unless the issuer itself is not.
func (p *Provider) speaksTo(address string) bool {
	issuer, err := url.Parse(p.Config.Issuer)
	u, malformed := url.Parse(address)
	return err == nil && malformed == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && issuer.Scheme == "http")
}

// exchangeFailed distinguishes a code that the provider refuses from a provider that does not answer.
func exchangeFailed(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError {
		// The provider's response body is not logged.
		return fmt.Errorf("the token endpoint answered %d %s", refused.Response.StatusCode, refused.ErrorCode)
	}
	if refused != nil {
		return fmt.Errorf("%w: the token endpoint answered %d", errUnreachable, refused.Response.StatusCode)
	}
	return fmt.Errorf("%w: %w", errUnreachable, err)
}

// same compares secrets in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
