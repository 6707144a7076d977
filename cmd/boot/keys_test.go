package boot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/domain/account"
)

// These tests manage API keys, the account and its second factor over HTTP, on both engines.

// apiClient calls the HTTP APIs of a server with a key, or as a buyer if the key is empty.
type apiClient struct {
	*testing.T
	url, key string
}

// call sends a request, expects the status, and returns the decoded body. A header is "Name: value".
func (m apiClient) call(status int, method, path, body string, headers ...string) map[string]any {
	m.Helper()
	r := request(m.T, method, m.url+path, body)
	r.Header.Set("Authorization", "Bearer "+m.key)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	answer := send(m.T, r).expect(m.T, status)
	read := map[string]any{}
	if answer.body != "" {
		if err := json.Unmarshal([]byte(answer.body), &read); err != nil {
			m.Fatalf("%s: %v", answer.body, err)
		}
	}
	return read
}

func (m apiClient) with(key any) apiClient { m.key = fmt.Sprint(key); return m }

// refused expects an error with the code and fields.
func (m apiClient) refused(status int, code, method, path, body string, fields ...string) {
	m.Helper()
	text := fmt.Sprint(m.call(status, method, path, body)["error"])
	if !strings.Contains(text, "code:"+code) {
		m.Errorf("%s %s %s: %s, want %s", method, path, body, text, code)
	}
	for _, field := range fields {
		if !strings.Contains(text, "field:"+field+" ") {
			m.Errorf("%s %s %s: %s does not name %s", method, path, body, text, field)
		}
	}
}

func (m apiClient) openShop(slug string, mfa bool) string {
	m.Helper()
	id := m.call(http.StatusCreated, "POST", "/v1/projects", fmt.Sprintf(`{"name": "Shop", "slug": %q}`, slug))["id"].(string)
	if mfa {
		m.call(http.StatusOK, "PATCH", "/v1/projects/"+id+"/settings", `{"security": {"mfa_required": true}}`)
	}
	return id
}

func forEachServer(t *testing.T, test func(*testing.T, *boot.App, apiClient)) {
	t.Helper()
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			app := boottest.Start(t, engine.URL(t), func(c *boot.Config) { c.EnterpriseRate = "9000/12000" })
			test(t, app, apiClient{t, app.URL(), boottest.Key})
		})
	}
}

// An API key is created, read, listed, used and revoked. A key that is bound to a project sees itself only.
func TestApp_apiKeyLifecycle(t *testing.T) {
	forEachServer(t, func(t *testing.T, app *boot.App, m apiClient) {
		shop := m.openShop("keys-life", false)
		boottest.Tick() // so that the bootstrap key is older
		made := m.call(201, "POST", "/v1/api-keys",
			fmt.Sprintf(`{"name": "ci", "scopes": ["keys:write", "projects:read"], "project_ids": [%q], "expires_at": "2999-01-02T03:04:05.678+01:00"}`, shop))
		own, id := m.with(made["key"]), made["id"].(string)
		if !strings.HasPrefix(own.key, fmt.Sprint(made["prefix"])) || made["expires_at"] != "2999-01-02T02:04:05.678Z" {
			t.Errorf("made %v", made)
		}
		seen := own.call(200, "GET", "/v1/api-keys/"+id, "")
		if _, shown := seen["key"]; shown || seen["status"] != "active" || seen["name"] != "ci" {
			t.Errorf("a key is shown as %v", seen)
		}
		eventually(t, "a used key is shown as such", func() bool { // the server's own flush may be running
			if err := app.Access.FlushUses(t.Context()); err != nil {
				t.Fatal(err)
			}
			return own.call(200, "GET", "/v1/api-keys/"+id, "")["last_used_at"] != nil
		})
		all, few := m.call(200, "GET", "/v1/api-keys", ""), own.call(200, "GET", "/v1/api-keys?limit=1", "")
		if len(all["data"].([]any)) != 2 || len(few["data"].([]any)) != 1 || fmt.Sprint(few["meta"]) != "map[limit:1 offset:0 total:1]" {
			t.Errorf("the account has %v, the bound key sees %v", all, few)
		}
		bootstrap := all["data"].([]any)[1].(map[string]any)["id"].(string)
		own.refused(404, "api_key_not_found", "DELETE", "/v1/api-keys/"+bootstrap, "")
		own.refused(404, "api_key_not_found", "GET", "/v1/api-keys/nonsense", "")
		own.call(204, "DELETE", "/v1/api-keys/"+id, "")
		own.refused(401, "unauthenticated", "GET", "/v1/api-keys", "")
		m.refused(404, "api_key_not_found", "DELETE", "/v1/api-keys/"+id, "")
		m.refused(404, "api_key_not_found", "GET", "/v1/api-keys/"+id, "")
		if left := m.call(200, "GET", "/v1/api-keys", ""); len(left["data"].([]any)) != 1 {
			t.Errorf("a revoked key is listed: %v", left)
		}
	})
}

