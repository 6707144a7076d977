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
	stateBytes    = 32 // of chance; decisions 3 ask for 20
	verifierBytes = 32 // RFC 7636, section 4.1
	longestCode   = 4000
)

// Begin is what a merchant gives to be asked for consent.
type Begin struct {
	Type        integration.Type
	RedirectURI string
	Store       string // a shop's domain; empty: the platform asks for it
}

// Begun is where the merchant consents, and the state to come back with while it lives.
type Begun struct {
	URL   string
	State string
	Life  time.Duration
}

// Begin begins connecting an account by consent.
func (s *Service) Begin(ctx context.Context, account id.Account, p *project.Project, b Begin) (Begun, error) {
	store, err := b.check()
	if err != nil {
		return Begun{}, err
	}
	platform, err := s.consents(b.Type)
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
		return Begun{}, explain(b.Type, err, "store_domain")
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

// check gathers what is wrong, and returns the shop's domain plain.
func (b Begin) check() (string, error) {
	c := fault.NewCheck()
	c.That(b.Type.OAuth(), "type", "is connected by a key: use /v1/integrations/connect/api-key")
	integration.CheckRedirect(c, b.RedirectURI)
	return checkStore(c, b.Type, b.Store)
}

// checkStore adds a shop's domain to what was checked before.
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

// consents is the platform of a type, for which we have an OAuth app.
func (s *Service) consents(t integration.Type) (ports.OAuthConnector, error) {
	platform, consents := s.Connectors[t.String()].(ports.OAuthConnector)
	missing := s.MissingApp(t)
	if !consents || missing != "" {
		return nil, fault.New(fault.Conflict, "oauth_app_missing",
			"This installation has no OAuth app with "+t.Label()+". Whoever runs it must set "+missing+".").With("type", "is not configured")
	}
	return platform, nil
}

// hashOf is what is kept of a state.
func hashOf(state string) string {
	sum := sha256.Sum256([]byte(state))
	return hex.EncodeToString(sum[:])
}

// verifierOf binds a sealed verifier to its state.
func verifierOf(hash string) string { return "verifier of " + hash }

// Completion is what a merchant comes back with.
type Completion struct {
	Type        integration.Type
	Code        string
	State       string
	RedirectURI string // empty: it is not repeated
	Store       string // a shop's domain, where Begin was given none
	// Currency is the project's. A shop that sells in another is refused. "": in any.
	Currency string
	// Callback is the query that the platform sent the merchant back with. It is needed only where the merchant was not
	// sent to CallbackURL, of platforms that sign it.
	Callback string
}

// Consented is a consent that was redeemed, and the account that it opens. Its state is used up, so whoever
// repeats a request that stores it goes on with this.
type Consented struct {
	Type        integration.Type
	Config      integration.Config
	Credentials integration.Credentials
}

// Redeem uses a state up and has the platform say whose consent it is. A state that is refused is not used up, nor is one
// for which there is no room to wait for the platform; one whose account the platform does not open is. It writes in a
// transaction of its own.
func (s *Service) Redeem(ctx ports.Outbound, account id.Account, p id.Project, c Completion) (consented *Consented, err error) {
	store, err := c.check()
	if err != nil {
		return nil, err
	}
	platform, err := s.consents(c.Type)
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
		if callback, err = s.callback(a, c); err != nil {
			return err
		}
		return settle(a, store)
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

// callback is the query that came to CallbackURL, whose code must be the completion's, or else the completion's own.
func (s *Service) callback(a *integration.Authorization, c Completion) (string, error) {
	if a.Callback == nil {
		if c.Callback == "" && a.Type.SignsCallback() {
			return "", fault.Field("code", "is not known: "+a.Type.Label()+" must send the browser to "+s.CallbackURL()+
				" first, or callback_query must have the whole query that it led back with")
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

// check gathers what is wrong, and returns the shop's domain: of the request, or of the platform's callback.
func (c Completion) check() (string, error) {
	check := fault.NewCheck()
	check.That(c.Type.OAuth(), "type", "is connected by a key: use /v1/integrations/connect/api-key")
	check.That(c.Code != "", "code", "is required")
	check.That(len(c.Code) <= longestCode, "code", "is too long")
	check.That(c.State != "", "state", "is required")
	query, err := url.ParseQuery(strings.TrimPrefix(c.Callback, "?"))
	check.That(err == nil && len(c.Callback) <= longestCode, "callback_query", "must be the query of the address that the platform led to")
	shop := query.Get("shop")
	if c.Type.Kind() != integration.ECommerce || shop == "" {
		return checkStore(check, c.Type, c.Store)
	}
	given, _ := integration.CheckStore(c.Type, c.Store)
	check.That(c.Store == "" || given == shop, "store_domain", "is not the shop of the callback_query")
	return checkStore(check, c.Type, shop)
}

// settle gives the authorization of a shop's platform its shop, which cannot be another one than it began with.
func settle(a *integration.Authorization, store string) error {
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

// exchange has the platform take a code, and say whose account it opens. It cannot be asked twice: after a
// failure the merchant consents again. The caller waits outside of the request's lane.
func (s *Service) exchange(ctx ports.Outbound, platform ports.OAuthConnector, p id.Project, t integration.Type,
	g ports.CodeGrant) (*Consented, error) {
	bounded, cancel := ctx.WithTimeout(patience)
	defer cancel()
	credentials, err := platform.Exchange(bounded, g)
	if err != nil {
		return nil, again(explain(t, err, "code"))
	}
	draft := integration.Draft{
		Type:        t,
		Credentials: credentials,
		Config:      integration.Config{Store: g.Store},
	}
	config, err := s.inspected(ctx, t, wanted(p, draft))
	if err != nil {
		return nil, again(err)
	}
	return &Consented{t, config, credentials}, nil
}

// again says that trying once more takes another consent.
func again(err error) error {
	var known *fault.Error
	if !errors.As(err, &known) || known.Kind != fault.Unavailable {
		return err
	}
	return fault.New(known.Kind, known.Code, "The platform did not answer. Begin again: the state is used up.").Because(err)
}

// PrepareCompletion redeems a consent, as Redeem does, and prepares the integration of the account that it opens. The
// same account that was disconnected is taken up again under its id, and one that is connected gets the new
// credentials: then there is a state before.
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

// checkCurrency refuses a shop whose prices are in another currency than the project's: none of its products could be taken.
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
	config, known := c.Config, former(others, c.Config)
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
