package boot_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/openid"
)

var adaAtProvider = openid.Person{
	Subject:  "ada-1",
	Email:    "Ada@example.com",
	Verified: true,
	Name:     "Ada Lovelace",
}

// openIDServer is a server whose members can sign in at an OpenID Connect provider.
type openIDServer struct {
	*testing.T
	app      *boot.App
	merchant apiClient
	provider *openid.Provider
}

func forEachOpenIDServer(t *testing.T, test func(*openIDServer)) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			provider, err := openid.Start()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = provider.Close() })
			provider.SignsIn(adaAtProvider)
			app := boottest.Start(t, engine.URL(t), func(c *boot.Config) {
				c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret, c.OIDCName = provider.Issuer(), provider.ClientID, provider.ClientSecret, "Example ID"
			})
			provider.Redirect = app.URL() + "/console/sign-in/openid/callback"
			test(&openIDServer{t, app, apiClient{t, app.URL(), boottest.Key}, provider})
		})
	}
}

// browser is a client that keeps cookies and follows no redirects.
type browser struct {
	*openIDServer
	cookies map[string]string
}

func (g *openIDServer) browser() *browser { return &browser{g, map[string]string{}} }

func (b *browser) get(address string) httpAnswer {
	b.Helper()
	r := request(b.T, "GET", address, "")
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	answer := send(b.T, r)
	for _, c := range answer.Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c.Value
		}
	}
	return answer
}

// beginSignIn begins a sign-in and returns the address that the provider redirects back to.
func (b *browser) beginSignIn(query string) string {
	b.Helper()
	there := b.get(b.app.URL()+"/console/sign-in/openid"+query).expect(b.T, 303).Header.Get("Location")
	if !strings.HasPrefix(there, b.provider.Issuer()+"/authorize?") {
		b.Fatalf("sent to %q", there)
	}
	return b.get(there).expect(b.T, 303).Header.Get("Location")
}

// signIn signs in at the provider and returns the response to the redirect back.
func (b *browser) signIn() httpAnswer {
	b.Helper()
	return b.get(b.beginSignIn("?next=/console/desk/orders"))
}

// refused expects a response that sets no session and has the text.
func (b *browser) refused(what string, answer httpAnswer, status int, text string) {
	b.Helper()
	if answer.StatusCode != status || !strings.Contains(answer.body, text) {
		b.Errorf("%s: %d %s", what, answer.StatusCode, answer.body)
	}
	for name := range b.cookies {
		if name != "planted" {
			b.Errorf("%s: the browser has the cookie %s", what, name)
		}
	}
}

const noAccountMessage = "No account belongs to this sign-in."

// A member signs in at the provider. The sign-in sets safe cookies, can be used once, stays in the console, and is logged.
func TestOpenID_signIn(t *testing.T) {
	forEachOpenIDServer(t, func(g *openIDServer) {
		g.merchant.openShop("desk", false)
		newMember(g.T, g.app, g.merchant, "ada@example.com", "owner")
		b := g.browser()
		if page := b.get(g.app.URL() + "/console/sign-in?next=/console/desk/orders"); !strings.Contains(page.body, "Sign in with Example ID") ||
			!strings.Contains(page.body, `href="/console/sign-in/openid?next=%2Fconsole%2Fdesk%2Forders"`) {
			g.Errorf("the page offers no sign-in there: %s", page.body)
		}
		begun := send(g.T, request(g.T, "GET", g.app.URL()+"/console/sign-in/openid?next=https://evil.example/", ""))
		c := begun.Cookies()[0]
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/console" || c.MaxAge != 600 || strings.Contains(begun.Header.Get("Location"), c.Value) {
			g.Errorf("the cookie is %+v", c)
		}
		// A planted session token is replaced.
		b.cookies[consoleCookie] = "hs_planted0planted0planted0planted0"
		back := b.beginSignIn("?next=/console/desk/orders")
		if to := b.get(back).expect(g.T, 303).Header.Get("Location"); to != "/console/desk/orders" {
			g.Errorf("sent to %q", to)
		}
		token := b.cookies[consoleCookie]
		if !strings.HasPrefix(token, "hs_") || strings.Contains(token, "planted") || len(b.cookies) != 2 || b.cookies["haggle_browser"] == "" {
			g.Errorf("the cookies are %v", b.cookies)
		}
		b.get(g.app.URL()+"/console/desk/orders").expect(g.T, 200)
		// The redirect address cannot be used again.
		b.cookies = map[string]string{}
		b.refused("the same answer again", b.get(back), 401, "started in another browser or tab")
		// It does not redirect to another site.
		b = g.browser()
		if to := b.get(b.beginSignIn("?next=//evil.example/")).expect(g.T, 303).Header.Get("Location"); to != "/console" {
			g.Errorf("sent to %q", to)
		}
		events := g.merchant.call(200, "GET", "/v1/audit-events?action=sign-in", "")["data"].([]any)
		first, second := events[1].(map[string]any)["after"].(map[string]any), events[0].(map[string]any)["after"].(map[string]any)
		if len(events) != 2 || first["by"] != "openid_connect" || first["issuer"] != g.provider.Issuer() || first["linked"] != true || second["linked"] != nil {
			g.Errorf("logged %v", events)
		}
	})
}

