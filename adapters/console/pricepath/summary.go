package pricepath

import "strconv"

// name is the chart's name.
func (p *Path) name() string {
	if p.opt.Product == "" {
		return "Price path"
	}
	return "Price path: " + p.opt.Product
}

// summary describes the chart in one sentence, and the limits in another one if the viewer may see them.
func (p *Path) summary() string {
	s := &p.steps[len(p.steps)-1]
	text := "In " + stepCount(len(p.steps)) + " " + p.shopMoves() + p.buyerMoves() + p.ending() + "."
	if s.quantity > 1 {
		text += " Prices are for one piece."
	}
	if p.opt.Limits {
		text += " Floor " + p.money(s.floor) + ", target " + p.money(s.target) + "."
	}
	return text + " The table below has every step."
}

// shopMoves compares the first price with the last one before the agreement.
func (p *Path) shopMoves() string {
	first, last := p.steps[0].price, p.steps[0].price
	for i := range p.steps {
		if s := &p.steps[i]; !s.accepted() {
			last = s.price
		}
	}
	switch {
	case last < first:
		return "the shop comes down from " + p.money(first) + " to " + p.money(last)
	case last > first:
		return "the shop goes up from " + p.money(first) + " to " + p.money(last)
	case p.steps[0].accepted():
		return "the shop accepts " + p.money(first)
	case len(p.steps) == 1:
		return "the shop asks " + p.money(first)
	}
	return "the shop stays at " + p.money(first)
}

func (p *Path) buyerMoves() string {
	var first, last int64
	for i := range p.steps {
		if o := p.steps[i].offer; o > 0 {
			last = o
			if first == 0 {
				first = o
			}
		}
	}
	switch {
	case first == 0:
		return " and the buyer makes no offer"
	case last > first:
		return " and the buyer goes up from " + p.money(first) + " to " + p.money(last)
	case last < first:
		return " and the buyer goes down from " + p.money(first) + " to " + p.money(last)
	}
	return " and the buyer offers " + p.money(first)
}

func (p *Path) ending() string {
	switch p.end {
	case Deal:
		return ", with a deal at " + p.money(p.price)
	case Left:
		return ", and the buyer left"
	}
	return ", and it is under way"
}

func stepCount(n int) string {
	words := [...]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	switch {
	case n == 1:
		return "one step"
	case n < len(words):
		return words[n] + " steps"
	}
	return strconv.Itoa(n) + " steps"
}
