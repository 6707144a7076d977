package console

import (
	"encoding/json"
	"net/url"
	"strconv"
	"time"
)

// lostSummary is the API's summary of negotiations that ended near the floor.
type lostSummary struct {
	Currency string `json:"currency"`
	Lost     struct {
		Count      int         `json:"count"`
		AboveFloor int         `json:"above_floor"`
		Offers     json.Number `json:"best_offers"`
		List       json.Number `json:"list"`
		Examples   struct {
			Data []lostDeal `json:"data"`
			Meta struct {
				Total int `json:"total"`
			} `json:"meta"`
		} `json:"examples"`
	} `json:"lost_deals"`
}

type lostDeal struct {
	Negotiation string      `json:"negotiation_id"`
	Product     string      `json:"product_name"`
	Quantity    int         `json:"quantity"`
	Best        json.Number `json:"best_offer"`
	Floor       json.Number `json:"floor"`
	Asked       json.Number `json:"standing_price"`
	LastAt      time.Time   `json:"last_at"`
}

type lostView struct {
	frame
	Period period
	Nearby []choice
	Near   string
	Tiles  []tile
	Rows   []lostRow
	Older  string
	Newer  string
	Test   choice // a draft with a larger discount; without a word if there is nothing to test it on
}

type lostRow struct{ Address, Studio, Product, Best, Floor, Asked, Apart, At, Exact string }

// nearness lists how far below the floor a best offer may be, in percent of the floor.
var nearness = []int{2, 5, 10}

const usualNearness = 5

func (v *memberRequest) lost() error {
	q := v.r.URL.Query()
	near := among(q.Get("near"), nearness, usualNearness)
	address := func(days string, near int, offset string) string {
		return link(v.shop.Path()+"/lost", url.Values{"days": {days}, "near": {strconv.Itoa(near)}, "offset": {offset}})
	}
	view := &lostView{frame: v.page("Lost deals", "lost"), Near: strconv.Itoa(near) + "%"}
	view.Period = v.period(func(days string) string { return address(days, near, "") })
	for _, n := range nearness {
		view.Nearby = append(view.Nearby, choice{strconv.Itoa(n) + "%", address(view.Period.name, n, ""), n == near})
	}
	offset := v.offset()
	query := view.Period.with(pageAt(offset))
	query.Set("near_floor_percent", strconv.Itoa(near))
	found, err := fetch[lostSummary](v.api, "/v1/analytics/negotiations", query)
	if err != nil {
		return err
	}
	l, w := &found.Lost, v.shop.words
	view.Tiles = []tile{
		{
			Label:  "Left near the floor",
			Value:  thousands(l.Count),
			Before: "at most " + view.Near + " below it",
		},
		{
			Label:  "At the floor or above",
			Value:  thousands(l.AboveFloor),
			Before: "your rules allowed these",
		},
		{
			Label:  "Their best offers",
			Value:  w.amount(l.Offers, found.Currency),
			Before: "that you did not get",
		},
		{
			Label:  "At list price",
			Value:  w.amount(l.List, found.Currency),
			Before: "the same goods",
		},
	}
	for _, d := range l.Examples.Data {
		view.Rows = append(view.Rows, v.lostRow(&d, found.Currency))
	}
	view.Newer, view.Older = besides(offset, len(view.Rows), l.Examples.Meta.Total, func(to string) string {
		return address(view.Period.name, near, to)
	})
	if len(view.Rows) > 0 && v.may("agents:read") {
		view.Test = choice{
			Word:    "Test " + testedDiscount + "% in the studio",
			Address: link(v.shop.Path()+"/policy", url.Values{"lower": {testedDiscount}, "case": {l.Examples.Data[0].Negotiation}}),
		}
	}
	return v.show("lost", view)
}

// testedDiscount is how many percentage points more discount a draft from this page allows.
const testedDiscount = "4"

func (v *memberRequest) lostRow(d *lostDeal, code string) lostRow {
	w := v.shop.words
	row := lostRow{
		Studio:  link(v.shop.Path()+"/policy", url.Values{"case": {d.Negotiation}}),
		Address: v.shop.Path() + "/negotiations/" + d.Negotiation,
		Product: d.Product,
		Best:    w.amount(d.Best, code),
		Floor:   w.amount(d.Floor, code),
		Asked:   w.amount(d.Asked, code),
		Apart:   w.amount(sum(code, d.Asked, negative(d.Best)), code),
		At:      w.age(d.LastAt),
		Exact:   d.LastAt.Format(time.RFC3339),
	}
	if d.Quantity > 1 {
		row.Product = thousands(d.Quantity) + " × " + row.Product
	}
	return row
}
