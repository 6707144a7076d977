package features

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// auditContext checks the audit log.
type auditContext struct{ *scenario }

func (c *auditContext) renamesShop(times int) error {
	for i := range times {
		patch := merchant.Patch{"name": fmt.Sprintf("Name %d", i+1)}
		if _, err := c.merchant.PatchProject(c.ctx, c.shop.ID, patch); err != nil {
			return err
		}
	}
	return nil
}

// auditHasNoSecret searches the account's whole audit log for keys and codes.
func (c *auditContext) auditHasNoSecret() error {
	events, err := c.merchant.AuditEvents(c.ctx, merchant.AuditQuery{Page: merchant.Page{Limit: 100}})
	if err != nil {
		return err
	}
	if len(events.Data) == 0 || len(events.Data) != events.Meta.Total {
		return fmt.Errorf("%d of %d events", len(events.Data), events.Meta.Total)
	}
	text := string(c.recorder.last().body)
	secrets := append([]string{c.keys.authenticator.enrolment.Secret}, c.keys.authenticator.enrolment.RecoveryCodes...)
	for _, key := range c.keys.keys {
		secrets = append(secrets, key.Secret)
	}
	var found error
	for _, secret := range secrets {
		if secret != "" && strings.Contains(text, secret) {
			found = errors.Join(found, fmt.Errorf("it tells %q", secret))
		}
	}
	// Ids may contain the same six digits, but not as a word of their own.
	if code := c.keys.authenticator.lastCode; code != "" && regexp.MustCompile(`\b`+regexp.QuoteMeta(code)+`\b`).MatchString(text) {
		found = errors.Join(found, fmt.Errorf("it tells the code %q", code))
	}
	return found
}
