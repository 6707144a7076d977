package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// apiKeyBody returns the request body that connects a platform by API key, or "" for a platform that uses OAuth.
func (w *world) apiKeyBody(kind string) string {
	return w.expand(map[string]string{
		"custom":      `{"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url"}}`,
		"shipstation": `{"type": "shipstation", "credentials": {"api_key": "$ship_key", "api_secret": "$ship_secret"}}`,
		"woocommerce": `{"type": "woocommerce", "credentials": {"api_key": "$woo_key", "api_secret": "cs_woocommerce"}, "config": {"base_url": "$woo_url"}}`,
		// ShipStation's API V2
		"shipstation-v2": `{"type": "shipstation", "credentials": {"api_key": "$ship_v2_key"}}`,
	}[kind])
}

// connectsPlatform connects a platform by API key or by OAuth.
func (w *world) connectsPlatform(kind string) error {
	var err error
	if body := w.apiKeyBody(kind); body != "" {
		err = w.send("POST", integrationsPath+"/connect/api-key", body, nil)
	} else {
		err = errors.Join(w.beginsConnecting(kind, ""), w.givesConsent(), w.completesConnecting(""), w.unexpectedRefusal())
	}
	if err != nil {
		return err
	}
	return w.recordIntegration()
}

// recordIntegration makes the integration in the latest answer the scenario's current one.
func (w *world) recordIntegration() error {
	var made struct{ ID string }
	if err := json.Unmarshal(w.recorder.last().body, &made); err != nil {
		return err
	}
	var err error
	w.integration, err = w.merchant.Integration(w.ctx, made.ID)
	return err
}

func (w *world) beginsConnecting(kind, store string) error {
	w.redirect = redirectURI
	fields := map[string]string{"type": kind, "redirect_uri": w.redirect}
	if store != "" {
		fields["store_domain"] = store
	}
	body, _ := json.Marshal(fields) // a map of strings always encodes
	return w.attempt(func() error {
		if err := w.send("POST", integrationsPath+"/connect", string(body), nil); err != nil {
			return err
		}
		w.pendingConnection.Type = kind
		return json.Unmarshal(w.recorder.last().body, &w.pendingConnection)
	})
}

func (w *world) givesConsent() error  { return w.decidesConsent("1") }
func (w *world) deniesConsent() error { return w.decidesConsent("0") }

// decidesConsent submits the platform's consent page and records the redirect to the server's callback. It does not follow
// the redirect: shopifycontract's TestConsent_specified does.
func (w *world) decidesConsent(approve string) error {
	if w.refusal != nil {
		return w.refusal
	}
	form := strings.NewReader(url.Values{"approve": {approve}}.Encode())
	request, err := http.NewRequestWithContext(w.ctx, "POST", w.pendingConnection.URL, form)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set(scenarioHeader, w.platformsName)
	response, err := w.server.transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	back, err := response.Location()
	if err != nil {
		page, _ := io.ReadAll(response.Body) // as much as can be read
		return fmt.Errorf("the platform answered %d: %s", response.StatusCode, page)
	}
	if want := w.app.URL() + "/oauth/callback?"; !strings.HasPrefix(back.String(), want) {
		return fmt.Errorf("it leads to %s", back)
	}
	w.callback = back.Query()
	w.server.platformHost.register(w.platforms, w.callback.Get("code"))
	return nil
}

// completionBody returns the body that completes an OAuth connection, with a step's changes. Null removes a field.
func (w *world) completionBody(changes string) (string, error) {
	body := map[string]any{"type": w.pendingConnection.Type, "code": w.callback.Get("code"), "state": w.pendingConnection.State}
	if w.pendingConnection.Type == "shopify" {
		body["callback_query"] = w.callback.Encode()
	}
	if changes != "" {
		if err := json.Unmarshal([]byte(w.expand(changes)), &body); err != nil {
			return "", err
		}
		maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
	}
	text, err := json.Marshal(body)
	return string(text), err
}

func (w *world) completesConnecting(changes string) error {
	return w.attempt(func() error {
		body, err := w.completionBody(changes)
		if err != nil {
			return err
		}
		if err := w.send("POST", integrationsPath+"/connect/complete", body, nil); err != nil {
			return err
		}
		var made struct{ ID string }
		err = json.Unmarshal(w.recorder.last().body, &made)
		w.integration.ID = made.ID
		return err
	})
}

func (w *world) completesConcurrently(key string, times int) error {
	body, err := w.completionBody("")
	if err != nil {
		return err
	}
	header := http.Header{}
	if key != "" {
		header.Set("Idempotency-Key", key)
	}
	w.runConcurrently(times, func(int) error { return w.send("POST", integrationsPath+"/connect/complete", body, header) })
	return nil
}

// changesCallback changes a query parameter of the callback, which the platform has signed.
func (w *world) changesCallback(name, value string) error {
	if !w.callback.Has(name) {
		return fmt.Errorf("the callback has no %s", name)
	}
	w.callback.Set(name, value)
	return nil
}

// decidesInTab decides on the consent page that a link of the console leads to, and opens the callback in the browser.
func (w *world) decidesInTab(name, decision, words string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	var address string
	err = t.script(&address, `(words) => [...document.querySelectorAll("a")].find(a => a.innerText.trim() === words)?.href ?? ""`, words)
	if err != nil {
		return err
	}
	w.pendingConnection.URL = address
	decide := w.givesConsent
	if decision == "declines" {
		decide = w.deniesConsent
	}
	if err := decide(); err != nil {
		return err
	}
	return w.opensPage(name, "/oauth/callback?"+w.callback.Encode())
}
