package shopify

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// follow requests a URL, and returns where it redirects.
func (s *shop) follow(address string) *url.URL {
	s.Helper()
	status, location := s.visit(address)
	if status != http.StatusSeeOther {
		s.Fatalf("%s: %d", address, status)
	}
	return location
}

func (s *shop) visit(address string) (status int, location *url.URL) {
	s.Helper()
	answer, err := browser.Get(address)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	location, _ = answer.Location()
	return answer.StatusCode, location
}

// approve consents on a platform's page, and returns where that redirects.
func (s *shop) approve(address string) *url.URL {
	s.Helper()
	answer, err := browser.PostForm(address, url.Values{"approve": {"1"}})
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	back, err := answer.Location()
	if err != nil {
		s.Fatal(err)
	}
	return back
}

// The bodies of the specification are sufficient: connect {type, redirect_uri} and complete {type, code, state}.
func TestConsent_specified(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{
			Products:  3,
			Customers: 3,
			Orders:    3,
		})
		s := open(t, database, there, "")
		begun := s.Ask(200, "POST", "/v1/integrations/connect", `{"type": "shopify", "redirect_uri": "https://example.com/back?tab=2"}`)
		state := begun["state"].(string)

		// The page for the shop's domain works too, although this platform's URL stands for all shops.
		page := s.App.URL() + "/oauth/shop?state=" + state
		if status, _ := s.visit(page); status != http.StatusOK {
			t.Errorf("the page: %d", status)
		}
		choose := func(store string) *http.Response {
			answer, err := browser.PostForm(page, url.Values{"state": {state}, "store_domain": {store}})
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			return answer
		}
		for _, wrong := range []string{"", "example.com", "evil.test/" + store} {
			if answer := choose(wrong); answer.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("the shop %q: %d", wrong, answer.StatusCode)
			}
		}
		consent, err := choose(store).Location()
		if err != nil || consent.Query().Get("shop") != store || consent.Query().Get("redirect_uri") != s.App.URL()+"/oauth/callback" {
			t.Fatalf("%v, %v", consent, err)
		}
		callback := s.approve(consent.String())
		if !strings.HasPrefix(callback.String(), s.App.URL()+"/oauth/callback?") {
			t.Fatalf("the platform leads to %s", callback)
		}
		complete := func(code string) string {
			return fmt.Sprintf(`{"type": "shopify", "code": %q, "state": %q}`, code, state)
		}
		code := callback.Query().Get("code")
		s.Ask(422, "POST", "/v1/integrations/connect/complete", complete(code)) // the redirect has not been followed yet

		forge := func(change func(url.Values)) string {
			forged := *callback
			query := forged.Query()
			change(query)
			forged.RawQuery = query.Encode()
			return forged.String()
		}
		for why, forged := range map[string]string{
			"another code":  forge(func(q url.Values) { q.Set("code", "guessed") }),
			"another shop":  forge(func(q url.Values) { q.Set("shop", "other.myshopify.com") }),
			"another state": forge(func(q url.Values) { q.Set("state", "guessed") }),
			"no signature":  forge(func(q url.Values) { q.Del("hmac") }),
			"no code":       forge(func(q url.Values) { q.Del("code") }),
			"nothing":       s.App.URL() + "/oauth/callback",
		} {
			if status, location := s.visit(forged); status/100 != 4 || location != nil {
				t.Errorf("%s: %d, %v", why, status, location)
			}
		}
		for range 2 { // a browser may follow it twice
			back := s.follow(callback.String())
			q := back.Query()
			if back.Host != "example.com" || back.Path != "/back" || q.Get("tab") != "2" || q.Get("code") != code || q.Get("state") != state {
				t.Errorf("the merchant comes back to %s", back)
			}
		}
		if status, _ := s.visit(page); status != http.StatusBadRequest {
			t.Errorf("the page, after that: %d", status)
		}
		s.Ask(400, "POST", "/v1/integrations/connect/complete", complete("guessed"))
		made := s.Ask(201, "POST", "/v1/integrations/connect/complete", complete(code))
		if made["store_domain"] != store || made["status"] != "connected" {
			t.Errorf("%v", made)
		}
		s.Ask(400, "POST", "/v1/integrations/connect/complete", complete(code))
		if status, location := s.visit(callback.String()); status/100 != 4 || location != nil {
			t.Errorf("the callback of a state that is used up: %d, %v", status, location)
		}
		s.sync("/v1/integrations/"+made["id"].(string), `{}`)
	})
}

// A user who denies consent is redirected with the platform's error, and can try again with the same state.
func TestConsent_denied(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{Products: 3})
		s := open(t, database, there, "")
		begun := s.Ask(200, "POST", "/v1/integrations/connect", `{"type": "shopify", "redirect_uri": "https://example.com/back"}`)
		state := begun["state"].(string)
		back := s.follow(s.App.URL() + "/oauth/callback?error=access_denied&state=" + state)
		if back.Host != "example.com" || back.Query().Get("error") != "access_denied" || back.Query().Get("state") != state {
			t.Errorf("%s", back)
		}
		code := s.follow(s.approve(begun["authorization_url"].(string)).String()).Query().Get("code")
		s.Ask(201, "POST", "/v1/integrations/connect/complete", fmt.Sprintf(`{"type": "shopify", "code": %q, "state": %q}`, code, state))
	})
}
