package wire

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestClientAddress(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"no proxy", "192.0.2.1:9", nil, "192.0.2.1"},
		{"a stranger that claims to be a proxy", "192.0.2.1:9", []string{"198.51.100.1"}, "192.0.2.1"},
		{"one proxy", "10.0.0.1:9", []string{"192.0.2.1"}, "192.0.2.1"},
		{"two proxies", "10.0.0.1:9", []string{"192.0.2.1, 10.0.0.2"}, "192.0.2.1"},
		{"two headers", "10.0.0.1:9", []string{"192.0.2.1", "10.0.0.2"}, "192.0.2.1"},
		{"a client that writes the header itself", "10.0.0.1:9", []string{"198.51.100.1, 192.0.2.1"}, "192.0.2.1"},
		{"a client that names a proxy", "10.0.0.1:9", []string{"10.0.0.7, 192.0.2.1"}, "192.0.2.1"},
		{"a proxy that says nothing", "10.0.0.1:9", nil, "10.0.0.1"},
		{"nonsense from a proxy", "10.0.0.1:9", []string{"unknown"}, "10.0.0.1"},
		{"nonsense before a proxy", "10.0.0.1:9", []string{"192.0.2.1, x, 10.0.0.2"}, "10.0.0.2"},
		{"only proxies", "10.0.0.1:9", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"version 6", "[2001:db8::1]:9", []string{"2001:db9::7"}, "2001:db9::7"},
		{"version 6 with a port", "[2001:db8::1]:9", []string{"[2001:db9::7]:80"}, "2001:db9::7"},
		{"version 4 in 6", "[::ffff:10.0.0.1]:9", []string{"::ffff:192.0.2.1"}, "192.0.2.1"},
	} {
		r := &http.Request{RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-For": c.forwarded}}
		if got := ClientAddress(trusted)(r); got.String() != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

func TestAddressKey(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
	} {
		if got := AddressKey(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s counts as %s, want %s", address, got, want)
		}
	}
}

func TestSiteKey(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.1": "", "::ffff:192.0.2.1": "", "2001:db8:1:2:3:4:5:6": "2001:db8:1::/48",
	} {
		if got := SiteKey(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s counts for %q, want %q", address, got, want)
		}
	}
	if got := SiteKey(netip.Addr{}); got != "" {
		t.Errorf("no address counts for %q", got)
	}
}
