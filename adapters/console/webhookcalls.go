package console

import (
	"cmp"
	"net/http"
	"net/url"
	"time"
)

// webhookCall is a call of a platform's of the API.
type webhookCall struct {
	ID         string    `json:"id"`
	Topic      string    `json:"topic"`
	Status     string    `json:"status"`
	Error      string    `json:"error"`
	Retries    int       `json:"retry_count"`
	ReceivedAt time.Time `json:"received_at"`
}

type callsView struct {
	frame
	Done         string
	Back, Name   string
	Tabs         []tab
	Rows         []callRow
	Key          string
	Older, Newer string
}

type callRow struct {
	Topic, What, When, Exact string
	Pills                    []pill
	Retry                    string // where one that failed is worked on again
}

// callTabs are the lists of calls. Each is one of the API's statuses.
var callTabs = []tab{
	{Name: "", Word: "All"},
	{
		Name:   "failed",
		Word:   "Failed",
		status: "failed",
	},
	{
		Name:   "rejected",
		Word:   "Rejected",
		status: "rejected",
	},
}

// callPills are the states of calls.
var callPills = map[string]pill{
	"received":  {"Received", "info"},
	"processed": {"Done", "good"},
	"failed":    {"Failed", "bad"},
	"rejected":  {"Rejected", "warn"},
	"duplicate": {"Repeated", ""},
}

// callWords describes the outcome of a call without an error.
var callWords = map[string]string{
	"received":  "It is processed next.",
	"processed": "Processed.",
	"duplicate": "It had come before, and was processed once.",
}

func (v *memberRequest) webhookCalls() error {
	c, err := fetch[connected](v.api, v.aboutIntegration(), nil)
	if err != nil {
		return err
	}
	view := &callsView{
		frame: v.page("Webhook calls of "+c.Name, "integrations"),
		Done:  callsDone[v.r.URL.Query().Get("done")],
		Back:  v.integrationsPath() + "/" + c.ID,
		Name:  c.Name,
		Key:   newForm("", nil).Key,
	}
	here := view.Back + "/calls"
	tabs, current, _ := chooseTab(callTabs, v.r.URL.Query().Get("state"), 0, func(t tab) string {
		return link(here, url.Values{"state": {t.Name}})
	})
	view.Tabs = tabs
	offset := v.offset()
	query := pageAt(offset)
	if current.status != "" {
		query.Set("status", current.status)
	}
	found, err := fetch[list[webhookCall]](v.api, v.aboutIntegration()+"/webhooks/logs", query)
	if err != nil {
		return err
	}
	for i := range found.Data {
		view.Rows = append(view.Rows, v.callRow(here, &found.Data[i]))
	}
	view.Newer, view.Older = besides(offset, len(found.Data), found.Meta.Total, func(to string) string {
		return link(here, url.Values{"state": {current.Name}, "offset": {to}})
	})
	return v.show("webhookcalls", view)
}

var callsDone = map[string]string{"again": "The call is processed again."}

func (v *memberRequest) callRow(here string, c *webhookCall) callRow {
	row := callRow{
		Topic: c.Topic,
		What:  cmp.Or(capital(c.Error), callWords[c.Status]),
		When:  v.shop.words.clock(c.ReceivedAt),
		Exact: c.ReceivedAt.Format(time.RFC3339),
		Pills: []pill{callPills[c.Status]},
	}
	if c.Retries > 0 {
		row.What += " Tried again " + count(c.Retries, "time", "times") + "."
	}
	if c.Status == "failed" && v.may("integrations:write") {
		row.Retry = here + "/" + c.ID + "/retry"
	}
	return row
}

func (v *memberRequest) retryWebhookCall() error {
	path := v.aboutIntegration() + "/webhooks/logs/" + url.PathEscape(v.r.PathValue("call")) + "/retry"
	if err := v.api.post(http.MethodPost, path, change{key: v.r.PostForm.Get("key")}, nil); err != nil {
		return err
	}
	return v.finish(v.integrationsPath()+"/"+url.PathEscape(v.r.PathValue("integration"))+"/calls", "again")
}
