package checkout

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/personalization"
)

// Disclose returns lines with the texts that the rules require with prices that personal signals moved: that of the address, or
// else that of the region where the price was agreed. An agreed price stands in every region.
func Disclose(lines []Line, rules personalization.Rules, to Address) []Line {
	lines = slices.Clone(lines)
	for i := range lines {
		l := &lines[i]
		l.Disclosure = ""
		if n := rules.Notice(l.Personal.Signals, to.RegionCode(), l.Personal.Region); n != nil {
			l.Disclosure = n.Disclosure
		}
	}
	return lines
}

// Notice returns the notice to the buyer about a line, or nil if no personal signal moved its price.
func (l Line) Notice() *personalization.Notice {
	if !l.Personal.Signals.Any() {
		return nil
	}
	return &personalization.Notice{
		Signals:    l.Personal.Signals,
		Disclosure: l.Disclosure,
	}
}

// Notices returns the notices about the lines; nil for those whose price no personal signal moved. Of a checkout that has ended, only
// its payer and a verified agent get them, because anybody who knows its ID may read it.
func (c *Checkout) Notices(payer bool) []*personalization.Notice {
	list := make([]*personalization.Notice, len(c.s.Lines))
	if c.s.Status.Ended() && !payer && !c.s.Agent.Verified {
		return list
	}
	for i, l := range c.s.Lines {
		list[i] = l.Notice()
	}
	return list
}
