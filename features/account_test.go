package features

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // RFC 6238 as authenticators speak it
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// authenticator is an app on the merchant's phone.
type authenticator struct {
	enrolment merchant.Enrolment
	used      int64 // the newest step whose code was read off
	recovered int   // recovery codes taken
	latest    string
}

// stepLength is how long a code is shown.
const stepLength = 30

// fresh is a code that was not used before. The app shows two at most within half a minute: the present one, and
// the next one, which a server takes from a phone that is fast.
func (a *authenticator) fresh() (string, error) {
	a.used = max(a.used+1, time.Now().Unix()/stepLength)
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(a.enrolment.Secret)
	return oneTime(secret, a.used), err
}

// oneTime is the six digits of RFC 6238 for a step in time.
func oneTime(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, step) // a hash takes everything
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0x0f
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[offset:])&0x7fffffff%1_000_000)
}

// The codes of RFC 6238, appendix B, cut to six digits.
func TestOneTimeCodes(t *testing.T) {
	t.Parallel()
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1234567890: "005924", 20000000000: "353130"} {
		if got := oneTime([]byte("12345678901234567890"), at/stepLength); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
}

// codes are the words of the steps for what a merchant may type.
const codes = `(no code|a fresh code|the same code|a recovery code|a wrong code)`

func (w *world) code(kind string) (string, error) {
	a := &w.authenticator
	var err error
	switch kind {
	case "a fresh code":
		a.latest, err = a.fresh()
	case "a recovery code":
		if a.recovered == len(a.enrolment.RecoveryCodes) {
			return "", errors.New("there is no recovery code left")
		}
		a.latest = a.enrolment.RecoveryCodes[a.recovered]
		a.recovered++
	case "a wrong code":
		return "not it", nil
	case "no code":
		return "", nil
	}
	return a.latest, err
}

func (w *world) hasAuthenticator() error {
	err := w.ownsAccount()
	for _, do := range []func() error{
		func() error { return w.enrol("no code") }, w.unjudged, func() error { return w.confirm("a fresh code") }, w.unjudged,
	} {
		if err == nil {
			err = do()
		}
	}
	return err
}

// enrol makes the merchant's phone show the codes of a new authenticator.
func (w *world) enrol(code string) error {
	text, err := w.code(code)
	if err != nil {
		return err
	}
	return w.attempt(func() error {
		made, err := w.merchant.EnrolMFA(w.ctx, merchant.MFACode(text))
		if err == nil {
			w.authenticator = authenticator{enrolment: made, used: w.authenticator.used}
		}
		return err
	})
}

func (w *world) confirm(code string) error {
	text, err := w.code(code)
	if err != nil {
		return err
	}
	return w.attempt(func() error {
		_, err := w.merchant.ConfirmMFA(w.ctx, text)
		return err
	})
}

