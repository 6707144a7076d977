package pricepath

import "strconv"

// blockLines keeps labels off the shop's line.
func (c *chart) blockLines() {
	for i := 1; i < len(c.cols); i++ {
		before, col := c.cols[i-1], c.cols[i]
		from, to := c.scale.y(c.at(before).price), c.scale.y(c.at(col).price)
		c.block(box{before.x, from - 10, col.x, from + 10})
		if from != to {
			c.block(box{col.x - 10, min(from, to), col.x + 10, max(from, to)})
		}
	}
}

// markers draws a square for each price, a circle for each offer, and what an agent had proposed.
func (c *chart) markers() {
	half := 50
	if c.gap < 260 {
		half = 35
	}
	for _, col := range c.cols {
		s := c.at(col)
		y := c.scale.y(s.price)
		if overruled(s) {
			c.proposal(col.x, c.proposalY(s), y, half)
		}
		if s.offer > 0 {
			c.circle("pp-offer", col.x, c.scale.offer(s.offer), half)
			c.blockMark(col.x, c.scale.offer(s.offer), half+10)
		}
		if !(c.end == Deal && col.has(c.last)) {
			c.square("pp-price", col.x, y, half)
		}
		c.blockMark(col.x, y, half+10)
	}
}

// overruled reports whether the shop's price differs from an agent's proposal.
func overruled(s *step) bool { return s.proposal > 0 && s.proposal != s.price && !s.accepted() }

func (c *chart) proposalY(s *step) int { return min(c.scale.y(s.proposal), c.bottom-60) }

// proposal draws a price that was not allowed, joined to the one that was given.
func (c *chart) proposal(x, asked, given, half int) {
	c.vline("pp-asked-line", x, asked, given)
	c.square("pp-asked", x, asked, half)
	c.blockMark(x, asked, half+10)
	c.block(box{x - 10, min(asked, given), x + 10, max(asked, given)})
}

// apart measures the distance between both prices at the chosen step.
func (c *chart) apart() {
	col := c.chosenColumn()
	s := c.at(col)
	if col.to != c.chosen || s.offer == 0 || s.accepted() || s.offer >= s.price {
		return
	}
	y0, y1 := c.scale.y(s.price)+80, c.scale.offer(s.offer)-80
	if y1-y0 < 60 {
		return
	}
	c.vline("pp-gap", col.x, y0, y1)
	c.thin = append(c.thin, box{col.x - 5, y0, col.x + 5, y1})
	if !c.wide || c.scale.offer(s.offer) == c.scale.cutY {
		return
	}
	text := c.money(s.price-s.offer) + " apart"
	y := (y0+y1)/2 + 40
	c.place(label{"pp-ink pp-halo", false, text}, spot{col.x - 80, y, end}, spot{col.x + 80, y, start},
		spot{col.x - 80, y + 140, end}, spot{col.x + 80, y - 140, start}, spot{col.x + 80, y + 140, start})
}

func (c *chart) endMark() {
	x, y := c.endPoint(c.cols, &c.scale)
	switch c.end {
	case Deal:
		c.circle("pp-ring", x, y, 110)
		c.circle("pp-deal", x, y, 70)
	case Left:
		c.cross("pp-left", x, y, 90)
	default:
		c.circle("pp-open", x, y, 90)
	}
	c.blockMark(x, y, 105)
}

// byRank returns the columns by the importance of their labels: the chosen one, the last, the first, the one with the best offer,
// and the others in order. few is the number of those named here.
func (c *chart) byRank() (order []int, few int) {
	order = make([]int, 0, len(c.cols)+4)
	seen := make([]bool, len(c.cols))
	add := func(i int) {
		if !seen[i] {
			seen[i] = true
			order = append(order, i)
		}
	}
	best := 0
	for i, col := range c.cols {
		if col.has(c.chosen) {
			add(i)
		}
		if c.at(col).offer > c.at(c.cols[best]).offer {
			best = i
		}
	}
	add(len(c.cols) - 1)
	add(0)
	add(best)
	few = len(order)
	for i := range c.cols {
		add(i)
	}
	return order, few
}

// fewLabels is the largest number of steps with labels at all of them. In longer paths only changes, the first, the best and the
// last step have one.
const fewLabels = 9

func (c *chart) amounts() {
	ranked, most := c.byRank()
	if len(c.steps) <= fewLabels {
		most = len(ranked)
	}
	for rank, i := range ranked {
		col, s := c.cols[i], c.at(c.cols[i])
		changed := i > 0 && s.price != c.at(c.cols[i-1]).price
		all := rank < most
		if all || changed || col.folded() > 1 {
			c.shopLabel(i, col, s)
		}
		if s.offer > 0 && (all || s.offer < c.scale.cut) {
			c.buyerLabel(col, s)
		}
		if overruled(s) {
			y := c.proposalY(s) + 40
			c.place(label{"pp-shop-t pp-halo", false, "proposed " + c.plain(s.proposal)}, spot{col.x + 90, y, start}, spot{col.x - 90, y, end})
		}
	}
}

