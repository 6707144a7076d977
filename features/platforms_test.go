package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// platformsContext runs the merchant's platforms, syncs with them, and compares catalogs.
type platformsContext struct {
	*scenario

	platforms         *platforms.Platforms
	formerPlatforms   []*platforms.Platforms // before the merchant moved to platforms
	platformsName     string
	pendingConnection struct {
		Type  string
		URL   string `json:"authorization_url"`
		State string
	}
	callback    url.Values // query of the platform's redirect
	redirect    string
	syncID      string // the latest sync
	webhook     merchant.Webhook
	sent        platforms.Sent
	reports     int               // of stock, that Shopify has sent
	namedValues map[string]string // values that steps have named
}

const (
	integrationsPath = "/v1/integrations"
	redirectURI      = "http://127.0.0.1:9/back"
	appSecret        = "haggle-sandbox-secret" // of the OAuth apps in a sandbox
	// syncTimeout is longer than a sync takes on a busy machine if the platform fails a few times.
	syncTimeout = 30 * time.Second
)

// hasPlatforms opens platforms with a step's data, and switches to the server that is configured with their URLs.
func (c *platformsContext) hasPlatforms(what string) error {
	c.useServer(c.server.loopback)
	return c.opensPlatforms(what)
}

// opensPlatforms opens new platforms for the merchant.
func (c *platformsContext) opensPlatforms(what string) error {
	config := platforms.Config{
		Products:  12,
		Customers: 8,
		Orders:    6,
		Seed:      5,
	}
	if what != "" {
		if err := json.Unmarshal([]byte(what), &config); err != nil {
			return err
		}
	}
	if c.platforms != nil {
		c.formerPlatforms = append(c.formerPlatforms, c.platforms)
	}
	c.platformsName = uniqueSlug()
	c.platforms = c.server.platformHost.open(c.platformsName, config)
	return nil
}

// addPlatformVars adds the named values and the variables of platforms, syncs and webhooks.
func (c *platformsContext) addPlatformVars(vars map[string]string) {
	maps.Copy(vars, c.namedValues)
	vars["sync"], vars["wh"] = c.syncID, c.webhook.ID
	if c.platforms != nil {
		vars["base_url"], vars["custom_key"] = c.server.platformHost.url+"/custom", "custom-key-"+c.platformsName
		vars["ship_key"], vars["ship_secret"] = "shipstation-key-"+c.platformsName, "shipstation-secret-"+c.platformsName
		vars["woo_url"], vars["woo_key"] = c.server.platformHost.url+"/woocommerce", "ck_"+c.platformsName
		vars["ship_v2_key"] = "shipstation-v2-key-" + c.platformsName
	}
}

// namesAnswerField stores a field of the latest answer under a name.
func (c *platformsContext) namesAnswerField(path, name string) error {
	value, found := valueAt(c.recorder.last().value(), path)
	if !found {
		return fmt.Errorf("there is no %s in %s", path, c.recorder.last().body)
	}
	c.nameValue(name, fmt.Sprint(value))
	return nil
}

func (c *platformsContext) nameValue(name, value string) {
	if c.namedValues == nil {
		c.namedValues = map[string]string{}
	}
	c.namedValues[name] = value
}

// leaks returns an error for each platform credential in an answer or event.
func (c *platformsContext) leaks() error {
	if c.platforms == nil {
		return nil
	}
	secrets := []string{appSecret}
	for _, p := range append(c.formerPlatforms, c.platforms) {
		secrets = append(secrets, c.server.platformHost.secretsOf(p)...)
	}
	var found error
	look := func(where string, text []byte) {
		for _, secret := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				found = errors.Join(found, fmt.Errorf("%s tells %q", where, secret))
			}
		}
	}
	for _, a := range c.recorder.all() {
		look(a.path, a.body)
	}
	if c.events.receiver != nil {
		for _, delivery := range c.events.receiver.Requests("") {
			look("an event", delivery.Body)
		}
	}
	return found
}

// closePlatforms closes the scenario's platforms.
func (c *platformsContext) closePlatforms() {
	if c.platforms == nil {
		return
	}
	for _, p := range append(c.formerPlatforms, c.platforms) {
		p.ClearFaults()
		p.Close()
		c.server.platformHost.remove(p)
	}
}

// integrationLeaksNothing reads every resource that shows an integration, and searches all answers for credentials.
func (c *platformsContext) integrationLeaksNothing() error {
	one := integrationsPath + "/" + c.integrations.integration.ID
	for _, path := range []string{integrationsPath, "/v1/audit-events?limit=100", "/v1/events", c.shops.shopPath(), one, one + "/sync/history", one + "/webhooks", one + "/webhooks/logs"} {
		if err := c.send("GET", path, "", nil); err != nil {
			return err
		}
	}
	return c.leaks()
}

func (c *platformsContext) setsPlatformFault(platform, fault string) error {
	f := platforms.Fault{Platform: platform}
	if err := json.Unmarshal([]byte(fault), &f); err != nil {
		return err
	}
	return c.platforms.Fault(f)
}

func (c *platformsContext) clearsPlatformFaults() { c.platforms.ClearFaults() }

func (c *platformsContext) changesPlatform(n int, platform, topics string, seed int) error {
	request := platforms.Change{
		Platform: platform,
		N:        n,
		Seed:     uint64(seed),
	}
	for topic := range strings.SplitSeq(topics, ", ") {
		request.Topics = append(request.Topics, topic)
	}
	changed, err := c.platforms.Change(request)
	if err == nil && len(changed) != n {
		err = fmt.Errorf("%d things changed: %+v", len(changed), changed)
	}
	return err
}

func (c *platformsContext) revokesPlatformAccess(platform string) error {
	return c.platforms.Revoke(platform)
}
