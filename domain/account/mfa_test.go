package account_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
)

func TestTries_Admit_fiveWrongCodes(t *testing.T) {
	t.Parallel()
	var tries account.Tries
	for n := range account.MaxTries {
		now := noon.Add(time.Duration(n) * time.Minute)
		if err := tries.Admit(now); err != nil {
			t.Fatalf("after %d wrong codes: %v", n, err)
		}
		tries.Add(now)
	}
	for after, wait := range map[time.Duration]time.Duration{4 * time.Minute: time.Minute, 5*time.Minute - 1: 1} {
		var e *fault.Error
		if err := tries.Admit(noon.Add(after)); !errors.As(err, &e) || e.Kind != fault.Limited || e.Code != "rate_limited" || e.RetryAfter != wait {
			t.Errorf("after %s: %+v", after, e)
		}
	}
	if err := tries.Admit(noon.Add(5 * time.Minute)); err != nil {
		t.Errorf("once the first is forgotten: %v", err)
	}
	tries.Add(noon.Add(5 * time.Minute))
	if err := tries.Admit(noon.Add(6*time.Minute - 1)); err == nil {
		t.Error("a sixth wrong code in five minutes")
	}
	if err := tries.Admit(noon.Add(time.Hour)); err != nil || len(tries.Wrong) != 0 {
		t.Errorf("much later: %v, %v", err, tries.Wrong)
	}
}

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	a := account.Authenticator{Recovery: []account.RecoveryCode{
		{Hash: account.HashRecovery("abcd-efgh-jkmn-pqrs")}, {Hash: account.HashRecovery("used-used-used-used"), Used: true},
	}}
	for text, want := range map[string]bool{
		"abcd-efgh-jkmn-pqrs": true, "ABCDEFGHJKMNPQRS": true, " abcd efgh jkmn pqrs": true, "used-used-used-used": true,
		"abcd-efgh-jkmn-pqr": false, "": false, "-": false,
	} {
		code, ok := a.Recovers(text)
		if ok != want || ok && *code.Recovery != account.HashRecovery(text) {
			t.Errorf("%q: %v, %v", text, code, ok)
		}
	}
	if n := a.RecoveryCodesLeft(); n != 1 {
		t.Errorf("%d are left", n)
	}
}
