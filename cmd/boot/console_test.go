package boot_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/console"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

const consoleCookie = "haggle_console"

// consoleClient sends requests to the console and follows no redirects.
type consoleClient struct {
	*testing.T
	app   *boot.App
	token string
}

// browse sends the request of a browser for a click on a page of the console. headers replace the browser's headers, as in a
// request from another site.
func (p *consoleClient) browse(method, path string, form url.Values, headers ...string) httpAnswer {
	p.Helper()
	r := request(p.T, method, p.app.URL()+path, form.Encode())
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if p.token != "" {
		r.AddCookie(&http.Cookie{Name: consoleCookie, Value: p.token})
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	return send(p.T, r)
}

// cookie returns the session cookie that a response sets.
func (s httpAnswer) cookie(t *testing.T) *http.Cookie {
	t.Helper()
	for _, c := range s.Cookies() {
		if c.Name == consoleCookie {
			return c
		}
	}
	t.Fatalf("no cookie is set: %v", s.Header)
	return nil
}

// newMember invites a member with a role, who joins with a password.
func newMember(t *testing.T, app *boot.App, m apiClient, email, role string) *consoleClient {
	t.Helper()
	made := m.call(201, "POST", "/v1/members/invitations", `{"email":"`+email+`","role":"`+role+`"}`)
	in, err := boottest.MemberClient{App: app, Address: email}.Join(t.Context(), made["link"].(string), "Ada", consolePassword)
	if err != nil {
		t.Fatal(err)
	}
	return &consoleClient{t, app, in.Token}
}

const consolePassword = "correct horse battery"

// Signing in sets a new session cookie with safe attributes, pages have security headers, and signing out ends the session.
func TestConsoleServices_session(t *testing.T) {
	forEachServer(t, func(t *testing.T, app *boot.App, m apiClient) {
		m.openShop("desk", false)
		newMember(t, app, m, "ada@example.com", "owner")
		p := &consoleClient{
			T:     t,
			app:   app,
			token: "hs_planted0planted0planted0planted0",
		}
		in := url.Values{"email": {"Ada@Example.com"}, "password": {consolePassword}, "next": {"/console/desk/orders?status=shipped"}}
		answer := p.browse("POST", "/console/sign-in", in).expect(t, 303)
		c := answer.cookie(t)
		if c.Value == p.token || !strings.HasPrefix(c.Value, "hs_") {
			t.Errorf("a token that was there before the sign-in goes on: %q", c.Value)
		}
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/console" || c.Domain != "" || c.MaxAge != 0 {
			t.Errorf("the cookie is %+v", c)
		}
		if to := answer.Header.Get("Location"); to != "/console/desk/orders?status=shipped" {
			t.Errorf("sent to %q", to)
		}
		p.token = c.Value
		page := p.browse("GET", "/console/desk/orders", nil).expect(t, 200)
		for name, want := range map[string]string{
			"Cache-Control":              "no-store",
			"X-Content-Type-Options":     "nosniff",
			"Referrer-Policy":            "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin",
		} {
			if got := page.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		policy := page.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("the policy lacks %s: %s", part, policy)
			}
		}
		out := p.browse("POST", "/console/sign-out", url.Values{}).expect(t, 303)
		if c := out.cookie(t); c.MaxAge >= 0 || c.Value != "" {
			t.Errorf("the cookie stays: %+v", c)
		}
		if to := p.browse("GET", "/console/desk", nil).expect(t, 303).Header.Get("Location"); !strings.HasPrefix(to, "/console/sign-in?next=") {
			t.Errorf("the session goes on after signing out: sent to %q", to)
		}
	})
}

// Forms that another site submits are refused, with the member's cookie or without one.
func TestConsoleServices_foreignForms(t *testing.T) {
	forEachServer(t, func(t *testing.T, app *boot.App, m apiClient) {
		m.openShop("desk", false)
		p := newMember(t, app, m, "ada@example.com", "owner")
		for _, foreign := range [][]string{
			{"Sec-Fetch-Site: cross-site", "Origin: https://evil.example"},
			{"Sec-Fetch-Site: same-site", "Origin: https://other.example.com"},
			{"Sec-Fetch-Site: ", "Origin: https://evil.example"},
			{"Sec-Fetch-Site: ", "Origin: null"},
		} {
			for _, path := range []string{"/console/sign-out", "/console/sign-in", "/console/code", "/console/desk/orders/ord_x/refund", "/console/join/abc"} {
				p.browse("POST", path, url.Values{"email": {"eve@example.com"}}, foreign...).expect(t, 403)
			}
		}
		p.browse("GET", "/console/desk", nil).expect(t, 200) // the member is still signed in
	})
}

