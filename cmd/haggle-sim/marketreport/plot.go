package marketreport

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// plot builds an SVG drawing. Its colors are CSS classes of the page, so that they follow the light or dark mode.
type plot struct {
	strings.Builder
	width, height float64
}

func newPlot(width, height float64, says string) *plot {
	p := &plot{width: width, height: height}
	p.add(`<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, width, height, html.EscapeString(says))
	return p
}

func (p *plot) add(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *plot) done() template.HTML {
	p.WriteString("</svg>\n")
	return template.HTML(p.String()) // only numbers and escaped text
}

// at rounds a coordinate to a tenth of a pixel.
func at(x float64) float64 { return math.Round(x*10) / 10 }

func (p *plot) line(class string, x1, y1, x2, y2 float64) {
	p.add(`<line class="%s" x1="%g" y1="%g" x2="%g" y2="%g"/>`, class, at(x1), at(y1), at(x2), at(y2))
}

func (p *plot) rect(class string, x, y, width, height float64) {
	p.add(`<rect class="%s" x="%g" y="%g" width="%g" height="%g"/>`, class, at(x), at(y), at(max(width, 0)), at(max(height, 0)))
}

func (p *plot) dot(class string, x, y, radius float64) {
	p.add(`<circle class="%s" cx="%g" cy="%g" r="%g"/>`, class, at(x), at(y), radius)
}

// text draws text that is anchored at its start, middle or end.
func (p *plot) text(class, anchor string, x, y float64, says string) {
	p.add(`<text class="%s" text-anchor="%s" x="%g" y="%g">%s</text>`, class, anchor, at(x), at(y), html.EscapeString(says))
}

type point struct{ x, y float64 }

func (p *plot) polyline(class string, points []point) { p.path("polyline", class, points) }
func (p *plot) polygon(class string, points []point)  { p.path("polygon", class, points) }

func (p *plot) path(element, class string, points []point) {
	coordinates := make([]string, len(points))
	for i, c := range points {
		coordinates[i] = fmt.Sprintf("%g,%g", at(c.x), at(c.y))
	}
	p.add(`<%s class="%s" points="%s"/>`, element, class, strings.Join(coordinates, " "))
}

// scale maps values to coordinates.
type scale struct{ low, high, from, to float64 }

func (s scale) of(value float64) float64 {
	if s.high == s.low {
		return s.from
	}
	return s.from + (value-s.low)/(s.high-s.low)*(s.to-s.from)
}

// ticks returns round numbers within the scale, about as many as wanted.
func (s scale) ticks(wanted int) (all []float64) {
	raw := (s.high - s.low) / float64(wanted)
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, factor := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if step < raw*.99 {
			step *= factor
		}
	}
	for i := int(math.Ceil(s.low/step - 1e-9)); float64(i)*step <= s.high+1e-9*step; i++ {
		all = append(all, float64(i)*step)
	}
	return all
}

// frame is the inner area of a plot, within the axes.
type frame struct {
	*plot
	x, y scale
}

// newFrame returns a frame with room for labels on the left and below. Values go from low to high.
func newFrame(p *plot, x, y scale) *frame {
	const left, right, top, below = 44, 10, 12, 38
	x.from, x.to = left, p.width-right
	y.from, y.to = p.height-below, top
	return &frame{p, x, y}
}

// axes draws both axes, with a horizontal line at every tick of y.
func (f *frame) axes(xLabel, yLabel string, xTicks, yTicks []float64, format func(float64) string) {
	for _, tick := range yTicks {
		f.line("grid", f.x.from, f.y.of(tick), f.x.to, f.y.of(tick))
		f.text("tick", "end", f.x.from-5, f.y.of(tick)+4, format(tick))
	}
	f.line("axis", f.x.from, f.y.from, f.x.to, f.y.from)
	for _, tick := range xTicks {
		f.text("tick", "middle", f.x.of(tick), f.y.from+15, fmt.Sprintf("%g", tick))
	}
	f.text("label", "middle", (f.x.from+f.x.to)/2, f.height-5, xLabel)
	middle := (f.y.from + f.y.to) / 2
	f.add(`<text class="label" text-anchor="middle" transform="rotate(-90 10 %g)" x="10" y="%g">%s</text>`,
		at(middle), at(middle), html.EscapeString(yLabel))
}

// across draws a horizontal line at a value of y, with a label at its end.
func (f *frame) across(class string, value float64, says string) {
	y := f.y.of(value)
	f.line(class, f.x.from, y, f.x.to, y)
	f.text("note "+class+"-note", "end", f.x.to, y-4, says)
}

func whole(x float64) string { return fmt.Sprintf("%.0f", x) }
