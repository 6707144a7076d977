package features

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// A part of a shop is /settings or /storefront.

func (w *world) readsPart(part string) error { return w.merchantSends("GET", w.shopPath()+part, "") }

func (w *world) patchesPart(part, body string) error {
	return w.attempt(func() error {
		if err := w.send("PATCH", w.shopPath()+part, w.expand(body), nil); err != nil {
			return err
		}
		return w.recordSlug()
	})
}

// recordSlug records the shop's slug if the latest answer changed it.
func (w *world) recordSlug() error {
	slug, ok := valueAt(w.recorder.last().value(), "general.slug")
	if text, isText := slug.(string); ok && isText && text != w.shop.Slug {
		w.oldSlug, w.shop.Slug = w.shop.Slug, text
	}
	return nil
}

func (w *world) setsPartField(part, field, value string) error {
	body, err := withField(map[string]any{}, field, w.expand(value))
	if err != nil {
		return err
	}
	return w.patchesPart(part, body)
}

func (w *world) takesOtherShopsSlug() error {
	return w.setsPartField("/settings", "general.slug", strconv.Quote(w.otherShops[0].Slug))
}

func (w *world) partFieldIs(part, field, want string) error {
	if err := w.send("GET", w.shopPath()+part, "", nil); err != nil {
		return err
	}
	return checkValue(w.recorder.last().value(), field, w.expand(want))
}

func (w *world) partReadsTheSame(part string) error {
	before := w.recorder.last().value()
	if err := w.send("GET", w.shopPath()+part, "", nil); err != nil {
		return err
	}
	if now := w.recorder.last().value(); !equalJSON(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (w *world) manifestShows(table *godog.Table) error {
	if _, err := w.buyerClient(w.shop.Slug).Manifest(w.ctx); err != nil {
		return err
	}
	return w.checkTable(w.recorder.last().value(), table)
}

func (w *world) pricesAreIn(currency string) error {
	manifest, err := w.buyerClient(w.shop.Slug).Manifest(w.ctx)
	if err == nil && (manifest.Currency() != currency || len(manifest.SupportedCurrencies) != 1) {
		err = fmt.Errorf("they are in %v", manifest.SupportedCurrencies)
	}
	return err
}

func (w *world) newSessionLasts(minutes int) error {
	buyer := w.buyerClient(w.shop.Slug)
	found, err := buyer.Search(w.ctx, acp.SearchRequest{Query: "anything"})
	if err != nil {
		return err
	}
	session, err := buyer.Session(w.ctx, found.SessionID)
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
