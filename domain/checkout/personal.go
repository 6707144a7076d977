package checkout

import "github.com/haggle-commerce/haggle/domain/personalization"

// Notice returns the notice to the buyer about a line whose price personal signals moved, or nil. The agreed price stands
// in every region. The text is that of the address, or else that of the region where the price was agreed.
func (l Line) Notice(rules personalization.Rules, to Address) *personalization.Notice {
	return rules.Notice(l.Personal.Signals, to.RegionCode(), l.Personal.Region)
}

// Disclosed returns the notice that the buyer was given about an ordered line, or nil.
func (l Line) Disclosed() *personalization.Notice {
	if !l.Personal.Signals.Any() {
		return nil
	}
	return &personalization.Notice{
		Signals:    l.Personal.Signals,
		Disclosure: l.Disclosure,
	}
}

// Notice is Line.Notice for all lines together, or nil.
func Notice(rules personalization.Rules, lines []Line, to Address) *personalization.Notice {
	var moved personalization.Signals
	regions := []string{to.RegionCode()}
	for _, l := range lines {
		moved = moved.And(l.Personal.Signals)
		regions = append(regions, l.Personal.Region)
	}
	return rules.Notice(moved, regions...)
}
