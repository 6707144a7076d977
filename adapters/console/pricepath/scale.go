package pricepath

// scale converts amounts to y coordinates. The list price is near the top, and the lowest of floor, prices and offers near the
// bottom.
type scale struct {
	high, low    int64
	yHigh, yLow  int
	top, bottom  int
	cut          int64 // offers under it are drawn at the bottom edge, below a break of the axis
	broken       bool
	cutY, breakY int // where these are drawn
	endX         int // x of the end's mark where there is no offer to put it on
}

// breakHeight is the height of an axis break in the plot.
const breakHeight = 200

// newScale adds 4 % of the range above it and 13 % below.
func (p *Path) newScale(cols []column, top, bottom int) scale {
	s := scale{
		top:    top,
		bottom: bottom,
		cut:    p.cut(),
		cutY:   bottom - 180,
		breakY: bottom - 330,
	}
	s.low = p.lowest()
	for _, c := range cols {
		s.add(p.at(c))
	}
	s.high = max(s.high, p.price)
	if p.price > 0 {
		s.low = min(s.low, p.price)
	}
	if s.high == s.low {
		s.low = s.high - max(s.high/10, 1)
	}
	height := bottom - top
	s.yHigh, s.yLow = top+height*4/117, bottom-height*13/117
	if s.broken {
		s.yLow -= breakHeight
	}
	return s
}

// add extends the scale to a step. It limits an offer far over list, which is sold at list, so that it does not squeeze the rest.
func (s *scale) add(of *step) {
	s.high = max(s.high, of.list, of.price)
	s.low = min(s.low, of.price)
	if of.offer >= s.cut && of.offer > 0 {
		s.low = min(s.low, of.offer)
		most := max(of.list, of.price)
		s.high = max(s.high, min(of.offer, most+most/10))
	} else if of.offer > 0 {
		s.broken = true
	}
}

// lowest returns the floor, or the lowest price if limits are hidden, so that the drawing does not depend on the floor.
func (p *Path) lowest() int64 {
	low := p.steps[0].price
	for i := range p.steps {
		s := &p.steps[i]
		low = min(low, s.price)
	}
	if p.opt.Limits {
		low = min(low, p.limits().floor)
	}
	return low
}

// cut is 70 % of the floor.
func (p *Path) cut() int64 {
	floor := p.lowest()
	if p.opt.Limits {
		floor = p.limits().floor
	}
	return floor - floor*3/10
}

// y is where an amount lies.
func (s *scale) y(amount int64) int {
	y := int64(s.yHigh) + (s.high-amount)*int64(s.yLow-s.yHigh)/(s.high-s.low)
	return int(min(max(y, int64(s.top)), int64(s.bottom)))
}

// offer is where an offer lies.
func (s *scale) offer(amount int64) int {
	if amount < s.cut {
		return s.cutY
	}
	return s.y(amount)
}

// foot is where the scale ends.
func (s *scale) foot() int {
	if s.broken {
		return s.breakY
	}
	return s.bottom
}

// grid returns the round amounts of the grid lines: at most five multiples of 1, 2 or 5 × 10ⁿ.
func (s *scale) grid() (amounts []int64, step int64) {
	values, height := s.high-s.low, int64(s.yLow-s.yHigh)
	from := s.low - values*int64(s.foot()-s.yLow)/height
	to := s.high + values*int64(s.yHigh-s.top)/height
	for step = 1; ; step *= 10 {
		for _, times := range [...]int64{1, 2, 5} {
			first := max((from+times*step-1)/(times*step), 0)
			last := to / (times * step)
			if last-first+1 > 5 {
				continue
			}
			for n := first; n <= last; n++ {
				amounts = append(amounts, n*times*step)
			}
			return amounts, times * step
		}
	}
}
