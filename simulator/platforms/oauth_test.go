package platforms_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

const callback = "http://127.0.0.1:9999/callback"

func authorize(s *platforms.Server, platform, scope string, more ...string) string {
	path := map[string]string{"shopify": "/shopify/admin/oauth/authorize", "hubspot": "/hubspot/oauth/authorize"}[platform]
	q := url.Values{"client_id": {"haggle-sandbox"}, "scope": {scope}, "redirect_uri": {callback}, "state": {"xyz"}}
	for n := 0; n+1 < len(more); n += 2 {
		q.Set(more[n], more[n+1])
	}
	return s.URL + path + "?" + q.Encode()
}

// consent approves and returns the query of the redirect.
func consent(t *testing.T, address string) url.Values {
	t.Helper()
	r := do(t, "POST", address, url.Values{"approve": {"1"}})
	is(t, "approved", r.StatusCode, 302)
	u, err := url.Parse(r.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(u.String(), callback+"?") {
		t.Fatalf("sent to %v: %v", u, err)
	}
	return u.Query()
}

func TestPlatforms_consentPage(t *testing.T) {
	s := start(t, platforms.Config{})
	page := do(t, "GET", authorize(s, "shopify", "read_products,read_orders"), nil)
	is(t, "status", page.StatusCode, 200)
	for _, text := range []string{"trailhead-outfitters.myshopify.com", "read_products", "read_orders", callback, "Approve", "Deny", `method="post"`} {
		if !strings.Contains(string(page.text), text) {
			t.Errorf("the page does not show %q", text)
		}
	}
	denied := do(t, "POST", authorize(s, "shopify", "read_products"), url.Values{"approve": {"0"}})
	u, _ := url.Parse(denied.Header.Get("Location"))
	is(t, "denied", u.Query().Get("error")+" "+u.Query().Get("state")+u.Query().Get("code"), "access_denied xyz")
	is(t, "an unknown app", do(t, "GET", authorize(s, "hubspot", "x", "client_id", "other"), nil).StatusCode, 400)
	is(t, "no redirect", do(t, "GET", authorize(s, "hubspot", "x", "redirect_uri", "/callback"), nil).StatusCode, 400)
}

func TestShopify_callbackSignature(t *testing.T) {
	s := start(t, platforms.Config{})
	q := consent(t, authorize(s, "shopify", "read_products"))
	var parts []string
	for name := range q {
		if name != "hmac" {
			parts = append(parts, name+"="+q.Get(name))
		}
	}
	slices.Sort(parts)
	mac := hmac.New(sha256.New, []byte("haggle-sandbox-secret"))
	mac.Write([]byte(strings.Join(parts, "&")))
	is(t, "hmac", q.Get("hmac"), hex.EncodeToString(mac.Sum(nil)))
	is(t, "shop and state", q.Get("shop")+" "+q.Get("state"), "trailhead-outfitters.myshopify.com xyz")
	if q.Get("timestamp") == "" || q.Get("host") == "" {
		t.Errorf("callback without timestamp or host: %v", q)
	}
}

// shopifyToken exchanges a new code for an access token.
func shopifyToken(t *testing.T, s *platforms.Server, scope string) string {
	t.Helper()
	code := consent(t, authorize(s, "shopify", scope)).Get("code")
	form := url.Values{"client_id": {"haggle-sandbox"}, "client_secret": {"haggle-sandbox-secret"}, "code": {code}, "expiring": {"1"}}
	r := do(t, "POST", s.URL+"/shopify/admin/oauth/access_token", form)
	is(t, "token", r.StatusCode, 200)
	is(t, "scope", r.object(t)["scope"], any(strings.ReplaceAll(scope, " ", ",")))
	return r.object(t)["access_token"].(string)
}

func TestShopify_codeUsedOnce(t *testing.T) {
	var skew atomic.Int64
	s := start(t, platforms.Config{Now: func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }})
	exchange := func(code, secret string) int {
		return do(t, "POST", s.URL+"/shopify/admin/oauth/access_token", object{"client_id": "haggle-sandbox", "client_secret": secret, "code": code}).StatusCode
	}
	code := consent(t, authorize(s, "shopify", "read_products")).Get("code")
	is(t, "wrong secret", exchange(code, "nonsense"), 400)
	is(t, "first", exchange(code, "haggle-sandbox-secret"), 200)
	is(t, "second", exchange(code, "haggle-sandbox-secret"), 400)
	late := consent(t, authorize(s, "shopify", "read_products")).Get("code")
	skew.Store(int64(61 * time.Second))
	is(t, "after a minute", exchange(late, "haggle-sandbox-secret"), 400)
}

