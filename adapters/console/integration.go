package console

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/integration"
)

func (v *memberRequest) aboutIntegration() string {
	return "/v1/integrations/" + url.PathEscape(v.r.PathValue("integration"))
}

// webhook is one that is registered with a platform.
type webhook struct {
	ID       string     `json:"id"`
	Topic    string     `json:"topic"`
	Status   string     `json:"status"`
	Problem  string     `json:"problem"`
	Checked  *time.Time `json:"checked_at"`
	Restored *time.Time `json:"restored_at"`
}

type integrationView struct {
	frame
	Done         string
	Back         string
	Calls        string // where the platform's calls are listed
	About        integrationRow
	Runs         []runRow
	Running      *runRow
	Webhooks     []webhookRow
	Topics       []string // of webhooks that can be registered
	MaySync      bool     // now
	MayChange    bool
	Again        string // where it is connected again; "": there is no need to
	Schedule     []option
	Preview      bool // there is something that can be previewed
	Disconnect   *confirmation
	Replace      *form // gives other credentials
	Problem      *problem
	Older, Newer string
}

// Key is a new idempotency key, one for each form of the page.
func (integrationView) Key() string { return newForm("", nil).Key }

type webhookRow struct {
	Topic, What string
	Remove      string
	Pills       []pill
}

func (v *memberRequest) integration() error { return v.showIntegration(nil) }

// showIntegration shows an integration, and the problem of a refused action.
func (v *memberRequest) showIntegration(failed *problem) error {
	c, err := fetch[connected](v.api, v.aboutIntegration(), nil)
	if err != nil {
		return err
	}
	view := &integrationView{
		frame:     v.page(c.Name, "integrations"),
		Done:      integrationDone[v.r.URL.Query().Get("done")],
		Back:      v.integrationsPath(),
		About:     v.integrationRow(&c),
		MayChange: v.may("integrations:write"),
		Preview:   c.Config.Products != nil,
		Problem:   failed,
	}
	kind, err := integration.ParseType(c.Type)
	if err != nil {
		return err
	}
	if view.MayChange {
		v.offerChanges(view, &c, kind, failed)
	}
	if view.About.Syncs {
		if err := v.addSyncs(view, &c); err != nil {
			return err
		}
	}
	if err := v.addWebhooks(view, &c); err != nil {
		return err
	}
	return v.showAfter(failed, "integration", view)
}

// offerChanges adds the actions on an integration's connection.
func (v *memberRequest) offerChanges(view *integrationView, c *connected, kind integration.Type, failed *problem) {
	if c.Status == "disconnected" || c.Status == "error" && kind.OAuth() {
		view.Again = v.shop.Path() + "/connect/" + c.Type
	}
	if c.Status == "disconnected" {
		return
	}
	view.Schedule = scheduleChoices(c.Config.Schedule)
	view.Disconnect = askDisconnect(view.About)
	if !kind.OAuth() {
		var wrong *problem
		if failed != nil && v.r.PostForm.Has("api_key") {
			wrong, view.Problem = failed, nil
		}
		view.Replace = newForm(view.About.Address+"/credentials", wrong, keyFields(kind, "")...)
	}
}

// addSyncs adds the integration's syncs, newest first.
func (v *memberRequest) addSyncs(view *integrationView, c *connected) error {
	offset := v.offset()
	runs, err := fetch[list[syncRun]](v.api, v.aboutIntegration()+"/sync/history", pageAt(offset))
	if err != nil {
		return err
	}
	for i := range runs.Data {
		view.Runs = append(view.Runs, v.runRow(view.About.Address, &runs.Data[i]))
	}
	view.Newer, view.Older = besides(offset, len(runs.Data), runs.Meta.Total, func(to string) string {
		return link(view.About.Address, url.Values{"offset": {to}})
	})
	if offset == 0 && len(view.Runs) > 0 && runs.Data[0].Status == "running" {
		view.Running = &view.Runs[0]
	}
	view.MaySync = view.MayChange && c.Status != "disconnected" && view.Running == nil
	return nil
}

// addWebhooks adds the webhooks that are registered with the platform, and the topics of those that can be.
func (v *memberRequest) addWebhooks(view *integrationView, c *connected) error {
	kind, err := integration.ParseType(c.Type)
	if err != nil || len(kind.Topics()) == 0 {
		return nil
	}
	registered, err := fetchAll[webhook](v.api, v.aboutIntegration()+"/webhooks", nil)
	if err != nil {
		return err
	}
	view.Calls = view.About.Address + "/calls"
	for _, w := range registered {
		row := v.webhookRow(w)
		if view.MayChange {
			row.Remove = view.About.Address + "/webhooks/" + w.ID + "/remove"
		}
		view.Webhooks = append(view.Webhooks, row)
	}
	if !view.MayChange || c.Status != "connected" {
		return nil
	}
	for _, topic := range kind.Topics() {
		if !slices.ContainsFunc(registered, func(w webhook) bool { return w.Topic == topic }) {
			view.Topics = append(view.Topics, topic)
		}
	}
	return nil
}

