package adaptertest

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// OAuthWorld is a platform whose users consent.
type OAuthWorld struct {
	ports.OAuthConnector
	Platform *Platform
	Store    string // the shop that is asked for consent, if the platform has shops
	// Visit consents at an address, as a merchant does in a browser, and returns the grant of the callback, without the
	// verifier.
	Visit func(t *testing.T, address string) ports.CodeGrant
	// Revoke makes the platform refuse refresh tokens. nil: its access tokens do not expire.
	Revoke func()
	// Now is the connector's clock.
	Now func() time.Time
	// Secrets are the app's.
	Secrets []string
}

const (
	consentState    = "st_0123456789abcdef"
	consentRedirect = "https://merchant.example/back?from=platform"
	consentVerifier = "verifier-0123456789-0123456789-0123456789-01"
)

// OAuthConnector is the contract of ports.OAuthConnector.
func OAuthConnector(t *testing.T, open func(t *testing.T) OAuthWorld) {
	for name, test := range map[string]func(*testing.T, OAuthWorld){
		"a consent is asked for a state and an address, and tells no secret": consentAddress,
		"a code is exchanged, once":                       exchangeOnce,
		"a code that the platform did not give":           exchangeRefused,
		"a platform in trouble decides nothing":           oauthTrouble,
		"a token is refreshed":                            refreshed,
		"a refresh token that is of no more use":          refreshRefused,
		"a throttling platform's wish is told":            oauthThrottled,
		"a code of another verifier, where PKCE is known": exchangeStolen,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func (w OAuthWorld) address(t *testing.T) string {
	t.Helper()
	address, err := w.Consent(ports.Consent{
		Store:       w.Store,
		RedirectURI: consentRedirect,
		State:       consentState,
		Verifier:    consentVerifier,
	})
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func (w OAuthWorld) grant(t *testing.T) ports.CodeGrant {
	t.Helper()
	g := w.Visit(t, w.address(t))
	g.Verifier = consentVerifier
	return g
}

func (w OAuthWorld) mum(t *testing.T, err error, more ...string) {
	t.Helper()
	mum(t, err, append(append(more, consentVerifier), w.Secrets...))
}

func (w OAuthWorld) exchanged(t *testing.T) integration.Credentials {
	t.Helper()
	given, err := w.Exchange(ports.NewOutbound(t.Context()), w.grant(t))
	if err != nil || given.Key == "" {
		t.Fatalf("exchanged: key %q, %v", given.Key, err)
	}
	return given
}

func consentAddress(t *testing.T, w OAuthWorld) {
	address := w.address(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if q := u.Query(); q.Get("state") != consentState || q.Get("redirect_uri") != consentRedirect || q.Get("client_id") == "" {
		t.Errorf("consent is asked for at %s", address)
	}
	for _, secret := range append(w.Secrets, consentVerifier) {
		if strings.Contains(address, secret) {
			t.Errorf("a secret is in %s", address)
		}
	}
}

func exchangeOnce(t *testing.T, w OAuthWorld) {
	g := w.grant(t)
	given, err := w.Exchange(ports.NewOutbound(t.Context()), g)
	if err != nil || given.Key == "" || given.Key == g.Code {
		t.Fatalf("key %q, %v", given.Key, err)
	}
	if (given.Refresh == "") != given.Expires.IsZero() || !given.Expires.IsZero() && !given.Expires.After(w.Now()) {
		t.Errorf("refresh token %q, expires %s", given.Refresh, given.Expires)
	}
	_, err = w.Exchange(ports.NewOutbound(t.Context()), g)
	if !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("once more: %v", err)
	}
	w.mum(t, err, g.Code, given.Key)
}

func exchangeRefused(t *testing.T, w OAuthWorld) {
	g := w.grant(t)
	g.Code, g.Callback = "made-up", ""
	_, err := w.Exchange(ports.NewOutbound(t.Context()), g)
	if !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("%v", err)
	}
	w.mum(t, err, g.Code)
}

// A platform without PKCE ignores the verifier.
func exchangeStolen(t *testing.T, w OAuthWorld) {
	if u, err := url.Parse(w.address(t)); err != nil || u.Query().Get("code_challenge") == "" {
		t.Skip("the platform does not know PKCE")
	}
	g := w.grant(t)
	g.Verifier = "another-" + g.Verifier
	if _, err := w.Exchange(ports.NewOutbound(t.Context()), g); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("%v", err)
	}
}

func oauthTrouble(t *testing.T, w OAuthWorld) {
	g, held := w.grant(t), ports.Connection{Store: w.Store}
	if w.Revoke != nil {
		held.Credentials = w.exchanged(t)
	}
	for name, trouble := range map[string]func(){
		"fails": w.Platform.Fail, "babbles": w.Platform.Babble, "floods": w.Platform.Flood, "hangs": w.Platform.Hang,
	} {
		trouble()
		_, err := w.Exchange(ports.NewOutbound(t.Context()), g)
		if !isFailure(err) {
			t.Errorf("the platform %s: exchanging: %T %v", name, err, err)
		}
		w.mum(t, err, g.Code)
		if w.Revoke == nil {
			continue
		}
		_, err = w.Refresh(ports.NewOutbound(t.Context()), held)
		if !isFailure(err) {
			t.Errorf("the platform %s: refreshing: %T %v", name, err, err)
		}
		w.mum(t, err, held.Credentials.Key, held.Credentials.Refresh)
	}
	w.Platform.Recover()
	if w.Revoke != nil {
		if _, err := w.Refresh(ports.NewOutbound(t.Context()), held); err != nil {
			t.Errorf("recovered: %v", err)
		}
	}
}

func oauthThrottled(t *testing.T, w OAuthWorld) {
	g := w.grant(t)
	w.Platform.Throttle("90")
	_, err := w.Exchange(ports.NewOutbound(t.Context()), g)
	var wish ports.Throttled
	if !errors.As(err, &wish) || wish.After != 90*time.Second {
		t.Errorf("%v", err)
	}
}

func refreshed(t *testing.T, w OAuthWorld) {
	if w.Revoke == nil {
		t.Skip("the platform's access tokens do not expire")
	}
	before := w.exchanged(t)
	after, err := w.Refresh(ports.NewOutbound(t.Context()), ports.Connection{Store: w.Store, Credentials: before})
	if err != nil || after.Key == "" || after.Key == before.Key || after.Refresh == "" || !after.Expires.After(w.Now()) {
		t.Errorf("%q with %q became %q with %q until %s, %v", before.Key, before.Refresh, after.Key, after.Refresh, after.Expires, err)
	}
	if _, err := w.Refresh(ports.NewOutbound(t.Context()), ports.Connection{Store: w.Store, Credentials: after}); err != nil {
		t.Errorf("once more: %v", err)
	}
}

func refreshRefused(t *testing.T, w OAuthWorld) {
	if w.Revoke == nil {
		t.Skip("the platform's access tokens do not expire")
	}
	held := w.exchanged(t)
	w.Revoke()
	_, err := w.Refresh(ports.NewOutbound(t.Context()), ports.Connection{Store: w.Store, Credentials: held})
	if !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("%v", err)
	}
	w.mum(t, err, held.Key, held.Refresh)
}
