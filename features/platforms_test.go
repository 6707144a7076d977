package features

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// region is what a scenario knows of platforms that hold the merchant's data.
type region struct {
	platforms *platforms.Platforms
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
	c := platforms.Config{Products: 12, Customers: 8, Orders: 6, Seed: 5}
	if what != "" {
		if err := json.Unmarshal([]byte(what), &c); err != nil {
			return err
		}
	}
	w.homeName = strings.ToLower(freshSlug())
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
	}
}

// callsIt gives a part of the last answer a name.
func (w *world) callsIt(path, name string) error {
	value, found := at(w.tape.last().value(), path)
	if !found {
		return fmt.Errorf("there is no %s in %s", path, w.tape.last().body)
	}
	if w.called == nil {
		w.called = map[string]string{}
	}
	w.called[name] = fmt.Sprint(value)
	return nil
}

// leaks are secrets between us and the platforms that somebody was told.
func (w *world) leaks() error {
	if w.platforms == nil {
		return nil
	}
	secrets := append(w.server.town.told(w.platforms), appSecret)
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

// keyed are the bodies that connect a platform by key.
func (w *world) keyed(kind string) string {
	return w.expand(map[string]string{
		"custom":      `{"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url"}}`,
		"shipstation": `{"type": "shipstation", "credentials": {"api_key": "$ship_key", "api_secret": "$ship_secret"}}`,
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

// decides presses a button on the platform's page, which leads back to where the merchant came from.
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
	if want := w.redirect + "?"; !strings.HasPrefix(back.String(), want) {
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

func (w *world) comesBackAtOnce(times int) error {
	body, err := w.completion("")
	if err != nil {
		return err
	}
	w.atOnce(times, func(int) error { return w.send("POST", integrationsPath+"/connect/complete", body, nil) })
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

func (w *world) meets(platform, fault string) error {
	f := platforms.Fault{Platform: platform}
	if err := json.Unmarshal([]byte(fault), &f); err != nil {
		return err
	}
	return w.platforms.Fault(f)
}

func (w *world) recovers() { w.platforms.ClearFaults() }

func (w *world) changesHappen(n int, platform, topics string, seed int) error {
	asked := platforms.Change{Platform: platform, N: n, Seed: uint64(seed)}
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

func (w *world) onIntegration(rest string) string {
	return integrationsPath + "/" + w.integration.ID + rest
}

func (w *world) startsSync(body string) error {
	return w.attempt(func() error {
		if err := w.send("POST", w.onIntegration("/sync"), w.expand(body), nil); err != nil {
			return err
		}
		return w.noteSync()
	})
}

func (w *world) noteSync() error {
	var run struct {
		ID string `json:"sync_id"`
	}
	err := json.Unmarshal(w.tape.last().body, &run)
	w.sync = run.ID
	return err
}

// hasSynced runs a sync to its end, which must be a good one.
func (w *world) hasSynced(body string) error {
	if err := errors.Join(w.startsSync(body), w.unjudged()); err != nil {
		return err
	}
	return w.syncEnds("completed")
}

// syncEnds waits for it. The last answer is the run then, and its counters add up.
func (w *world) syncEnds(status string) error {
	for end := time.Now().Add(syncPatience); ; time.Sleep(20 * time.Millisecond) {
		if err := w.send("GET", w.onIntegration("/sync/"+w.sync), "", nil); err != nil {
			return err
		}
		var run struct {
			Status    string
			Resources map[string]struct{ Total, Created, Updated, Unchanged, Errors int }
		}
		if err := json.Unmarshal(w.tape.last().body, &run); err != nil {
			return err
		}
		for name, c := range run.Resources {
			if c.Total != c.Created+c.Updated+c.Unchanged+c.Errors {
				return fmt.Errorf("the counters of %s do not add up: %+v", name, c)
			}
		}
		switch {
		case run.Status == status:
			return nil
		case run.Status != "running" || time.Now().After(end):
			return fmt.Errorf("it is %s: %s", run.Status, w.tape.last().body)
		}
	}
}

// wantedRunEnds waits for a sync that nobody but a webhook has asked for.
func (w *world) wantedRunEnds(n int) error {
	for end := time.Now().Add(syncPatience); ; time.Sleep(20 * time.Millisecond) {
		if err := w.send("GET", w.onIntegration("/sync/history"), "", nil); err != nil {
			return err
		}
		var history merchant.List[struct {
			ID     string `json:"sync_id"`
			Status string
		}]
		if err := json.Unmarshal(w.tape.last().body, &history); err != nil {
			return err
		}
		if len(history.Data) == n && history.Data[0].Status == "completed" {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the history is %s", w.tape.last().body)
		}
	}
}

func (w *world) hasWebhook(topic, actions string) error {
	if err := errors.Join(w.registers(topic, actions), w.unjudged()); err != nil {
		return err
	}
	return nil
}

func (w *world) registers(topic, actions string) error {
	body := fmt.Sprintf(`{"topic": %q, "actions": %s}`, topic, cmp.Or(actions, "[]"))
	return w.attempt(func() error {
		if err := w.send("POST", w.onIntegration("/webhooks"), body, nil); err != nil {
			return err
		}
		w.webhook = merchant.Webhook{}
		return json.Unmarshal(w.tape.last().body, &w.webhook)
	})
}

// tells has a platform make changes and call our webhooks with them.
func (w *world) tells(platform string, n int, more string) error {
	asked := platforms.Webhooks{Platform: platform, Count: n, Seed: 3}
	if more != "" {
		if err := json.Unmarshal([]byte(more), &asked); err != nil {
			return err
		}
	}
	var err error
	w.sent, err = w.platforms.Webhooks(w.ctx, asked)
	return err
}

func (w *world) callsAnswered(kind string, n, status int) error {
	answers := w.sent.Answers
	if kind == "forged" {
		answers = w.sent.TamperedAnswers
	}
	total := 0
	for _, times := range answers {
		total += times
	}
	if answers[status] != n || total != n {
		return fmt.Errorf("they were answered %v", answers)
	}
	return nil
}

// shopifyCalls calls the webhook as Shopify would, or as somebody who has not the app's secret.
func (w *world) shopifyCalls(name, secret string, body *godog.DocString) error {
	content := w.expand(body.Content)
	request, err := http.NewRequestWithContext(w.ctx, "POST", w.webhook.Endpoint, strings.NewReader(content))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(content))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	request.Header.Set("X-Shopify-Webhook-Id", name)
	request.Header.Set("X-Shopify-Topic", w.webhook.Topic)
	response, err := w.tape.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func (w *world) platformCalls(platform string, n int) error {
	hooks, _ := json.Marshal(w.platforms.Hooks()[platform])
	var list []any
	if err := json.Unmarshal(hooks, &list); err != nil {
		return err
	}
	if len(list) != n {
		return fmt.Errorf("it has %s", hooks)
	}
	return nil
}
