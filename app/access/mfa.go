package access

import (
	"context"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// recoveryBytes of randomness make a recovery code: 80 bits, 16 characters.
const recoveryBytes = 10

// Enrolment is what a holder needs to set an authenticator up. It is shown once.
type Enrolment struct {
	Secret        string
	Address       string // otpauth://…
	RecoveryCodes []string
}

// Enrol makes a pending authenticator for an account or a member, in place of another pending one. While one is
// active, its code confirms that, and it stays active until the new one is.
func (s *Service) Enrol(ctx context.Context, of account.Holder, code string) (Enrolment, error) {
	label, err := s.label(ctx, of)
	if err != nil {
		return Enrolment{}, err
	}
	if err := s.ConfirmIfEnrolled(ctx, of, code); err != nil {
		return Enrolment{}, err
	}
	secret, address, err := s.TOTP.Enrol(label)
	if err != nil {
		return Enrolment{}, err
	}
	name := id.New[id.Authenticator](s.Entropy.IDBits())
	pending := &account.Authenticator{
		ID:        name,
		Holder:    of,
		Secret:    s.Vault.Seal([]byte(secret), Purpose(name)),
		CreatedAt: s.Clock.Now(),
	}
	made := Enrolment{Secret: secret, Address: address}
	for range account.RecoveryCodes {
		text := s.Entropy.Secret(recoveryBytes)
		made.RecoveryCodes = append(made.RecoveryCodes, text[:4]+"-"+text[4:8]+"-"+text[8:12]+"-"+text[12:])
		pending.Recovery = append(pending.Recovery, account.RecoveryCode{Hash: account.HashRecovery(text)})
	}
	return made, s.Authenticators.Enrol(ctx, pending)
}

// label is what authenticator apps show.
func (s *Service) label(ctx context.Context, of account.Holder) (string, error) {
	if !of.Member.IsZero() {
		m, err := s.Members.Member(ctx, of.Account, of.Member)
		if err != nil {
			return "", err
		}
		return m.Email, nil
	}
	a, err := s.Accounts.ByID(ctx, of.Account)
	if err != nil {
		return "", err
	}
	return a.Name, nil
}

// Purpose binds a sealed secret to its authenticator.
func Purpose(name id.Authenticator) string { return "totp secret of " + name.String() }

// Activate makes the pending authenticator the active one, with a first code of it.
func (s *Service) Activate(ctx context.Context, of account.Holder, code string) error {
	if code == "" {
		return fault.Field("code", "is required")
	}
	_, pending, err := s.Authenticators.Of(ctx, of)
	if err != nil {
		return err
	}
	if pending == nil {
		return fault.New(fault.NotFound, "mfa_not_found", "There is no authenticator to confirm. Enrol one at POST /v1/account/mfa.")
	}
	right, err := s.try(ctx, pending, code, fault.Field("code", "is not the authenticator's current code"))
	if err != nil {
		return err
	}
	return s.Authenticators.Activate(ctx, pending, right.Step, s.Clock.Now())
}

// Disable removes the holder's authenticators. The code of an active one confirms that.
func (s *Service) Disable(ctx context.Context, of account.Holder, code string) error {
	if err := s.ConfirmIfEnrolled(ctx, of, code); err != nil {
		return err
	}
	return s.Authenticators.Remove(ctx, of)
}

// Confirm makes sure that the holder wants what is asked for: the code is one of its active
// authenticator, or one of the recovery codes, and is used up. Else Forbidden mfa_required, or Limited
// after too many wrong ones.
//
// A wrong code is counted and a right one spent whatever becomes of the request, in transactions of
// their own. So call it before the first write of a request, and once.
func (s *Service) Confirm(ctx context.Context, of account.Holder, code string) error {
	active, _, err := s.Authenticators.Of(ctx, of)
	if err != nil {
		return err
	}
	return s.confirm(ctx, active, code)
}

// ConfirmIfEnrolled is Confirm for a holder who has an active authenticator, and nothing else.
func (s *Service) ConfirmIfEnrolled(ctx context.Context, of account.Holder, code string) error {
	active, _, err := s.Authenticators.Of(ctx, of)
	if err != nil || active == nil {
		return err
	}
	return s.confirm(ctx, active, code)
}

// ConfirmWeakening is ConfirmIfEnrolled for what makes the account less safe. A member without an authenticator cannot do it
// while the account has one.
func (s *Service) ConfirmWeakening(ctx context.Context, of account.Holder, code string) error {
	active, _, err := s.Authenticators.Of(ctx, of)
	if err == nil && active == nil && !of.Member.IsZero() {
		var ofAccount *account.Authenticator
		ofAccount, _, err = s.Authenticators.Of(ctx, account.Holder{Account: of.Account})
		if err == nil && ofAccount == nil {
			return nil
		}
	} else if err == nil && active == nil {
		return nil
	}
	if err != nil {
		return err
	}
	return s.confirm(ctx, active, code)
}

func (s *Service) confirm(ctx context.Context, active *account.Authenticator, code string) error {
	switch {
	case active == nil:
		return mfaRequired("This needs a second factor. Enrol an authenticator at POST /v1/account/mfa, then send its code in the header X-MFA-Code.")
	case code == "":
		return mfaRequired("This needs a second factor. Send the authenticator's current code, or a recovery code, in the header X-MFA-Code.")
	}
	right, err := s.try(ctx, active, code, mfaRequired("The code in X-MFA-Code is wrong. Send the authenticator's current code, or a recovery code."))
	if err != nil {
		return err
	}
	spent, err := s.Authenticators.Spend(ctx, active.ID, right)
	if err == nil && !spent {
		return mfaRequired("The code in X-MFA-Code has been used. Wait for the authenticator's next one.")
	}
	return err
}

func mfaRequired(message string) error { return fault.New(fault.Forbidden, "mfa_required", message) }

// try judges a code, and counts it if it is wrong. A right one is not spent yet: one that was used
// before is right, too, and not counted. Recovery codes are of use once there is something to recover.
func (s *Service) try(ctx context.Context, a *account.Authenticator, code string, wrong error) (account.Code, error) {
	right, ok, err := s.judge(a, code, s.Clock.Now())
	if err != nil {
		return account.Code{}, err
	}
	err = s.Tries.Try(ctx, a.Holder, func(t *account.Tries) error {
		now := s.Clock.Now()
		if err := t.Admit(now); err != nil {
			return err
		}
		if ok {
			return nil
		}
		t.Add(now)
		return wrong
	})
	return right, err
}

// longestCode is far longer than any code.
const longestCode = 64

func (s *Service) judge(a *account.Authenticator, code string, now time.Time) (account.Code, bool, error) {
	if len(code) > longestCode {
		return account.Code{}, false, nil
	}
	secret, err := s.Vault.Open(a.Secret, Purpose(a.ID))
	if err != nil {
		return account.Code{}, false, err
	}
	if step, ok := s.TOTP.Step(string(secret), strings.ReplaceAll(code, " ", ""), now); ok {
		return account.Code{Step: step}, true, nil
	}
	if a.ActivatedAt == nil {
		return account.Code{}, false, nil
	}
	right, ok := a.Recovers(code)
	return right, ok, nil
}

// MFA reports whether the holder has an active authenticator, and how many of its recovery codes are
// left.
func (s *Service) MFA(ctx context.Context, of account.Holder) (enabled bool, left int, err error) {
	active, _, err := s.Authenticators.Of(ctx, of)
	if err != nil || active == nil {
		return false, 0, err
	}
	return true, active.RecoveryCodesLeft(), nil
}
