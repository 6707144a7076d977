package marketreport

import (
	"fmt"
	"html/template"
	"math"

	"github.com/haggle-commerce/haggle/app/simulating"
)

// bar is a row of a bar chart. Spread is half of its 95 % interval, and mark is a second value to compare with; zero shows
// neither.
type bar struct {
	label, class        string
	value, spread, mark float64
}

// barChart draws a row for each bar. Reference is the value of a line across all rows; zero draws none.
func barChart(says, unit string, reference float64, format string, bars []bar) template.HTML {
	const row, top, below, left, right, width = 25, 8, 40, 132, 58, 410
	bottom := float64(top + row*len(bars))
	p := newPlot(width, bottom+below, says)
	high := reference
	for _, b := range bars {
		high = max(high, b.value+b.spread, b.mark)
	}
	x := scale{0, max(high*1.02, 1e-6), left, width - right}
	for _, tick := range x.ticks(4) {
		p.line("grid", x.of(tick), top, x.of(tick), bottom)
		p.text("tick", "middle", x.of(tick), bottom+15, fmt.Sprintf("%g", math.Round(tick*1e6)/1e6))
	}
	for i, b := range bars {
		p.bar(b, x, float64(top+row*i), row, fmt.Sprintf(format, b.value))
	}
	if reference > 0 {
		p.line("reference", x.of(reference), top-4, x.of(reference), bottom)
	}
	p.line("axis", left, top, left, bottom)
	p.text("label", "middle", (left+width-right)/2, bottom+34, unit)
	return p.done()
}

func (p *plot) bar(b bar, x scale, y, row float64, value string) {
	middle := y + row/2
	p.text("name", "end", x.from-7, middle+4, b.label)
	p.rect("bar "+b.class, x.from, y+4, x.of(max(b.value, 0))-x.from, row-8)
	if b.spread > 0 {
		low, high := x.of(max(b.value-b.spread, 0)), x.of(b.value+b.spread)
		p.line("whisker", low, middle, high, middle)
		p.line("whisker", low, middle-3, low, middle+3)
		p.line("whisker", high, middle-3, high, middle+3)
	}
	if b.mark > 0 {
		p.dot("mark", x.of(b.mark), middle, 4)
	}
	p.text("value", "end", p.width-2, middle+4, value)
}

// discountChart draws the distribution of deals over discounts.
func discountChart(counts []int) template.HTML {
	p := newPlot(380, 250, "Share of deals by discount")
	deals, highest := 0, 0
	for _, n := range counts {
		deals, highest = deals+n, max(highest, n)
	}
	bins := max(len(counts), 5)
	f := newFrame(p, scale{low: 0, high: float64(bins)}, scale{low: 0, high: 100 * float64(max(highest, 1)) / float64(max(deals, 1)) * 1.05})
	f.axes("discount, % of the list price", "share of deals, %", f.x.ticks(10), f.y.ticks(5), func(v float64) string { return fmt.Sprintf("%g", at(v)) })
	for i, n := range counts {
		left, right, top := f.x.of(float64(i)), f.x.of(float64(i+1)), f.y.of(100*float64(n)/float64(max(deals, 1)))
		f.rect("bar in", left+.5, top, right-left-1, f.y.from-top)
	}
	return p.done()
}

// pathChart draws one negotiation, in percent of list. low is the start of the scale, so that several charts compare.
func pathChart(path simulating.Path, low float64) template.HTML {
	p := newPlot(300, 220, "Offers and counters of a buyer: "+kind(path.Strategy))
	f := newFrame(p, scale{low: .6, high: float64(path.Deadline) + 2}, scale{low: low, high: 103})
	rounds := make([]float64, path.Deadline)
	for i := range rounds {
		rounds[i] = float64(i + 1)
	}
	f.axes("round", "price, % of list", rounds, f.y.ticks(5), whole)
	f.across("worth", 100*path.Worth, "buyer's limit")
	if path.Secrets != nil {
		f.line("floor", f.x.from, f.y.of(100*path.Secrets.Floor), f.x.to, f.y.of(100*path.Secrets.Floor))
		f.text("note floor-note", "end", f.x.to, f.y.of(100*path.Secrets.Floor)+12, "floor")
	}
	f.steps(path)
	return p.done()
}

func (f *frame) steps(path simulating.Path) {
	var offers, counters []point
	var classes []string // of the counter-offers
	for i, step := range path.Steps {
		x := f.x.of(float64(i + 1))
		offers = append(offers, point{x, f.y.of(100 * step.Offer)})
		class := "dot-counter"
		if step.Answer == simulating.Reject {
			class = "dot-stands"
		}
		if step.Price > 0 && step.Answer != simulating.Accept {
			counters, classes = append(counters, point{x, f.y.of(100 * step.Price)}), append(classes, class)
		}
	}
	f.polyline("offer", offers)
	f.polyline("counter", counters)
	for i, o := range offers {
		class := "dot-offer"
		if path.Steps[i].Answer == simulating.Reject {
			class = "dot-rejected"
		}
		f.dot(class, o.x, o.y, 3.5)
	}
	for i, c := range counters {
		f.dot(classes[i], c.x, c.y, 3.5)
	}
	if path.Price > 0 {
		end := offers[len(offers)-1]
		f.dot("dot-deal", end.x, f.y.of(100*path.Price), 7)
	}
}

// probeChart draws how far probers' estimates are from the floor, in percentage points of list.
func probeChart(rounds []simulating.ProbeRound) template.HTML {
	p := newPlot(380, 260, "The prober's estimate of the floor by round, against the floor and the hint")
	low, high := -1.0, 1.0
	for _, r := range rounds {
		low, high = min(low, 100*r.Low), max(high, 100*r.High, 100*(r.Hint-r.Floor))
	}
	last := float64(rounds[len(rounds)-1].Round)
	f := newFrame(p, scale{low: float64(rounds[0].Round) - .3, high: last + .3}, scale{low: low * 1.08, high: high*1.08 + .5})
	var xs []float64
	var band, back, mean []point
	hint := 0.0
	for _, r := range rounds {
		x := f.x.of(float64(r.Round))
		xs = append(xs, float64(r.Round))
		mean = append(mean, point{x, f.y.of(100 * r.Bias)})
		band = append(band, point{x, f.y.of(100 * r.High)})
		back = append([]point{{x, f.y.of(100 * r.Low)}}, back...)
		hint = max(hint, 100*(r.Hint-r.Floor))
	}
	f.axes("round", "above the floor, % of list", xs, f.y.ticks(6), func(v float64) string { return fmt.Sprintf("%g", at(v)) })
	f.polygon("band", append(band, back...))
	f.line("floor", f.x.from, f.y.of(0), f.x.to, f.y.of(0))
	if hint > 0 {
		f.across("hint", hint, "hint")
		f.text("note floor-note", "end", f.x.to, f.y.of(0)+14, "floor")
	} else {
		f.line("hint", f.x.from, f.y.of(0), f.x.to, f.y.of(0))
		f.text("note hint-note", "end", f.x.to, f.y.of(0)+14, "floor = hint")
	}
	f.polyline("offer", mean)
	for _, m := range mean {
		f.dot("dot-offer", m.x, m.y, 3.5)
	}
	return p.done()
}
