package capability

import "slices"

// Handler is a way to pay that a party declares, and the types of instruments that it takes by it; none: every type.
type Handler struct {
	Name        Name
	Instruments []string
}

// Instruments returns the types of the business's handler that a platform takes too, in the business's order ("Resolving
// available_instruments"). A platform that does not declare the handler, or no types of it, limits nothing. It reports
// false where nothing is left, so that the handler is of no use to the platform.
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
