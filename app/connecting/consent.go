package connecting

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	stateBytes    = 32 // random, as features/MANAGEMENT.md#integrations says
	verifierBytes = 32 // RFC 7636, section 4.1
	maxCode       = 4000
)

// Begin is a merchant's request to connect by OAuth.
type Begin struct {
	Type        integration.Type
	RedirectURI string
	Store       string // a shop's domain; "": StorePage asks for it
}

// Begun has the URL at which the merchant consents, and the state to return with within Life.
type Begun struct {
	URL   string
	State string
	Life  time.Duration
}

// Begin begins to connect an account by OAuth.
func (s *Service) Begin(ctx context.Context, account id.Account, p *project.Project, b Begin) (Begun, error) {
	store, err := b.check()
	if err != nil {
		return Begun{}, err
	}
	platform, err := s.oauthPlatform(b.Type)
	if err != nil {
		return Begun{}, err
	}
	state, verifier := s.Entropy.Secret(stateBytes), s.Entropy.Secret(verifierBytes)
	address, hash := s.StorePage()+"?"+url.Values{"state": {state}}.Encode(), hashOf(state)
	if store != "" || !platform.NeedsStore() {
		address, err = platform.Consent(ports.Consent{
			Store:       store,
			RedirectURI: s.CallbackURL(),
			State:       state,
			Verifier:    verifier,
		})
	}
	if err != nil {
		return Begun{}, platformFault(b.Type, err, "store_domain")
	}
	err = s.Authorizations.Begin(ctx, &integration.Authorization{
		State:       hash,
		Account:     account,
		Project:     p.ID,
		Type:        b.Type,
		RedirectURI: b.RedirectURI,
		Store:       store,
		Verifier:    s.Vault.Seal([]byte(verifier), verifierOf(hash)),
		CreatedAt:   s.Clock.Now(),
	})
	return Begun{address, state, integration.StateLife}, err
}

// check returns all that is wrong, or the shop's normalized domain.
func (b Begin) check() (string, error) {
	c := fault.NewCheck()
	c.That(b.Type.OAuth(), "type", "is connected by API key: use /v1/integrations/connect/api-key")
	integration.CheckRedirect(c, b.RedirectURI)
	return checkStore(c, b.Type, b.Store)
}

// checkStore adds the check of a shop's domain to c.
func checkStore(c fault.Check, t integration.Type, text string) (string, error) {
	if !t.OAuth() {
		return "", c.Err()
	}
	store, err := integration.CheckStore(t, text)
	var known *fault.Error
	if errors.As(err, &known) {
		for _, d := range known.Details {
			c.That(false, d.Field, d.Message)
		}
	}
	return store, c.Err()
}

// oauthPlatform returns the OAuth connector of a type, if this installation has an OAuth app for it.
func (s *Service) oauthPlatform(t integration.Type) (ports.OAuthConnector, error) {
	platform, consents := s.Connectors[t.String()].(ports.OAuthConnector)
	missing := s.MissingApp(t)
	if !consents || missing != "" {
		return nil, fault.New(fault.Conflict, "oauth_app_missing",
			"This server has no OAuth app for "+t.Label()+". Its operator must set "+missing+".").With("type", "is not configured")
	}
	return platform, nil
}

// hashOf returns the hash under which a state is stored.
func hashOf(state string) string {
	sum := sha256.Sum256([]byte(state))
	return hex.EncodeToString(sum[:])
}

// verifierOf returns the sealing purpose of a state's verifier.
func verifierOf(hash string) string { return "verifier of " + hash }

// Completion is a merchant's request after the consent.
type Completion struct {
	Type        integration.Type
	Code        string
	State       string
	RedirectURI string // "": not repeated
	Store       string // a shop's domain, if Begin had none
	// Currency is the project's. A shop that sells in another currency is refused. "" allows any.
	Currency string
	// Callback is the query with which the platform sent the merchant back. It is required only for platforms that sign it, if the
	// merchant was not sent to CallbackURL.
	Callback string
}

