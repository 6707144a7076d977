package capability_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// set parses a set with one capability per line: name version [parent…].
func set(t *testing.T, release string, lines ...string) capability.Set {
	t.Helper()
	v, ok := capability.ParseVersion(release)
	if !ok {
		t.Fatal(release)
	}
	s := capability.Set{Release: v}
	for _, line := range lines {
		words := strings.Fields(line)
		var d capability.Declared
		var known bool
		d.Name, ok = capability.ParseName(words[0])
		d.Version, known = capability.ParseVersion(words[1])
		if !ok || !known {
			t.Fatal(line)
		}
		for _, parent := range words[2:] {
			n, ok := capability.ParseName(parent)
			if !ok {
				t.Fatal(line)
			}
			d.Extends = append(d.Extends, n)
		}
		s.Capabilities = append(s.Capabilities, d)
	}
	return s
}

func texts(list []capability.Declared) string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.Name.String() + " " + d.Version.String()
	}
	return strings.Join(names, ", ")
}

// The algorithm and the examples of the protocol's overview, under the names that they have there.
func TestIntersect(t *testing.T) {
	t.Parallel()
	const (
		checkout    = "dev.ucp.shopping.checkout 2026-08-25"
		cart        = "dev.ucp.shopping.cart 2026-08-25"
		order       = "dev.ucp.shopping.order 2026-08-25"
		fulfillment = "dev.ucp.shopping.fulfillment 2026-08-25 dev.ucp.shopping.checkout"
		discount    = "dev.ucp.shopping.discount 2026-08-25 dev.ucp.shopping.checkout dev.ucp.shopping.cart"
	)
	bare := func(declared string) string { return strings.Join(strings.Fields(declared)[:2], " ") }
	for name, test := range map[string]struct {
		business, platform []string
		want               string // "": capabilities_incompatible
	}{
		"same name, same version":      {[]string{checkout, cart}, []string{checkout, order}, checkout},
		"no mutual version":            {[]string{checkout, order}, []string{"dev.ucp.shopping.checkout 2026-04-08", order}, order},
		"nothing in common":            {[]string{checkout}, []string{cart}, ""},
		"nothing declared":             {nil, []string{cart}, ""},
		"the highest mutual version":   {[]string{"com.example.x 2024-01-01", "com.example.x 2025-01-01", "com.example.x 2026-01-01"}, []string{"com.example.x 2025-01-01", "com.example.x 2024-01-01", "com.example.x 2027-01-01"}, "com.example.x 2025-01-01"},
		"extension with its parent":    {[]string{checkout, fulfillment}, []string{fulfillment, checkout}, checkout + ", " + bare(fulfillment)},
		"orphaned extension":           {[]string{checkout, cart, fulfillment}, []string{cart, fulfillment}, cart},
		"only an orphan":               {[]string{checkout, fulfillment}, []string{fulfillment}, ""},
		"one of several parents":       {[]string{checkout, cart, discount}, []string{cart, discount}, cart + ", " + bare(discount)},
		"none of several parents":      {[]string{order, discount}, []string{order, discount}, order},
		"parent without mutual one":    {[]string{cart, checkout, fulfillment}, []string{cart, "dev.ucp.shopping.checkout 2026-01-01", fulfillment}, cart},
		"a chain whose root is gone":   {[]string{cart, "com.a.one 2026-01-01 dev.ucp.shopping.checkout", "com.a.two 2026-01-01 com.a.one", "com.a.three 2026-01-01 com.a.two"}, []string{cart, "com.a.one 2026-01-01", "com.a.two 2026-01-01", "com.a.three 2026-01-01"}, cart},
		"a chain with its root":        {[]string{cart, "com.a.one 2026-01-01 dev.ucp.shopping.cart", "com.a.two 2026-01-01 com.a.one"}, []string{"com.a.two 2026-01-01", cart, "com.a.one 2026-01-01"}, "com.a.one 2026-01-01, com.a.two 2026-01-01, " + cart},
		"the business says the parent": {[]string{cart, "com.a.one 2026-01-01"}, []string{cart, "com.a.one 2026-01-01 com.a.none"}, "com.a.one 2026-01-01, " + cart},
		"declared twice":               {[]string{cart, cart, "com.a.one 2026-01-01 com.a.none", "com.a.one 2026-01-01 dev.ucp.shopping.cart"}, []string{cart, "com.a.one 2026-01-01"}, "com.a.one 2026-01-01, " + cart},
	} {
		got, err := capability.Intersect(set(t, "2026-08-25", test.business...), set(t, "2026-08-25", test.platform...))
		if test.want == "" {
			if !fault.Is(err, capability.Incompatible) || len(got.All()) > 0 {
				t.Errorf("%s: %s, %v", name, texts(got.All()), err)
			}
			continue
		}
		if err != nil || texts(got.All()) != test.want || got.Release() != capability.V20260825 {
			t.Errorf("%s: %s, want %s (%v)", name, texts(got.All()), test.want, err)
		}
	}
}