// shopifyGrant requests a token and returns the answer.
func shopifyGrant(t *testing.T, s *platforms.Server, fields ...string) reply {
	t.Helper()
	form := url.Values{"client_id": {"haggle-sandbox"}, "client_secret": {"haggle-sandbox-secret"}}
	for n := 0; n < len(fields); n += 2 {
		form.Set(fields[n], fields[n+1])
	}
	return do(t, "POST", s.URL+"/shopify/admin/oauth/access_token", form)
}

func shopifyStatus(t *testing.T, s *platforms.Server, token any) reply {
	t.Helper()
	return do(t, "POST", s.URL+"/shopify/admin/api/2026-10/graphql.json", object{"query": "{ shop { id } }"}, "X-Shopify-Access-Token", token.(string))
}

func TestShopify_expiringToken(t *testing.T) {
	var skew atomic.Int64
	s := start(t, platforms.Config{Now: func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }})
	code := func() string { return consent(t, authorize(s, "shopify", everyScope)).Get("code") }
	old := shopifyGrant(t, s, "code", code(), "expiring", "1").object(t)
	first := shopifyGrant(t, s, "code", code(), "expiring", "1").object(t)
	is(t, "expires_in", first["expires_in"], any(3600.0))
	is(t, "refresh_token_expires_in", first["refresh_token_expires_in"], any(7776000.0))
	is(t, "an earlier token", shopifyStatus(t, s, old["access_token"]).StatusCode, 401)
	is(t, "an earlier refresh token", shopifyGrant(t, s, "grant_type", "refresh_token", "refresh_token", old["refresh_token"].(string)).StatusCode, 400)
	is(t, "fresh", shopifyStatus(t, s, first["access_token"]).StatusCode, 200)
	skew.Store(int64(time.Hour))
	is(t, "stale", shopifyStatus(t, s, first["access_token"]).StatusCode, 401)

	refresh := func(of object) reply {
		return shopifyGrant(t, s, "grant_type", "refresh_token", "refresh_token", of["refresh_token"].(string))
	}
	second := refresh(first).object(t)
	is(t, "refreshed", shopifyStatus(t, s, second["access_token"]).StatusCode, 200)
	again := refresh(first).object(t) // as if the answer were lost
	is(t, "refreshed again", shopifyStatus(t, s, again["access_token"]).StatusCode, 200)
	third := refresh(again).object(t)
	is(t, "the replacement is used", shopifyStatus(t, s, third["access_token"]).StatusCode, 200)
	is(t, "the one before it", refresh(first).StatusCode, 400)
	skew.Store(int64(time.Hour + 90*24*time.Hour))
	is(t, "after 90 days", refresh(third).StatusCode, 400)
}

func TestShopify_nonExpiringToken(t *testing.T) {
	for kind, want := range map[string]int{platforms.PublicApp: 403, platforms.CustomApp: 200} {
		s := start(t, platforms.Config{ShopifyApp: kind})
		given := shopifyGrant(t, s, "code", consent(t, authorize(s, "shopify", everyScope)).Get("code")).object(t)
		is(t, "expires_in", given["expires_in"], nil)
		answer := shopifyStatus(t, s, given["access_token"])
		is(t, kind, answer.StatusCode, want)
		if want == 403 && !strings.HasPrefix(answer.object(t)["errors"].(string), "[API] Non-expiring access tokens are no longer accepted") {
			t.Errorf("%v", answer.object(t))
		}
	}
}

