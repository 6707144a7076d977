package features

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func (w *world) renamesShop(times int) error {
	for i := range times {
		patch := merchant.Patch{"name": fmt.Sprintf("Name %d", i+1)}
		if _, err := w.merchant.PatchProject(w.ctx, w.shop.ID, patch); err != nil {
			return err
		}
	}
	return nil
}

// auditHasNoSecret searches the account's whole audit log for keys and codes.
func (w *world) auditHasNoSecret() error {
	events, err := w.merchant.AuditEvents(w.ctx, merchant.AuditQuery{Page: merchant.Page{Limit: 100}})
	if err != nil {
		return err
	}
	if len(events.Data) == 0 || len(events.Data) != events.Meta.Total {
		return fmt.Errorf("%d of %d events", len(events.Data), events.Meta.Total)
	}
	text := string(w.recorder.last().body)
	secrets := append([]string{w.authenticator.enrolment.Secret}, w.authenticator.enrolment.RecoveryCodes...)
	for _, key := range w.keys {
		secrets = append(secrets, key.Secret)
	}
	var found error
	for _, secret := range secrets {
		if secret != "" && strings.Contains(text, secret) {
			found = errors.Join(found, fmt.Errorf("it tells %q", secret))
		}
	}
	// Ids may contain the same six digits, but not as a word of their own.
	if code := w.authenticator.lastCode; code != "" && regexp.MustCompile(`\b`+regexp.QuoteMeta(code)+`\b`).MatchString(text) {
		found = errors.Join(found, fmt.Errorf("it tells the code %q", code))
	}
	return found
}
