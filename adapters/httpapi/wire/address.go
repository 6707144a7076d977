package wire

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ClientAddress finds where requests come from. Each proxy adds the address that it was called from at
// the end of X-Forwarded-For, so the header is read from its end, for as long as the trusted ones wrote
// it: what stands before was written by anybody. Without trusted proxies it is who connected.
func ClientAddress(trusted []netip.Prefix) func(*http.Request) netip.Addr {
	trusts := func(a netip.Addr) bool {
		return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	return func(r *http.Request) netip.Addr {
		client := parseAddress(r.RemoteAddr)
		if len(trusted) == 0 || !trusts(client) {
			return client
		}
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for _, hop := range slices.Backward(hops) {
			before := parseAddress(strings.TrimSpace(hop))
			if !before.IsValid() {
				return client
			}
			if client = before; !trusts(client) {
				return client
			}
		}
		return client
	}
}

// parseAddress reads an address with or without a port; the zero address is none.
func parseAddress(text string) netip.Addr {
	if both, err := netip.ParseAddrPort(text); err == nil {
		return both.Addr().Unmap().WithZone("")
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}
