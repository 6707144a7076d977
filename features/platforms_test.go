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

// platformState holds a scenario's fake platforms and its integration with them.
type platformState struct {
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
func (w *world) hasPlatforms(what string) error {
	w.useServer(w.server.loopback)
	return w.opensPlatforms(what)
}

// opensPlatforms opens new platforms for the merchant.
func (w *world) opensPlatforms(what string) error {
	c := platforms.Config{
		Products:  12,
		Customers: 8,
		Orders:    6,
		Seed:      5,
	}
	if what != "" {
		if err := json.Unmarshal([]byte(what), &c); err != nil {
			return err
		}
	}
	if w.platforms != nil {
		w.formerPlatforms = append(w.formerPlatforms, w.platforms)
	}
	w.platformsName = uniqueSlug()
	w.platforms = w.server.platformHost.open(w.platformsName, c)
	return nil
}

// addPlatformVars adds the named values and the variables of platforms, syncs and webhooks.
func (w *world) addPlatformVars(vars map[string]string) {
	maps.Copy(vars, w.namedValues)
	vars["state"], vars["code"], vars["callback"] = w.pendingConnection.State, w.callback.Get("code"), w.callback.Encode()
	vars["sync"], vars["wh"] = w.syncID, w.webhook.ID
	if w.platforms != nil {
		vars["base_url"], vars["custom_key"] = w.server.platformHost.url+"/custom", "custom-key-"+w.platformsName
		vars["ship_key"], vars["ship_secret"] = "shipstation-key-"+w.platformsName, "shipstation-secret-"+w.platformsName
		vars["woo_url"], vars["woo_key"] = w.server.platformHost.url+"/woocommerce", "ck_"+w.platformsName
		vars["ship_v2_key"] = "shipstation-v2-key-" + w.platformsName
	}
}

// namesAnswerField stores a field of the latest answer under a name.
func (w *world) namesAnswerField(path, name string) error {
	value, found := valueAt(w.recorder.last().value(), path)
	if !found {
		return fmt.Errorf("there is no %s in %s", path, w.recorder.last().body)
	}
	w.nameValue(name, fmt.Sprint(value))
	return nil
}

func (w *world) nameValue(name, value string) {
	if w.namedValues == nil {
		w.namedValues = map[string]string{}
	}
	w.namedValues[name] = value
}

// leaks returns an error for each platform credential in an answer or event.
func (w *world) leaks() error {
	if w.platforms == nil {
		return nil
	}
	secrets := []string{appSecret}
	for _, p := range append(w.formerPlatforms, w.platforms) {
		secrets = append(secrets, w.server.platformHost.secretsOf(p)...)
	}
	var found error
	look := func(where string, text []byte) {
		for _, secret := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				found = errors.Join(found, fmt.Errorf("%s tells %q", where, secret))
			}
		}
	}
	for _, a := range w.recorder.all() {
		look(a.path, a.body)
	}
	if w.receiver != nil {
		for _, delivery := range w.receiver.Requests("") {
			look("an event", delivery.Body)
		}
	}
	return found
}

// closePlatforms closes the scenario's platforms.
func (w *world) closePlatforms() {
	if w.platforms == nil {
		return
	}
	for _, p := range append(w.formerPlatforms, w.platforms) {
		p.ClearFaults()
		p.Close()
		w.server.platformHost.remove(p)
	}
}

// integrationLeaksNothing reads every resource that shows an integration, and searches all answers for credentials.
func (w *world) integrationLeaksNothing() error {
	one := integrationsPath + "/" + w.integration.ID
	for _, path := range []string{integrationsPath, "/v1/audit-events?limit=100", "/v1/events", w.shopPath(), one, one + "/sync/history", one + "/webhooks", one + "/webhooks/logs"} {
		if err := w.send("GET", path, "", nil); err != nil {
			return err
		}
	}
	return w.leaks()
}

func (w *world) setsPlatformFault(platform, fault string) error {
	f := platforms.Fault{Platform: platform}
	if err := json.Unmarshal([]byte(fault), &f); err != nil {
		return err
	}
	return w.platforms.Fault(f)
}

func (w *world) clearsPlatformFaults() { w.platforms.ClearFaults() }

func (w *world) changesPlatform(n int, platform, topics string, seed int) error {
	request := platforms.Change{
		Platform: platform,
		N:        n,
		Seed:     uint64(seed),
	}
	for topic := range strings.SplitSeq(topics, ", ") {
		request.Topics = append(request.Topics, topic)
	}
	changed, err := w.platforms.Change(request)
	if err == nil && len(changed) != n {
		err = fmt.Errorf("%d things changed: %+v", len(changed), changed)
	}
	return err
}

func (w *world) revokesPlatformAccess(platform string) error { return w.platforms.Revoke(platform) }
