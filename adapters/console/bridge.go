package console

import (
	"encoding/json"
	"html/template"
	"strings"
)

// sales are those of a period.
type sales struct {
	Currency string `json:"currency"`
	Total    struct {
		Orders   int         `json:"orders"`
		List     json.Number `json:"list"`
		Goods    json.Number `json:"goods"`
		Discount json.Number `json:"discount_given"`
		Gross    json.Number `json:"gross"`
		Refunded json.Number `json:"refunded"`
		Net      json.Number `json:"net"`
		Margin   struct {
			Amount json.Number `json:"amount"`
		} `json:"margin"`
	} `json:"total"`
}

// bridgeView is the waterfall from list prices to the remaining revenue, as a chart and as a list.
type bridgeView struct {
	Picture template.HTML
	Summary string
	Said    string
	Facts   []fact
}

// bar is a part of the waterfall: a total that stands on the ground, or a step from one total to the next.
type bar struct {
	label, text, class string
	from, to           float64
	ground             bool
}

func (v *memberRequest) bridge(s *sales) *bridgeView {
	t := s.Total
	if t.Orders == 0 && zero(t.Refunded) {
		return nil
	}
	amount := func(n json.Number) string { return v.shop.words.amount(n, s.Currency) }
	number := func(n json.Number) float64 { x, _ := n.Float64(); return x }
	extra := sum(s.Currency, t.Gross, negative(t.Goods))
	list, goods, gross, net := number(t.List), number(t.Goods), number(t.Gross), number(t.Net)
	bars := []bar{
		{
			label:  "Goods at list",
			text:   amount(t.List),
			class:  "f-soft",
			to:     list,
			ground: true,
		},
		{
			label: "Haggled off",
			text:  amount(negative(t.Discount)),
			class: "f-buyer",
			from:  list,
			to:    goods,
		},
		{
			label: "Shipping and tax",
			text:  plus(amount(extra)),
			class: "f-mid",
			from:  goods,
			to:    gross,
		},
		{
			label:  "Paid by buyers",
			text:   amount(t.Gross),
			class:  "f-shop",
			to:     gross,
			ground: true,
		},
		{
			label: "Refunds",
			text:  amount(negative(t.Refunded)),
			class: "f-ink3",
			from:  gross,
			to:    net,
		},
		{
			label:  "After refunds",
			text:   amount(t.Net),
			class:  "f-shop",
			to:     net,
			ground: true,
		},
	}
	view := &bridgeView{
		Picture: drawBridge(bars),
		Summary: "From " + amount(t.List) + " at list to " + amount(t.Gross) + " paid by buyers, and " + amount(t.Net) + " after refunds",
	}
	if off := number(t.Discount) / list; list > 0 && off > 0 {
		view.Said = "Haggling took " + share(off) + " off list. The deals have " + amount(t.Margin.Amount) + " of margin."
	}
	for _, b := range bars {
		view.Facts = append(view.Facts, fact{
			Label: b.label,
			Value: b.text,
			Sum:   b.ground && b.from == 0 && b.label != "Goods at list",
		})
	}
	return view
}

func plus(amount string) string {
	if strings.HasPrefix(amount, minus) {
		return amount
	}
	return "+" + amount
}

// These are the dimensions of the chart. Its bars share the width.
const (
	bridgeWidth, bridgeHeight = 984.0, 236.0
	bridgeTop, bridgeGround   = 36.0, 206.0
	barWidth                  = 108.0
)

// bottomOf returns the amount at the bottom of the chart, and whether it is above zero. Totals are cut off at the bottom if the
// steps are too small to be seen next to them.
func bottomOf(bars []bar) (bottom, top float64) {
	low := bars[0].to
	for _, b := range bars {
		low, top = min(low, b.to), max(top, b.to)
	}
	if low < top/2 {
		return min(0, low), top
	}
	return max(0, low-(top-low)), top
}

func drawBridge(bars []bar) template.HTML {
	bottom, top := bottomOf(bars)
	if top <= bottom {
		bottom, top = 0, max(top, 1)
	}
	height := func(x float64) float64 {
		return bridgeGround - (bridgeGround-bridgeTop)*(x-bottom)/(top-bottom)
	}
	var svg strings.Builder
	step := bridgeWidth / float64(len(bars))
	for i, b := range bars {
		x := step*float64(i) + (step-barWidth)/2
		upper, lower := height(max(b.from, b.to)), height(min(b.from, b.to))
		if b.ground {
			upper, lower = height(b.to), bridgeGround
		}
		svg.WriteString(`<rect class="` + b.class + `" x="` + coordinate(x) + `" y="` + coordinate(upper) + `" width="` + coordinate(barWidth) +
			`" height="` + coordinate(max(1, lower-upper)) + `" rx="2"/>`)
		if b.ground && bottom > 0 {
			svg.WriteString(`<path class="brk" d="M` + coordinate(x-2) + ` 190l` + coordinate(barWidth+4) + ` -7v5l-` + coordinate(barWidth+4) + ` 7z"/>`)
		}
		if i < len(bars)-1 {
			y := coordinate(height(b.to))
			svg.WriteString(`<path class="g-line" d="M` + coordinate(x+barWidth) + ` ` + y + `H` + coordinate(x+step) + `"/>`)
		}
		middle := coordinate(x + barWidth/2)
		svg.WriteString(`<text class="t-ink t-b" x="` + middle + `" y="` + coordinate(upper-8) + `" text-anchor="middle">` + template.HTMLEscapeString(b.text) + `</text>`)
		svg.WriteString(`<text x="` + middle + `" y="` + coordinate(bridgeHeight-8) + `" text-anchor="middle">` + template.HTMLEscapeString(b.label) + `</text>`)
	}
	return template.HTML(svg.String())
}
