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

var adaThere = openid.Person{
	Subject:  "ada-1",
	Email:    "Ada@example.com",
	Verified: true,
	Name:     "Ada Lovelace",
}

// gate is a server whose members sign in at a provider.
type gate struct {
	*testing.T
	app      *boot.App
	merchant merchant
	provider *openid.Provider
}

func onGates(t *testing.T, test func(*gate)) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			provider, err := openid.Start()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = provider.Close() })
			provider.SignsIn(adaThere)
			app := boottest.Start(t, engine.URL(t), func(c *boot.Config) {
				c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret, c.OIDCName = provider.Issuer(), provider.ClientID, provider.ClientSecret, "Example ID"
			})
			provider.Redirect = app.URL() + "/console/sign-in/openid/callback"
			test(&gate{t, app, merchant{t, app.URL(), boottest.Key}, provider})
		})
	}
}

// browser is one that keeps cookies, and that follows nothing on its own.
type browser struct {
	*gate
	cookies map[string]string
}

func (g *gate) browser() *browser { return &browser{g, map[string]string{}} }

func (b *browser) get(address string) said {
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

// begins begins a sign-in, and returns where the provider sends the browser back to.
func (b *browser) begins(query string) string {
	b.Helper()
	there := b.get(b.app.URL()+"/console/sign-in/openid"+query).expect(b.T, 303).Header.Get("Location")
	if !strings.HasPrefix(there, b.provider.Issuer()+"/authorize?") {
		b.Fatalf("sent to %q", there)
	}
	return b.get(there).expect(b.T, 303).Header.Get("Location")
}

// signsIn goes to the provider and back.
func (b *browser) signsIn() said {
	b.Helper()
	return b.get(b.begins("?next=/console/desk/orders"))
}

// refused expects an answer that lets nobody in, and says why.
func (b *browser) refused(what string, answer said, status int, text string) {
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

const opensNothing = "This sign-in opens no account here."

func TestOpenIDSignIn(t *testing.T) {
	onGates(t, func(g *gate) {
		g.merchant.openShop("desk", false)
		hired(g.T, g.app, g.merchant, "ada@example.com", "owner")
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
		// A session that somebody planted does not go on.
		b.cookies[consoleCookie] = "hs_planted0planted0planted0planted0"
		back := b.begins("?next=/console/desk/orders")
		if to := b.get(back).expect(g.T, 303).Header.Get("Location"); to != "/console/desk/orders" {
			g.Errorf("sent to %q", to)
		}
		token := b.cookies[consoleCookie]
		if !strings.HasPrefix(token, "hs_") || strings.Contains(token, "planted") || len(b.cookies) != 2 || b.cookies["haggle_browser"] == "" {
			g.Errorf("the cookies are %v", b.cookies)
		}
		b.get(g.app.URL()+"/console/desk/orders").expect(g.T, 200)
		// The address that it came back to is good for nothing now.
		b.cookies = map[string]string{}
		b.refused("the same answer again", b.get(back), 401, "begun in another browser or tab")
		// To another site it sends nobody.
		b = g.browser()
		if to := b.get(b.begins("?next=//evil.example/")).expect(g.T, 303).Header.Get("Location"); to != "/console" {
			g.Errorf("sent to %q", to)
		}
		events := g.merchant.call(200, "GET", "/v1/audit-events?action=sign-in", "")["data"].([]any)
		first, second := events[1].(map[string]any)["after"].(map[string]any), events[0].(map[string]any)["after"].(map[string]any)
		if len(events) != 2 || first["by"] != "openid_connect" || first["issuer"] != g.provider.Issuer() || first["linked"] != true || second["linked"] != nil {
			g.Errorf("logged %v", events)
		}
	})
}

// Each of these lets nobody in, and leaves no session behind.
func TestOpenIDSignIn_refused(t *testing.T) {
	onGates(t, func(g *gate) {
		hired(g.T, g.app, g.merchant, "ada@example.com", "owner")
		b := g.browser()
		for what, f := range map[string]openid.Faults{
			"another nonce":    {Claims: map[string]any{"nonce": "x"}},
			"another audience": {Claims: map[string]any{"aud": "x"}},
			"a foreign issuer": {Claims: map[string]any{"iss": "https://evil.example"}},
			"expired":          {Claims: map[string]any{"exp": 1}},
			"unsigned":         {Algorithm: "none"},
		} {
			g.provider.Does(f)
			b.refused(what, b.signsIn(), 401, "Example ID did not sign you in.")
		}
		for what, f := range map[string]openid.Faults{
			"not verified":                   {Claims: map[string]any{"email_verified": false}},
			"a subject that cannot be one":   {Claims: map[string]any{"sub": strings.Repeat("x", 256)}},
			"an address that is no member's": {Claims: map[string]any{"email": "eve@example.com"}},
		} {
			g.provider.Does(f)
			b.refused(what, b.signsIn(), 401, opensNothing)
		}
		for what, f := range map[string]openid.Faults{
			"refused there":                 {Denied: true},
			"an answer of a foreign issuer": {From: "https://evil.example"},
		} {
			g.provider.Does(f)
			b.refused(what, b.signsIn(), 401, "The sign-in was not completed there.")
		}
		g.provider.Does(openid.Faults{State: "guessed"})
		b.refused("another state", b.signsIn(), 401, "begun in another browser or tab")
		g.provider.Does(openid.Faults{})
		// What a browser began no other one completes: else a victim would be signed in as the attacker.
		victim := g.browser()
		victim.refused("another browser's", victim.get(b.begins("")), 401, "begun in another browser or tab")
	})
}

// The provider's failures do not keep members from signing in by their passwords.
func TestOpenIDSignIn_unavailable(t *testing.T) {
	onGates(t, func(g *gate) {
		g.merchant.openShop("desk", false)
		p := hired(g.T, g.app, g.merchant, "ada@example.com", "owner")
		g.provider.Does(openid.Faults{Broken: true})
		b := g.browser()
		b.refused("a broken provider", b.get(g.app.URL()+"/console/sign-in/openid"), 503, "Example ID does not answer at the moment. Sign in with your password")
		form := url.Values{"email": {"ada@example.com"}, "password": {consolePassword}}
		p.browse("POST", "/console/sign-in", form).expect(g.T, 303)
	})
}

// An identity is linked at the first sign-in. Addresses that change at the provider open nothing.
func TestOpenIDSignIn_linked(t *testing.T) {
	onGates(t, func(g *gate) {
		g.merchant.openShop("desk", false)
		ada := hired(g.T, g.app, g.merchant, "ada@example.com", "owner")
		hired(g.T, g.app, g.merchant, "grace@example.com", "support")
		memberOf := func(b *browser) string {
			b.signsIn().expect(g.T, 303)
			sessions := merchant{g.T, g.app.URL(), b.cookies[consoleCookie]}.call(200, "GET", "/v1/console-sessions", "")["data"].([]any)
			for _, s := range sessions {
				if s := s.(map[string]any); s["current"] == true && s["method"] == "openid_connect" {
					return s["member_id"].(string)
				}
			}
			return ""
		}
		first := memberOf(g.browser())
		changed := adaThere
		changed.Email = "grace@example.com"
		g.provider.SignsIn(changed)
		if again := memberOf(g.browser()); again != first || first == "" {
			g.Errorf("with Grace's address Ada's identity signs in %s, not %s", again, first)
		}
		recycled := adaThere
		recycled.Subject = "another-person"
		g.provider.SignsIn(recycled)
		b := g.browser()
		b.refused("another person with Ada's old address", b.signsIn(), 401, opensNothing)
		hired(g.T, g.app, g.merchant, "second@example.com", "owner")
		g.merchant.call(204, "DELETE", "/v1/members/"+first, "")
		g.provider.SignsIn(adaThere)
		b.refused("a member who was removed", b.signsIn(), 401, opensNothing)
		ada.browse("GET", "/console/desk", nil).expect(g.T, 303)
	})
}

// An invitation is accepted at the provider by the address that it is for, and by no other.
func TestOpenIDJoin(t *testing.T) {
	onGates(t, func(g *gate) {
		g.merchant.openShop("desk", false)
		made := g.merchant.call(201, "POST", "/v1/members/invitations", `{"email":"ada@example.com","role":"support"}`)
		secret := made["link"].(string)[strings.LastIndex(made["link"].(string), "/")+1:]
		b := g.browser()
		if page := b.get(made["link"].(string)); !strings.Contains(page.body, "Join with Example ID") {
			g.Errorf("the page offers no joining there: %s", page.body)
		}
		b.refused("an invitation that is only open", b.signsIn(), 401, opensNothing)
		eve := adaThere
		eve.Email = "eve@example.com"
		g.provider.SignsIn(eve)
		b.refused("another address", b.get(b.begins("?invitation="+secret)), 401, "The invitation is for another e-mail address")
		g.provider.SignsIn(openid.Person{Subject: "ada-1", Email: "ada@example.com"})
		b.refused("an address that is not verified", b.get(b.begins("?invitation="+secret)), 401, "The invitation is for another e-mail address")
		g.provider.SignsIn(adaThere)
		b.get(b.begins("?invitation="+secret)).expect(g.T, 303)
		if page := b.get(g.app.URL()+"/console/desk/orders").expect(g.T, 200); !strings.Contains(page.body, "Ada Lovelace") {
			g.Error("the page does not name Ada")
		}
		g.browser().get(g.app.URL()+"/console/sign-in/openid?invitation="+secret).expect(g.T, 404)
		g.browser().signsIn().expect(g.T, 303)
	})
}

func TestWithoutOpenID(t *testing.T) {
	onServers(t, func(t *testing.T, app *boot.App, _ merchant) {
		p := &person{T: t, app: app}
		if page := p.browse("GET", "/console/sign-in", nil).expect(t, 200); strings.Contains(page.body, "openid") {
			t.Errorf("the page offers a provider: %s", page.body)
		}
		for _, path := range []string{"/console/sign-in/openid", "/console/sign-in/openid/callback?code=x&state=y"} {
			p.browse("GET", path, nil).expect(t, 404)
		}
	})
}
