package capability

import (
	"cmp"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Error codes of the protocol for a capability negotiation that fails.
const (
	VersionUnsupported = "version_unsupported"
	Incompatible       = "capabilities_incompatible"
)

// Declared is a capability in one version, as a party declares it. With Extends it is an extension of these parents,
// and it is active only if one of them is.
type Declared struct {
	Name    Name
	Version Version
	Extends []Name
}

// Set has the capabilities that a party declares for one release of the protocol.
type Set struct {
	Release      Version
	Capabilities []Declared
}

// Served returns the capabilities that Haggle serves under a release. negotiation is the name of our own capability;
// the zero Name leaves it out.
func Served(release Version, negotiation Name) Set {
	s := Set{
		Release: release,
		Capabilities: []Declared{
			{Name: CatalogSearch, Version: release},
			{Name: CatalogLookup, Version: release},
			{Name: Cart, Version: release},
			{Name: Checkout, Version: release},
			{Name: Order, Version: release},
			{
				Name:    Discount,
				Version: release,
				Extends: []Name{Checkout, Cart},
			},
			{
				Name:    Fulfillment,
				Version: release,
				Extends: []Name{Checkout},
			},
		},
	}
	if negotiation != (Name{}) {
		s.Capabilities = append(s.Capabilities, Declared{Name: negotiation, Version: negotiationVersion})
	}
	return s
}

// Choose returns the business's set for the platform's release, or version_unsupported with the releases of the
// business.
func Choose(business []Set, platform Version) (Set, error) {
	for _, s := range business {
		if s.Release == platform {
			return s, nil
		}
	}
	return Set{}, unsupported(business, platform)
}

func unsupported(business []Set, platform Version) error {
	names := make([]string, len(business))
	for i, s := range business {
		names[i] = s.Release.String()
	}
	slices.Sort(names)
	slices.Reverse(names)
	return fault.New(fault.Invalid, VersionUnsupported,
		"Protocol version "+platform.String()+" is not supported. This business supports "+strings.Join(names, " and ")+".")
}

// Active has the capabilities that two parties share, each in one version. The zero Active has none.
type Active struct {
	release Version
	list    []Declared // by name, which is unique
}

// Intersect returns the capabilities that both parties declare in the same version, each in its highest one. It drops
// extensions that have no parent among them. The business decides what a capability extends. Intersect returns
// version_unsupported if the releases differ, and capabilities_incompatible if nothing is in common.
func Intersect(business, platform Set) (Active, error) {
	if business.Release != platform.Release {
		return Active{}, unsupported([]Set{business}, platform.Release)
	}
	a := Active{release: business.Release, list: prune(common(business, platform))}
	if len(a.list) == 0 {
		return Active{}, incompatible()
	}
	return a, nil
}

func incompatible() error {
	return fault.New(fault.Invalid, Incompatible, "The agent's profile and this business share no capability that the operation requires.")
}

// common returns the business's capabilities that the platform has in the same version, each in the highest one, by
// name.
func common(business, platform Set) []Declared {
	type offer struct {
		name    Name
		version Version
	}
	offered := map[offer]bool{}
	for _, d := range platform.Capabilities {
		offered[offer{d.Name, d.Version}] = true
	}
	chosen := map[Name]Declared{}
	for _, d := range business.Capabilities {
		if !offered[offer{d.Name, d.Version}] {
			continue
		}
		best, there := chosen[d.Name]
		switch {
		case !there || d.Version.After(best.Version):
			chosen[d.Name] = Declared{
				Name:    d.Name,
				Version: d.Version,
				Extends: slices.Clone(d.Extends),
			}
		case d.Version == best.Version: // declared twice
			best.Extends = append(best.Extends, d.Extends...)
			chosen[d.Name] = best
		}
	}
	list := make([]Declared, 0, len(chosen))
	for _, d := range chosen {
		slices.SortFunc(d.Extends, byText)
		d.Extends = slices.Compact(d.Extends)
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Declared) int { return byText(a.Name, b.Name) })
	return list
}

func byText(a, b Name) int { return cmp.Compare(a.text, b.text) }

// prune removes extensions that have no active parent, repeatedly until each has one.
func prune(list []Declared) []Declared {
	for {
		active := map[Name]bool{}
		for _, d := range list {
			active[d.Name] = true
		}
		kept := slices.DeleteFunc(slices.Clone(list), func(d Declared) bool {
			return len(d.Extends) > 0 && !slices.ContainsFunc(d.Extends, func(parent Name) bool { return active[parent] })
		})
		if len(kept) == len(list) {
			return kept
		}
		list = kept
	}
}

// Release returns the release of the protocol that both parties use.
func (a Active) Release() Version { return a.release }

// Version returns the version of an active capability. It reports false if n is not active.
func (a Active) Version(n Name) (Version, bool) {
	for _, d := range a.list {
		if d.Name == n {
			return d.Version, true
		}
	}
	return Version{}, false
}

// Has reports whether a capability is active. Data of inactive capabilities is neither read nor returned.
func (a Active) Has(n Name) bool {
	_, there := a.Version(n)
	return there
}

// All returns the active capabilities by name.
func (a Active) All() []Declared { return slices.Clone(a.list) }

// Need returns capabilities_incompatible unless n, the capability of an operation, is active.
func (a Active) Need(n Name) error {
	if !a.Has(n) {
		return incompatible()
	}
	return nil
}

// For returns the active capabilities that a response to an operation of root lists: root and its extensions, by name.
func (a Active) For(root Name) []Declared {
	return slices.DeleteFunc(a.All(), func(d Declared) bool { return d.Name != root && !slices.Contains(d.Extends, root) })
}
