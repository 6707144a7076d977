// Package delivery sends requests to addresses that merchants give. No request reaches a private
// address, whatever its name resolves to at that moment (decisions 13).
package delivery

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// Timeout of a request in all, the answer included.
const Timeout = 10 * time.Second

// ErrPrivate means that an address is private, or otherwise none of the public internet.
var ErrPrivate = errors.New("the address is none of the public internet")

// SafeClient is an HTTP client for addresses that merchants give. It looks at the address of every
// connection, follows no redirects and uses no proxy, which would connect in its place. allowLoopback
// lets it reach this machine.
func SafeClient(allowLoopback bool) *http.Client { return safeClient(allowLoopback, nil) }

// safeClient resolves names by a resolver, nil for the system's.
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

// guard looks at an address that a connection is about to be made to.
func guard(allowLoopback bool) func(network, address string, c syscall.RawConn) error {
	addresses := Addresses{allowLoopback}
	return func(_, address string, _ syscall.RawConn) error {
		if to, err := netip.ParseAddrPort(address); err != nil || !addresses.public(to.Addr()) {
			return ErrPrivate
		}
		return nil
	}
}
