package totp_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	adapter "github.com/haggle-commerce/haggle/adapters/totp"
)

// reference is the secret of RFC 6238, appendix B, "12345678901234567890".
const reference = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

// The last six digits of the appendix's values for SHA-1.
func TestCodes_Step_referenceValues(t *testing.T) {
	t.Parallel()
	for at, code := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		if step, ok := (adapter.Codes{}).Step(reference, code, time.Unix(at, 0)); !ok || step != at/30 {
			t.Errorf("%s at %d: step %d, %v", code, at, step, ok)
		}
	}
}

// A code is valid for its own step, the one before and the one after.
func TestCodes_Step_window(t *testing.T) {
	t.Parallel()
	const step = 1111111109 / 30
	for offset, want := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		got, ok := (adapter.Codes{}).Step(reference, "081804", time.Unix((step+offset)*30, 0))
		if ok != want || ok && got != step {
			t.Errorf("%d steps off: step %d, %v", offset, got, ok)
		}
	}
}

func TestCodes_Step_malformed(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"", "28708", "2870820", "x87082", "７", "28708\x00"} {
		if _, ok := (adapter.Codes{}).Step(reference, code, time.Unix(59, 0)); ok {
			t.Errorf("%q is a code", code)
		}
	}
	if _, ok := (adapter.Codes{}).Step("no base32!", "287082", time.Unix(59, 0)); ok {
		t.Error("a bad secret has codes")
	}
}

// Codes that an app generates from the enrolment URL are accepted by Step.
func TestCodes_Enrol(t *testing.T) {
	t.Parallel()
	secret, address, err := adapter.Codes{}.Enrol("Zoë's shop")
	if err != nil || len(secret) != 32 {
		t.Fatalf("%q, %v", secret, err)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Haggle:Zoë's shop" ||
		u.Query().Get("secret") != secret || u.Query().Get("issuer") != "Haggle" {
		t.Errorf("%s: %v", address, err)
	}
	code, err := totp.GenerateCode(secret, time.Unix(59, 0))
	if err != nil {
		t.Fatal(err)
	}
	if step, ok := (adapter.Codes{}).Step(secret, code, time.Unix(59, 0)); !ok { // one code in a million is also that of the next step
		t.Errorf("step %d, %v", step, ok)
	}
	if other, _, _ := (adapter.Codes{}).Enrol("Zoë's shop"); other == secret {
		t.Error("a secret comes twice")
	}
	if _, _, err := (adapter.Codes{}).Enrol(""); err == nil {
		t.Error("a name is not needed")
	}
}
