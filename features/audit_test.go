package features

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func (w *world) renamedOften(times int) error {
	for i := range times {
		patch := merchant.Patch{"name": fmt.Sprintf("Name %d", i+1)}
		if _, err := w.merchant.PatchProject(w.ctx, w.shop.ID, patch); err != nil {
			return err
		}
	}
	return nil
}

// auditTellsNoSecret reads the whole log of the account.
func (w *world) auditTellsNoSecret() error {
	events, err := w.merchant.AuditEvents(w.ctx, merchant.AuditQuery{Page: merchant.Page{Limit: 100}})
	if err != nil {
		return err
	}
	if len(events.Data) == 0 || len(events.Data) != events.Meta.Total {
		return fmt.Errorf("%d of %d events", len(events.Data), events.Meta.Total)
	}
	text := string(w.tape.last().body)
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
	// Six digits in a row are in ids too, but not by themselves.
	if code := w.authenticator.latest; code != "" && regexp.MustCompile(`\b`+regexp.QuoteMeta(code)+`\b`).MatchString(text) {
		found = errors.Join(found, fmt.Errorf("it tells the code %q", code))
	}
	return found
}