// A key cannot create a key with more scopes, more projects or a later expiry than its own.
func TestApp_apiKeyWithinCreatorsRights(t *testing.T) {
	forEachServer(t, func(t *testing.T, _ *boot.App, m apiClient) {
		one, two := m.openShop("grow-one", false), m.openShop("grow-two", false)
		m.refused(422, "validation_error", "POST", "/v1/api-keys", `{"scopes": ["dogs:read"], "project_ids": ["x"], "expires_at": "2000-01-01T00:00:00Z"}`,
			"name", "scopes.0", "project_ids.0", "expires_at")
		m.refused(422, "validation_error", "POST", "/v1/api-keys", `{"name": "n", "scopes": ["*"], "expires_at": "tomorrow"}`, "expires_at")
		m.refused(422, "validation_error", "POST", "/v1/api-keys", `{"name": "n", "scopes": ["*"], "colour": "red"}`, "colour")
		narrow := m.with(m.call(201, "POST", "/v1/api-keys",
			fmt.Sprintf(`{"name": "n", "scopes": ["keys:write"], "project_ids": [%q], "expires_at": "2999-01-01T00:00:00Z"}`, one))["key"])
		narrow.refused(422, "validation_error", "POST", "/v1/api-keys",
			fmt.Sprintf(`{"name": "n", "scopes": ["keys:read", "*"], "project_ids": [%q, %q]}`, one, two),
			"scopes.1", "project_ids.1", "expires_at")
		narrow.refused(422, "validation_error", "POST", "/v1/api-keys", `{"name": "n", "scopes": ["keys:read"], "expires_at": "2999-01-01T00:00:01Z"}`,
			"project_ids", "expires_at")
		narrow.call(201, "POST", "/v1/api-keys",
			fmt.Sprintf(`{"name": "n", "scopes": ["keys:read"], "project_ids": [%q], "expires_at": "2999-01-01T00:00:00Z"}`, one))
		narrow.refused(403, "insufficient_scope", "GET", "/v1/account", "")
	})
}

// The account's name can be changed, its plan cannot.
func TestApp_account(t *testing.T) {
	forEachServer(t, func(t *testing.T, _ *boot.App, m apiClient) {
		a := m.call(200, "GET", "/v1/account", "")
		if a["plan"] != "enterprise" || fmt.Sprint(a["limits"]) != "map[burst:12000 requests_per_minute:9000]" ||
			fmt.Sprint(a["mfa"]) != "map[enabled:false recovery_codes_left:0]" {
			t.Errorf("%v", a)
		}
		if renamed := m.call(200, "PATCH", "/v1/account", `{"name": "Zoë's"}`); renamed["name"] != "Zoë's" || renamed["id"] != a["id"] {
			t.Errorf("%v", renamed)
		}
		m.refused(422, "validation_error", "PATCH", "/v1/account", `{"name": ""}`, "name")
		m.refused(422, "validation_error", "PATCH", "/v1/account", `{"name": null}`, "name")
		m.refused(422, "validation_error", "PATCH", "/v1/account", `{"plan": "enterprise"}`, "plan")
		if same := m.call(200, "PATCH", "/v1/account", `{}`); same["name"] != "Zoë's" {
			t.Errorf("%v", same)
		}
	})
}