// Signing in never redirects to an address outside the console.
func TestConsoleServices_openRedirects(t *testing.T) {
	forEachServer(t, func(t *testing.T, app *boot.App, m apiClient) {
		m.openShop("desk", false)
		newMember(t, app, m, "ada@example.com", "owner")
		p := &consoleClient{T: t, app: app}
		for _, next := range []string{
			"", "https://evil.example", "//evil.example/console/", `/\evil.example/console/`, "/console/..//evil.example", "/console//evil.example",
			"javascript:alert(1)", "/consolex", "/v1/projects", "/console/../v1/account", "http:/console/", "https://127.0.0.1@evil.example/console/",
			"/console/%2e%2e/%2e%2e/", "/console/\r\nSet-Cookie: a=b", "console/", "\t//evil.example",
		} {
			in := url.Values{"email": {"ada@example.com"}, "password": {consolePassword}, "next": {next}}
			answer := p.browse("POST", "/console/sign-in", in)
			if answer.StatusCode == 429 {
				break // the limit on sign-ins
			}
			to := answer.expect(t, 303).Header.Get("Location")
			if to != "/console" && !strings.HasPrefix(to, "/console/%2") {
				t.Errorf("%q leads to %q", next, to)
			}
		}
	})
}

// Without a session every page redirects to the sign-in, whether the shop or order exists or not.
func TestConsoleServices_noSession(t *testing.T) {
	forEachServer(t, func(t *testing.T, app *boot.App, m apiClient) {
		m.openShop("desk", false)
		for _, token := range []string{"", "hs_" + strings.Repeat("0", 32), "hk_test_something", boottest.Key} {
			p := &consoleClient{t, app, token}
			for _, path := range []string{"/console", "/console/desk", "/console/nowhere", "/console/desk/orders/ord_0", "/console/desk/nix"} {
				if to := p.browse("GET", path, nil).expect(t, 303).Header.Get("Location"); !strings.HasPrefix(to, "/console/sign-in") {
					t.Errorf("%q at %s is sent to %q", token, path, to)
				}
			}
			p.browse("POST", "/console/desk/orders/ord_0/refund", url.Values{"amount": {"1"}}).expect(t, 303)
		}
	})
}

// fillPattern replaces the wildcards of a route's pattern.
func fillPattern(pattern, shop string) (method, path string) {
	method, path, _ = strings.Cut(pattern, " ")
	path = strings.NewReplacer("{shop}", shop, "{$}", "", "{rest...}", "nix").Replace(path)
	return method, regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "x_0")
}

// Without a session each page and form of a shop redirects to the sign-in. For a member who is bound to another shop it is not
// found.
func TestConsoleServices_forcedBrowsing(t *testing.T) {
	forEachServer(t, func(t *testing.T, app *boot.App, m apiClient) {
		m.openShop("desk", false)
		annex := m.openShop("annex", false)
		bound := m.call(201, "POST", "/v1/members/invitations", `{"email":"sam@example.com","role":"manager","project_ids":["`+annex+`"]}`)
		in, err := boottest.MemberClient{App: app, Address: "sam"}.Join(t.Context(), bound["link"].(string), "Sam", consolePassword)
		if err != nil {
			t.Fatal(err)
		}
		stranger, sam := &consoleClient{T: t, app: app}, &consoleClient{t, app, in.Token}
		routes := console.ShopRoutes()
		if len(routes) < 50 {
			t.Fatalf("only %d routes", len(routes))
		}
		for n, route := range routes {
			if n > 0 && n%50 == 0 { // pages of a session are rate-limited
				if in, err = (boottest.MemberClient{App: app, Address: "sam"}).SignIn(t.Context(), "sam@example.com", consolePassword); err != nil {
					t.Fatal(err)
				}
				sam.token = in.Token
			}
			method, path := fillPattern(route, "desk")
			var form url.Values
			if method == "POST" {
				form = url.Values{"key": {"0123456789abcdef"}, "name": {"x"}, "amount": {"1"}, "reason": {"x"}}
			}
			if to := stranger.browse(method, path, form).expect(t, 303).Header.Get("Location"); !strings.HasPrefix(to, "/console/sign-in") {
				t.Errorf("%s: a stranger is sent to %q", route, to)
			}
			sam.browse(method, path, form).expect(t, 404)
		}
		sam.browse("GET", "/console/annex/orders", nil).expect(t, 200)
	})
}

// Guessed session tokens are rate-limited before they are looked up.
func TestConsoleServices_guessedTokens(t *testing.T) {
	forEachServer(t, func(t *testing.T, app *boot.App, m apiClient) {
		p := &consoleClient{t, app, "hs_" + strings.Repeat("0", 32)}
		for range 100 {
			answer := p.browse("GET", "/console/desk", nil)
			if answer.StatusCode == 429 {
				if answer.Header.Get("Retry-After") == "" {
					t.Error("nothing says when to come again")
				}
				return
			}
			answer.expect(t, 303)
		}
		t.Error("100 tokens were tried")
	})
}
