// Package openidcontract tests the OpenID Connect adapter against a provider that is written from the specifications.
package openidcontract

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/openid"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
	provider "github.com/haggle-commerce/haggle/simulator/openid"
)

const redirect = "https://shop.example/console/sign-in/openid/callback"

var (
	ada = provider.Person{
		Subject:  "24400320",
		Email:    "ada@example.com",
		Verified: true,
		Name:     "Ada Lovelace",
	}
	challenge = ports.Challenge{
		State:    "state-1",
		Nonce:    "nonce-1",
		Verifier: strings.Repeat("v", 52),
	}
)

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// party is a relying party and its provider.
type party struct {
	*testing.T
	*openid.Provider
	there *provider.Provider
	clock *clock
}

func open(t *testing.T) *party {
	t.Helper()
	there, err := provider.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = there.Close() })
	there.Redirect = redirect
	there.SignsIn(ada)
	now := &clock{time.Now()}
	there.SetClock(now.Now)
	return &party{t, openid.New(openid.Config{
		Issuer:       there.Issuer(),
		ClientID:     there.ClientID,
		ClientSecret: there.ClientSecret,
		Redirect:     func() string { return redirect },
		Elsewhere:    &http.Client{Transport: unreachable{}},
		Clock:        now,
		Log:          slog.New(slog.DiscardHandler),
	}), there, now}
}

// unreachable is a transport that refuses hosts other than the issuer's.
type unreachable struct{}

func (unreachable) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

// code signs in at the provider and returns the code of its redirect.
func (p *party) code() string {
	p.Helper()
	address, err := p.Address(ports.NewOutbound(p.Context()), challenge)
	if err != nil {
		p.Fatal(err)
	}
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := browser.Get(address)
	if err != nil {
		p.Fatal(err)
	}
	_ = answer.Body.Close()
	back, err := url.Parse(answer.Header.Get("Location"))
	if err != nil || answer.StatusCode != http.StatusSeeOther || !strings.HasPrefix(back.String(), redirect+"?") || back.Query().Get("state") != challenge.State {
		p.Fatalf("the provider answers %s, and sends to %q", answer.Status, back)
	}
	return back.Query().Get("code")
}

func (p *party) vouch(code string) (member.Vouched, error) {
	return p.Vouch(ports.NewOutbound(p.Context()), challenge, code)
}

func (p *party) wants(what string, err error, code string) {
	p.Helper()
	if (err == nil) != (code == "") || err != nil && !fault.Is(err, code) {
		p.Errorf("%s: %v, want %q", what, err, code)
	}
}