func hubspotToken(t *testing.T, s *platforms.Server, form url.Values) reply {
	t.Helper()
	form.Set("client_id", "haggle-sandbox")
	form.Set("client_secret", "haggle-sandbox-secret")
	return do(t, "POST", s.URL+"/hubspot/oauth/2026-03/token", form)
}

func codeForm(code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}}
}

func TestHubSpot_PKCE(t *testing.T) {
	s := start(t, platforms.Config{})
	verifier := "a-verifier-of-at-least-forty-three-characters-long"
	sum := sha256.Sum256([]byte(verifier))
	address := authorize(s, "hubspot", "crm.objects.contacts.read", "code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method", "S256")
	for given, want := range map[string]int{verifier: 200, "another": 400, "": 400} {
		form := codeForm(consent(t, address).Get("code"))
		form.Set("code_verifier", given)
		is(t, "verifier "+given, hubspotToken(t, s, form).StatusCode, want)
	}
	form := codeForm(consent(t, authorize(s, "hubspot", "x")).Get("code"))
	form.Set("redirect_uri", "http://127.0.0.1:9999/other")
	is(t, "another redirect_uri", hubspotToken(t, s, form).StatusCode, 400)
}

func TestHubSpot_refreshToken(t *testing.T) {
	var skew atomic.Int64
	s := start(t, platforms.Config{HubSpotLife: time.Minute, Now: func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }})
	given := hubspotToken(t, s, codeForm(consent(t, authorize(s, "hubspot", "crm.objects.contacts.read")).Get("code"))).object(t)
	is(t, "expires_in", given["expires_in"], any(60.0))
	list := func(token any) reply {
		return do(t, "GET", s.URL+"/hubspot/crm/objects/2026-09/contacts", nil, "Authorization", "Bearer "+token.(string))
	}
	is(t, "fresh", list(given["access_token"]).StatusCode, 200)
	introspect := func(secret string) reply {
		return do(t, "POST", s.URL+"/hubspot/oauth/2026-03/token/introspect",
			url.Values{"client_id": {"haggle-sandbox"}, "client_secret": {secret}, "token": {given["access_token"].(string)}})
	}
	about := introspect("haggle-sandbox-secret").object(t)
	is(t, "active", about["active"], any(true))
	is(t, "hub", about["hub_id"], any(62515.0))
	is(t, "introspection by another app", introspect("nonsense").StatusCode, 400)
	skew.Store(int64(2 * time.Minute))
	stale := list(given["access_token"])
	is(t, "stale", stale.StatusCode, 401)
	is(t, "stale, introspected", introspect("haggle-sandbox-secret").object(t)["active"], any(false))
	is(t, "category", stale.object(t)["category"], any("EXPIRED_AUTHENTICATION"))
	refresh := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {given["refresh_token"].(string)}}
	again := hubspotToken(t, s, refresh).object(t)
	is(t, "refreshed", list(again["access_token"]).StatusCode, 200)
	is(t, "revoked", do(t, "POST", s.URL+"/control/revoke", `{"platform":"hubspot"}`).StatusCode, 200)
	is(t, "after that", list(again["access_token"]).StatusCode, 401)
	refused := hubspotToken(t, s, refresh)
	is(t, "refresh after that", refused.object(t)["status"], any("BAD_REFRESH_TOKEN"))
}

// HubSpot removes the versions before the dated ones in 2027.
func TestHubSpot_datedVersions(t *testing.T) {
	s := start(t, platforms.Config{})
	for address, method := range map[string]string{
		"/oauth/v1/token":                  "POST",
		"/oauth/v1/access-tokens/a":        "GET",
		"/crm/v3/objects/contacts":         "GET",
		"/crm/v3/objects/contacts/search":  "POST",
		"/oauth/2026-03/token/introspect/": "POST",
	} {
		is(t, method+" "+address, do(t, method, s.URL+"/hubspot"+address, nil).StatusCode, 404)
	}
}
