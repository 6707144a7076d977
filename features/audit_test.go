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

// holds checks the actions of all events in the account's audit log.
func (c *auditContext) holds(actions string) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/audit-events", 200); err != nil {
		return err
	}
	return c.answerShows(
		"data.*.action", `["`+strings.ReplaceAll(actions, ", ", `", "`)+`"]`,
		"meta.total", fmt.Sprint(strings.Count(actions, ",")+1),
	)
}

// latestIsBy checks the latest event's action, shop and the key that it names.
func (c *auditContext) latestIsBy(key, action string) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/audit-events", 200); err != nil {
		return err
	}
	return c.answerShows(
		"data.0.action", `"`+action+`"`,
		"data.0.key_id", `"$key_`+key+`"`,
		"data.0.project_id", `"$shop"`,
	)
}

// seesShopEvents checks that a key's holder sees the events of the current shop, and none of the other one.
func (c *auditContext) seesShopEvents(who string, n int) error {
	if err := c.keys.mustDo(who, "GET /v1/audit-events", 200); err != nil {
		return err
	}
	shops := `["` + strings.Repeat(`$shop", "`, n-1) + `$shop"]`
	if err := c.answerShows("data.*.project_id", shops, "meta.total", fmt.Sprint(n)); err != nil {
		return err
	}
	if err := c.keys.mustDo(who, "GET /v1/audit-events?project_id=$other", 200); err != nil {
		return err
	}
	return c.answerShows("meta.total", "0")
}

func (c *auditContext) seesNoShopEvent() error {
	if err := c.keys.mustDo("the merchant", "GET /v1/audit-events?project_id=$shop", 200); err != nil {
		return err
	}
	return c.answerShows("data", "[]", "meta.total", "0")
}
