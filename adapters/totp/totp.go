// Package totp implements time-based one-time passwords (RFC 6238), as authenticator apps generate them. It does not store
// used codes.
package totp

import (
	"cmp"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"github.com/haggle-commerce/haggle/ports"
)

// Codes generates six-digit codes with SHA-1 and a period of 30 seconds, which every app supports.
type Codes struct {
	Issuer string // shown in apps; "" is Haggle
}

var _ ports.TOTP = Codes{}

const (
	period     = 30
	secretSize = 20 // bytes, as RFC 4226 recommends
)

var form = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

func (c Codes) Enrol(name string) (secret, address string, err error) {
	key, err := totp.Generate(totp.GenerateOpts{
		Issuer:      cmp.Or(c.Issuer, "Haggle"),
		AccountName: name,
		Period:      period,
		SecretSize:  secretSize,
		Digits:      form.Digits,
		Algorithm:   form.Algorithm,
	})
	if err != nil {
		return "", "", err
	}
	return key.Secret(), key.URL(), nil
}

// Step checks the newest step first. If two steps have the same code, using it uses up both.
func (Codes) Step(secret, code string, now time.Time) (int64, bool) {
	current := now.Unix() / period
	for step := current + 1; step >= current-1; step-- {
		if ok, err := hotp.ValidateCustom(code, uint64(step), secret, form); err == nil && ok {
			return step, true
		}
	}
	return 0, false
}
