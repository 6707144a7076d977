package order

import (
	"cmp"
	"slices"

	"github.com/haggle-commerce/haggle/domain/personalization"
)

// Disclose keeps with each line the text that the rules require now, so that the order shows it whatever becomes of them.
func (o *Order) Disclose(rules personalization.Rules) {
	o.Lines = slices.Clone(o.Lines)
	for i := range o.Lines {
		if n := o.Lines[i].Notice(rules, o.Address); n != nil {
			o.Lines[i].Disclosure = n.Disclosure
		}
	}
}

// Disclosed returns the notice that the buyer was given about the prices of all lines, or nil.
func (o *Order) Disclosed() *personalization.Notice {
	var all personalization.Notice
	for _, l := range o.Lines {
		all.Signals, all.Disclosure = all.Signals.And(l.Personal.Signals), cmp.Or(all.Disclosure, l.Disclosure)
	}
	if !all.Signals.Any() {
		return nil
	}
	return &all
}
