package delivery

import (
	"net/netip"
	"net/url"
	"strings"

	"code.dny.dev/ssrf"
	"golang.org/x/net/idna"

	"github.com/haggle-commerce/haggle/ports"
)

// Addresses tells public addresses from others: SafeClient asks it for each connection, and services when a merchant
// saves a URL. With AllowLoopback this machine's own addresses count as public.
type Addresses struct{ AllowLoopback bool }

var _ ports.Addresses = Addresses{}

// publicOnly knows the special-purpose addresses of IANA's registries, as of its release. Its embedding prefixes
// (NAT64, 6to4, Teredo) are refused whole.
var publicOnly = ssrf.New(ssrf.WithAnyPort())

// public reports whether connections may be made to an address.
func (a Addresses) public(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	if address.IsLoopback() {
		return a.AllowLoopback
	}
	network := "tcp4"
	if address.Is6() {
		network = "tcp6"
	}
	return publicOnly.Safe(network, netip.AddrPortFrom(address, 443).String(), nil) == nil
}

// privateNames are top-level names that never lead to the public internet: RFC 6761, RFC 6762, RFC 8375, and "internal"
// by ICANN's resolution of 2024-07-29.
var privateNames = []string{"local", "internal", "home.arpa"}

// LeadsInside implements ports.Addresses.
func (a Addresses) LeadsInside(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() != "" && a.Private(u.Hostname())
}

// Private reports whether a host as it is written is none of the public internet. It does not resolve names: what they
// resolve to may change, and an answer that depended on it would tell strangers the names of our network.
func (a Addresses) Private(host string) bool {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil { // as net/http does, which reads ①②⑦ as 127
		host = ascii
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if address, err := netip.ParseAddr(host); err == nil {
		return !a.public(address)
	}
	if endsInNumber(host) {
		return true
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return !a.AllowLoopback
	}
	for _, name := range privateNames {
		if strings.HasSuffix("."+host, "."+name) {
			return true
		}
	}
	return !strings.Contains(host, ".") // a name of the local network's search domain
}

// endsInNumber reports whether a host that is no address in the usual form is one to some clients: 127.1, 0177.0.0.1,
// 0x7f.1 (https://url.spec.whatwg.org/#ends-in-a-number-checker). No top-level name is a number.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if strings.Trim(last, "0123456789") == "" {
		return last != ""
	}
	hex, isHex := strings.CutPrefix(last, "0x")
	return isHex && strings.Trim(hex, "0123456789abcdef") == ""
}
