package capability

import "slices"

// Handler is a payment handler that a party declares, with the types of instruments that it accepts; none: every type.
type Handler struct {
	Name        Name
	Instruments []string
}

// Instruments returns the instrument types of the business's handler that a platform supports too, in the business's
// order ("Resolving available_instruments"). A platform that does not declare the handler, or declares no types for it,
// limits nothing. It reports false if no type is left, so that the platform cannot use the handler.
func Instruments(business Handler, platform []Handler) ([]string, bool) {
	var takes []string
	for _, h := range platform {
		switch {
		case h.Name != business.Name:
		case len(h.Instruments) == 0:
			return business.Instruments, true
		default:
			takes = append(takes, h.Instruments...)
		}
	}
	switch {
	case takes == nil:
		return business.Instruments, true
	case len(business.Instruments) == 0:
		slices.Sort(takes)
		return slices.Compact(takes), true
	}
	both := slices.DeleteFunc(slices.Clone(business.Instruments), func(t string) bool { return !slices.Contains(takes, t) })
	return both, len(both) > 0
}