// A project that requires MFA is changed only with a fresh code. Wrong codes are counted and limited.
func TestApp_secondFactor(t *testing.T) {
	forEachServer(t, func(t *testing.T, _ *boot.App, m apiClient) {
		guarded := m.openShop("mfa-guarded", true)
		newKey := fmt.Sprintf(`{"name": "n", "scopes": ["*"], "project_ids": [%q]}`, guarded)
		m.refused(403, "mfa_required", "POST", "/v1/api-keys", newKey)
		made := m.call(201, "POST", "/v1/account/mfa", "")
		codes := made["recovery_codes"].([]any)
		if len(codes) != 10 || !strings.HasPrefix(fmt.Sprint(made["otpauth_url"]), "otpauth://totp/Haggle:") {
			t.Errorf("%v", made)
		}
		m.refused(422, "validation_error", "POST", "/v1/account/mfa/confirm", `{}`, "code")
		code := func(steps time.Duration) string {
			text, err := totp.GenerateCode(made["secret"].(string), time.Now().Add(steps*30*time.Second))
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		if on := m.call(200, "POST", "/v1/account/mfa/confirm", fmt.Sprintf(`{"code": %q}`, code(0))); fmt.Sprint(on) != "map[enabled:true recovery_codes_left:10]" {
			t.Errorf("%v", on)
		}
		next := "X-MFA-Code: " + code(1)
		m.call(201, "POST", "/v1/api-keys", newKey, next)
		m.call(403, "POST", "/v1/api-keys", newKey, next)
		m.call(403, "POST", "/v1/account/mfa", "")
		m.call(201, "POST", "/v1/api-keys", newKey, fmt.Sprint("X-MFA-Code: ", codes[0]))
		// A wrong code counts although its request fails.
		for range account.MaxTries {
			m.call(403, "DELETE", "/v1/account/mfa", "", "X-MFA-Code: 000")
		}
		limited := request(t, "DELETE", m.url+"/v1/account/mfa", "")
		limited.Header.Set("Authorization", "Bearer "+m.key)
		limited.Header.Set("X-MFA-Code", fmt.Sprint(codes[1]))
		if answer := send(t, limited).expect(t, 429); answer.Header.Get("Retry-After") == "" {
			t.Errorf("%s has no Retry-After", answer.body)
		}
		if a := m.call(200, "GET", "/v1/account", ""); fmt.Sprint(a["mfa"]) != "map[enabled:true recovery_codes_left:9]" {
			t.Errorf("%v", a)
		}
	})
}

// A key that one replica revokes stops working on another replica within a second.
func TestApp_keyRevokedOnAnotherReplica(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			database := engine.URL(t)
			here, there := boottest.Start(t, database), boottest.Start(t, database)
			m := apiClient{t, here.URL(), boottest.Key}
			made := m.call(201, "POST", "/v1/api-keys", `{"name": "n", "scopes": ["*"]}`)
			m.with(made["key"]).call(200, "GET", "/v1/account", "")
			if _, err := there.Access.Authenticate(t.Context(), made["key"].(string)); err != nil {
				t.Fatal(err)
			}
			m.call(204, "DELETE", fmt.Sprint("/v1/api-keys/", made["id"]), "")
			revoked := time.Now()
			m.with(made["key"]).refused(401, "unauthenticated", "GET", "/v1/account", "")
			for {
				asked := time.Since(revoked)
				if _, err := there.Access.Authenticate(t.Context(), made["key"].(string)); err != nil {
					return
				}
				if asked > time.Second {
					t.Fatalf("it works after %s", asked)
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	for _, engine := range boottest.Engines {
		app := boottest.Start(b, engine.URL(b))
		uncached := *app.Access
		uncached.Cache = nil
		b.Run(engine.Name+"/cached", func(b *testing.B) { benchmarkAuthenticate(b, app.Access.Authenticate) })
		b.Run(engine.Name+"/uncached", func(b *testing.B) { benchmarkAuthenticate(b, uncached.Authenticate) })
	}
}

func benchmarkAuthenticate[C any](b *testing.B, authenticate func(context.Context, string) (C, error)) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := authenticate(b.Context(), boottest.Key); err != nil {
			b.Fatal(err)
		}
	}
}
