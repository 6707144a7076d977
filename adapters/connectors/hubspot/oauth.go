package hubspot

import (
	"cmp"
	"context"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// defaultTokenLife is the life of an access token in seconds, if HubSpot does not say.
const defaultTokenLife = 1800

// app is an OAuth app that is registered with HubSpot.
type app struct {
	id, secret, consent, token string
	deals                      bool // the app has the optional scopes
}

// scopes are those of the objects that are read, and oauth, which every app has.
var scopes = []string{"oauth", "crm.objects.contacts.read", "crm.objects.deals.read"}

// scopesToWrite are needed to write deals and to create their property. Consent requests optionalScopes in addition: an account that
// does not grant them is connected without them ("Optional scopes will be automatically dropped from the authorization request if the
// user selects a HubSpot account that does not have access to that tool", docs/api/working-with-oauth). Consent requests them only if
// the app has them, because HubSpot shows an error for other scopes ("a mismatch between the scopes in the install URL and the app's
// configured scopes", as in github.com/PipedreamHQ/pipedream/issues/15124; both read on 29 November 2026).
var (
	scopesToWrite  = []string{"crm.objects.deals.write", "crm.schemas.deals.write"}
	optionalScopes = append([]string{"crm.objects.contacts.write"}, scopesToWrite...)
)

func (a app) config(redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID:     a.id,
		ClientSecret: a.secret,
		RedirectURL:  redirect,
		Scopes:       scopes,
		Endpoint: oauth2.Endpoint{
			AuthURL:   a.consent,
			TokenURL:  a.token,
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

// Consent returns the address where a user chooses an account and consents.
func (s *Connector) Consent(c ports.Consent) (string, error) {
	var options []oauth2.AuthCodeOption
	if c.Verifier != "" {
		options = append(options, oauth2.S256ChallengeOption(c.Verifier))
	}
	if s.app.deals {
		options = append(options, oauth2.SetAuthURLParam("optional_scope", strings.Join(optionalScopes, " ")))
	}
	return s.app.config(c.RedirectURI).AuthCodeURL(c.State, options...), nil
}

// NeedsStore returns false, because the user chooses the account at HubSpot.
func (*Connector) NeedsStore() bool { return false }

// CheckCallback accepts every callback, because HubSpot signs none.
func (*Connector) CheckCallback(ports.CodeGrant) error { return nil }

// Exchange exchanges an authorization code for tokens.
func (s *Connector) Exchange(ctx ports.Outbound, g ports.CodeGrant) (integration.Credentials, error) {
	var options []oauth2.AuthCodeOption
	if g.Verifier != "" {
		options = append(options, oauth2.VerifierOption(g.Verifier))
	}
	return s.credentials(s.platform.Token(ctx, func(ctx context.Context) (*oauth2.Token, error) {
		return s.app.config(g.RedirectURI).Exchange(ctx, g.Code, options...)
	}))
}

// Refresh exchanges a refresh token, which stays valid unless HubSpot sends a new one.
func (s *Connector) Refresh(ctx ports.Outbound, c ports.Connection) (integration.Credentials, error) {
	if c.Credentials.Refresh == "" {
		return integration.Credentials{}, ports.ErrCredentialsRefused
	}
	return s.credentials(s.platform.Token(ctx, func(ctx context.Context) (*oauth2.Token, error) {
		return s.app.config("").TokenSource(ctx, &oauth2.Token{RefreshToken: c.Credentials.Refresh}).Token()
	}))
}

func (s *Connector) credentials(t *oauth2.Token, err error) (integration.Credentials, error) {
	if err != nil {
		return integration.Credentials{}, err
	}
	life := time.Duration(cmp.Or(max(t.ExpiresIn, 0), defaultTokenLife)) * time.Second
	return integration.Credentials{
		Key:     t.AccessToken,
		Refresh: t.RefreshToken,
		Expires: s.clock.Now().Add(life),
	}, nil
}