// Consented is a redeemed consent and the account that it opens. Its state is used up, so a repetition of the request that
// stores it must use this value.
type Consented struct {
	Type        integration.Type
	Config      integration.Config
	Credentials integration.Credentials
}

// Redeem uses up a state and asks the platform for the account. It does not use up a state that it refuses, nor if the bulkhead
// is full; it does if the platform then refuses the code. It writes in its own transaction.
func (s *Service) Redeem(ctx ports.Outbound, account id.Account, p id.Project, c Completion) (consented *Consented, err error) {
	store, err := c.check()
	if err != nil {
		return nil, err
	}
	platform, err := s.oauthPlatform(c.Type)
	if err != nil {
		return nil, err
	}
	err = s.Waiting.Wait(ctx, c.Type.String()+" of "+p.String(), func() (err error) {
		consented, err = s.redeem(ctx, platform, account, p, c, store)
		return err
	})
	return consented, err
}

func (s *Service) redeem(ctx ports.Outbound, platform ports.OAuthConnector, account id.Account, p id.Project, c Completion,
	store string) (*Consented, error) {
	hash := hashOf(c.State)
	grant := integration.Grant{
		Account:     account,
		Project:     p,
		Type:        c.Type,
		RedirectURI: c.RedirectURI,
	}
	var callback string
	a, err := s.Authorizations.Change(ctx, hash, func(a *integration.Authorization) (err error) {
		if err := a.Redeem(grant, s.Clock.Now()); err != nil {
			return err
		}
		if callback, err = s.verifiedCallback(a, c); err != nil {
			return err
		}
		return setStore(a, store)
	})
	if err != nil {
		return nil, err
	}
	verifier, err := s.Vault.Open(a.Verifier, verifierOf(hash))
	if err != nil {
		return nil, err
	}
	return s.exchange(ctx, platform, p, c.Type, ports.CodeGrant{
		Store:       a.Store,
		RedirectURI: s.CallbackURL(),
		Code:        c.Code,
		Verifier:    string(verifier),
		Callback:    callback,
		State:       c.State,
	})
}

// verifiedCallback returns the query that came to CallbackURL, after checking that its code is the completion's. Without one it
// returns the completion's query.
func (s *Service) verifiedCallback(a *integration.Authorization, c Completion) (string, error) {
	if a.Callback == nil {
		if c.Callback == "" && a.Type.SignsCallback() {
			return "", fault.Field("code", "is not verified: "+a.Type.Label()+" must redirect the browser to "+s.CallbackURL()+
				" first, or callback_query must have the whole query of the redirect")
		}
		return c.Callback, nil
	}
	plain, err := s.Vault.Open(a.Callback, callbackOf(a.State))
	if err != nil {
		return "", err
	}
	if query, err := url.ParseQuery(string(plain)); err != nil || query.Get("code") != c.Code {
		return "", integration.ErrState
	}
	return string(plain), nil
}

// check returns all that is wrong, or the shop's domain: the request's, or that of the platform's callback.
func (c Completion) check() (string, error) {
	check := fault.NewCheck()
	check.That(c.Type.OAuth(), "type", "is connected by API key: use /v1/integrations/connect/api-key")
	check.That(c.Code != "", "code", "is required")
	check.That(len(c.Code) <= maxCode, "code", "is too long")
	check.That(c.State != "", "state", "is required")
	query, err := url.ParseQuery(strings.TrimPrefix(c.Callback, "?"))
	check.That(err == nil && len(c.Callback) <= maxCode, "callback_query", "must be the query of the platform's redirect")
	shop := query.Get("shop")
	if c.Type.Kind() != integration.ECommerce || shop == "" {
		return checkStore(check, c.Type, c.Store)
	}
	given, _ := integration.CheckStore(c.Type, c.Store)
	check.That(c.Store == "" || given == shop, "store_domain", "is not the shop of the callback_query")
	return checkStore(check, c.Type, shop)
}

