// Package passwords hashes passwords with Argon2id. It bounds how many are hashed concurrently, because each needs memory and
// time. It does not limit the number of attempts.
package passwords

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// parameters are the minimum of OWASP's Password Storage Cheat Sheet since May 2023 (cheatsheetseries.owasp.org): 19 MiB, two
// iterations, one thread.
var parameters = argon2id.Params{
	Memory:      19 * 1024,
	Iterations:  2,
	Parallelism: 1,
	SaltLength:  16,
	KeyLength:   32,
}

const (
	// atOnce is how many passwords are hashed concurrently, with 19 MiB of memory each.
	atOnce = 2
	// mostWaiting is how many more may wait. The last one waits about a second on a slow machine.
	mostWaiting = 32
)

// Argon2 hashes passwords. Hashes are in the PHC string format, which includes the parameters.
type Argon2 struct {
	parameters argon2id.Params
	// unknownMember is a hash that is compared with the password of an unknown member. No password is known that has it.
	unknownMember string
	places        chan struct{}
	waiting       atomic.Int32
}

var _ ports.Passwords = (*Argon2)(nil)

// New returns an Argon2 without any work in progress.
func New() *Argon2 { return newArgon2(parameters) }

// NewWeak returns an Argon2 for tests, whose hashes cost little and protect nobody.
func NewWeak() *Argon2 {
	weak := parameters
	weak.Memory, weak.Iterations = 64, 1
	return newArgon2(weak)
}

func newArgon2(p argon2id.Params) *Argon2 {
	return &Argon2{
		parameters: p,
		unknownMember: fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2Version, p.Memory, p.Iterations, p.Parallelism,
			base64.RawStdEncoding.EncodeToString(make([]byte, p.SaltLength)), base64.RawStdEncoding.EncodeToString(make([]byte, p.KeyLength))),
		places: make(chan struct{}, atOnce),
	}
}

// argon2Version is 1.3 (RFC 9106).
const argon2Version = 0x13

func (a *Argon2) Hash(ctx context.Context, password string) (hash string, err error) {
	err = a.inPlace(ctx, func() error {
		hash, err = argon2id.CreateHash(password, &a.parameters)
		return err
	})
	return hash, err
}

func (a *Argon2) Verify(ctx context.Context, hash, password string) (right bool, err error) {
	err = a.inPlace(ctx, func() error {
		right, err = argon2id.ComparePasswordAndHash(password, cmp.Or(hash, a.unknownMember))
		right = right && hash != ""
		if err != nil {
			return fmt.Errorf("%w: a password's hash: %w", fault.ErrUnreadable, err)
		}
		return nil
	})
	return right, err
}

// inPlace waits for a free place and then runs work.
func (a *Argon2) inPlace(ctx context.Context, work func() error) error {
	if a.waiting.Add(1) > atOnce+mostWaiting {
		a.waiting.Add(-1)
		return fault.New(fault.Unavailable, "overloaded", "Too many passwords are being checked. Try again.").After(time.Second)
	}
	defer a.waiting.Add(-1)
	select {
	case a.places <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-a.places }()
	return work()
}