// Invalid ID tokens, unknown members, denied consent and foreign responses create no session.
func TestOpenID_signInRefused(t *testing.T) {
	forEachOpenIDServer(t, func(g *openIDServer) {
		newMember(g.T, g.app, g.merchant, "ada@example.com", "owner")
		b := g.browser()
		for what, f := range map[string]openid.Faults{
			"another nonce":    {Claims: map[string]any{"nonce": "x"}},
			"another audience": {Claims: map[string]any{"aud": "x"}},
			"a foreign issuer": {Claims: map[string]any{"iss": "https://evil.example"}},
			"expired":          {Claims: map[string]any{"exp": 1}},
			"unsigned":         {Algorithm: "none"},
		} {
			g.provider.Does(f)
			b.refused(what, b.signIn(), 401, "Example ID did not sign you in.")
		}
		for what, f := range map[string]openid.Faults{
			"not verified":                   {Claims: map[string]any{"email_verified": false}},
			"a subject that cannot be one":   {Claims: map[string]any{"sub": strings.Repeat("x", 256)}},
			"an address that is no member's": {Claims: map[string]any{"email": "eve@example.com"}},
		} {
			g.provider.Does(f)
			b.refused(what, b.signIn(), 401, noAccountMessage)
		}
		for what, f := range map[string]openid.Faults{
			"refused there":                 {Denied: true},
			"an answer of a foreign issuer": {From: "https://evil.example"},
		} {
			g.provider.Does(f)
			b.refused(what, b.signIn(), 401, "The sign-in at the provider was not completed.")
		}
		g.provider.Does(openid.Faults{State: "guessed"})
		b.refused("another state", b.signIn(), 401, "started in another browser or tab")
		g.provider.Does(openid.Faults{})
		// Another browser cannot complete the sign-in, because otherwise an attacker could sign a victim in to the attacker's account.
		victim := g.browser()
		victim.refused("another browser's", victim.get(b.beginSignIn("")), 401, "started in another browser or tab")
	})
}

// While the provider fails, members can still sign in with their passwords.
func TestOpenID_providerUnavailable(t *testing.T) {
	forEachOpenIDServer(t, func(g *openIDServer) {
		g.merchant.openShop("desk", false)
		p := newMember(g.T, g.app, g.merchant, "ada@example.com", "owner")
		g.provider.Does(openid.Faults{Broken: true})
		b := g.browser()
		b.refused("a broken provider", b.get(g.app.URL()+"/console/sign-in/openid"), 503, "Example ID does not answer at the moment. Sign in with your password")
		form := url.Values{"email": {"ada@example.com"}, "password": {consolePassword}}
		p.browse("POST", "/console/sign-in", form).expect(g.T, 303)
	})
}