func TestProvider_Address(t *testing.T) {
	t.Parallel()
	p := open(t)
	if n := p.there.Served("/.well-known/openid-configuration"); n != 0 {
		t.Errorf("the metadata were fetched %d times before they were needed", n)
	}
	for range 2 {
		address, err := p.Address(ports.NewOutbound(t.Context()), challenge)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := url.Parse(address)
		hash := sha256.Sum256([]byte(challenge.Verifier))
		for name, want := range map[string]string{
			"response_type":         "code",
			"client_id":             "haggle",
			"redirect_uri":          redirect,
			"scope":                 "openid email profile",
			"state":                 challenge.State,
			"nonce":                 challenge.Nonce,
			"code_challenge":        base64.RawURLEncoding.EncodeToString(hash[:]),
			"code_challenge_method": "S256",
		} {
			if got := u.Query().Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if strings.Contains(address, challenge.Verifier) || strings.Contains(address, "secret") {
			t.Errorf("the address tells a secret: %s", address)
		}
	}
	if n := p.there.Served("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("the metadata were fetched %d times", n)
	}
	p.clock.now = p.clock.now.Add(time.Hour)
	p.code()
	if n := p.there.Served("/.well-known/openid-configuration"); n != 2 {
		t.Errorf("an hour later they were fetched %d times", n)
	}
	p.there.Does(provider.Faults{Broken: true})
	p.clock.now = p.clock.now.Add(time.Hour)
	_, err := p.Address(ports.NewOutbound(t.Context()), challenge)
	p.wants("with old metadata", err, "")
}

func TestProvider_Vouch(t *testing.T) {
	t.Parallel()
	p := open(t)
	want := member.Vouched{
		Identity:      member.Identity{Issuer: p.there.Issuer(), Subject: ada.Subject},
		Email:         ada.Email,
		EmailVerified: true,
		Name:          ada.Name,
	}
	for what, f := range map[string]provider.Faults{
		"RS256":                        {},
		"ES256":                        {Algorithm: "ES256"},
		"e-mail from UserInfo":         {NoEmail: true},
		"verified as text":             {Claims: map[string]any{"email_verified": "true"}},
		"one of several audiences":     {Claims: map[string]any{"aud": []string{"other", "haggle"}, "azp": "haggle"}},
		"with claims of no importance": {Claims: map[string]any{"groups": []string{"admin"}, "role": "owner"}},
	} {
		p.there.Does(f)
		if got, err := p.vouch(p.code()); err != nil || got != want {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	for what, claims := range map[string]map[string]any{
		"not verified":         {"email_verified": false},
		"verified as a number": {"email_verified": 1},
		"not said":             {"email_verified": nil},
	} {
		p.there.Does(provider.Faults{Claims: claims})
		if got, err := p.vouch(p.code()); err != nil || got.EmailVerified || got.Email != ada.Email {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
}

func TestProvider_Vouch_refuses(t *testing.T) {
	t.Parallel()
	p := open(t)
	past := time.Now().Add(-time.Minute).Unix()
	for what, f := range map[string]provider.Faults{
		"another nonce":              {Claims: map[string]any{"nonce": "nonce-2"}},
		"no nonce":                   {Claims: map[string]any{"nonce": nil}},
		"expired":                    {Claims: map[string]any{"exp": past}},
		"no expiry":                  {Claims: map[string]any{"exp": nil}},
		"not issued":                 {Claims: map[string]any{"iat": nil}},
		"not valid yet":              {Claims: map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}},
		"another audience":           {Claims: map[string]any{"aud": "other"}},
		"several, for another party": {Claims: map[string]any{"aud": []string{"other", "haggle"}, "azp": "other"}},
		"several, for nobody named":  {Claims: map[string]any{"aud": []string{"other", "haggle"}}},
		"issued to another party":    {Claims: map[string]any{"azp": "other"}},
		"a foreign issuer":           {Claims: map[string]any{"iss": "https://accounts.google.com"}},
		"no algorithm":               {Algorithm: "none"},
		"signed by the secret":       {Algorithm: "HS256"},
		"signed by a stranger":       {Stranger: true},
		"UserInfo of another":        {NoEmail: true, Other: "24400321"},
	} {
		p.there.Does(f)
		got, err := p.vouch(p.code())
		p.wants(what, err, "sign_in_refused")
		if got != (member.Vouched{}) {
			t.Errorf("%s: %+v", what, got)
		}
	}
	p.there.Does(provider.Faults{})
	code := p.code()
	_, err := p.vouch(code)
	p.wants("once", err, "")
	_, err = p.vouch(code)
	p.wants("a code that was used", err, "sign_in_refused")
	_, err = p.vouch("guessed")
	p.wants("a code that is none", err, "sign_in_refused")
	other := challenge
	other.Verifier = strings.Repeat("w", 52)
	_, err = p.Vouch(ports.NewOutbound(t.Context()), other, p.code())
	p.wants("another verifier", err, "sign_in_refused")
}

func TestProvider_unavailable(t *testing.T) {
	t.Parallel()
	p := open(t)
	code := p.code()
	p.there.Does(provider.Faults{Broken: true})
	_, err := p.vouch(code)
	p.wants("broken", err, "provider_unavailable")
	if !strings.Contains(err.Error(), "Sign in with your password") || strings.Contains(err.Error(), "500") {
		t.Errorf("it says %v", err)
	}
	p.there.Does(provider.Faults{Hang: true})
	start := time.Now()
	ctx, cancel := ports.NewOutbound(t.Context()).WithTimeout(200 * time.Millisecond)
	defer cancel()
	_, err = p.Vouch(ctx, challenge, code)
	p.wants("hanging", err, "provider_unavailable")
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	mute := open(t)
	mute.there.Does(provider.Faults{NoKeys: true})
	_, err = mute.vouch(mute.code())
	mute.wants("without its keys", err, "provider_unavailable")
	fresh := open(t)
	if err := fresh.there.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = fresh.Address(ports.NewOutbound(t.Context()), challenge)
	fresh.wants("gone", err, "provider_unavailable")
}

// The issuer's metadata are refused if they name another issuer, or addresses that are less secure than its own.
func TestProvider_metadata(t *testing.T) {
	t.Parallel()
	p := open(t)
	other := openid.New(openid.Config{
		Issuer:    p.there.Issuer() + "/", // its metadata are at the same address
		Redirect:  func() string { return redirect },
		Elsewhere: &http.Client{Transport: unreachable{}},
		Clock:     p.clock,
		Log:       slog.New(slog.DiscardHandler),
	})
	_, err := other.Address(ports.NewOutbound(t.Context()), challenge)
	p.wants("another issuer", err, "provider_unavailable")
}
