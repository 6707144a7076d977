package delivery

import (
	"net/netip"
	"net/url"
	"strings"

	"code.dny.dev/ssrf"
	"golang.org/x/net/idna"

	"github.com/haggle-commerce/haggle/ports"
)

// Addresses distinguishes public addresses from private ones. SafeClient uses it for each connection, and services when a
// merchant saves a URL. With AllowLoopback this machine's own addresses count as public.
type Addresses struct{ AllowLoopback bool }

var _ ports.Addresses = Addresses{}

// publicOnly refuses the special-purpose addresses of IANA's registries, as of the library's release, including all
// addresses of the embedding prefixes (NAT64, 6to4, Teredo).
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

// Private reports whether a host, as written, is not on the public internet. It does not resolve names: their addresses may
// change, and the result would reveal names of the internal network to strangers.
func (a Addresses) Private(host string) bool {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil { // like net/http, which converts ①②⑦ to 127
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

// endsInNumber reports whether some clients would parse a host as an IPv4 address although it is not in the usual form:
// 127.1, 0177.0.0.1, 0x7f.1 (https://url.spec.whatwg.org/#ends-in-a-number-checker). No top-level domain is a number.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if strings.Trim(last, "0123456789") == "" {
		return last != ""
	}
	hex, isHex := strings.CutPrefix(last, "0x")
	return isHex && strings.Trim(hex, "0123456789abcdef") == ""
}
