package console

import (
	"encoding/json"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// figures are those of a period.
type figures struct {
	Sessions int      `json:"sessions"`
	Orders   int      `json:"orders"`
	DealRate *float64 `json:"deal_rate"`
	Discount struct {
		Mean string `json:"mean"` // such as "14.4%"
	} `json:"discount"`
	Revenue struct {
		Net json.Number `json:"net"`
	} `json:"revenue"`
	Margin struct {
		Share *float64 `json:"share"`
	} `json:"margin"`
}

// slot is a part of a period.
type slot struct {
	From         time.Time `json:"from"`
	Orders       int       `json:"orders"`
	Deals        int       `json:"deals"`
	Negotiations int       `json:"negotiations"`
	Revenue      struct {
		Net json.Number `json:"net"`
	} `json:"revenue"`
}

type summary struct {
	figures
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Currency string    `json:"currency"`
	Previous figures   `json:"previous"`
	Series   []slot    `json:"series"`
}

type funnelStage struct {
	Stage string `json:"stage"`
	Count int    `json:"count"`
}

type todayView struct {
	frame
	Date    string
	Waiting []waitingRow
	Things  string
	Feed    []threadRow
	Period  period
	Tiles   []tile
	Chart   *chartView
	Stages  []stageView
	Short   bool   // what waits leaves room below it for the stages
	Quiet   string // why there are no figures
	Send    *sendView
	Done    string
}

// tile is a figure against the period before.
type tile struct {
	Label, Value, Change, Tone, Before, Address string
	Spark                                       template.HTML
}

type stageView struct {
	Word, Count, Share string
	Width              string // of 100
}

func (v *memberRequest) today() error { return v.showToday(nil) }

// showToday shows the page, with the reason if test buyers could not be sent.
func (v *memberRequest) showToday(failed *problem) error {
	view := &todayView{
		frame: v.page("Today", "today"),
		Date:  v.now().Format("Monday, January 2"),
		Done:  todayDone[v.r.URL.Query().Get("done")],
	}
	var err error
	if view.Send, err = v.sending(failed); err != nil {
		return err
	}
	if err = view.readWaiting(); err != nil {
		return err
	}
	view.Things = "nothing waits for you"
	if n := len(view.Waiting); n > 0 {
		view.Things = count(n, "thing waits for you", "things wait for you")
	}
	if view.Haggles() {
		if view.Feed, _, err = v.newestThreads(url.Values{"limit": {strconv.Itoa(liveRows)}}); err != nil {
			return err
		}
	}
	if !v.may("analytics:read") {
		view.Quiet = "Your role, " + v.caller.Member.Role.String() + ", does not include figures."
		return v.showAfter(failed, "today", view)
	}
	view.Period = v.period(func(days string) string { return link(v.shop.Path(), url.Values{"days": {days}}) })
	s, err := fetch[summary](v.api, "/v1/analytics/summary", view.Period.query)
	if err != nil {
		return err
	}
	stages, err := fetch[struct {
		Funnel []funnelStage `json:"funnel"`
	}](v.api, "/v1/analytics/negotiations", view.Period.query)
	if err != nil {
		return err
	}
	view.Tiles = v.tiles(&s)
	view.Chart = v.salesChart(&s)
	view.Stages = stageViews(stages.Funnel)
	view.Short = len(view.Waiting) <= fewWaiting && view.Haggles()
	return v.showAfter(failed, "today", view)
}

// fewWaiting is the number of rows that leave room for the stages next to the feed.
const fewWaiting = 3

func (v *memberRequest) tiles(s *summary) []tile {
	w := v.shop.words
	sales := make([]float64, len(s.Series))
	orders := make([]float64, len(s.Series))
	agreed := make([]float64, len(s.Series))
	for i, at := range s.Series {
		sales[i], _ = at.Revenue.Net.Float64()
		orders[i] = float64(at.Orders)
		if at.Negotiations > 0 {
			agreed[i] = float64(at.Deals) / float64(at.Negotiations)
		}
	}
	net, _ := s.Revenue.Net.Float64()
	before, _ := s.Previous.Revenue.Net.Float64()
	tiles := []tile{
		grown("Net sales", w.amount(s.Revenue.Net, s.Currency), net, before, w.amount(s.Previous.Revenue.Net, s.Currency)),
		grown("Orders", thousands(s.Orders), float64(s.Orders), float64(s.Previous.Orders), thousands(s.Previous.Orders)),
		moved("Buyers who agreed", s.DealRate, s.Previous.DealRate, 1),
		moved("Average discount", percent(s.Discount.Mean), percent(s.Previous.Discount.Mean), -1),
		moved("Margin on deals", s.Margin.Share, s.Previous.Margin.Share, 1),
	}
	tiles[0].Spark, tiles[1].Spark, tiles[2].Spark = sparkline(sales), sparkline(orders), sparkline(agreed)
	if v.may("finance:read") {
		tiles[1].Address = v.shop.Path() + "/orders"
	}
	return tiles
}

// percent parses a share such as "14.4%", and returns nil if there is none.
func percent(text string) *float64 {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil {
		return nil
	}
	n /= 100
	return &n
}

// grown returns the tile of an amount that is compared with the period before.
func grown(label, value string, now, before float64, was string) tile {
	t := tile{Label: label, Value: value}
	if before <= 0 {
		t.Before = "No earlier data"
		return t
	}
	t.Change, t.Tone = signed((now-before)/before*100, "%"), toneOf(now-before)
	t.Before = "vs " + was
	return t
}

// moved returns the tile of a rate, whose change is in percentage points. A rise is good for the merchant, or bad if direction is
// -1.
func moved(label string, now, before *float64, direction float64) tile {
	if now == nil {
		return tile{
			Label:  label,
			Value:  "–",
			Before: "No haggling yet",
		}
	}
	t := tile{Label: label, Value: share(*now)}
	if before == nil {
		t.Before = "No earlier data"
		return t
	}
	t.Change, t.Tone = signed((*now-*before)*100, " pts"), toneOf(direction*(*now-*before))
	t.Before = "vs " + share(*before)
	return t
}

// signed writes a change with its sign.
func signed(x float64, unit string) string {
	text := strconv.FormatFloat(x, 'f', 1, 64)
	switch {
	case text == "0.0" || text == "-0.0":
		return "±0" + unit
	case x < 0:
		return minus + text[1:] + unit
	}
	return "+" + text + unit
}

func toneOf(x float64) string {
	switch {
	case x > 0:
		return "good"
	case x < 0:
		return "bad"
	}
	return ""
}

// stageWords are how far negotiations come. Stages that are not here say the same as others.
var stageWords = map[string]string{
	"quoted":     "Asked the price",
	"offered":    "Made an offer",
	"accepted":   "Agreed on a price",
	"order_paid": "Paid",
}

func stageViews(funnel []funnelStage) []stageView {
	var views []stageView
	first, last := 0, 0
	for _, s := range funnel {
		word, ok := stageWords[s.Stage]
		if !ok {
			continue
		}
		view := stageView{
			Word:  word,
			Count: thousands(s.Count),
			Width: "0",
		}
		if len(views) == 0 {
			first = s.Count
		} else if last > 0 {
			view.Share = share(float64(s.Count)/float64(last)) + " of those"
		}
		if first > 0 {
			view.Width = strconv.FormatFloat(100*float64(s.Count)/float64(first), 'f', 1, 64)
		}
		last = s.Count
		views = append(views, view)
	}
	if first == 0 {
		return nil
	}
	return views
}
