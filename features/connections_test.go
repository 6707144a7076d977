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

// keyed are the bodies that connect a platform by key.
func (w *world) keyed(kind string) string {
	return w.expand(map[string]string{
		"custom":      `{"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url"}}`,
		"shipstation": `{"type": "shipstation", "credentials": {"api_key": "$ship_key", "api_secret": "$ship_secret"}}`,
		"woocommerce": `{"type": "woocommerce", "credentials": {"api_key": "$woo_key", "api_secret": "cs_woocommerce"}, "config": {"base_url": "$woo_url"}}`,
		// by API V2
		"shipstation-v2": `{"type": "shipstation", "credentials": {"api_key": "$ship_v2_key"}}`,
	}[kind])
}

// isConnected connects a platform, by its key or by consent.
func (w *world) isConnected(kind string) error {
	var err error
	if body := w.keyed(kind); body != "" {
		err = w.send("POST", integrationsPath+"/connect/api-key", body, nil)
	} else {
		err = errors.Join(w.begins(kind, ""), w.consents(), w.comesBack(""), w.unjudged())
	}
	if err != nil {
		return err
	}
	return w.noteIntegration()
}

// noteIntegration makes the integration that was answered the one that steps speak of.
func (w *world) noteIntegration() error {
	var made struct{ ID string }
	if err := json.Unmarshal(w.tape.last().body, &made); err != nil {
		return err
	}
	var err error
	w.integration, err = w.merchant.Integration(w.ctx, made.ID)
	return err
}

func (w *world) begins(kind, store string) error {
	w.redirect = redirectURI
	asked := map[string]string{"type": kind, "redirect_uri": w.redirect}
	if store != "" {
		asked["store_domain"] = store
	}
	body, _ := json.Marshal(asked) // of texts
	return w.attempt(func() error {
		if err := w.send("POST", integrationsPath+"/connect", string(body), nil); err != nil {
			return err
		}
		w.begun.Type = kind
		return json.Unmarshal(w.tape.last().body, &w.begun)
	})
}

func (w *world) consents() error { return w.decides("1") }
func (w *world) declines() error { return w.decides("0") }

// decides presses a button on the platform's page, which leads to the server's callback. It is not visited: shopifycontract's
// TestConsent_specified does that.
func (w *world) decides(approve string) error {
	if w.refusal != nil {
		return w.refusal
	}
	form := strings.NewReader(url.Values{"approve": {approve}}.Encode())
	request, err := http.NewRequestWithContext(w.ctx, "POST", w.begun.URL, form)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set(visitorHeader, w.homeName)
	response, err := w.server.transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	back, err := response.Location()
	if err != nil {
		page, _ := io.ReadAll(response.Body) // or what there is of it
		return fmt.Errorf("the platform answered %d: %s", response.StatusCode, page)
	}
	if want := w.app.URL() + "/oauth/callback?"; !strings.HasPrefix(back.String(), want) {
		return fmt.Errorf("it leads to %s", back)
	}
	w.callback = back.Query()
	w.server.town.learn(w.platforms, w.callback.Get("code"))
	return nil
}

// completion is what a merchant comes back with, and what a step says of it. Null leaves something out.
func (w *world) completion(changes string) (string, error) {
	body := map[string]any{"type": w.begun.Type, "code": w.callback.Get("code"), "state": w.begun.State}
	if w.begun.Type == "shopify" {
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

func (w *world) comesBack(changes string) error {
	return w.attempt(func() error {
		body, err := w.completion(changes)
		if err != nil {
			return err
		}
		if err := w.send("POST", integrationsPath+"/connect/complete", body, nil); err != nil {
			return err
		}
		var made struct{ ID string }
		err = json.Unmarshal(w.tape.last().body, &made)
		w.integration.ID = made.ID
		return err
	})
}

func (w *world) comesBackAtOnce(key string, times int) error {
	body, err := w.completion("")
	if err != nil {
		return err
	}
	header := http.Header{}
	if key != "" {
		header.Set("Idempotency-Key", key)
	}
	w.atOnce(times, func(int) error { return w.send("POST", integrationsPath+"/connect/complete", body, header) })
	return nil
}

// tampers changes what a platform has signed.
func (w *world) tampers(name, value string) error {
	if !w.callback.Has(name) {
		return fmt.Errorf("the callback has no %s", name)
	}
	w.callback.Set(name, value)
	return nil
}

// decidesInTab decides at the platform that a link of the page leads to, and comes back in the browser.
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
	w.begun.URL = address
	decide := w.consents
	if decision == "declines" {
		decide = w.declines
	}
	if err := decide(); err != nil {
		return err
	}
	return w.opensPage(name, "/oauth/callback?"+w.callback.Encode())
}
