package features

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// The part of a shop is /settings or /storefront.

func (w *world) read(part string) error { return w.merchantSends("GET", w.shopPath()+part, "") }

func (w *world) patch(part, body string) error {
	return w.attempt(func() error {
		if err := w.send("PATCH", w.shopPath()+part, w.expand(body), nil); err != nil {
			return err
		}
		return w.noteSlug()
	})
}

// noteSlug keeps up with a shop that may have moved.
func (w *world) noteSlug() error {
	slug, ok := at(w.tape.last().value(), "general.slug")
	if text, isText := slug.(string); ok && isText && text != w.shop.Slug {
		w.oldSlug, w.shop.Slug = w.shop.Slug, text
	}
	return nil
}

func (w *world) set(part, field, value string) error {
	body, err := withField(map[string]any{}, field, w.expand(value))
	if err != nil {
		return err
	}
	return w.patch(part, body)
}

func (w *world) takeOthersSlug() error {
	return w.set("/settings", "general.slug", strconv.Quote(w.others[0].Slug))
}

func (w *world) reads(part, field, want string) error {
	if err := w.send("GET", w.shopPath()+part, "", nil); err != nil {
		return err
	}
	return judge(w.tape.last().value(), field, w.expand(want))
}

func (w *world) readsTheSame(part string) error {
	before := w.tape.last().value()
	if err := w.send("GET", w.shopPath()+part, "", nil); err != nil {
		return err
	}
	if now := w.tape.last().value(); !same(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (w *world) manifestShows(table *godog.Table) error {
	if _, err := w.visitor(w.shop.Slug).Manifest(w.ctx); err != nil {
		return err
	}
	return w.judgeTable(w.tape.last().value(), table)
}

func (w *world) pricesAreIn(currency string) error {
	manifest, err := w.visitor(w.shop.Slug).Manifest(w.ctx)
	if err == nil && (manifest.Currency() != currency || len(manifest.SupportedCurrencies) != 1) {
		err = fmt.Errorf("they are in %v", manifest.SupportedCurrencies)
	}
	return err
}

func (w *world) sessionLasts(minutes int) error {
	buyer := w.visitor(w.shop.Slug)
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
		end = latest // no session lasts longer
	}
	if !session.ExpiresAt.Equal(end) {
		return fmt.Errorf("it lasts %s", session.ExpiresAt.Sub(session.LastActivity))
	}
	return nil
}
