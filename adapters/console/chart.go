package console

import (
	"html/template"
	"math"
	"strconv"
	"strings"
)

// chartView is a line over the days of a period, and the same as a table.
type chartView struct {
	Line    template.HTML
	Summary string
	Ticks   []string // of the y axis, the highest first
	Days    []string // some of the x axis
	Rows    []chartRow
}

type chartRow struct{ Day, Value string }

// points are the coordinates of a line in a box, as path data.
func points(values []float64, width, height, top float64) string {
	var path strings.Builder
	for i, y := range values {
		x := 0.0
		if len(values) > 1 {
			x = width * float64(i) / float64(len(values)-1)
		}
		path.WriteString(pick(i == 0, "M", "L"))
		path.WriteString(coordinate(x) + " " + coordinate(height-height*max(0, y)/top))
	}
	return path.String()
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func coordinate(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// sparkline is a small line of values without axes. Words beside it say the same.
func sparkline(values []float64) template.HTML {
	if len(values) < 2 {
		return ""
	}
	top := 0.0
	for _, y := range values {
		top = max(top, y)
	}
	line := points(values, 160, 26, max(top, 1e-9))
	return template.HTML(`<svg class="tiny" viewBox="0 0 160 28" preserveAspectRatio="none" aria-hidden="true"><g transform="translate(0 1)"><path class="f-area" d="` + line +
		`V27H0z"/><path class="f-line" d="` + line + `"/></g></svg>`)
}

// roundUp is the next of 1, 2, 2.5 and 5 times a power of ten.
func roundUp(x float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, step := range []float64{1, 2, 2.5, 5} {
		if step*power >= x {
			return step * power
		}
	}
	return 10 * power
}

const gridLines = 3

// salesChart draws net sales by day.
func (v *memberRequest) salesChart(s *summary) *chartView {
	w := v.shop.words
	c := &chartView{}
	values, top := make([]float64, len(s.Series)), 0.0
	for i, at := range s.Series {
		values[i], _ = at.Revenue.Net.Float64()
		top = max(top, values[i])
		c.Rows = append(c.Rows, chartRow{w.day(at.From), w.amount(at.Revenue.Net, s.Currency)})
	}
	if len(values) < 2 || top == 0 {
		return nil
	}
	step := roundUp(top / gridLines)
	var grid strings.Builder
	for i := gridLines; i >= 0; i-- {
		c.Ticks = append(c.Ticks, w.axis(step*float64(i), s.Currency))
		y := coordinate(196 * float64(gridLines-i) / gridLines)
		grid.WriteString(`<path class="g-line" d="M0 ` + y + `H640"/>`)
	}
	line := points(values, 640, 196, step*gridLines)
	c.Line = template.HTML(grid.String() + `<path class="f-area" d="` + line + `V196H0z"/><path class="f-line" d="` + line + `"/>`)
	for i := range 4 {
		c.Days = append(c.Days, c.Rows[i*(len(c.Rows)-1)/3].Day)
	}
	c.Summary = "Net sales by day, " + c.Days[0] + " to " + c.Days[3] + ": " + w.amount(s.Revenue.Net, s.Currency) + " in all"
	return c
}
