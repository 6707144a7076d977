package pricepath

import (
	"strings"
	"unicode/utf8"
)

// box is the area of an element, in tenths of a pixel.
type box struct{ x0, y0, x1, y1 int }

func (b box) meets(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

func (b box) meetsAny(others []box) bool {
	for _, o := range others {
		if b.meets(o) {
			return true
		}
	}
	return false
}

// label is a text with several possible places.
type label struct {
	class string
	bold  bool
	text  string
}

// spot is a place for a text, its anchor on the baseline.
type spot struct {
	x, y int
	a    anchor
}

// placer puts texts where nothing else lies.
type placer struct {
	c        *canvas
	within   box
	band     box // a halo in it has the band's color
	obstacle []box
	thin     []box // lines that a label crosses only if there is no other place
}

func (l *placer) block(b box) { l.obstacle = append(l.obstacle, b) }

func (l *placer) blockMark(x, y, half int) { l.block(box{x - half, y - half, x + half, y + half}) }

// blockThin is for a level line.
func (l *placer) blockThin(x0, x1, y int) { l.thin = append(l.thin, box{x0, y - 5, x1, y + 5}) }

// free reports whether a box is inside the chart and overlaps nothing.
func (l *placer) free(b box) bool {
	if b.x0 < l.within.x0 || b.x1 > l.within.x1 || b.y0 < l.within.y0 || b.y1 > l.within.y1 {
		return false
	}
	return !b.meetsAny(l.obstacle)
}

// place writes the text at the first free spot that crosses no line, else at the first free one, or leaves it out.
func (l *placer) place(t label, spots ...spot) bool {
	for _, crossing := range [...]bool{false, true} {
		for _, s := range spots {
			if b := extent(t, s); (crossing || !b.meetsAny(l.thin)) && l.free(b) {
				l.write(t, s, b)
				return true
			}
		}
	}
	return false
}

// mustPlace writes the text at the first free spot, or else at the first that is inside.
func (l *placer) mustPlace(t label, spots ...spot) {
	if l.place(t, spots...) {
		return
	}
	s := spots[0]
	b := extent(t, s)
	l.write(t, s, b)
}

func (l *placer) write(t label, s spot, b box) {
	class := t.class
	if x := (b.x0 + b.x1) / 2; l.band.x0 < x && x < l.band.x1 && l.band.y0 < b.y0 && strings.HasSuffix(class, "halo") {
		class += " pp-halo-f"
	}
	l.c.text(class, s.x, s.y, s.a, t.text)
	l.block(b)
}

// plain writes an amount beside the lines.
func (p *Path) plain(minor int64) string { return p.opt.Format.Plain(p.amount(minor)) }

// extent returns the area that a text takes at a spot.
func extent(t label, s spot) box {
	w := width(t.text, t.bold)
	x := s.x
	switch s.a {
	case middle:
		x -= w / 2
	case end:
		x -= w
	}
	return box{x - 15, s.y - 90, x + w + 15, s.y + 30}
}

// width estimates the width of a text at 11 px, for wider fonts than the usual ones.
func width(text string, bold bool) int {
	w := 0
	for _, r := range text {
		switch {
		case r == '.' || r == ',' || r == ' ' || r == '’' || r == '\'' || r == '\u00a0' || r == '\u202f':
			w += 34
		case r >= '0' && r <= '9':
			w += 66
		case r >= 'a' && r <= 'z':
			w += 60
		case r < utf8.RuneSelf:
			w += 78
		default:
			w += 110
		}
	}
	if bold {
		w += w * 3 / 20
	}
	return w
}