func askDisconnect(about integrationRow) *confirmation {
	return confirm("disconnect", "Disconnect "+about.Name+"?", "Disconnect", newForm(about.Address+"/disconnect", nil),
		"Its credentials are deleted, and its syncs and webhooks end.",
		"Imported data stays. If you connect the same account again, syncing continues.").danger()
}

// webhookRow says whether the platform calls.
func (v *memberRequest) webhookRow(w webhook) webhookRow {
	row := webhookRow{Topic: w.Topic, Pills: []pill{{"Registered", "good"}}}
	switch {
	case w.Status == "failed":
		row.Pills, row.What = []pill{{"Does not work", "bad"}}, w.Problem
	case w.Restored != nil:
		row.What = "The platform had lost it; it was registered again " + v.shop.words.ago(*w.Restored) + "."
	case w.Checked != nil:
		row.What = "Found at the platform " + v.shop.words.ago(*w.Checked) + "."
	}
	return row
}

// schedules are those that are offered as words.
var schedules = []option{
	{Value: "", Word: "Manual only"},
	{Value: "@hourly", Word: "Every hour"},
	{Value: "@daily", Word: "Every day at midnight UTC"},
	{Value: "@weekly", Word: "Every Sunday at midnight UTC"},
}

// scheduleChoices returns the offered schedules and the present one, which may be another cron expression.
func scheduleChoices(now string) []option {
	choices := schedules
	if !slices.ContainsFunc(schedules, func(o option) bool { return o.Value == now }) {
		choices = append(slices.Clone(schedules), option{Value: now, Word: now})
	}
	return chosen(choices, now)
}

var integrationDone = map[string]string{
	"connected":    "It is connected.",
	"disconnected": "It is disconnected.",
	"replaced":     "The credentials were replaced.",
	"started":      "The sync has started.",
	"preview":      "The preview has started. It changes nothing.",
	"canceled":     "The sync was cancelled. What it had read stays.",
	"scheduled":    "The schedule was saved.",
	"registered":   "The webhook is registered.",
	"removed":      "The webhook was removed.",
}

func (v *memberRequest) startSync() error {
	body, done := map[string]bool{}, "started"
	switch v.r.PostForm.Get("what") {
	case "everything":
		body["full_sync"] = true
	case "preview":
		body["preview"], done = true, "preview"
	}
	return v.changeIntegration(http.MethodPost, v.aboutIntegration()+"/sync", body, done)
}

func (v *memberRequest) scheduleSync() error {
	var schedule any // null: none
	if s := v.r.PostForm.Get("schedule"); s != "" {
		schedule = s
	}
	body := map[string]any{"config": map[string]any{"sync_schedule": schedule}}
	return v.changeIntegration(http.MethodPatch, v.aboutIntegration(), body, "scheduled")
}

func (v *memberRequest) cancelSync() error {
	return v.changeIntegration(http.MethodPost, v.aboutSync()+"/cancel", nil, "canceled")
}

func (v *memberRequest) disconnect() error {
	return v.changeIntegration(http.MethodDelete, v.aboutIntegration(), nil, "disconnected")
}

func (v *memberRequest) registerWebhook() error {
	body := map[string]string{"topic": v.r.PostForm.Get("topic")}
	return v.changeIntegration(http.MethodPost, v.aboutIntegration()+"/webhooks", body, "registered")
}

func (v *memberRequest) removeWebhook() error {
	path := v.aboutIntegration() + "/webhooks/" + url.PathEscape(v.r.PathValue("webhook"))
	return v.changeIntegration(http.MethodDelete, path, nil, "removed")
}

func (v *memberRequest) replaceCredentials() error {
	f := v.r.PostForm
	body := filled("api_key", f.Get("api_key"), "api_secret", f.Get("api_secret"))
	return v.changeIntegration(http.MethodPut, v.aboutIntegration()+"/credentials", body, "replaced")
}

// changeIntegration performs an action on an integration, and shows it again, with the problem if it was refused.
func (v *memberRequest) changeIntegration(method, path string, body any, done string) error {
	sent, err := v.send(func(c change) error {
		c.body = body
		return v.api.post(method, path, c, nil)
	}, v.showIntegration)
	if !sent {
		return err
	}
	return v.finish(v.integrationsPath()+"/"+url.PathEscape(v.r.PathValue("integration")), done)
}

func (v *memberRequest) aboutSync() string {
	return v.aboutIntegration() + "/sync/" + url.PathEscape(v.r.PathValue("sync"))
}
