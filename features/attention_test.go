package features

import (
	"errors"
	"fmt"
	"net/http"
)

// attentionContext reads what waits for the merchant.
type attentionContext struct{ *scenario }

const attentionPath = "/v1/attention"

func attentionSteps(sc stepRegistry, s *scenario) {
	c := &attentionContext{s}
	sc.Given(`^an event subscription that the merchant switched off$`, c.hasDisabledSubscription)
	sc.Given(`^the member "([^"]*)" reads the shop and its integrations, but no money$`, func(name string) error {
		return c.keys.hasKey(name, `{"scopes": ["projects:read", "integrations:read"], "project_ids": ["$shop"]}`)
	})
	sc.Given(`^the member "([^"]*)" reads the shop's money, but not the shop$`, func(name string) error {
		return c.keys.hasKey(name, `{"scopes": ["finance:read"], "project_ids": ["$shop"]}`)
	})

	sc.Then(`^nothing waits for the merchant$`, func() error { return c.nothingWaits("merchant") })
	sc.Then(`^nothing waits for "([^"]*)"$`, func(name string) error { return c.nothingWaits("holder of " + name) })
	sc.Then(`^(\d+) orders? of (\S+) waits? to be shipped, and nothing else waits$`, c.ordersWait)
	sc.Then(`^"([^"]*)" cannot read what waits$`, c.mayNotSee)
}

func (c *attentionContext) hasDisabledSubscription() error {
	if err := c.merchantSends("POST", subscriptionsPath, `{"url": "https://example.com/hook", "event_types": ["*"]}`); err != nil {
		return err
	}
	if err := errors.Join(c.unexpectedRefusal(), c.platforms.namesAnswerField("id", "disabled")); err != nil {
		return err
	}
	return c.merchantSends("PATCH", subscriptionsPath+"/$disabled", `{"status": "disabled"}`)
}

// nothingWaits checks that somebody sees nothing in the list, and nothing in the counts.
func (c *attentionContext) nothingWaits(who string) error {
	for _, path := range []string{attentionPath, attentionPath + "/counts"} {
		if err := c.sends("", who, "GET", path, ""); err != nil {
			return err
		}
		if err := errors.Join(c.statusIs(http.StatusOK), c.answerShows("data", "[]")); err != nil {
			return err
		}
	}
	return nil
}

func (c *attentionContext) ordersWait(n int, amount string) error {
	if err := c.merchantSends("GET", attentionPath, ""); err != nil {
		return err
	}
	return c.answerShows(
		"data.0.kind", `"order_to_ship"`,
		"data.0.count", fmt.Sprint(n),
		"data.0.currency", `"USD"`,
		"data.0.amount", amount,
		"data.0.late", "0",
		"data.1", "absent",
	)
}

func (c *attentionContext) mayNotSee(name string) error {
	if err := c.sends("", "holder of "+name, "GET", attentionPath, ""); err != nil {
		return err
	}
	return c.isRefused(http.StatusForbidden, "insufficient_scope")
}
