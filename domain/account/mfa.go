package account

import (
	"crypto/sha256"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Holder is the owner of an authenticator: an account, or a member of one.
type Holder struct {
	Account id.Account
	Member  id.Member // zero: the account itself
}

// Authenticator generates the one-time codes (RFC 6238) of an account or a member. It is pending until its first code
// is entered, and then replaces the previous one.
type Authenticator struct {
	ID id.Authenticator
	Holder
	Secret      []byte // encrypted
	LastStep    int64  // the latest used step: it and earlier ones are refused
	CreatedAt   time.Time
	ActivatedAt *time.Time
	Recovery    []RecoveryCode
}

// RecoveryCode replaces a one-time code, once. Only its hash is stored.
type RecoveryCode struct {
	Hash [32]byte
	Used bool
}

// RecoveryCodes is the number of recovery codes of an authenticator.
const RecoveryCodes = 10

// RecoveryCodesLeft returns the number of unused recovery codes.
func (a *Authenticator) RecoveryCodesLeft() int {
	left := 0
	for _, r := range a.Recovery {
		if !r.Used {
			left++
		}
	}
	return left
}

// Recovers reports whether the text is one of the authenticator's recovery codes, used or not.
func (a *Authenticator) Recovers(text string) (Code, bool) {
	hash := HashRecovery(text)
	for _, r := range a.Recovery {
		if r.Hash == hash {
			return Code{Recovery: &hash}, true
		}
	}
	return Code{}, false
}

// HashRecovery ignores case, hyphens and spaces, because people type these codes from paper.
func HashRecovery(text string) [32]byte {
	return sha256.Sum256([]byte(strings.NewReplacer("-", "", " ", "").Replace(strings.ToLower(text))))
}

// Code is a correct code: of a time step, or a recovery code.
type Code struct {
	Step     int64
	Recovery *[32]byte // nil: Step
}

// An account, and each of its members, may enter MaxTries wrong codes within TriesWindow.
const (
	MaxTries    = 5
	TriesWindow = 5 * time.Minute
)

// Tries are a holder's recent wrong codes, oldest first.
type Tries struct{ Wrong []time.Time }

// Admit refuses another try, even with a correct code, until fewer than MaxTries wrong codes are within TriesWindow.
func (t *Tries) Admit(now time.Time) error {
	t.forget(now)
	if len(t.Wrong) < MaxTries {
		return nil
	}
	return fault.New(fault.Limited, "rate_limited", "Too many wrong codes. Wait before you try again.").
		After(t.Wrong[len(t.Wrong)-MaxTries].Add(TriesWindow).Sub(now))
}

// Add counts a wrong code.
func (t *Tries) Add(now time.Time) {
	t.forget(now)
	t.Wrong = append(t.Wrong, now)
}

func (t *Tries) forget(now time.Time) {
	for len(t.Wrong) > 0 && !now.Before(t.Wrong[0].Add(TriesWindow)) {
		t.Wrong = t.Wrong[1:]
	}
}
