package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

func routeEvents(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /settings/events", (*memberRequest).events)
	page("GET /settings/events/{subscription}", (*memberRequest).subscription)
	page("POST /settings/events/{subscription}/test", (*memberRequest).testSubscription)
	page("POST /settings/events/{subscription}/switch", (*memberRequest).switchSubscription)
	page("POST /settings/events/{subscription}/deliveries/{delivery}/redeliver", (*memberRequest).redeliver)
}

// subscription is one of the API to events.
type subscription struct {
	ID          string   `json:"id"`
	URL         string   `json:"url"`
	Description string   `json:"description"`
	Types       []string `json:"event_types"`
	Status      string   `json:"status"`
	Reason      string   `json:"disabled_reason"`
}

// delivery is that of an event to a subscription.
type delivery struct {
	ID        string     `json:"id"`
	Type      string     `json:"type"`
	Status    string     `json:"status"`
	Attempts  int        `json:"attempts"`
	Error     string     `json:"last_error"`
	Answer    int        `json:"last_status_code"`
	CreatedAt time.Time  `json:"created_at"`
	NextAt    *time.Time `json:"next_attempt_at"`
}

type eventsView struct {
	settingsPage
	Rows []subscriptionRow
}

type subscriptionRow struct {
	Address, URL, Name, Types, Why string
	Pills                          []pill
}

type subscriptionView struct {
	settingsPage
	Back, Address string
	About         subscriptionRow
	Rows          []deliveryRow
	Off           bool
	MayChange     bool
	Key           string
	Older, Newer  string
}

type deliveryRow struct {
	Type, What, When, Exact string
	Pills                   []pill
	Again                   string // where a failed one is sent again
}

func (v *memberRequest) events() error {
	found, err := fetchAll[subscription](v.api, "/v1/event-subscriptions", nil)
	if err != nil {
		return err
	}
	view := &eventsView{settingsPage: v.settingsPage("events")}
	for _, s := range found {
		view.Rows = append(view.Rows, v.subscriptionRow(s))
	}
	return v.show("events", view)
}

func (v *memberRequest) subscriptionRow(s subscription) subscriptionRow {
	row := subscriptionRow{
		Address: v.settingsPath("events") + "/" + s.ID,
		URL:     s.URL,
		Name:    s.Description,
		Types:   join(s.Types),
		Pills:   []pill{{"On", "good"}},
	}
	if slices.Contains(s.Types, "*") {
		row.Types = "All events"
	}
	if s.Status == "disabled" {
		row.Pills, row.Why = []pill{{"Switched off", "bad"}}, offReasons[s.Reason]
		if s.Reason == "merchant" {
			row.Pills[0].Tone = ""
		}
	}
	return row
}

// offReasons say why a subscription is switched off.
var offReasons = map[string]string{
	"merchant":    "Switched off by hand.",
	"gone":        "The receiver answered that it is gone (410).",
	"unreachable": "An event could not be delivered in 24 hours.",
}

func (v *memberRequest) aboutSubscription() string {
	return "/v1/event-subscriptions/" + url.PathEscape(v.r.PathValue("subscription"))
}

func (v *memberRequest) subscription() error {
	s, err := fetch[subscription](v.api, v.aboutSubscription(), nil)
	if err != nil {
		return err
	}
	offset := v.offset()
	found, err := fetch[list[delivery]](v.api, v.aboutSubscription()+"/deliveries", pageAt(offset))
	if err != nil {
		return err
	}
	view := &subscriptionView{
		settingsPage: v.settingsPage("events"),
		Back:         v.settingsPath("events"),
		About:        v.subscriptionRow(s),
		Off:          s.Status == "disabled",
		MayChange:    v.may("events:write"),
		Key:          newForm("", nil).Key,
	}
	view.Title, view.Address = "Subscription", view.About.Address
	if view.Done == "" {
		view.Done = deliveriesDone[v.r.URL.Query().Get("done")]
	}
	for _, d := range found.Data {
		view.Rows = append(view.Rows, v.deliveryRow(d, view))
	}
	view.Newer, view.Older = besides(offset, len(found.Data), found.Meta.Total, func(to string) string {
		return link(view.Address, url.Values{"offset": {to}})
	})
	return v.show("subscription", view)
}

var deliveriesDone = map[string]string{
	"tested": "A test event is on its way. Reload the page to see what the receiver answered.",
	"again":  "The event is sent again.",
}

// deliveryPills are the states of deliveries.
var deliveryPills = map[string]pill{
	"pending":   {"On its way", "info"},
	"delivered": {"Delivered", "good"},
	"failed":    {"Failed", "bad"},
	"canceled":  {"Cancelled", ""},
}

func (v *memberRequest) deliveryRow(d delivery, view *subscriptionView) deliveryRow {
	row := deliveryRow{
		Type:  d.Type,
		What:  v.deliveryWords(d),
		When:  v.shop.words.clock(d.CreatedAt),
		Exact: d.CreatedAt.Format(time.RFC3339),
		Pills: []pill{deliveryPills[d.Status]},
	}
	if view.MayChange && !view.Off && (d.Status == "failed" || d.Status == "canceled") {
		row.Again = view.Address + "/deliveries/" + d.ID + "/redeliver"
	}
	return row
}

// deliveryWords describes the receiver's answer, and what follows.
func (v *memberRequest) deliveryWords(d delivery) string {
	text := "Not tried yet."
	switch {
	case d.Answer > 0:
		text = "Answered " + strconv.Itoa(d.Answer) + "."
	case d.Error != "":
		text = capital(d.Error) + "."
	}
	if d.Attempts > 1 {
		text += " " + count(d.Attempts, "attempt", "attempts") + "."
	}
	if d.Attempts > 0 && d.NextAt != nil {
		text += " Next attempt " + v.shop.words.clock(*d.NextAt) + "."
	}
	return text
}

func (v *memberRequest) testSubscription() error {
	return v.changeSubscription(http.MethodPost, v.aboutSubscription()+"/test", nil, "tested", "")
}

func (v *memberRequest) switchSubscription() error {
	if v.r.PostForm.Get("to") == "on" {
		return v.changeSubscription(http.MethodPatch, v.aboutSubscription(), map[string]string{"status": "active"}, "sub-on", "off")
	}
	return v.changeSubscription(http.MethodPatch, v.aboutSubscription(), map[string]string{"status": "disabled"}, "sub-off", "on")
}

func (v *memberRequest) redeliver() error {
	path := v.aboutSubscription() + "/deliveries/" + url.PathEscape(v.r.PathValue("delivery")) + "/redeliver"
	return v.changeSubscription(http.MethodPost, path, nil, "again", "")
}

// changeSubscription performs an action on a subscription, and shows it again. back is the status that an undo restores; "": it
// cannot be undone.
func (v *memberRequest) changeSubscription(method, path string, body any, done, back string) error {
	if err := v.api.post(method, path, change{body: body, key: v.r.PostForm.Get("key")}, nil); err != nil {
		return err
	}
	page := v.settingsPath("events") + "/" + url.PathEscape(v.r.PathValue("subscription"))
	if back == "" {
		return v.finish(page, done)
	}
	return v.finishUndoable(page, done, undo{Action: page + "/switch", Fields: url.Values{"to": {back}}})
}
