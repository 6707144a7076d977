package shopify

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// Offline access tokens as documented by shopify.dev (About offline access tokens, read 2026-11-28). With expiring=1 a
// code is exchanged for an access token of an hour and a refresh token of 90 days, and the shop's earlier expiring tokens
// are revoked. Without, the token never expires, and the Admin API refuses it to public apps (at once if created from
// 2026-04-01, all others from 2027-01-01). A refresh returns a new pair. A used refresh token may be used again until its
// replacement is, within 30 days of its first use (changelog of 2026-08-28, More resilient refreshes for expiring offline
// access tokens).
const (
	refreshLife = 90 * 24 * time.Hour
	retryLife   = 30 * 24 * time.Hour
)

// nonExpiring is the Admin API's error with status 403, as quoted in chatwoot/chatwoot#14462 (2026-05-14).
const nonExpiring = "[API] Non-expiring access tokens are no longer accepted for the Admin API. Start using expiring offline tokens: " +
	"https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/offline-access-tokens#expiring-vs-non-expiring-offline-tokens"

// access is the data of an access token.
type access struct {
	scopes  []string
	expires time.Time // zero: never
}

// renewal is the data of a refresh token.
type renewal struct {
	scope   string
	expires time.Time
	used    time.Time // first use; zero: never
	before  string    // the refresh token that it replaces
}

type tokenRequest struct {
	ID       string `json:"client_id"`
	Secret   string `json:"client_secret"`
	Code     string `json:"code"`
	Grant    string `json:"grant_type"`
	Refresh  string `json:"refresh_token"`
	Expiring any    `json:"expiring"`
}

func (r tokenRequest) expiring() bool {
	return r.Expiring == "1" || r.Expiring == 1. || r.Expiring == true
}

// token serves requests for tokens, as a form or as JSON.
func (s *Platform) token(c *host.Call) host.Answer {
	var asked tokenRequest
	if !host.ReadJSON(c.Content, &asked) {
		form, _ := url.ParseQuery(string(c.Content))
		asked = tokenRequest{form.Get("client_id"), form.Get("client_secret"), form.Get("code"), form.Get("grant_type"), form.Get("refresh_token"), form.Get("expiring")}
	}
	if asked.ID != s.Host.Config.ClientID || asked.Secret != s.Host.Config.ClientSecret {
		return refuseToken("invalid_client", "The client id or the client secret is wrong.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if asked.Grant == "refresh_token" {
		return s.renew(asked.Refresh)
	}
	made, good := s.Take(asked.Code, s.Host.Config.Now())
	if !good || made.Client != asked.ID {
		return refuseToken("invalid_request", "The authorization code was not found or was already used.")
	}
	if asked.expiring() {
		s.revokeExpiring()
		return s.issue(made.Scope, "")
	}
	token := "shpat_" + host.RandomText(24)
	s.tokens[token] = access{scopes: strings.Fields(made.Scope)}
	return host.OK(map[string]any{"access_token": token, "scope": strings.ReplaceAll(made.Scope, " ", ",")})
}

func refuseToken(code, text string) host.Answer {
	return host.Answer{Status: http.StatusBadRequest, Body: map[string]any{"error": code, "error_description": text}}
}

// renew returns a new pair for a refresh token. The texts of refusals are not documented. The caller must hold the lock.
func (s *Platform) renew(token string) host.Answer {
	now := s.Host.Config.Now()
	r := s.renewals[token]
	if r == nil || !now.Before(r.expires) || !r.used.IsZero() && now.Sub(r.used) > retryLife {
		return refuseToken("invalid_grant", "The refresh token is unknown, was replaced, or has expired.")
	}
	delete(s.renewals, r.before)
	if r.used.IsZero() {
		r.used = now
	}
	return s.issue(r.scope, token)
}

// issue returns a pair of tokens. The earlier access token ends: this is not documented beyond the rule that one expiring
// token is active at a time. The caller must hold the lock.
func (s *Platform) issue(scope, before string) host.Answer {
	now, life := s.Host.Config.Now(), s.Host.Config.ShopifyLife
	for token, held := range s.tokens {
		if !held.expires.IsZero() {
			delete(s.tokens, token)
		}
	}
	token, refresh := "shpat_"+host.RandomText(24), "shprt_"+host.RandomText(24)
	s.tokens[token] = access{strings.Fields(scope), now.Add(life)}
	s.renewals[refresh] = &renewal{
		scope:   scope,
		expires: now.Add(refreshLife),
		before:  before,
	}
	return host.OK(map[string]any{
		"access_token": token, "scope": strings.ReplaceAll(scope, " ", ","), "expires_in": int(life / time.Second),
		"refresh_token": refresh, "refresh_token_expires_in": int(refreshLife / time.Second),
	})
}

// revokeExpiring revokes all expiring tokens. The caller must hold the lock.
func (s *Platform) revokeExpiring() {
	clear(s.renewals)
	for token, held := range s.tokens {
		if !held.expires.IsZero() {
			delete(s.tokens, token)
		}
	}
}

// Revoke revokes all tokens, as when a merchant removes the app.
func (s *Platform) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
	clear(s.renewals)
}

// SetApp changes the kind of the app, as when one of Shopify's deadlines passes.
func (s *Platform) SetApp(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app = kind
}

// Expire expires the access tokens that can expire. They can be refreshed.
func (s *Platform) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for token, held := range s.tokens {
		if !held.expires.IsZero() {
			held.expires = s.Host.Config.Now()
			s.tokens[token] = held
		}
	}
}

// authenticate returns the scopes of the request's token, or a refusal.
func (s *Platform) authenticate(c *host.Call) (scopes []string, refused *host.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, known := s.tokens[c.Header.Get("X-Shopify-Access-Token")]
	var no host.Answer
	switch {
	case !known, !held.expires.IsZero() && !s.Host.Config.Now().Before(held.expires):
		no = s.Refuse(http.StatusUnauthorized, "[API] Invalid API key or access token (unrecognized login or wrong password)")
	case held.expires.IsZero() && s.app != host.CustomApp:
		no = s.Refuse(http.StatusForbidden, nonExpiring)
	default:
		return held.scopes, nil
	}
	return nil, &no
}

// scopes returns the scopes that the call's token was granted.
func (s *Platform) scopes(c *host.Call) ([]string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, known := s.tokens[c.Header.Get("X-Shopify-Access-Token")]
	return held.scopes, known
}