func (w *world) isWrongTooOften() error {
	for range 5 {
		_, err := w.merchant.ConfirmMFA(w.ctx, "not it")
		if err := wantRefusal(err, http.StatusUnprocessableEntity, "validation_error"); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) renameAccount(value string) error {
	body, err := withField(map[string]any{}, "name", value)
	if err != nil {
		return err
	}
	return w.merchantSends("PATCH", "/v1/account", body)
}

// guarded are what may need a second factor.
var guarded = map[string]struct{ method, path, confirmation, body string }{
	"closes the shop":               {"DELETE", "/v1/projects/$shop", "$shop", ""},
	"closes the shop unconfirmed":   {"DELETE", "/v1/projects/$shop", "proj_of_another", ""},
	"closes the other shop":         {"DELETE", "/v1/projects/$other", "$other", ""},
	"creates a key for the shop":    {"POST", keysPath, "", `{"name": "Clerk", "scopes": ["catalog:read"], "project_ids": ["$shop"]}`},
	"creates a key for the other":   {"POST", keysPath, "", `{"name": "Clerk", "scopes": ["catalog:read"], "project_ids": ["$other"]}`},
	"creates a key for a lost shop": {"POST", keysPath, "", `{"name": "Clerk", "scopes": ["catalog:read"], "project_ids": ["$shop", "proj_lost"]}`},
	"creates a key for all shops":   {"POST", keysPath, "", `{"name": "Clerk", "scopes": ["catalog:read"]}`},
	"no longer requires it":         {"PATCH", "/v1/projects/$shop/settings", "", `{"security": {"mfa_required": false}}`},
	"restores whether it requires":  {"PATCH", "/v1/projects/$shop/settings", "", `{"security": {"mfa_required": null}}`},
	"restores all of the security":  {"PATCH", "/v1/projects/$shop/settings", "", `{"security": null}`},
	"spoils the settings":           {"PATCH", "/v1/projects/$shop/settings", "", `{"security": {"mfa_required": false, "session_timeout_minutes": 0}}`},
	"requires it":                   {"PATCH", "/v1/projects/$shop/settings", "", `{"security": {"mfa_required": true}}`},
	"renames the shop":              {"PATCH", "/v1/projects/$shop", "", `{"name": "Renamed"}`},
	"removes the authenticator":     {"DELETE", "/v1/account/mfa", "", ""},
	"refunds the payment":           {"POST", "/v1/finance/payments/$payment/refund", "", ""},
	"says it was charged":           {"POST", paymentsPath + "/$checkout/resolve", "", `{"outcome": "charged", "provider_charge_id": "$charge", "reason": "Seen there"}`},
	"says it was not charged":       {"POST", paymentsPath + "/$checkout/resolve", "", `{"outcome": "not_charged", "reason": "It is not there"}`},
	"says it was refunded":          {"POST", refundsPath + "/$unresolved/resolve", "", `{"outcome": "succeeded", "provider_refund_id": "$given_back", "reason": "Seen there"}`},
	"cancels the order":             {"POST", "/v1/orders/$order/cancel", "", ""},
	"accepts the dispute":           {"POST", "/v1/disputes/$dispute/accept", "", ""},
	"approves the return":           {"POST", "/v1/returns/$return/approve", "", ""},
	"exports the buyer":             {"POST", "/v1/buyers/export", "", `{"email": "buyer@example.com"}`},
	"erases the buyer":              {"POST", "/v1/buyers/erase", "", `{"email": "buyer@example.com"}`},
}

var timesAtOnce = regexp.MustCompile(`^(.+) (\d+) times at once$`)

// doesWith does something, or many times at once, with a code.
func (w *world) doesWith(code, key, what string) error {
	if what == "enrols another authenticator" {
		return w.enrol(code)
	}
	text, err := w.code(code)
	if err != nil {
		return err
	}
	header := http.Header{"X-Mfa-Code": {text}, idempotencyHeader: {key}}
	if parts := timesAtOnce.FindStringSubmatch(what); parts != nil {
		times, _ := strconv.Atoi(parts[2]) // digits
		w.atOnce(times, func(int) error { return w.do(parts[1], header) })
		return nil
	}
	return w.attempt(func() error { return w.do(what, header) })
}

func (w *world) do(what string, header http.Header) error {
	deed, known := guarded[what]
	if !known {
		return fmt.Errorf("nobody knows how one %s", what)
	}
	header = header.Clone()
	header.Set("X-Confirm-Delete", w.expand(deed.confirmation))
	return w.send(deed.method, w.expand(deed.path), w.expand(deed.body), header)
}

func (w *world) secondFactorIs(state string) error {
	account, err := w.merchant.Account(w.ctx)
	if err == nil && account.MFA.Enabled != (state == "on") {
		err = fmt.Errorf("it is %+v", account.MFA)
	}
	return err
}

func (w *world) recoveryCodesLeft(want int) error {
	account, err := w.merchant.Account(w.ctx)
	if err == nil && account.MFA.RecoveryCodesLeft != want {
		err = fmt.Errorf("there are %d", account.MFA.RecoveryCodesLeft)
	}
	return err
}

// secretShownOnce looks for the secret in every answer; the one that shows it also has it in an address.
func (w *world) secretShownOnce() error {
	shown := 0
	for _, a := range w.tape.all() {
		if strings.Contains(string(a.body), w.authenticator.enrolment.Secret) {
			shown++
		}
	}
	if shown != 1 {
		return fmt.Errorf("%d answers show it", shown)
	}
	return nil
}
