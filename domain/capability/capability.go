// Package capability negotiates what two parties of the Universal Commerce Protocol (UCP) can do together: names and versions of
// capabilities, the release of the protocol that both use, and the capabilities active between them. It reads no
// profile and knows no transport.
//
// The rules are those of the specification's overview, "Intersection Algorithm", "Protocol Version" and "Capability
// Versions".
package capability

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Version is the version of a release of the protocol or of a capability: a date. The zero Version is none.
type Version struct{ date string }

// Releases of the protocol that we support.
var (
	V20260825 = Version{"2026-08-25"}
	V20260408 = Version{"2026-04-08"}
)

// Releases returns the supported releases, the current one first.
func Releases() []Version { return []Version{V20260825, V20260408} }

// Current returns the release that we advertise first.
func Current() Version { return V20260825 }

// ParseVersion parses a date such as 2026-08-25. It reports false for anything else, such as draft.
func ParseVersion(text string) (Version, bool) {
	if len(text) != len(time.DateOnly) {
		return Version{}, false
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return Version{}, false
	}
	return Version{text}, true
}

func (v Version) String() string { return v.date }

// After reports whether v is later than other.
func (v Version) After(other Version) bool { return v.date > other.date }

// Ours reports whether v is a supported release of the protocol.
func (v Version) Ours() bool { return slices.Contains(Releases(), v) }

// MaxName is the largest length of a name in bytes: that of a host name.
const MaxName = 253

// Name is the name of a capability: a reversed domain and labels below it. The zero Name is none.
type Name struct{ text string }

// Capabilities of the protocol that we serve.
var (
	CatalogSearch = Name{"dev.ucp.shopping.catalog.search"}
	CatalogLookup = Name{"dev.ucp.shopping.catalog.lookup"}
	Cart          = Name{"dev.ucp.shopping.cart"}
	Checkout      = Name{"dev.ucp.shopping.checkout"}
	Order         = Name{"dev.ucp.shopping.order"}
	Discount      = Name{"dev.ucp.shopping.discount"}    // extends Checkout and Cart
	Fulfillment   = Name{"dev.ucp.shopping.fulfillment"} // extends Checkout
)

// negotiationVersion is the version of our own capability, which has its own releases.
var negotiationVersion = Version{"2026-12-01"}

// nameForm is the pattern of the schema reverse_domain_name of 2026-08-25, which also matches the names of 2026-04-08.
var nameForm = regexp.MustCompile(`^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?)+$`)

// ParseName parses a name. It reports false if the text is not a reversed domain.
func ParseName(text string) (Name, bool) {
	if len(text) > MaxName || !nameForm.MatchString(text) {
		return Name{}, false
	}
	return Name{text}, true
}

// Negotiation returns the name of our own capability under an authority, which is a reversed host such as
// com.example.shops.
func Negotiation(authority string) (Name, bool) { return ParseName(authority + ".negotiation.quote") }

// Authority reverses a host for use in names: com.example.shops for shops.example.com. It reports false if the host is
// not a domain of at least two labels.
func Authority(host string) (string, bool) {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	if len(labels) < 2 || slices.Contains(labels, "") || strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return "", false // an IP address
	}
	slices.Reverse(labels)
	return strings.Join(labels, "."), true
}

func (n Name) String() string { return n.text }

// BoundTo reports whether the schema of a capability with this name may be on a host: the reversed host must be the
// name, or a prefix of it before a dot ("Authority Binding"). That proves who declares a capability, not that it can be
// trusted.
func (n Name) BoundTo(host string) bool {
	authority, ok := Authority(host)
	return ok && (n.text == authority || strings.HasPrefix(n.text, authority+"."))
}
