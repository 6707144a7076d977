// Package system is the machine's clock, its random bits, and its name resolution.
package system

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"net"
	"net/netip"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/app/failpoint"
)

// Clock is this machine's wall clock, in UTC and whole milliseconds. Times that several machines compare come
// from DatabaseClock.
type Clock struct{}

func (Clock) Now() time.Time {
	return time.Now().Add(failpoint.ClockOffset()).UTC().Truncate(time.Millisecond)
}

// Entropy is the operating system's.
type Entropy struct{}

func (Entropy) Bits128() (bits [16]byte) {
	rand.Read(bits[:]) // never fails: it ends the program instead (crypto/rand, since Go 1.24)
	return bits
}

// readable is base32 without the letters and digits that are mistaken for one another.
var readable = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

func (Entropy) Secret(n int) string {
	secret := make([]byte, n)
	rand.Read(secret)
	return readable.EncodeToString(secret)
}

// Resolver asks the system's resolver. With AllowLoopback this machine's own addresses do not count as
// private.
type Resolver struct{ AllowLoopback bool }

// lookupTimeout keeps a slow name server from holding up a request.
const lookupTimeout = 2 * time.Second

func (r Resolver) Private(ctx context.Context, host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return r.private(address)
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	var addresses []netip.Addr
	var err error
	bulkhead.Outside(ctx, func() { addresses, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host) })
	if err != nil {
		return false
	}
	for _, address := range addresses {
		if r.private(address) {
			return true
		}
	}
	return false
}

func (r Resolver) private(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsPrivate() || a.IsLoopback() && !r.AllowLoopback || a.IsLinkLocalUnicast() || a.IsLinkLocalMulticast() ||
		a.IsInterfaceLocalMulticast() || a.IsMulticast() || a.IsUnspecified() || carrierGrade.Contains(a)
}

// carrierGrade is shared address space behind carriers' NAT (RFC 6598).
var carrierGrade = netip.MustParsePrefix("100.64.0.0/10")
