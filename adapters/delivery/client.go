// Package delivery sends requests, such as webhooks, to URLs that merchants configure. No request reaches a private address,
// whatever the host name resolves to at that moment: it prevents server-side request forgery (SSRF). The retry schedule is not
// decided here.
package delivery

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// Timeout is the time limit of a whole request, including the response body.
const Timeout = 10 * time.Second

// ErrPrivate means that an address is private, or otherwise not on the public internet.
var ErrPrivate = errors.New("the address is none of the public internet")

// SafeClient returns an HTTP client for URLs that merchants configure. It checks the address of every connection, follows no
// redirects, and uses no proxy, because a proxy's connections would not be checked. allowLoopback permits this machine's own
// addresses.
func SafeClient(allowLoopback bool) *http.Client { return safeClient(allowLoopback, nil) }

// safeClient is SafeClient with a resolver, nil for the system's.
func safeClient(allowLoopback bool, resolver *net.Resolver) *http.Client {
	dialer := &net.Dialer{
		Timeout:   5 * time.Second,
		KeepAlive: 30 * time.Second,
		Resolver:  resolver,
		Control:   guard(allowLoopback),
	}
	return &http.Client{
		Timeout: Timeout,
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    5 * time.Second,
			MaxIdleConns:           256,
			MaxIdleConnsPerHost:    16,
			MaxConnsPerHost:        64,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 16 << 10,
			DisableCompression:     true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// guard returns a net.Dialer.Control function, which checks the address of a connection before it is made.
func guard(allowLoopback bool) func(network, address string, c syscall.RawConn) error {
	addresses := Addresses{allowLoopback}
	return func(_, address string, _ syscall.RawConn) error {
		if to, err := netip.ParseAddrPort(address); err != nil || !addresses.public(to.Addr()) {
			return ErrPrivate
		}
		return nil
	}
}
