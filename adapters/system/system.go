// Package system provides clocks and random bits: the machine's, and a clock that follows the database's. It does not set the
// machine's clock.
package system

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
)

// Clock is this machine's wall clock, in UTC and whole milliseconds. Times that several machines compare come
// from DatabaseClock.
type Clock struct{}

func (Clock) Now() time.Time {
	return time.Now().Add(failpoint.ClockOffset()).UTC().Truncate(time.Millisecond)
}

// Entropy is the operating system's random number generator.
type Entropy struct{}

func (Entropy) Bits128() (bits [16]byte) {
	rand.Read(bits[:]) // never fails: it ends the program instead (crypto/rand, since Go 1.24)
	return bits
}

func (e Entropy) IDBits() [16]byte {
	bits := e.Bits128()
	var now [8]byte
	binary.BigEndian.PutUint64(now[:], uint64(Clock{}.Now().UnixMilli()))
	copy(bits[:6], now[2:])
	return bits
}

// readable is base32 without letters and digits that are easily confused.
var readable = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

func (Entropy) Secret(n int) string {
	secret := make([]byte, n)
	rand.Read(secret)
	return readable.EncodeToString(secret)
}
