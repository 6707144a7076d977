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

// connectionsContext connects platforms through OAuth.
type connectionsContext struct{ *scenario }

// apiKeyBody returns the request body that connects a platform by API key, or "" for a platform that uses OAuth.
func (c *connectionsContext) apiKeyBody(kind string) string {
	return c.expand(map[string]string{
		"custom":      `{"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url"}}`,
		"shipstation": `{"type": "shipstation", "credentials": {"api_key": "$ship_key", "api_secret": "$ship_secret"}}`,
		"woocommerce": `{"type": "woocommerce", "credentials": {"api_key": "$woo_key", "api_secret": "cs_woocommerce"}, "config": {"base_url": "$woo_url"}}`,
		// ShipStation's API V2
		"shipstation-v2": `{"type": "shipstation", "credentials": {"api_key": "$ship_v2_key"}}`,
	}[kind])
}

// connectsPlatform connects a platform by API key or by OAuth.
func (c *connectionsContext) connectsPlatform(kind string) error {
	var err error
	if body := c.apiKeyBody(kind); body != "" {
		err = c.send("POST", integrationsPath+"/connect/api-key", body, nil)
	} else {
		err = errors.Join(c.beginsConnecting(kind, ""), c.givesConsent(), c.completesConnecting(""), c.unexpectedRefusal())
	}
	if err != nil {
		return err
	}
	return c.recordIntegration()
}

// recordIntegration makes the integration in the latest answer the scenario's current one.
func (c *connectionsContext) recordIntegration() error {
	var made struct{ ID string }
	if err := json.Unmarshal(c.recorder.last().body, &made); err != nil {
		return err
	}
	var err error
	c.integrations.integration, err = c.merchant.Integration(c.ctx, made.ID)
	return err
}

func (c *connectionsContext) beginsConnecting(kind, store string) error {
	c.platforms.redirect = redirectURI
	fields := map[string]string{"type": kind, "redirect_uri": c.platforms.redirect}
	if store != "" {
		fields["store_domain"] = store
	}
	body, _ := json.Marshal(fields) // a map of strings always encodes
	return c.attempt(func() error {
		if err := c.send("POST", integrationsPath+"/connect", string(body), nil); err != nil {
			return err
		}
		c.platforms.pendingConnection.Type = kind
		return json.Unmarshal(c.recorder.last().body, &c.platforms.pendingConnection)
	})
}

func (c *connectionsContext) givesConsent() error  { return c.decidesConsent("1") }
func (c *connectionsContext) deniesConsent() error { return c.decidesConsent("0") }

// decidesConsent submits the platform's consent page and records the redirect to the server's callback. It does not follow
// the redirect: shopifycontract's TestConsent_specified does.
func (c *connectionsContext) decidesConsent(approve string) error {
	if c.refusal != nil {
		return c.refusal
	}
	form := strings.NewReader(url.Values{"approve": {approve}}.Encode())
	request, err := http.NewRequestWithContext(c.ctx, "POST", c.platforms.pendingConnection.URL, form)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set(scenarioHeader, c.platforms.platformsName)
	response, err := c.server.transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	back, err := response.Location()
	if err != nil {
		page, _ := io.ReadAll(response.Body) // as much as can be read
		return fmt.Errorf("the platform answered %d: %s", response.StatusCode, page)
	}
	if want := c.app.URL() + "/oauth/callback?"; !strings.HasPrefix(back.String(), want) {
		return fmt.Errorf("it leads to %s", back)
	}
	c.platforms.callback = back.Query()
	c.server.platformHost.register(c.platforms.platforms, c.platforms.callback.Get("code"))
	return nil
}

// completionBody returns the body that completes an OAuth connection, with a step's changes. Null removes a field.
func (c *connectionsContext) completionBody(changes string) (string, error) {
	body := map[string]any{"type": c.platforms.pendingConnection.Type, "code": c.platforms.callback.Get("code"), "state": c.platforms.pendingConnection.State}
	if c.platforms.pendingConnection.Type == "shopify" {
		body["callback_query"] = c.platforms.callback.Encode()
	}
	if changes != "" {
		if err := json.Unmarshal([]byte(c.expand(changes)), &body); err != nil {
			return "", err
		}
		maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
	}
	text, err := json.Marshal(body)
	return string(text), err
}

func (c *connectionsContext) completesConnecting(changes string) error {
	return c.attempt(func() error {
		body, err := c.completionBody(changes)
		if err != nil {
			return err
		}
		if err := c.send("POST", integrationsPath+"/connect/complete", body, nil); err != nil {
			return err
		}
		var made struct{ ID string }
		err = json.Unmarshal(c.recorder.last().body, &made)
		c.integrations.integration.ID = made.ID
		return err
	})
}

func (c *connectionsContext) completesConcurrently(key string, times int) error {
	body, err := c.completionBody("")
	if err != nil {
		return err
	}
	header := http.Header{}
	if key != "" {
		header.Set("Idempotency-Key", key)
	}
	c.runConcurrently(times, func(int) error { return c.send("POST", integrationsPath+"/connect/complete", body, header) })
	return nil
}

// changesCallback changes a query parameter of the callback, which the platform has signed.
func (c *connectionsContext) changesCallback(name, value string) error {
	if !c.platforms.callback.Has(name) {
		return fmt.Errorf("the callback has no %s", name)
	}
	c.platforms.callback.Set(name, value)
	return nil
}

func (c *connectionsContext) connectsNothingBecause(reason string) error {
	if err := c.isRefusedBecause(reason); err != nil {
		return err
	}
	return c.integrations.hasNoIntegration()
}

func (c *connectionsContext) consentIsUsed() error {
	if err := c.isRefused(http.StatusBadRequest, "invalid_state"); err != nil {
		return err
	}
	return c.refusalNames("state")
}

// onlyOneConnects checks that one of n concurrent completions has connected the platform, and that there is one integration.
func (c *connectionsContext) onlyOneConnects(n int, kind string) error {
	if err := c.succeedAndRefused(1, n-1, http.StatusBadRequest, "invalid_state"); err != nil {
		return err
	}
	return c.integrations.integrationsShow("data.*.type", `["`+kind+`"]`, "data.*.status", `["connected"]`, "meta.total", "1")
}

// isConnected checks that the connection has just been made, and that the shop has no other.
func (c *connectionsContext) isConnected(kind string) error {
	if err := errors.Join(c.unexpectedRefusal(), c.statusIs(http.StatusCreated)); err != nil {
		return err
	}
	return c.integrations.integrationsShow("data.*.type", `["`+kind+`"]`, "data.*.status", `["connected"]`)
}

func (c *connectionsContext) shopifyShopIsConnected(domain string) error {
	if err := errors.Join(c.statusIs(http.StatusCreated), c.answerShows("store_domain", `"`+domain+`"`)); err != nil {
		return err
	}
	return c.isConnected("shopify")
}

// decidesInTab decides on the consent page that a link of the console leads to, and opens the callback in the browser.
func (c *connectionsContext) decidesInTab(name, decision, words string) error {
	t, err := c.console.tab(name)
	if err != nil {
		return err
	}
	var address string
	err = t.script(&address, `(words) => [...document.querySelectorAll("a")].find(a => a.innerText.trim() === words)?.href ?? ""`, words)
	if err != nil {
		return err
	}
	c.platforms.pendingConnection.URL = address
	decide := c.givesConsent
	if decision == "declines" {
		decide = c.deniesConsent
	}
	if err := decide(); err != nil {
		return err
	}
	return c.console.opensPage(name, "/oauth/callback?"+c.platforms.callback.Encode())
}
