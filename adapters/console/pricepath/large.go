package pricepath

import (
	"html/template"
	"strconv"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Form is a size of the large chart. A page has both, and the style sheet hides one.
type Form struct{ name string }

// The forms.
var (
	Wide   = Form{"w"} // 640×344, for desks
	Narrow = Form{"n"} // 326×320, for phones
)

// frame has the positions of the parts of a chart.
type frame struct {
	wide                     bool
	id                       string // begins the ids
	width, height            int
	left, right, top, bottom int // of the plot
	x0, x1                   int // first and last column
	bandTop                  int // top of the chosen step's band
	numbers                  int // baseline of the step numbers
	margin                   int // x of the labels in the right margin
}

var (
	wideFrame = frame{
		wide:    true,
		width:   6400,
		height:  3440,
		left:    440,
		right:   5280,
		top:     288,
		bottom:  3140,
		bandTop: 220,
		numbers: 3320,
	}
	narrowFrame = frame{
		width:   3260,
		height:  3200,
		left:    360,
		right:   3160,
		top:     269,
		bottom:  2720,
		bandTop: 150,
		numbers: 2900,
	}
)

// chart is a drawing in progress.
type chart struct {
	*Path
	frame
	canvas
	placer
	scale  scale
	cols   []column
	gap    int // between columns
	chosen int // the step's index
	grid   []gridLine
	marks  []mark
}

// gridLine is a round amount on the y axis.
type gridLine struct {
	y    int
	text string
}

// Large draws the path with its axes, limits and labels. Each step is a link with an accessible name. For a step out of range it
// shows the one that Chosen returns.
func Large(p *Path, form Form, step int) template.HTML {
	f := wideFrame
	if form == Narrow {
		f = narrowFrame
	}
	f.id = p.opt.Prefix + form.name
	ch := &chart{
		Path:   p,
		frame:  f,
		canvas: canvas{b: make([]byte, 0, 12<<10)},
		cols:   p.columns(),
		chosen: p.Chosen(step) - 1,
	}
	ch.placer = placer{
		c:        &ch.canvas,
		within:   box{0, 0, f.width, f.bottom + 10},
		obstacle: make([]box, 0, 128),
	}
	ch.scale = p.newScale(ch.cols, f.top, f.bottom)
	ch.layOut()
	ch.draw()
	return template.HTML(ch.b)
}

// layOut makes room for long amounts at both sides, and sets the columns.
func (c *chart) layOut() {
	c.grid = c.gridLines()
	for _, g := range c.grid {
		w := width(g.text, false)
		c.left = max(c.left, w-w/10+90)
	}
	c.x0 = c.left + 200
	if c.wide {
		c.x0 = c.left + 260
		c.marks = c.marginMarks()
		widest := 1020
		for _, m := range c.marks {
			widest = max(widest, width(m.text, true), width(m.sub, false))
		}
		c.right = c.frame.width - min(widest, 2200) - 100
		c.margin = c.right + 100
	}
	c.x1 = c.right - 260
	c.scale.endX = c.right - 90
	c.gap = spread(c.cols, c.x0, c.x1, c.opt.Span)
}

func (c *chart) gridLines() []gridLine {
	amounts, step := c.scale.grid()
	write := c.opt.Format.Money
	if step%unitOf(c.opt.Currency) == 0 {
		write = c.opt.Format.Axis
	}
	lines := make([]gridLine, len(amounts))
	for i, a := range amounts {
		lines[i] = gridLine{c.scale.y(a), write(c.amount(a))}
	}
	return lines
}

func unitOf(cur money.Currency) int64 {
	n := int64(1)
	for range cur.Digits() {
		n *= 10
	}
	return n
}

func (c *chart) draw() {
	c.head()
	c.raw(`<g aria-hidden="true">`)
	c.axis()
	c.chosenBand()
	c.limitLines()
	c.axisBreak()
	if c.wide {
		c.writeMargin()
	}
	c.shopLine(&c.canvas, c.cols, &c.scale, c.x0, c.x1)
	c.offersLine()
	c.blockLines()
	c.markers()
	c.endMark()
	if !c.wide {
		c.narrowLimits()
		c.narrowLegend()
	}
	c.drawFlags()
	c.apart()
	c.amounts()
	c.seriesNames()
	c.raw("</g>")
	c.links()
	c.raw("</svg>")
}

// head opens the SVG. Its role is group and not image, because an image cannot contain links.
func (c *chart) head() {
	c.raw(`<svg class="pp `)
	if c.wide {
		c.raw(`pp-wide" viewBox="0 0 640 344`)
	} else {
		c.raw(`pp-narrow" viewBox="0 0 326 320`)
	}
	c.raw(`" role="group" aria-labelledby="`)
	c.escaped(c.id)
	c.raw(`-t" aria-describedby="`)
	c.escaped(c.id)
	c.raw(`-d"><title id="`)
	c.escaped(c.id)
	c.raw(`-t">`)
	c.escaped(c.name())
	c.raw(`</title><desc id="`)
	c.escaped(c.id)
	c.raw(`-d">`)
	c.escaped(c.summary())
	c.raw("</desc>")
	if c.opt.Limits {
		c.raw(`<defs><pattern id="`)
		c.escaped(c.id)
		c.raw(`-h" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="pp-hatch" d="M0 0V6"/></pattern></defs>`)
	}
}

// axis draws the grid lines and their amounts.
func (c *chart) axis() {
	for _, g := range c.grid {
		c.hline("pp-grid", c.left, c.right, g.y)
		t, s := label{text: g.text}, spot{c.left - 80, g.y + 40, end}
		c.write(t, s, extent(t, s))
	}
	if c.wide {
		c.text("", c.left-80, c.numbers, end, "Step")
	}
}

// chosenColumn is where the chosen step lies.
func (c *chart) chosenColumn() column {
	for _, col := range c.cols {
		if col.has(c.chosen) {
			return col
		}
	}
	return c.cols[0]
}

func (c *chart) chosenBand() {
	col := c.chosenColumn()
	w, top := min(680, max(c.gap*63/100, 160)), c.bandTop
	if !c.wide {
		w = min(480, max(c.gap*82/100, 90))
		s := &c.steps[c.chosen]
		top = max(c.bandTop, min(c.scale.y(s.price), c.scale.offer(max(s.offer, s.price)))-300)
	}
	c.band = box{max(col.x-w/2, c.left), top, min(col.x+w/2, c.right), c.bottom}
	c.rect("pp-band", c.band.x0, top, c.band.x1-c.band.x0, c.bottom-top, 60)
}

// limitLines draws list, target and floor, and the hatched ground below the floor.
func (c *chart) limitLines() {
	s := c.limits()
	if c.opt.Limits {
		y := c.scale.y(s.floor)
		c.raw(`<rect`)
		c.attr("x", c.left)
		c.attr("y", y)
		c.attr("width", c.right-c.left)
		c.attr("height", c.bottom-y)
		c.raw(` fill="url(#`)
		c.escaped(c.id)
		c.raw(`-h)"/>`)
	}
	if s.list > 0 {
		c.limitLine("pp-list", s.list)
	}
	if !c.opt.Limits {
		return
	}
	if s.target != s.floor {
		c.limitLine("pp-target", s.target)
	}
	c.limitLine("pp-floor", s.floor)
}

func (c *chart) limitLine(class string, amount int64) {
	y := c.scale.y(amount)
	c.hline(class, c.left, c.right, y)
	c.blockThin(c.left, c.right, y)
}

// axisBreak draws the break of the axis, above the offers that are cut off.
func (c *chart) axisBreak() {
	if !c.scale.broken {
		return
	}
	c.blockThin(c.left, c.right, c.scale.breakY)
	c.openPath("pp-break")
	c.point("M", c.left, c.scale.breakY)
	for x := c.left; x+80 <= c.right; x += 80 {
		c.raw("l4-3l4 3")
	}
	c.closePath()
}

// offersLine joins the offers. A single one has no line.
func (c *chart) offersLine() {
	offers := 0
	for _, col := range c.cols {
		if c.at(col).offer > 0 {
			offers++
		}
	}
	if offers > 1 {
		c.buyerLine(&c.canvas, c.cols, &c.scale)
	}
}

// links draws the links over the columns, the first step first. They contain the step numbers.
func (c *chart) links() {
	c.obstacle, c.thin = c.obstacle[:0], nil
	c.within = box{0, 0, c.frame.width, c.frame.height}
	shown := c.shownNumbers()
	for i, col := range c.cols {
		c.link(i, col, shown[i])
	}
}

func (c *chart) link(i int, col column, number bool) {
	s := c.at(col)
	step := s.n
	if col.has(c.chosen) {
		step = c.chosen + 1
	}
	c.raw(`<a class="pp-step" href="`)
	c.escaped(c.opt.Href(step))
	c.raw(`" data-step="`)
	c.int(step)
	c.raw(`" aria-label="`)
	if col.folded() > 1 {
		c.escaped(c.foldedLabel(col))
	} else {
		c.escaped(c.Path.label(s))
	}
	if col.has(c.chosen) {
		c.raw(`" aria-current="step`)
	}
	c.raw(`">`)
	left, right := c.reach(i)
	c.rect("pp-hit", left, c.bandTop, right-left, c.numbers+60-c.bandTop, 40)
	if number {
		class := ""
		if col.has(c.chosen) {
			class = "pp-ink pp-b"
		}
		c.text(class, col.x, c.numbers, middle, numberOf(col))
	}
	c.raw("</a>")
}

// reach returns how far a column extends to both sides.
func (c *chart) reach(i int) (left, right int) {
	half := min(c.gap/2, 540)
	if len(c.cols) == 1 && c.opt.Span <= 1 {
		half = 540
	}
	return max(c.cols[i].x-half, 0), min(c.cols[i].x+half, c.right)
}

// numberOf returns a column's step number, or the range of its step numbers.
func numberOf(col column) string {
	if col.folded() == 1 {
		return strconv.Itoa(col.to + 1)
	}
	return strconv.Itoa(col.from+1) + "–" + strconv.Itoa(col.to+1)
}

// shownNumbers picks the step numbers that fit: the chosen one, the last and the first come before the others.
func (c *chart) shownNumbers() []bool {
	shown := make([]bool, len(c.cols))
	if c.wide {
		t := label{text: "Step"}
		c.block(extent(t, spot{c.left - 80, c.numbers, end}))
	}
	ranked, _ := c.byRank()
	for _, i := range ranked {
		b := extent(label{text: numberOf(c.cols[i]), bold: c.cols[i].has(c.chosen)}, spot{c.cols[i].x, c.numbers, middle})
		b.x0, b.x1 = b.x0-20, b.x1+20
		if shown[i] = c.free(b); shown[i] {
			c.block(b)
		}
	}
	return shown
}

func (c *chart) foldedLabel(col column) string {
	s := c.at(col)
	text := "Steps " + strconv.Itoa(col.from+1) + " to " + strconv.Itoa(col.to+1) + ": "
	if col.held {
		return text + "shop holds " + c.money(s.price) + ", " + strconv.Itoa(col.folded()) + " times"
	}
	return text + "shop comes to " + c.money(s.price)
}
