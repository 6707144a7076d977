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

// Enrolment holds the secret and recovery codes that a holder needs to set up an authenticator. It is shown once.
type Enrolment struct {
	Secret        string
	Address       string // otpauth://…
	RecoveryCodes []string
}

// Enrol creates a pending authenticator for an account or a member and replaces another pending one. If the holder has an
// active authenticator, code must be one of its codes; it stays active until the new one is activated.
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

// label is the name that authenticator apps show.
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

// Activate activates the pending authenticator. code must be its current code.
func (s *Service) Activate(ctx context.Context, of account.Holder, code string) error {
	if code == "" {
		return fault.Field("code", "is required")
	}
	_, pending, err := s.Authenticators.Of(ctx, of)
	if err != nil {
		return err
	}
	if pending == nil {
		return fault.New(fault.NotFound, "mfa_not_found", "No authenticator waits for confirmation. Enroll one at POST /v1/account/mfa.")
	}
	right, err := s.try(ctx, pending, code, fault.Field("code", "is not the authenticator's current code"))
	if err != nil {
		return err
	}
	return s.Authenticators.Activate(ctx, pending, right.Step, s.Clock.Now())
}

// Disable removes the holder's authenticators. If one is active, code must be one of its codes.
func (s *Service) Disable(ctx context.Context, of account.Holder, code string) error {
	if err := s.ConfirmIfEnrolled(ctx, of, code); err != nil {
		return err
	}
	return s.Authenticators.Remove(ctx, of)
}

// Confirm checks and spends a code of the holder's active authenticator, or one of its recovery codes. It returns Forbidden
// mfa_required if the code is missing, wrong or spent, and Limited after too many wrong ones.
//
// It counts a wrong code and spends a right one in transactions of their own, which stay committed even if the request
// fails. So call it once per request, before the first write.
func (s *Service) Confirm(ctx context.Context, of account.Holder, code string) error {
	active, _, err := s.Authenticators.Of(ctx, of)
	if err != nil {
		return err
	}
	return s.confirm(ctx, active, code)
}

// ConfirmIfEnrolled is Confirm for a holder who has an active authenticator, and does nothing for others.
func (s *Service) ConfirmIfEnrolled(ctx context.Context, of account.Holder, code string) error {
	active, _, err := s.Authenticators.Of(ctx, of)
	if err != nil || active == nil {
		return err
	}
	return s.confirm(ctx, active, code)
}

// ConfirmWeakening is ConfirmIfEnrolled for changes that make the account less safe. It also refuses a member without an
// authenticator while the account has one.
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
		return mfaRequired("This operation requires a second factor. Enroll an authenticator at POST /v1/account/mfa, then send its " +
			"code in the header X-MFA-Code.")
	case code == "":
		return mfaRequired("This operation requires a second factor. Send the authenticator's current code, or a recovery code, in the header X-MFA-Code.")
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

// try checks a code and counts it if it is wrong. It does not spend a right one, so a code that was spent before passes and is
// not counted. Recovery codes work only for an active authenticator.
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

// longestCode is how many bytes a code may have; it is far longer than any real code.
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

// MFA reports whether the holder has an active authenticator, and how many of its recovery codes are left.
func (s *Service) MFA(ctx context.Context, of account.Holder) (enabled bool, left int, err error) {
	active, _, err := s.Authenticators.Of(ctx, of)
	if err != nil || active == nil {
		return false, 0, err
	}
	return true, active.RecoveryCodesLeft(), nil
}
