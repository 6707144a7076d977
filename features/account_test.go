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

// authenticator simulates an authenticator app (TOTP) with its recovery codes.
type authenticator struct {
	enrolment         merchant.Enrolment
	usedStep          int64 // the newest time step whose code was returned
	recoveryCodesUsed int   // how many recovery codes were returned
	lastCode          string
}

// totpPeriod is how many seconds a code is valid.
const totpPeriod = 30

// freshCode returns a code that it has not returned before: the current one or, within the same period, the next one, which
// the server accepts because a phone's clock may be fast.
func (a *authenticator) freshCode() (string, error) {
	a.usedStep = max(a.usedStep+1, time.Now().Unix()/totpPeriod)
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(a.enrolment.Secret)
	return totp(secret, a.usedStep), err
}

// totp returns the six-digit code of RFC 6238 for a time step.
func totp(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, step) // writing to a hash never fails
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0x0f
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[offset:])&0x7fffffff%1_000_000)
}

// The expected codes are those of RFC 6238, appendix B, shortened to six digits.
func TestTotp_rfc6238(t *testing.T) {
	t.Parallel()
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1234567890: "005924", 20000000000: "353130"} {
		if got := totp([]byte("12345678901234567890"), at/totpPeriod); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
}

// codePattern matches the steps' words for the codes that a merchant may enter.
const codePattern = `(no code|a fresh code|the same code|a recovery code|a wrong code)`

// accountContext enrols authenticators and confirms guarded requests.
type accountContext struct{ *scenario }

func (c *accountContext) code(kind string) (string, error) {
	a := &c.keys.authenticator
	var err error
	switch kind {
	case "a fresh code":
		a.lastCode, err = a.freshCode()
	case "a recovery code":
		if a.recoveryCodesUsed == len(a.enrolment.RecoveryCodes) {
			return "", errors.New("there is no recovery code left")
		}
		a.lastCode = a.enrolment.RecoveryCodes[a.recoveryCodesUsed]
		a.recoveryCodesUsed++
	case "a wrong code":
		return "not it", nil
	case "no code":
		return "", nil
	}
	return a.lastCode, err
}

func (c *accountContext) hasAuthenticator() error {
	err := c.keys.createsAccount()
	for _, do := range []func() error{
		func() error { return c.enrol("no code") }, c.unexpectedRefusal, func() error { return c.confirm("a fresh code") }, c.unexpectedRefusal,
	} {
		if err == nil {
			err = do()
		}
	}
	return err
}

// opensGuardedShop opens a shop that requires a second factor.
func (c *accountContext) opensGuardedShop() error {
	if err := c.shops.openShop("Test Shop"); err != nil {
		return err
	}
	return c.doGuarded("requires it", http.Header{})
}

// enrol enrols a new authenticator for the merchant.
func (c *accountContext) enrol(code string) error {
	text, err := c.code(code)
	if err != nil {
		return err
	}
	return c.attempt(func() error {
		made, err := c.merchant.EnrolMFA(c.ctx, merchant.MFACode(text))
		if err == nil {
			c.keys.authenticator = authenticator{enrolment: made, usedStep: c.keys.authenticator.usedStep}
		}
		return err
	})
}

func (c *accountContext) confirm(code string) error {
	text, err := c.code(code)
	if err != nil {
		return err
	}
	return c.attempt(func() error {
		_, err := c.merchant.ConfirmMFA(c.ctx, text)
		return err
	})
}

func (c *accountContext) confirmsWrongCodes() error {
	for range 5 {
		_, err := c.merchant.ConfirmMFA(c.ctx, "not it")
		if err := wantRefusal(err, http.StatusUnprocessableEntity, "validation_error"); err != nil {
			return err
		}
	}
	return nil
}

func (c *accountContext) renameAccount(value string) error {
	body, err := withField(map[string]any{}, "name", value)
	if err != nil {
		return err
	}
	return c.merchantSends("PATCH", "/v1/account", body)
}