// shopLabel writes a price at the upper right of a change, and above where it began or holds.
func (c *chart) shopLabel(i int, col column, s *step) {
	if c.end == Deal && col.has(c.last) {
		c.dealLabel(col.x)
		return
	}
	x, y := col.x, c.scale.y(s.price)
	right, above, below := spot{x + 70, y - 90, start}, spot{x, y - 100, middle}, spot{x - 70, y + 170, end}
	switch {
	case col.held:
		c.place(label{"pp-shop-t pp-halo", false, "holds, " + strconv.Itoa(col.folded()) + " times"}, above,
			spot{x, y - 240, middle}, spot{x, y + 180, middle})
	case col.folded() > 1:
		c.place(label{"pp-shop-t pp-halo", false, strconv.Itoa(col.folded()) + " steps"}, above, spot{x, y - 240, middle}, spot{x, y + 180, middle})
	case i == 0:
		c.place(label{"pp-shop-t pp-b pp-halo", true, c.plain(s.price)}, above, right, spot{x + 90, y + 170, start})
	case s.holds():
		c.place(label{"pp-shop-t pp-halo", false, "holds"}, above)
	default:
		c.place(label{"pp-shop-t pp-b pp-halo", true, c.plain(s.price)}, right, spot{x + 90, y - 40, start}, spot{x, y - 100, middle}, below,
			spot{x + 70, y + 170, start})
	}
}

// dealLabel writes the deal's price on phones, where the chart has no margin for it.
func (c *chart) dealLabel(x int) {
	if c.wide {
		return
	}
	y := c.scale.y(c.price)
	c.place(label{"pp-good pp-b pp-halo", true, c.plain(c.price)}, spot{x, y + 260, middle}, spot{x + 110, y + 260, end}, spot{x, y - 160, middle},
		spot{x + 110, y - 160, end}, spot{x - 150, y + 40, end})
}

// buyerLabel writes an offer below its circle, except at the deal, which is labelled in the margin.
func (c *chart) buyerLabel(col column, s *step) {
	if c.end == Deal && col.has(c.last) {
		return
	}
	x, y := col.x, c.scale.offer(s.offer)
	t := label{"pp-buyer-t pp-b pp-halo", true, c.plain(s.offer)}
	if s.offer < c.scale.cut {
		c.place(t, spot{x, y + 150, middle}, spot{x + 100, y + 40, start}, spot{x - 100, y + 40, end})
		return
	}
	c.place(t, spot{x, y + 200, middle}, spot{x + 90, y + 130, start}, spot{x - 90, y + 130, end}, spot{x, y - 140, middle})
}

// seriesNames names both lines at the first place that is free. Phones have a legend instead.
func (c *chart) seriesNames() {
	if !c.wide {
		return
	}
	shop, buyer := make([]spot, 0, 3*len(c.cols)), make([]spot, 0, 4*len(c.cols))
	endX, _ := c.endPoint(c.cols, &c.scale)
	for _, col := range c.cols {
		s := c.at(col)
		y := c.scale.y(s.price)
		shop = append(shop, spot{col.x + 120, y + 160, start}, spot{col.x - 120, y + 160, end}, spot{col.x + 120, y - 80, start})
		if s.offer == 0 {
			continue
		}
		y, off := c.scale.offer(s.offer), 120
		if col.x == endX {
			off = 170
		}
		buyer = append(buyer, spot{col.x - off, y + 40, end}, spot{col.x + 120, y + 160, start}, spot{col.x + 120, y - 80, start},
			spot{col.x, y - 140, middle})
	}
	c.place(label{"pp-shop-t pp-halo", false, "Shop’s price"}, shop...)
	c.place(label{"pp-buyer-t pp-halo", false, "Buyer’s offer"}, buyer...)
}

// drawFlags marks steps on the x axis: full for a bundle, hollow for a price that had expired and for limits that changed.
func (c *chart) drawFlags() {
	for _, col := range c.cols {
		shift := 0
		for _, f := range c.flags {
			if !col.has(f.Step - 1) {
				continue
			}
			class := "pp-flag"
			if f.Kind != Bundle {
				class = "pp-flag pp-hollow"
			}
			x := col.x + shift
			c.openPath(class)
			c.point("M", x, c.bottom+50)
			c.raw("v-14h8l-2 3 2 3h-8")
			c.closePath()
			c.block(box{x, c.bottom - 90, x + 80, c.bottom + 50})
			c.place(label{"pp-halo", false, f.Kind.name}, spot{x + 110, c.bottom - 20, start}, spot{x - 30, c.bottom - 20, end})
			shift += 100
		}
	}
}
