package console

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// threadRow is a negotiation in a list.
type threadRow struct {
	Address, Product, Said string
	Spark                  template.HTML
	Pill                   pill
	Age, Exact             string
}

// threadPage is a page of negotiations, those with the newest step first.
type threadPage struct {
	Data []struct {
		ID       string `json:"id"`
		Protocol string `json:"protocol"`
		threadItem
	} `json:"data"`
	Meta struct {
		Next string `json:"next"`
	} `json:"meta"`
}

// newestThreads fetches the newest negotiations that pass the API's filters.
func (v *memberRequest) newestThreads(q url.Values) (rows []threadRow, page threadPage, err error) {
	if page, err = fetch[threadPage](v.api, "/v1/negotiations", given(q)); err != nil {
		return nil, page, err
	}
	for n := range page.Data {
		t := &page.Data[n]
		rows = append(rows, threadRow{
			Address: v.shop.Path() + "/negotiations/" + t.ID,
			Product: t.name(),
			Said:    v.said(&t.threadItem),
			Spark:   v.sparkOf(&t.threadItem),
			Pill:    threadPill(&t.threadItem),
			Age:     v.shop.words.age(t.LastAt),
			Exact:   t.LastAt.Format(time.RFC3339),
		})
	}
	return rows, page, nil
}

// said summarizes the state of an item's negotiation in a line.
func (v *memberRequest) said(i *threadItem) string {
	w := v.shop.words
	switch {
	case i.State == "deal":
		text := "agreed at " + w.amount(i.DealPrice, i.Currency)
		if i.OffList != "" && i.OffList != "0" && i.OffList != "0.0" {
			text += " · " + i.OffList.String() + "% off"
		}
		return text
	case i.LastOffer == "":
		return "asked the price, " + w.amount(i.ShopPrice, i.Currency)
	}
	return w.amount(i.LastOffer, i.Currency) + " offered, " + w.amount(i.ShopPrice, i.Currency) + " asked"
}

func threadPill(i *threadItem) pill {
	switch i.State {
	case "deal":
		return pill{"Deal", "good"}
	case "left":
		return pill{"Left", "bad"}
	}
	return pill{"Step " + strconv.Itoa(i.Steps), "info"}
}

// threadTabs are lists of negotiations in one state.
var threadTabs = []choice{
	{Word: "All"},
	{Word: "Deals", Address: "deal"},
	{Word: "Left", Address: "left"},
	{Word: "Under way", Address: "open"},
}

type negotiationsView struct {
	frame
	Tabs    []choice
	Rows    []threadRow
	Unknown []string
	Older   string
	First   string // the newest ones, from an older page
}

func (v *memberRequest) negotiations() error {
	q := v.r.URL.Query()
	here, state := v.shop.Path()+"/negotiations", q.Get("state")
	view := &negotiationsView{frame: v.page("Haggling", "today"), Unknown: unknown(q, "state", "after", "product_id")}
	known := false
	for _, tab := range threadTabs {
		tab.Current = tab.Address == state
		known = known || tab.Current
		tab.Address = link(here, url.Values{"state": {tab.Address}, "product_id": q["product_id"]})
		view.Tabs = append(view.Tabs, tab)
	}
	if !known {
		view.Unknown, state = append(view.Unknown, "state="+state), ""
		view.Tabs[0].Current = true
	}
	rows, page, err := v.newestThreads(url.Values{"state": {state}, "after": q["after"], "product_id": q["product_id"], "limit": {"25"}})
	if err != nil {
		return err
	}
	view.Rows = rows
	if page.Meta.Next != "" {
		view.Older = link(here, url.Values{"state": {state}, "product_id": q["product_id"], "after": {page.Meta.Next}})
	}
	if q.Get("after") != "" {
		view.First = link(here, url.Values{"state": {state}, "product_id": q["product_id"]})
	}
	return v.show("negotiations", view)
}

type negotiationView struct {
	frame
	Pill   pill
	Sub    string
	Paths  []pathView
	Facts  []fact
	Orders []choice
	More   string // steps that are not shown
	Studio string // the address of the studio with this case; "": the role does not see it
}

func (v *memberRequest) negotiation() error {
	t, err := fetch[threads](v.api, "/v1/negotiations/"+url.PathEscape(v.r.PathValue("negotiation")), nil)
	if err != nil {
		return err
	}
	if err := v.explainSteps(&t); err != nil {
		return err
	}
	w := v.shop.words
	view := &negotiationView{
		frame: v.page("Negotiation", "today"),
		Sub:   w.clock(t.BeganAt) + " · " + count(t.Count, "step", "steps"),
		Pill:  map[string]pill{"deal": {"Deal", "good"}, "left": {"Left", "bad"}}[t.State],
		Facts: []fact{
			{Label: "Began", Value: w.clock(t.BeganAt)},
			{Label: "Last step", Value: w.clock(t.LastAt)},
			{Label: "Agent", Value: t.Agent.who()},
			{
				Label: "Negotiation",
				Value: short(t.ID),
				Mono:  true,
			},
		},
	}
	if len(t.Items) > 0 {
		view.Title = t.Items[0].name()
	}
	if view.Pill.Word == "" {
		view.Pill = pill{"Under way", "info"}
	}
	if name := protocolNames[t.Protocol]; name != "" {
		view.Facts = append(view.Facts, fact{Label: "Came through", Value: name})
	}
	if by := answeredBy(t.Steps); by != "" {
		view.Facts = append(view.Facts, fact{Label: "Answered by", Value: by})
	}
	if t.Count > len(t.Steps) {
		view.More = "The first " + thousands(len(t.Steps)) + " of " + thousands(t.Count) + " steps are shown."
	}
	for _, o := range t.Orders {
		view.Orders = append(view.Orders, choice{Word: o.Confirmation, Address: v.shop.Path() + "/orders/" + o.ID})
	}
	if v.may("agents:read") {
		view.Studio = link(v.shop.Path()+"/policy", url.Values{"case": {t.ID}})
	}
	view.Paths, err = v.paths(&t, t.Items, v.shop.Path()+"/negotiations/"+t.ID)
	if err != nil {
		return err
	}
	return v.show("negotiation", view)
}

// handlerNames has the names of handlers that answer offers, by the first part of the API's names.
var handlerNames = map[string]string{
	"builtin": "house rules",
	"remote":  "a program of yours",
	"model":   "a model",
}

// answeredBy names the handlers that answered the offers of a negotiation, and how often the house rules answered in their place.
// It returns "" if the role may not see that, or old records do not have it.
func answeredBy(steps []threadStep) string {
	var names []string
	instead := 0
	for _, s := range steps {
		if s.Decision == nil || s.Decision.Handler == nil {
			continue
		}
		if s.Decision.Fallback != nil {
			instead++
			continue
		}
		kind, _, _ := strings.Cut(*s.Decision.Handler, ":")
		if name := handlerNames[kind]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if instead > 0 {
		names = append(names, "house rules for want of an answer at "+count(instead, "step", "steps"))
	}
	return capital(strings.Join(names, ", "))
}
