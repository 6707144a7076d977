package console

import (
	"encoding/json"
	"net/url"
	"strconv"
	"time"
)

// lostSummary is what the API says of negotiations that ended near the floor.
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
	Variant     string      `json:"variant_name"`
	Quantity    int         `json:"quantity"`
	Best        json.Number `json:"best_offer"`
	Floor       json.Number `json:"floor"`
	Asked       json.Number `json:"standing_price"`
	LastAt      time.Time   `json:"last_at"`
}

type lostView struct {
	frame
	Periods []choice
	Period  string
	Nearby  []choice
	Near    string
	Tiles   []tile
	Rows    []lostRow
	Older   string
	Newer   string
	Days    int
}

type lostRow struct{ Address, Product, Best, Floor, Asked, Apart, At, Exact string }

// nearness is how far below the floor a best offer may be, in per cent of it.
var nearness = []int{2, 5, 10}

const lostPage = 25

// among is the one of several numbers that a query names, or else another one.
func among(text string, numbers []int, other int) int {
	n, _ := strconv.Atoi(text)
	for _, each := range numbers {
		if each == n {
			return n
		}
	}
	return other
}

func (v *visit) lost() error {
	q := v.r.URL.Query()
	days, near := among(q.Get("days"), periods, 30), among(q.Get("near"), nearness, 5)
	offset, _ := strconv.Atoi(q.Get("offset"))
	offset = max(0, offset)
	here := v.shop.Path() + "/lost"
	at := func(days, near, offset int) string {
		return link(here, url.Values{
			"days":   {strconv.Itoa(days)},
			"near":   {strconv.Itoa(near)},
			"offset": {strconv.Itoa(offset)},
		})
	}
	now := v.now()
	found, err := fetch[lostSummary](v.api, "/v1/analytics/negotiations", url.Values{
		"from":               {now.AddDate(0, 0, 1-days).Format(time.DateOnly)},
		"to":                 {now.AddDate(0, 0, 1).Format(time.DateOnly)},
		"near_floor_percent": {strconv.Itoa(near)},
		"limit":              {strconv.Itoa(lostPage)},
		"offset":             {strconv.Itoa(offset)},
	})
	if err != nil {
		return err
	}
	view := &lostView{frame: v.page("Lost deals", "lost"), Days: days}
	for _, n := range periods {
		view.Periods = append(view.Periods, choice{"Last " + strconv.Itoa(n) + " days", at(n, near, 0), n == days})
	}
	for _, n := range nearness {
		view.Nearby = append(view.Nearby, choice{strconv.Itoa(n) + "%", at(days, n, 0), n == near})
	}
	view.Period = "Last " + strconv.Itoa(days) + " days"
	view.Near = strconv.Itoa(near) + "%"
	l, w := &found.Lost, v.shop.words
	view.Tiles = []tile{
		{Label: "Left near the floor", Value: thousands(l.Count), Before: "at most " + view.Near + " below it"},
		{Label: "At the floor or above", Value: thousands(l.AboveFloor), Before: "your rules allowed these"},
		{Label: "Their best offers", Value: w.amount(l.Offers, found.Currency), Before: "that you did not get"},
		{Label: "At list price", Value: w.amount(l.List, found.Currency), Before: "the same goods"},
	}
	for _, d := range l.Examples.Data {
		view.Rows = append(view.Rows, v.lostRow(&d, found.Currency))
	}
	if offset > 0 {
		view.Newer = at(days, near, max(0, offset-lostPage))
	}
	if offset+len(view.Rows) < l.Examples.Meta.Total {
		view.Older = at(days, near, offset+lostPage)
	}
	return v.show("lost", view)
}

func (v *visit) lostRow(d *lostDeal, code string) lostRow {
	w := v.shop.words
	row := lostRow{
		Address: v.shop.Path() + "/negotiations/" + d.Negotiation,
		Product: (&talkItem{Product: d.Product, Variant: d.Variant}).name(),
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
