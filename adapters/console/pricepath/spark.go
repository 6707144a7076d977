package pricepath

import (
	"html/template"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Spark draws the path at 76×26 pixels, next to text that says the same. It is an image with an accessible name.
func Spark(p *Path) template.HTML {
	c := &canvas{b: make([]byte, 0, 1024)}
	cols := p.columns()
	spread(cols, 40, 680, 0)
	s := p.sparkScale(cols)
	c.raw(`<svg class="pp-spark" viewBox="0 0 76 26" width="76" height="26" role="img" aria-label="`)
	c.escaped(p.sparkName())
	c.raw(`">`)
	if p.opt.Limits {
		c.rect("pp-ground", 0, min(s.y(p.limits().floor)+10, 220), 760, 40, 0)
	}
	p.shopLine(c, cols, &s, 40, 680)
	p.buyerLine(c, cols, &s)
	x, y := p.endPoint(cols, &s)
	switch p.end {
	case Deal:
		c.circle("pp-deal", x, y, 40)
	case Left:
		c.cross("pp-left", min(x+40, 720), y, 30)
	default:
		c.circle("pp-open", x, y, 30)
	}
	c.raw("</svg>")
	return template.HTML(c.b)
}

// sparkScale has no margins and no axis break: offers below the range are drawn at the bottom.
func (p *Path) sparkScale(cols []column) scale {
	s := p.newScale(cols, 30, 220)
	s.yHigh, s.yLow, s.cutY, s.endX = 30, 200, 220, 680
	return s
}

func (p *Path) sparkName() string {
	name := p.opt.Product
	if name != "" {
		name += ": "
	}
	name += count(len(p.steps), "step")
	switch p.end {
	case Deal:
		return name + ", deal at " + p.money(p.price) + p.offList(", ")
	case Left:
		return name + ", buyer left"
	}
	return name + ", under way"
}

// offList says how far the deal is under list, after a separator.
func (p *Path) offList(before string) string {
	list := p.steps[p.last].list
	switch {
	case p.price == list:
		return before + "at list"
	case p.price > list:
		return ""
	}
	off := money.Off(p.amount(list), p.amount(p.price))
	if off == 0 { // under a tenth of a percent
		return before + p.money(list-p.price) + " off list"
	}
	return before + off.String() + " off list"
}

// shopLine draws a step line, in which a price holds until the next one. A single step spans the whole width.
func (p *Path) shopLine(c *canvas, cols []column, s *scale, x0, x1 int) {
	c.openPath("pp-shop")
	from := cols[0].x
	if len(cols) == 1 {
		from = x0
	}
	c.point("M", from, s.y(p.at(cols[0]).price))
	for i, col := range cols[1:] {
		c.raw("H")
		c.num(col.x)
		if price := p.at(col).price; price != p.at(cols[i]).price {
			c.raw("V")
			c.num(s.y(price))
		}
	}
	if len(cols) == 1 {
		c.raw("H")
		c.num(x1)
	}
	c.closePath()
}

// buyerLine joins the offers. A single one is a circle.
func (p *Path) buyerLine(c *canvas, cols []column, s *scale) {
	offers, command := 0, "M"
	for _, col := range cols {
		if p.at(col).offer > 0 {
			offers++
		}
	}
	if offers < 2 {
		for _, col := range cols {
			if o := p.at(col).offer; o > 0 {
				c.circle("pp-offer", col.x, s.offer(o), 25)
			}
		}
		return
	}
	c.openPath("pp-buyer")
	for _, col := range cols {
		if o := p.at(col).offer; o > 0 {
			c.point(command, col.x, s.offer(o))
			command = "L"
		}
	}
	c.closePath()
}

// endPoint returns the place of the end mark: at the deal, or else at the last offer, or else next to the last price.
func (p *Path) endPoint(cols []column, s *scale) (x, y int) {
	for _, col := range cols {
		if p.end == Deal && col.has(p.last) {
			return col.x, s.y(p.price)
		}
	}
	for i := len(cols) - 1; i >= 0; i-- {
		if o := p.at(cols[i]).offer; o > 0 {
			return cols[i].x, s.offer(o)
		}
	}
	last := cols[len(cols)-1]
	return s.endX, s.y(p.at(last).price)
}
