package pricepath

import (
	"strconv"
)

// Coordinates are in tenths of a pixel, so that the same path gives the same bytes.

// canvas writes SVG.
type canvas struct{ b []byte }

func (c *canvas) raw(s string) { c.b = append(c.b, s...) }

// num writes tenths: 125 is 12.5, 120 is 12.
func (c *canvas) num(tenths int) {
	if tenths < 0 {
		c.b = append(c.b, '-')
		tenths = -tenths
	}
	c.b = strconv.AppendInt(c.b, int64(tenths/10), 10)
	if tenths%10 != 0 {
		c.b = append(c.b, '.', byte('0'+tenths%10))
	}
}

func (c *canvas) int(n int) { c.b = strconv.AppendInt(c.b, int64(n), 10) }

// attr writes a name and a coordinate.
func (c *canvas) attr(name string, tenths int) {
	c.raw(" ")
	c.raw(name)
	c.raw(`="`)
	c.num(tenths)
	c.raw(`"`)
}

// escaped writes text for content or a quoted attribute.
func (c *canvas) escaped(s string) {
	from := 0
	for i := range len(s) {
		var to string
		switch s[i] {
		case '&':
			to = "&amp;"
		case '<':
			to = "&lt;"
		case '>':
			to = "&gt;"
		case '"':
			to = "&#34;"
		case '\'':
			to = "&#39;"
		case 0:
			to = "\uFFFD"
		default:
			continue
		}
		c.raw(s[from:i])
		c.raw(to)
		from = i + 1
	}
	c.raw(s[from:])
}

// point writes a path command and its coordinates.
func (c *canvas) point(command string, x, y int) {
	c.raw(command)
	c.num(x)
	c.raw(" ")
	c.num(y)
}

func (c *canvas) openPath(class string) {
	c.raw(`<path class="`)
	c.raw(class)
	c.raw(`" d="`)
}

func (c *canvas) closePath() { c.raw(`"/>`) }

func (c *canvas) hline(class string, x0, x1, y int) {
	c.openPath(class)
	c.point("M", x0, y)
	c.raw("H")
	c.num(x1)
	c.closePath()
}

func (c *canvas) vline(class string, x, y0, y1 int) {
	c.openPath(class)
	c.point("M", x, y0)
	c.raw("V")
	c.num(y1)
	c.closePath()
}

func (c *canvas) rect(class string, x, y, w, h, r int) {
	c.raw(`<rect class="`)
	c.raw(class)
	c.raw(`"`)
	c.attr("x", x)
	c.attr("y", y)
	c.attr("width", w)
	c.attr("height", h)
	if r > 0 {
		c.attr("rx", r)
	}
	c.raw("/>")
}

func (c *canvas) circle(class string, x, y, r int) {
	c.raw(`<circle class="`)
	c.raw(class)
	c.raw(`"`)
	c.attr("cx", x)
	c.attr("cy", y)
	c.attr("r", r)
	c.raw("/>")
}

// square draws the shop's mark around a point.
func (c *canvas) square(class string, x, y, half int) {
	c.rect(class, x-half, y-half, 2*half, 2*half, 15)
}

// cross draws the mark of a buyer who left.
func (c *canvas) cross(class string, x, y, half int) {
	c.openPath(class)
	c.point("M", x-half, y-half)
	c.point("L", x+half, y+half)
	c.point("M", x+half, y-half)
	c.point("L", x-half, y+half)
	c.closePath()
}

// anchor is where text lies from its x.
type anchor int8

const (
	start anchor = iota
	middle
	end
)

func (c *canvas) text(class string, x, y int, a anchor, s string) {
	c.raw("<text")
	if class != "" {
		c.raw(` class="`)
		c.raw(class)
		c.raw(`"`)
	}
	c.attr("x", x)
	c.attr("y", y)
	switch a {
	case middle:
		c.raw(` text-anchor="middle"`)
	case end:
		c.raw(` text-anchor="end"`)
	}
	c.raw(">")
	c.escaped(s)
	c.raw("</text>")
}