func TestIntersect_otherRelease(t *testing.T) {
	t.Parallel()
	line := "com.example.x 2024-01-01"
	got, err := capability.Intersect(set(t, "2026-08-25", line), set(t, "2026-04-08", line))
	if !fault.Is(err, capability.VersionUnsupported) || len(got.All()) > 0 {
		t.Errorf("%s, %v", texts(got.All()), err)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	business := []capability.Set{set(t, "2026-04-08"), set(t, "2026-08-25")}
	for _, release := range capability.Releases() {
		if got, err := capability.Choose(business, release); err != nil || got.Release != release {
			t.Errorf("%s: %+v, %v", release, got, err)
		}
	}
	other, _ := capability.ParseVersion("2026-01-12")
	_, err := capability.Choose(business, other)
	want := "version_unsupported: Protocol version 2026-01-12 is not supported. This business supports 2026-08-25 and 2026-04-08."
	if err == nil || err.Error() != want || fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

// The table "Response Capability Selection" of the protocol's overview.
func TestFor(t *testing.T) {
	t.Parallel()
	name, _ := capability.Negotiation("com.haggle")
	for _, release := range capability.Releases() {
		all := capability.Served(release, name)
		active, err := capability.Intersect(all, all)
		if err != nil || len(active.All()) != 8 {
			t.Fatalf("%s, %v", texts(active.All()), err)
		}
		for root, want := range map[capability.Name][]capability.Name{
			capability.Checkout:      {capability.Checkout, capability.Discount, capability.Fulfillment},
			capability.Cart:          {capability.Cart, capability.Discount},
			capability.Order:         {capability.Order},
			capability.CatalogSearch: {capability.CatalogSearch},
			name:                     {name},
		} {
			var got []capability.Name
			for _, d := range active.For(root) {
				got = append(got, d.Name)
			}
			if !slices.Equal(got, want) || active.Need(root) != nil || !active.Has(root) {
				t.Errorf("%s: %v, want %v", root, got, want)
			}
		}
	}
	ours := capability.Served(capability.V20260825, capability.Name{})
	active, err := capability.Intersect(ours, capability.Set{Release: ours.Release, Capabilities: []capability.Declared{{Name: capability.Cart, Version: ours.Release}}})
	if err != nil || !fault.Is(active.Need(capability.Checkout), capability.Incompatible) || active.Need(capability.Cart) != nil || active.Has(name) {
		t.Errorf("%s, %v", texts(active.All()), err)
	}
	if v, ok := active.Version(capability.Cart); !ok || v != ours.Release {
		t.Errorf("the cart's version is %s", v)
	}
	if v, ok := active.Version(capability.Order); ok || v != (capability.Version{}) {
		t.Errorf("the order's version is %s", v)
	}
}

var (
	someNames    = []string{"com.a.one", "com.a.two", "com.a.three", "com.a.four", "com.a.five"}
	someVersions = []string{"2024-01-01", "2025-01-01", "2026-01-01"}
)

// sets draws the declarations of a party, from so few names and versions that parties have much in common.
func sets(t *rapid.T, label string) capability.Set {
	name := rapid.Custom(func(t *rapid.T) capability.Name {
		n, _ := capability.ParseName(rapid.SampledFrom(someNames).Draw(t, "name"))
		return n
	})
	declared := rapid.Custom(func(t *rapid.T) capability.Declared {
		v, _ := capability.ParseVersion(rapid.SampledFrom(someVersions).Draw(t, "version"))
		return capability.Declared{
			Name:    name.Draw(t, "name"),
			Version: v,
			Extends: rapid.SliceOfN(name, 0, 3).Draw(t, "extends"),
		}
	})
	return capability.Set{Release: capability.V20260825, Capabilities: rapid.SliceOfN(declared, 0, 10).Draw(t, label)}
}

func active(t *rapid.T, business, platform capability.Set) []capability.Declared {
	a, err := capability.Intersect(business, platform)
	if (err != nil) != (len(a.All()) == 0) || err != nil && !fault.Is(err, capability.Incompatible) {
		t.Fatalf("%s, %v", texts(a.All()), err)
	}
	return a.All()
}

func declares(s capability.Set, d capability.Declared) bool {
	return slices.ContainsFunc(s.Capabilities, func(o capability.Declared) bool { return o.Name == d.Name && o.Version == d.Version })
}

// Both parties declare each active capability, in the highest version that they share. No extension is active without a
// parent.
func TestIntersect_rapid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		business, platform := sets(t, "business"), sets(t, "platform")
		got := active(t, business, platform)
		has := map[capability.Name]capability.Version{}
		for _, d := range got {
			if _, twice := has[d.Name]; twice || !declares(business, d) || !declares(platform, d) {
				t.Fatalf("%s %s is active", d.Name, d.Version)
			}
			has[d.Name] = d.Version
			if len(slices.Compact(slices.Clone(d.Extends))) != len(d.Extends) {
				t.Fatalf("%s extends %v", d.Name, d.Extends)
			}
		}
		for _, d := range business.Capabilities {
			if chosen, there := has[d.Name]; there && declares(platform, d) && d.Version.After(chosen) {
				t.Fatalf("%s is active in %s, not in %s", d.Name, chosen, d.Version)
			}
		}
		for _, d := range got {
			if len(d.Extends) > 0 && !slices.ContainsFunc(d.Extends, func(n capability.Name) bool { _, there := has[n]; return there }) {
				t.Fatalf("%s is active without a parent of %v", d.Name, d.Extends)
			}
		}
	})
}

