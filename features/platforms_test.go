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

// region is what a scenario knows of platforms that hold the merchant's data.
type region struct {
	platforms *platforms.Platforms
	left      []*platforms.Platforms // before the merchant moved to these
	homeName  string
	begun     struct {
		Type  string
		URL   string `json:"authorization_url"`
		State string
	}
	callback url.Values // what the platform sent the merchant back with
	redirect string
	sync     string // the latest, by id
	webhook  merchant.Webhook
	sent     platforms.Sent
	called   map[string]string // what steps have given a name
}

const (
	integrationsPath = "/v1/integrations"
	redirectURI      = "http://127.0.0.1:9/back"
	appSecret        = "haggle-sandbox-secret" // of the OAuth apps in a sandbox
	// syncPatience is longer than a platform that fails a few times takes, on a busy machine.
	syncPatience = 30 * time.Second
)

// hasPlatforms opens platforms that hold what a step says, and goes to the server that may reach them.
func (w *world) hasPlatforms(what string) error {
	w.goTo(w.server.beside)
	return w.movesTo(what)
}

// movesTo gives the merchant other platforms.
func (w *world) movesTo(what string) error {
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
		w.left = append(w.left, w.platforms)
	}
	w.homeName = freshSlug()
	w.platforms = w.server.town.settle(w.homeName, c)
	return nil
}

// nameRegion adds what steps may call by $name.
func (w *world) nameRegion(known map[string]string) {
	maps.Copy(known, w.called)
	known["state"], known["code"], known["callback"] = w.begun.State, w.callback.Get("code"), w.callback.Encode()
	known["sync"], known["wh"] = w.sync, w.webhook.ID
	if w.platforms != nil {
		known["base_url"], known["custom_key"] = w.server.town.url+"/custom", "custom-key-"+w.homeName
		known["ship_key"], known["ship_secret"] = "shipstation-key-"+w.homeName, "shipstation-secret-"+w.homeName
		known["woo_url"], known["woo_key"] = w.server.town.url+"/woocommerce", "ck_"+w.homeName
		known["ship_v2_key"] = "shipstation-v2-key-" + w.homeName
	}
}

// callsIt gives a part of the last answer a name.
func (w *world) callsIt(path, name string) error {
	value, found := at(w.tape.last().value(), path)
	if !found {
		return fmt.Errorf("there is no %s in %s", path, w.tape.last().body)
	}
	w.call(name, fmt.Sprint(value))
	return nil
}

func (w *world) call(name, value string) {
	if w.called == nil {
		w.called = map[string]string{}
	}
	w.called[name] = value
}

// leaks are secrets between us and the platforms that somebody was told.
func (w *world) leaks() error {
	if w.platforms == nil {
		return nil
	}
	secrets := []string{appSecret}
	for _, p := range append(w.left, w.platforms) {
		secrets = append(secrets, w.server.town.told(p)...)
	}
	var found error
	look := func(where string, text []byte) {
		for _, secret := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				found = errors.Join(found, fmt.Errorf("%s tells %q", where, secret))
			}
		}
	}
	for _, a := range w.tape.all() {
		look(a.path, a.body)
	}
	if w.receiver != nil {
		for _, came := range w.receiver.Requests("") {
			look("an event", came.Body)
		}
	}
	return found
}

// moveOut ends the platforms of the scenario.
func (w *world) moveOut() {
	if w.platforms == nil {
		return
	}
	for _, p := range append(w.left, w.platforms) {
		p.ClearFaults()
		p.Close()
		w.server.town.leave(p)
	}
}

// nothingLeaks asks for everything that shows an integration, and judges all answers.
func (w *world) nothingLeaks() error {
	one := integrationsPath + "/" + w.integration.ID
	for _, path := range []string{integrationsPath, "/v1/audit-events?limit=100", "/v1/events", w.shopPath(), one, one + "/sync/history", one + "/webhooks", one + "/webhooks/logs"} {
		if err := w.send("GET", path, "", nil); err != nil {
			return err
		}
	}
	return w.leaks()
}

func (w *world) meets(platform, fault string) error {
	f := platforms.Fault{Platform: platform}
	if err := json.Unmarshal([]byte(fault), &f); err != nil {
		return err
	}
	return w.platforms.Fault(f)
}

func (w *world) recovers() { w.platforms.ClearFaults() }

func (w *world) changesHappen(n int, platform, topics string, seed int) error {
	asked := platforms.Change{
		Platform: platform,
		N:        n,
		Seed:     uint64(seed),
	}
	for topic := range strings.SplitSeq(topics, ", ") {
		asked.Topics = append(asked.Topics, topic)
	}
	changed, err := w.platforms.Change(asked)
	if err == nil && len(changed) != n {
		err = fmt.Errorf("%d things changed: %+v", len(changed), changed)
	}
	return err
}

func (w *world) isRevoked(platform string) error { return w.platforms.Revoke(platform) }
