package marketreport

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
)

//go:embed page.html families.html
var pages embed.FS

var page = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"thousands": thousands, "percent": percent, "interval": inPercent,
	"fine":     func(x float64) string { return fmt.Sprintf("%.1f", 100*x) },
	"strategy": strategyName, "population": named, "populationName": populationName,
	"ratio":   func(r market.Ratio) simulating.Ratio { return simulating.Ratio(r) },
	"signed":  func(x float64) string { return fmt.Sprintf("%+.2f", 100*x) },
	"hundred": func(x float64) float64 { return 100 * confidence * x },
	"one":     func(x float64) string { return fmt.Sprintf("%.1f", x) },
	"two":     func(x float64) string { return fmt.Sprintf("%.2f", x) },
	"spread":  func(r simulating.Ratio) string { return fmt.Sprintf("±\u00a0%.1f", 100*confidence*r.Error) },
	"whole":   func(x float64) string { return fmt.Sprintf("%.0f", 100*x) }, "verdict": verdict, "weight": weight, "sign": sign, "strategies": func() []name { return strategies },
}).ParseFS(pages, "*.html"))

// WriteJSON writes a report as one JSON object.
func WriteJSON(w io.Writer, r *simulating.Report) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// WriteHTML writes a report as one self-contained page, with its styles and drawings. It has a section on families of buyers
// unless f is nil.
func WriteHTML(w io.Writer, of *simulating.Report, f *Families) error {
	r := report{of}
	discounts := r.discounts()
	v := view{
		Report:    of,
		Words:     r.words(),
		Money:     r.money(),
		Hints:     r.hints(),
		Drawn:     r.drawn(),
		Multiples: r.multiples(),
		Discounts: discountChart(discounts),
		DealRates: barChart("Deal rate by strategy", "deals, % of the buyers", 0, "%.1f %%", r.bars(dealRate)),
		Margins: barChart("Margin by strategy", "margin per buyer, % of the list price", 0, "%.2f %%",
			r.bars(func(s simulating.Row) (float64, float64) { return 100 * s.Margin, 0 })),
	}
	for _, deals := range discounts {
		v.Deals += deals
	}
	if len(r.Probing) > 0 {
		v.Probe = probeChart(r.Probing)
	}
	if f != nil {
		v.Families = f.view()
	}
	return page.Execute(w, v)
}

// view is the page's data: a report and its drawings.
type view struct {
	*simulating.Report
	Words []string
	Money earned
	Hints string
	Deals int // of the market
	Drawn []drawn

	Families                                        *familiesView
	Multiples, Discounts, DealRates, Margins, Probe template.HTML
}

// drawn is a negotiation with its drawing and its result.
type drawn struct {
	simulating.Path
	Ended string
	Chart template.HTML
}

// discounts counts the deals of all populations by discount in whole percent.
func (r report) discounts() (all []int) {
	for _, p := range r.Populations {
		for percent, deals := range p.Policy.Discounts {
			for percent >= len(all) {
				all = append(all, 0)
			}
			all[percent] += deals
		}
	}
	return all
}

func (r report) multiples() template.HTML {
	var bars []bar
	for _, p := range r.Populations {
		b := bar{
			label:  populationName(p.Name),
			class:  "in",
			value:  100 * p.Policy.OfPosted.Value,
			spread: 100 * confidence * p.Policy.OfPosted.Error,
		}
		if p.Best.Margin > 0 {
			b.mark = max(100*p.List.Margin/p.Best.Margin, 0)
		}
		bars = append(bars, b)
	}
	return barChart("Margin by population, in percent of the best fixed price's", "margin, % of the best fixed price's", 100, "%.0f %%", bars)
}

func (r report) bars(value func(simulating.Row) (value, spread float64)) (bars []bar) {
	for _, s := range r.Strategies {
		b := bar{label: strategyName(s.Strategy).Name, class: "in"}
		if s.Apart {
			b.class = "beside"
		}
		b.value, b.spread = value(s)
		bars = append(bars, b)
	}
	return bars
}

func dealRate(s simulating.Row) (value, spread float64) {
	return 100 * s.DealRate, 100 * confidence * math.Sqrt(s.DealRate*(1-s.DealRate)/float64(max(s.Buyers, 1)))
}

// drawn returns all negotiations, drawn on one scale.
func (r report) drawn() (all []drawn) {
	low := 95.0
	for _, p := range r.Paths {
		for _, s := range p.Steps {
			low = min(low, 100*s.Offer)
		}
	}
	low = 5 * math.Floor((low-1)/5)
	for _, p := range r.Paths {
		all = append(all, drawn{p, ended(p), pathChart(p, low)})
	}
	return all
}

func ended(p simulating.Path) string {
	switch {
	case p.Price == 0:
		return "no deal"
	case p.Steps[len(p.Steps)-1].Took:
		return fmt.Sprintf("takes the standing price: %.1f %% of list", 100*p.Price)
	}
	return fmt.Sprintf("accepted at %.1f %% of list", 100*p.Price)
}

// verdict returns the CSS class of a cell. Colors change at 100 %, where haggling earns as much as the best fixed price.
func verdict(r simulating.Ratio) string {
	if r.Value >= 1 {
		return "good"
	}
	return "poor"
}

// sign returns a sign with the same meaning as the color.
func sign(r simulating.Ratio) string {
	if r.Value >= 1 {
		return "▲"
	}
	return "▼"
}

// weight returns the strength of a cell's color in percent.
func weight(r simulating.Ratio) int { return int(min(6+110*math.Abs(r.Value-1), 38)) }

// inPercent formats a ratio with its 95 % interval, without the unit, which is in the column's header.
func inPercent(r simulating.Ratio) template.HTML {
	return template.HTML(fmt.Sprintf("%.1f <small>±&#160;%.1f</small>", 100*r.Value, 100*confidence*r.Error)) // only numbers
}