// guardedActions are the requests that may need a second factor, by the steps' words for them.
var guardedActions = map[string]struct{ method, path, confirmation, body string }{
	"closes the shop":               {"DELETE", "/v1/projects/$shop", "$shop", ""},
	"closes the shop unconfirmed":   {"DELETE", "/v1/projects/$shop", "proj_of_another", ""},
	"closes the other shop":         {"DELETE", "/v1/projects/$other", "$other", ""},
	"creates a key for the shop":    {"POST", keysPath, "", `{"name": "Clerk", "scopes": ["catalog:read"], "project_ids": ["$shop"]}`},
	"creates a key for the other":   {"POST", keysPath, "", `{"name": "Clerk", "scopes": ["catalog:read"], "project_ids": ["$other"]}`},
	"creates a key for a lost shop": {"POST", keysPath, "", `{"name": "Clerk", "scopes": ["catalog:read"], "project_ids": ["$shop", "proj_lost"]}`},
	"creates a key for all shops":   {"POST", keysPath, "", `{"name": "Clerk", "scopes": ["catalog:read"]}`},
	"no longer requires it":         {"PATCH", "/v1/projects/$shop/settings", "", `{"security": {"mfa_required": false}}`},
	"restores the default of it":    {"PATCH", "/v1/projects/$shop/settings", "", `{"security": {"mfa_required": null}}`},
	"restores security defaults":    {"PATCH", "/v1/projects/$shop/settings", "", `{"security": null}`},
	"sends a wrong setting":         {"PATCH", "/v1/projects/$shop/settings", "", `{"security": {"mfa_required": false, "session_timeout_minutes": 0}}`},
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

var concurrentPattern = regexp.MustCompile(`^(.+) (\d+) times at once$`)

// doesWithCode sends a guarded request with a code: once, or several times concurrently.
func (c *accountContext) doesWithCode(code, key, what string) error {
	if what == "enrols another authenticator" {
		return c.enrol(code)
	}
	text, err := c.code(code)
	if err != nil {
		return err
	}
	header := http.Header{"X-Mfa-Code": {text}, idempotencyHeader: {key}}
	if parts := concurrentPattern.FindStringSubmatch(what); parts != nil {
		times, _ := strconv.Atoi(parts[2]) // digits
		c.runConcurrently(times, func(int) error { return c.doGuarded(parts[1], header) })
		return nil
	}
	return c.attempt(func() error { return c.doGuarded(what, header) })
}

func (c *accountContext) doGuarded(what string, header http.Header) error {
	action, known := guardedActions[what]
	if !known {
		return fmt.Errorf("nobody knows how one %s", what)
	}
	header = header.Clone()
	header.Set("X-Confirm-Delete", c.expand(action.confirmation))
	return c.send(action.method, c.expand(action.path), c.expand(action.body), header)
}

func (c *accountContext) secondFactorIs(state string) error {
	account, err := c.merchant.Account(c.ctx)
	if err == nil && account.MFA.Enabled != (state == "on") {
		err = fmt.Errorf("it is %+v", account.MFA)
	}
	return err
}

// mayTryAgain checks how long the latest refusal asks the merchant to wait.
func (c *accountContext) mayTryAgain(seconds int) error {
	return c.answerHeadersShow("Retry-After", fmt.Sprintf("at most %d", seconds))
}

func (c *accountContext) recoveryCodesLeft(want int) error {
	account, err := c.merchant.Account(c.ctx)
	if err == nil && account.MFA.RecoveryCodesLeft != want {
		err = fmt.Errorf("there are %d", account.MFA.RecoveryCodesLeft)
	}
	return err
}

// secretShownOnce searches every answer for the secret. The answer that shows it also contains it in the otpauth URL.
func (c *accountContext) secretShownOnce() error {
	shown := 0
	for _, a := range c.recorder.all() {
		if strings.Contains(string(a.body), c.keys.authenticator.enrolment.Secret) {
			shown++
		}
	}
	if shown != 1 {
		return fmt.Errorf("%d answers show it", shown)
	}
	return nil
}
