package features

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// A part of a shop is /settings or /storefront.

func (c *shopsContext) readsPart(part string) error {
	return c.merchantSends("GET", c.shopPath()+part, "")
}

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

func (c *shopsContext) manifestShows(table *godog.Table) error {
	if _, err := c.buyerClient(c.shop.Slug).Manifest(c.ctx); err != nil {
		return err
	}
	return c.checkTable(c.recorder.last().value(), table)
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
