package features

import (
	"fmt"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// A part of a shop is /settings or /storefront.

func (c *shopsContext) patchesPart(part, body string) error {
	return c.attempt(func() error {
		if err := c.send("PATCH", c.shopPath()+part, c.expand(body), nil); err != nil {
			return err
		}
		return c.recordSlug()
	})
}

// recordSlug records the shop's slug if the latest answer changed it.
func (c *shopsContext) recordSlug() error {
	slug, ok := valueAt(c.recorder.last().value(), "general.slug")
	if text, isText := slug.(string); ok && isText && text != c.shop.Slug {
		c.oldSlug, c.shop.Slug = c.shop.Slug, text
	}
	return nil
}

func (c *shopsContext) setsPartField(part, field, value string) error {
	body, err := withField(map[string]any{}, field, c.expand(value))
	if err != nil {
		return err
	}
	return c.patchesPart(part, body)
}

func (c *shopsContext) takesOtherShopsSlug() error {
	return c.setsPartField("/settings", "general.slug", strconv.Quote(c.otherShops[0].Slug))
}

func (c *shopsContext) partFieldIs(part, field, want string) error {
	if err := c.send("GET", c.shopPath()+part, "", nil); err != nil {
		return err
	}
	return checkValue(c.recorder.last().value(), field, c.expand(want))
}

func (c *shopsContext) partReadsTheSame(part string) error {
	before := c.recorder.last().value()
	if err := c.send("GET", c.shopPath()+part, "", nil); err != nil {
		return err
	}
	if now := c.recorder.last().value(); !equalJSON(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

// switchedSettings are by the steps' words for them.
var switchedSettings = map[string]string{
	"negotiation":        "commerce.negotiation_enabled",
	"bundle suggestions": "commerce.bundle_suggestions",
	"subscriptions":      "commerce.subscription_enabled",
}

func (c *shopsContext) switchesSetting(what, state string) error {
	return c.setsPartField("/settings", switchedSettings[what], strconv.FormatBool(state == "on"))
}

func (c *shopsContext) changesRegion(what, value string) error {
	field := map[string]string{"currency": "general.default_currency", "time zone": "general.timezone"}[what]
	return c.setsPartField("/settings", field, strconv.Quote(value))
}

func (c *shopsContext) secondFactorIs(state string) error {
	return c.partFieldIs("/settings", "security.mfa_required", strconv.FormatBool(state == "requires a"))
}

// manifestOffers checks the capabilities in the manifest.
func (c *shopsContext) manifestOffers(state, what string) error {
	capability := map[string]string{"negotiation": "negotiate", "bundles": "bundle", "subscriptions": "subscribe"}[what]
	operator := map[string]string{"offers": "contains", "does not offer": "without"}[state]
	return c.manifestHas("merchant.capabilities", operator+` "`+capability+`"`)
}

// manifestHas checks fields of the manifest, given as pairs of a path and what it must be.
func (c *shopsContext) manifestHas(pairs ...string) error {
	if _, err := c.buyerClient(c.shop.Slug).Manifest(c.ctx); err != nil {
		return err
	}
	return c.checkFields(c.recorder.last().value(), pairs)
}

func (c *shopsContext) pricesAreIn(currency string) error {
	manifest, err := c.buyerClient(c.shop.Slug).Manifest(c.ctx)
	if err == nil && (manifest.Currency() != currency || len(manifest.SupportedCurrencies) != 1) {
		err = fmt.Errorf("they are in %v", manifest.SupportedCurrencies)
	}
	return err
}

func (c *shopsContext) newSessionLasts(minutes int) error {
	buyer := c.buyerClient(c.shop.Slug)
	found, err := buyer.Search(c.ctx, acp.SearchRequest{Query: "anything"})
	if err != nil {
		return err
	}
	session, err := buyer.Session(c.ctx, found.SessionID)
	if err != nil {
		return err
	}
	end := session.LastActivity.Add(time.Duration(minutes) * time.Minute)
	if latest := session.CreatedAt.Add(24 * time.Hour); end.After(latest) {
		end = latest // the limit for all sessions
	}
	if !session.ExpiresAt.Equal(end) {
		return fmt.Errorf("it lasts %s", session.ExpiresAt.Sub(session.LastActivity))
	}
	return nil
}
