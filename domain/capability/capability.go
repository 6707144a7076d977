// Package capability is what two parties of the Universal Commerce Protocol (UCP) can do together: names and versions of
// capabilities, the release of the protocol that both speak, and which capabilities are active between them. It reads no
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

// Version of a release of the protocol, or of a capability: a day. The zero Version is none.
type Version struct{ date string }

// Releases of the protocol that we speak.
var (
	V20260825 = Version{"2026-08-25"}
	V20260408 = Version{"2026-04-08"}
)

// Releases are those that we speak, the current one first.
func Releases() []Version { return []Version{V20260825, V20260408} }

// Current is the release that we advertise first.
func Current() Version { return V20260825 }

// ParseVersion reads a day as in 2026-08-25. It reports false for anything else, such as draft.
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

// After reports whether v is of a later day than other.
func (v Version) After(other Version) bool { return v.date > other.date }

// Ours reports whether v is a release of the protocol that we speak.
func (v Version) Ours() bool { return slices.Contains(Releases(), v) }

// MaxName is how long a name is at most, in bytes: the longest that is a host's name too.
const MaxName = 253

// Name of a capability: a reversed domain and labels below it. The zero Name is none.
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

// nameForm is that of the schema reverse_domain_name of 2026-08-25, which takes the names of 2026-04-08 too.
var nameForm = regexp.MustCompile(`^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?)+$`)

// ParseName reads a name. It reports false for what is no reversed domain.
func ParseName(text string) (Name, bool) {
	if len(text) > MaxName || !nameForm.MatchString(text) {
		return Name{}, false
	}
	return Name{text}, true
}

// Negotiation is the name of our own capability under an authority, which is a reversed host such as com.example.shops.
func Negotiation(authority string) (Name, bool) { return ParseName(authority + ".negotiation.quote") }

// Authority is a host reversed, as names begin with it: com.example.shops for shops.example.com. It reports false for what is
// no domain of at least two labels.
func Authority(host string) (string, bool) {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	if len(labels) < 2 || slices.Contains(labels, "") || strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return "", false // the address of a machine ends in a number
	}
	slices.Reverse(labels)
	return strings.Join(labels, "."), true
}

func (n Name) String() string { return n.text }

// BoundTo reports whether the schema of a capability of this name may lie on a host: reversed, the host is the name, or a
// part of it that ends before a dot ("Authority Binding"). It proves who declares a capability, not what it is worth.
func (n Name) BoundTo(host string) bool {
	authority, ok := Authority(host)
	return ok && (n.text == authority || strings.HasPrefix(n.text, authority+"."))
}