// setStore sets the shop of an authorization. It refuses a shop other than the one that the authorization began with.
func setStore(a *integration.Authorization, store string) error {
	switch {
	case a.Type.Kind() != integration.ECommerce:
		return nil
	case a.Store == "" && store == "":
		return fault.Field("store_domain", "is required: the shop's domain, or the callback_query")
	case a.Store != "" && store != "" && a.Store != store:
		return integration.ErrState
	case a.Store == "":
		a.Store = store
	}
	return nil
}

// exchange exchanges a code for credentials, and asks for the account that they open. A code cannot be exchanged twice, so after
// a failure the merchant must consent again. The caller must already be outside of the request's bulkhead.
func (s *Service) exchange(ctx ports.Outbound, platform ports.OAuthConnector, p id.Project, t integration.Type,
	g ports.CodeGrant) (*Consented, error) {
	bounded, cancel := ctx.WithTimeout(platformTimeout)
	defer cancel()
	credentials, err := platform.Exchange(bounded, g)
	if err != nil {
		return nil, needsNewConsent(platformFault(t, err, "code"))
	}
	draft := integration.Draft{
		Type:        t,
		Credentials: credentials,
		Config:      integration.Config{Store: g.Store},
	}
	config, err := s.inspectNow(ctx, t, newConnection(p, draft))
	if err != nil {
		return nil, needsNewConsent(err)
	}
	return &Consented{t, config, credentials}, nil
}

// needsNewConsent replaces an error that suggests to retry: the merchant must consent again.
func needsNewConsent(err error) error {
	var known *fault.Error
	if !errors.As(err, &known) || known.Kind != fault.Unavailable {
		return err
	}
	return fault.New(known.Kind, known.Code, "The platform did not respond. Connect again: the state has been used.").Because(err)
}

// PrepareCompletion redeems a consent as Redeem does, and prepares the integration of the account that it opens. An account that
// was disconnected is reconnected under its old id. An account that is connected gets the new credentials; Before is then set.
func (s *Service) PrepareCompletion(ctx ports.Outbound, account id.Account, p id.Project, c Completion) (*PreparedConnection, error) {
	consented, err := s.Redeem(ctx, account, p, c)
	if err != nil {
		return nil, err
	}
	if err := checkCurrency(c, consented.Config); err != nil {
		return nil, err
	}
	return s.prepareConsented(ctx, p, consented)
}

// checkCurrency refuses a shop whose currency is not the project's, because none of its products could be imported.
func checkCurrency(c Completion, of integration.Config) error {
	if c.Type.Kind() != integration.ECommerce || c.Currency == "" || of.Currency == "" || of.Currency == c.Currency {
		return nil
	}
	return fault.New(fault.Invalid, "currency_mismatch", fmt.Sprintf("The shop sells in %s, and the project in %s. Connect it to a project whose default_currency is %s.",
		of.Currency, c.Currency, of.Currency)).With("store_domain", "sells in "+of.Currency+", and the project in "+c.Currency)
}

func (s *Service) prepareConsented(ctx ports.Outbound, p id.Project, c *Consented) (*PreparedConnection, error) {
	others, err := s.ofType(ctx, p, c.Type)
	if err != nil {
		return nil, err
	}
	for _, i := range others {
		switch {
		case !inUse(i):
		case !i.Config.Same(c.Config):
			return nil, integration.ErrExists()
		default:
			return s.prepareReplacement(i, c.Credentials, c.Config, i.Hook), nil
		}
	}
	d := integration.Draft{Type: c.Type, Credentials: c.Credentials}
	config, known := c.Config, formerIntegration(others, c.Config)
	if known == nil {
		return s.prepareNew(ctx, p, d, config, nil)
	}
	d.Name, config = known.Name, config.Settings(known.Config, integration.Change{})
	was := *known
	prepared, err := s.prepareNew(ctx, p, d, config, known)
	if err != nil {
		return nil, err
	}
	prepared.Before = &was
	return prepared, nil
}