// The provider's subject is linked to the member at the first sign-in. After that, e-mail addresses that change at the provider
// have no effect.
func TestOpenID_linkedIdentity(t *testing.T) {
	forEachOpenIDServer(t, func(g *openIDServer) {
		g.merchant.openShop("desk", false)
		ada := newMember(g.T, g.app, g.merchant, "ada@example.com", "owner")
		newMember(g.T, g.app, g.merchant, "grace@example.com", "support")
		memberOf := func(b *browser) string {
			b.signIn().expect(g.T, 303)
			sessions := apiClient{g.T, g.app.URL(), b.cookies[consoleCookie]}.call(200, "GET", "/v1/console-sessions", "")["data"].([]any)
			for _, s := range sessions {
				if s := s.(map[string]any); s["current"] == true && s["method"] == "openid_connect" {
					return s["member_id"].(string)
				}
			}
			return ""
		}
		first := memberOf(g.browser())
		changed := adaAtProvider
		changed.Email = "grace@example.com"
		g.provider.SignsIn(changed)
		if again := memberOf(g.browser()); again != first || first == "" {
			g.Errorf("with Grace's address Ada's identity signs in %s, not %s", again, first)
		}
		recycled := adaAtProvider
		recycled.Subject = "another-person"
		g.provider.SignsIn(recycled)
		b := g.browser()
		b.refused("another person with Ada's old address", b.signIn(), 401, noAccountMessage)
		newMember(g.T, g.app, g.merchant, "second@example.com", "owner")
		g.merchant.call(204, "DELETE", "/v1/members/"+first, "")
		g.provider.SignsIn(adaAtProvider)
		b.refused("a member who was removed", b.signIn(), 401, noAccountMessage)
		ada.browse("GET", "/console/desk", nil).expect(g.T, 303)
	})
}

// An invitation can be accepted only by a provider's identity with the invited and verified e-mail address.
func TestOpenID_join(t *testing.T) {
	forEachOpenIDServer(t, func(g *openIDServer) {
		g.merchant.openShop("desk", false)
		made := g.merchant.call(201, "POST", "/v1/members/invitations", `{"email":"ada@example.com","role":"support"}`)
		secret := made["link"].(string)[strings.LastIndex(made["link"].(string), "/")+1:]
		b := g.browser()
		if page := b.get(made["link"].(string)); !strings.Contains(page.body, "Join with Example ID") {
			g.Errorf("the page offers no joining there: %s", page.body)
		}
		b.refused("an invitation that is only open", b.signIn(), 401, noAccountMessage)
		eve := adaAtProvider
		eve.Email = "eve@example.com"
		g.provider.SignsIn(eve)
		b.refused("another address", b.get(b.beginSignIn("?invitation="+secret)), 401, "The invitation is for another e-mail address")
		g.provider.SignsIn(openid.Person{Subject: "ada-1", Email: "ada@example.com"})
		b.refused("an address that is not verified", b.get(b.beginSignIn("?invitation="+secret)), 401, "The invitation is for another e-mail address")
		g.provider.SignsIn(adaAtProvider)
		b.get(b.beginSignIn("?invitation="+secret)).expect(g.T, 303)
		if page := b.get(g.app.URL()+"/console/desk/orders").expect(g.T, 200); !strings.Contains(page.body, "Ada Lovelace") {
			g.Error("the page does not name Ada")
		}
		g.browser().get(g.app.URL()+"/console/sign-in/openid?invitation="+secret).expect(g.T, 404)
		g.browser().signIn().expect(g.T, 303)
	})
}

// Without a provider the sign-in page offers none, and its addresses are not found.
func TestOpenID_notConfigured(t *testing.T) {
	forEachServer(t, func(t *testing.T, app *boot.App, _ apiClient) {
		p := &consoleClient{T: t, app: app}
		if page := p.browse("GET", "/console/sign-in", nil).expect(t, 200); strings.Contains(page.body, "openid") {
			t.Errorf("the page offers a provider: %s", page.body)
		}
		for _, path := range []string{"/console/sign-in/openid", "/console/sign-in/openid/callback?code=x&state=y"} {
			p.browse("GET", path, nil).expect(t, 404)
		}
	})
}
