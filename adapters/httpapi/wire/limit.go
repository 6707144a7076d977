package wire

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Limit sets the headers of a rate limit, and returns an error if the verdict refuses the request. RateLimit-Limit is the burst,
// of which RateLimit-Remaining is left. RateLimit-Policy adds the steady rate.
func Limit(h http.Header, v ports.Verdict, rate ports.Rate) error {
	h.Set("RateLimit-Limit", strconv.Itoa(v.Limit))
	h.Set("RateLimit-Remaining", strconv.Itoa(v.Remaining))
	h.Set("RateLimit-Reset", strconv.Itoa(Seconds(v.Reset)))
	h.Set("RateLimit-Policy", strconv.Itoa(rate.PerMinute)+";w=60;burst="+strconv.Itoa(rate.Burst))
	if v.Allowed {
		return nil
	}
	return fault.New(fault.Limited, "rate_limited", "Too many requests. Wait for the time in Retry-After.").After(v.RetryAfter)
}

// AddressKey returns the key under which an address's requests are counted. For IPv6 it is the /64 network, which one client has
// to itself.
func AddressKey(a netip.Addr) string {
	a = a.Unmap()
	if a.Is6() {
		if network, err := a.Prefix(64); err == nil {
			return network.String()
		}
	}
	return a.String()
}

// SiteKey returns the key under which the requests of an IPv6 site are counted, or "" for IPv4. A site has a network of up to
// /48, in which it can change its address at will.
func SiteKey(a netip.Addr) string {
	if a = a.Unmap(); a.Is6() {
		if network, err := a.Prefix(48); err == nil {
			return network.String()
		}
	}
	return ""
}

// documentRate documents the headers of Limit on successful answers and on 429. All other errors have them, too.
func documentRate(responses map[string]*huma.Response) {
	number := func(description string) *huma.Param {
		return &huma.Param{Description: description, Schema: &huma.Schema{Type: huma.TypeInteger}}
	}
	for status, r := range responses {
		if status > "3" && status != "429" {
			continue
		}
		if r.Headers == nil {
			r.Headers = map[string]*huma.Param{}
		}
		r.Headers["RateLimit-Limit"] = number("The number of requests that may be sent at once after a pause.")
		r.Headers["RateLimit-Remaining"] = number("The number of them that are left.")
		r.Headers["RateLimit-Reset"] = number("Seconds until all of them are available again.")
	}
}

// ClientAddress returns a function that finds the client's address. Each proxy appends the address of its client to
// X-Forwarded-For, so the header is read from its end, as long as the addresses are those of trusted proxies. Anybody may have
// written the part before. Without trusted proxies the client's address is that of the connection.
func ClientAddress(trusted []netip.Prefix) func(*http.Request) netip.Addr {
	trusts := func(a netip.Addr) bool {
		for _, p := range trusted {
			if p.Contains(a) {
				return true
			}
		}
		return false
	}
	return func(r *http.Request) netip.Addr {
		client := parseAddress(r.RemoteAddr)
		if len(trusted) == 0 || !trusts(client) {
			return client
		}
		hops := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
		for comma := len(hops); comma >= 0; {
			hops = hops[:comma]
			comma = strings.LastIndexByte(hops, ',')
			before := parseAddress(strings.TrimSpace(hops[comma+1:]))
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

// parseAddress parses an address with or without a port, and returns the zero address if it is malformed.
func parseAddress(text string) netip.Addr {
	if strings.HasPrefix(text, "[") || strings.Count(text, ":") == 1 {
		if both, err := netip.ParseAddrPort(text); err == nil {
			return both.Addr().Unmap().WithZone("")
		}
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}
