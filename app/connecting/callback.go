package connecting

import (
	"context"
	"errors"
	"net/url"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// callbackOf returns the sealing purpose of a state's callback.
func callbackOf(hash string) string { return "callback of " + hash }

// StoreOf returns the type of platform for which a merchant can choose a shop at StorePage.
func (s *Service) StoreOf(ctx context.Context, state string) (t integration.Type, err error) {
	_, err = s.Authorizations.Change(ctx, hashOf(state), func(a *integration.Authorization) error {
		t = a.Type
		return s.checkChoosable(a)
	})
	return t, err
}

// checkChoosable returns an error unless the merchant can still choose the shop.
func (s *Service) checkChoosable(a *integration.Authorization) error {
	if a.Callback != nil || a.Type.Kind() != integration.ECommerce {
		return integration.ErrState
	}
	return a.Open(s.Clock.Now())
}

// ChooseStore sets the shop of a consent, and returns the URL at which the merchant consents.
func (s *Service) ChooseStore(ctx context.Context, state, store string) (address string, err error) {
	var platform ports.OAuthConnector
	a, err := s.Authorizations.Change(ctx, hashOf(state), func(a *integration.Authorization) (err error) {
		if err := s.checkChoosable(a); err != nil {
			return err
		}
		if platform, err = s.oauthPlatform(a.Type); err != nil {
			return err
		}
		if store == "" {
			return fault.Field("store_domain", "is required")
		}
		a.Store, err = integration.CheckStore(a.Type, store)
		return err
	})
	if err != nil {
		return "", err
	}
	verifier, err := s.Vault.Open(a.Verifier, verifierOf(a.State))
	if err != nil {
		return "", err
	}
	address, err = platform.Consent(ports.Consent{
		Store:       a.Store,
		RedirectURI: s.CallbackURL(),
		State:       state,
		Verifier:    string(verifier),
	})
	if err != nil {
		return "", platformFault(a.Type, err, "store_domain")
	}
	return address, nil
}

// Return checks the query with which a platform sent a merchant to CallbackURL. It returns the URL to which the merchant is sent
// on: the redirect_uri of Begin with the query. Without a valid state there is no such URL. A second query with another code is
// refused.
func (s *Service) Return(ctx context.Context, callback string) (address string, err error) {
	query, err := url.ParseQuery(callback)
	if err != nil || len(callback) > maxCode {
		return "", integration.ErrState
	}
	denied := query.Has("error") // the merchant did not consent
	a, err := s.Authorizations.Change(ctx, hashOf(query.Get("state")), func(a *integration.Authorization) error {
		if err := a.Open(s.Clock.Now()); err != nil || denied {
			return err
		}
		return s.storeCallback(a, query, callback)
	})
	if err != nil {
		return "", err
	}
	next, err := url.Parse(a.RedirectURI)
	if err != nil {
		return "", err
	}
	whole := next.Query()
	for name, values := range query {
		if !denied || name == "state" || name == "error" || name == "error_description" {
			whole[name] = values
		}
	}
	next.RawQuery = whole.Encode()
	return next.String(), nil
}

// storeCallback checks a platform's callback and stores it, sealed, in the authorization. The same callback may come again.
func (s *Service) storeCallback(a *integration.Authorization, query url.Values, callback string) error {
	platform, err := s.oauthPlatform(a.Type)
	if err != nil {
		return err
	}
	code, shop := query.Get("code"), query.Get("shop")
	if code == "" {
		return fault.Field("code", "is missing")
	}
	if a.Callback != nil {
		if kept, err := s.verifiedCallback(a, Completion{Code: code}); err != nil || kept != callback {
			return errors.Join(err, integration.ErrState)
		}
		return nil
	}
	grant := ports.CodeGrant{
		Store:    a.Store,
		Code:     code,
		State:    query.Get("state"),
		Callback: callback,
	}
	switch err := platform.CheckCallback(grant); {
	case errors.Is(err, ports.ErrCredentialsRefused):
		return integration.ErrState
	case err != nil:
		return err
	}
	if a.Type.Kind() == integration.ECommerce {
		if a.Store, err = integration.CheckStore(a.Type, shop); err != nil {
			return err
		}
	}
	a.Callback = s.Vault.Seal([]byte(callback), callbackOf(a.State))
	return nil
}
