package pricepath

import (
	"cmp"
	"slices"
)

// mark is a label in the right margin for a line or for the end of the path.
type mark struct {
	y     int // where it belongs
	rank  int // from top to bottom, where two belong to the same place
	class string
	text  string
	sub   string // a second line
	end   bool   // it is the end's
}

// marginGap is the minimum distance between labels in the margin.
const marginGap = 280

// marginMarks lists the labels from top to bottom.
func (c *chart) marginMarks() []mark {
	s := c.limits()
	marks := make([]mark, 0, 4)
	line := func(rank int, amount int64, text, sub string) {
		marks = append(marks, mark{
			y:     c.scale.y(amount),
			rank:  rank,
			class: "pp-ink pp-b",
			text:  text,
			sub:   sub,
		})
	}
	if s.list > 0 {
		line(0, s.list, "List "+c.money(s.list), c.listSub(s))
	}
	end := c.endWords()
	_, end.y = c.endPoint(c.cols, &c.scale)
	marks = append(marks, end)
	if c.opt.Limits && s.floor < s.list {
		if s.target == s.floor {
			line(3, s.floor, "Floor and target", c.money(s.floor))
		} else {
			line(2, s.target, "Target "+c.money(s.target), "accepted at once")
			line(3, s.floor, "Floor "+c.money(s.floor), "never below")
		}
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Or(a.y-b.y, a.rank-b.rank) })
	return marks
}

// listSub returns the note that the path begins at list, if it does.
func (c *chart) listSub(s *step) string {
	switch {
	case c.opt.Limits && s.floor == s.list:
		return "not negotiable"
	case c.steps[0].price == s.list:
		return "where it starts"
	}
	return "before haggling"
}

// endWords is what happened in the end.
func (c *chart) endWords() mark {
	m := mark{end: true, rank: 1}
	switch c.end {
	case Deal:
		m.class, m.text, m.sub = "pp-good pp-b", "Deal "+c.money(c.price), c.offList("")
		return m
	case Left:
		m.class, m.text = "pp-bad pp-b", "Left"
	default:
		m.class, m.text = "pp-ink pp-b", "Under way"
	}
	if o := c.lastOffer(); o > 0 {
		m.sub = "offered " + c.money(o)
	}
	return m
}

func (c *chart) lastOffer() int64 {
	for i := len(c.steps) - 1; i >= 0; i-- {
		if o := c.steps[i].offer; o > 0 {
			return o
		}
	}
	return 0
}

// writeMargin writes the labels, pushed apart around the end's.
func (c *chart) writeMargin() {
	ys := pushApart(c.marks, 140, 3140)
	for i, m := range c.marks {
		c.text(m.class, c.margin, ys[i]+10, start, m.text)
		if m.sub != "" {
			c.text("", c.margin, ys[i]+145, start, m.sub)
		}
		wide := max(width(m.text, true), width(m.sub, false))
		c.block(box{c.margin, ys[i] - 80, c.margin + wide, ys[i] + 180})
		if !m.end && ys[i] != m.y {
			c.leader(c.right, m.y, ys[i])
		}
		if m.end {
			c.endLeader(m.y, ys[i])
		}
	}
}

// leader joins a line with the label that was pushed away from it.
func (c *chart) leader(from, y, labelY int) {
	c.openPath("pp-lead")
	c.point("M", from, y)
	c.point("L", c.margin-50, labelY)
	c.closePath()
}

// endLeader joins the end's mark with its label, if nothing lies between.
func (c *chart) endLeader(y, labelY int) {
	x, _ := c.endPoint(c.cols, &c.scale)
	if x >= c.cols[len(c.cols)-1].x && x < c.margin-180 {
		c.leader(x+130, y, labelY)
	}
}

// pushApart moves the labels, which are sorted, away from the end's label and from each other, between two places.
func pushApart(marks []mark, top, bottom int) []int {
	ys := make([]int, len(marks))
	k := slices.IndexFunc(marks, func(m mark) bool { return m.end })
	last := len(marks) - 1
	ys[k] = min(max(marks[k].y, top+marginGap*k), bottom-marginGap*(last-k))
	for i := k - 1; i >= 0; i-- {
		ys[i] = max(min(marks[i].y, ys[i+1]-marginGap), top+marginGap*i)
	}
	for i := k + 1; i <= last; i++ {
		ys[i] = min(max(marks[i].y, ys[i-1]+marginGap), bottom-marginGap*(last-i))
	}
	return ys
}

// narrowLimits names the lines inside the plot: a phone has no margin. The floor's label goes to the left, which is where
// prices are far from it.
func (c *chart) narrowLimits() {
	s := c.limits()
	shown := c.opt.Limits && s.floor < s.list
	if shown && s.target == s.floor {
		c.narrowLimit("Floor and target", s.floor, true)
	} else if shown {
		c.narrowLimit("Floor", s.floor, true)
	}
	if s.list > 0 {
		c.narrowLimit("List", s.list, false)
	}
	if shown && s.target != s.floor {
		c.narrowLimit("Target", s.target, false)
	}
}

// narrowLimit writes a label above its line, or else below it, or further off where lines lie close together.
func (c *chart) narrowLimit(name string, amount int64, atLeft bool) {
	y := c.scale.y(amount)
	spots := make([]spot, 0, 12)
	for _, dy := range [...]int{-70, 150, -210, 290} {
		left, right, inner := spot{c.left + 40, y + dy, start}, spot{c.right, y + dy, end}, spot{c.left + 600, y + dy, start}
		if atLeft {
			spots = append(spots, left, right, inner)
		} else {
			spots = append(spots, right, inner, left)
		}
	}
	c.mustPlace(label{"pp-ink pp-b pp-halo", true, name + " " + c.money(amount)}, spots...)
}

// narrowLegend explains the marks below the plot.
func (c *chart) narrowLegend() {
	const y = 3130
	c.square("pp-price", 450, y-40, 50)
	c.text("", 560, y, start, "Shop’s price")
	c.circle("pp-offer", 1400, y-40, 45)
	c.text("", 1510, y, start, "Buyer’s offer")
	switch c.end {
	case Deal:
		c.circle("pp-deal", 2380, y-40, 55)
		c.text("", 2490, y, start, "Deal")
	case Left:
		c.cross("pp-left", 2380, y-40, 40)
		c.text("", 2490, y, start, "Left")
	default:
		c.circle("pp-open", 2380, y-40, 50)
		c.text("", 2490, y, start, "Under way")
	}
}