// The result is a fixed point: parties that declare only active capabilities share the same ones, because nothing is
// left to prune. Other declarations of the platform add nothing.
func TestIntersect_rapidFixedPoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		business, platform := sets(t, "business"), sets(t, "platform")
		once := active(t, business, platform)
		ours := capability.Set{Release: business.Release, Capabilities: once}
		if again := active(t, ours, ours); texts(again) != texts(once) {
			t.Fatalf("%s, then %s", texts(once), texts(again))
		}
		if again := active(t, ours, platform); texts(again) != texts(once) {
			t.Fatalf("%s, then %s with the platform", texts(once), texts(again))
		}
	})
}

// The order of declarations has no effect.
func TestIntersect_rapidOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		business, platform := sets(t, "business"), sets(t, "platform")
		want := active(t, business, platform)
		shuffled := func(s capability.Set) capability.Set {
			return capability.Set{Release: s.Release, Capabilities: rapid.Permutation(s.Capabilities).Draw(t, "order")}
		}
		got := active(t, shuffled(business), shuffled(platform))
		if !slices.EqualFunc(got, want, func(a, b capability.Declared) bool {
			return a.Name == b.Name && a.Version == b.Version && slices.Equal(a.Extends, b.Extends)
		}) {
			t.Fatalf("%v, in another order %v", want, got)
		}
	})
}

// No capability that could be active is left out: adding any one breaks a rule.
func TestIntersect_rapidNothingMissing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		business, platform := sets(t, "business"), sets(t, "platform")
		got := active(t, business, platform)
		has := func(n capability.Name) bool {
			return slices.ContainsFunc(got, func(d capability.Declared) bool { return d.Name == n })
		}
		best := map[capability.Name][]capability.Declared{} // the business's own, in the highest mutual version
		for _, d := range business.Capabilities {
			switch list := best[d.Name]; {
			case !declares(platform, d):
			case len(list) == 0 || d.Version.After(list[0].Version):
				best[d.Name] = []capability.Declared{d}
			case d.Version == list[0].Version:
				best[d.Name] = append(list, d)
			}
		}
		for n, list := range best {
			var parents []capability.Name
			for _, d := range list {
				parents = append(parents, d.Extends...)
			}
			if !has(n) && (len(parents) == 0 || slices.ContainsFunc(parents, has)) {
				t.Fatalf("%s is missing", n)
			}
		}
	})
}
