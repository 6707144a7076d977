// Package announcements stores events about facts that become true with time: low stock, abandoned checkouts, lost
// negotiations, and payments whose outcome stays unknown. It does not deliver them.
package announcements

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	analyticsstore "github.com/haggle-commerce/haggle/adapters/sqlstore/analytics"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// LateAnnouncements stores the events that background loops announce.
type LateAnnouncements struct{ Store *db.DB }

var _ ports.LateAnnouncements = LateAnnouncements{}

var (
	// takeStockChecks is completed by the clause that skips locked rows.
	takeStockChecks = `
WITH taken AS MATERIALIZED (
  SELECT project_id, id
  FROM stock_checks
  ORDER BY id
  LIMIT $1%s
)
DELETE FROM stock_checks
WHERE (project_id, id) IN (SELECT project_id, id FROM taken)
RETURNING project_id, variant_id`

	// selectLeft is completed by the variants.
	selectLeft = `
SELECT v.product_id, v.id AS variant_id, v.sku, CAST(coalesce(sum(s.quantity), 0) AS BIGINT) AS quantity
FROM variants AS v
JOIN products AS p ON p.project_id = v.project_id AND p.id = v.product_id
LEFT JOIN stock AS s ON s.project_id = v.project_id AND s.variant_id = v.id
WHERE v.project_id = $1
  AND p.status = 'active'
  AND p.deleted_at IS NULL
  AND v.inventory_policy <> 'always_available'
  AND v.id IN %s
GROUP BY v.product_id, v.id, v.sku
ORDER BY v.id`

	insertLowStock = `
INSERT INTO low_stock (project_id, variant_id, since)
VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING`

	deleteLowStock = `
DELETE FROM low_stock
WHERE project_id = $1
  AND variant_id = $2`

	// selectUnpaid is completed by the clause that skips locked rows.
	selectUnpaid = `
SELECT ` + purchase.CheckoutColumns + `
FROM checkouts
WHERE status IN ('incomplete', 'ready', 'pending', 'expired')
  AND abandoned_at IS NULL
  AND valid_until <= $1
ORDER BY valid_until
LIMIT $2%s`

	abandonCheckout = `
UPDATE checkouts
SET status = 'expired', abandoned_at = $3
WHERE project_id = $1
  AND id = $2`

	// selectHaggled is completed by the clause that skips locked rows.
	selectHaggled = `
SELECT project_id, session_id
FROM haggled_sessions
WHERE due_at <= $1
ORDER BY due_at
LIMIT $2%s`

	// selectEnd reads when a session ends, and whether all of its decisions are folded. No row: the session is gone.
	selectEnd = `
SELECT s.expires_at, s.id NOT IN (
  SELECT session_id
  FROM analytics_pending
  WHERE project_id = $1
) AS folded
FROM sessions AS s
WHERE s.project_id = $1
  AND s.id = $2`

	selectDeclined = `
SELECT id, declined_for AS reason
FROM quotes
WHERE project_id = $1
  AND session_id = $2
  AND declined_for <> ''`

	forgetHaggled = `
DELETE FROM haggled_sessions
WHERE project_id = $1
  AND session_id = $2`

	postponeHaggled = `
UPDATE haggled_sessions
SET due_at = $3
WHERE project_id = $1
  AND session_id = $2`
)

const (
	// lateDecision is how long after expires_at a session's last answer may still be committed (see LateCommits).
	lateDecision = session.Grace + catalogue.LateCommits
	// notFolded is the pause before a session whose decisions are not folded yet is looked at again, and SetAside the
	// pause before one that cannot be read.
	notFolded = 10 * time.Second
	setAside  = time.Hour
)

func (v LateAnnouncements) LowStock(ctx context.Context, limit int, announce ports.Announce) (more bool, err error) {
	var failed error
	err = v.Store.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		failed = nil
		var taken []struct {
			ProjectID string `db:"project_id"`
			VariantID string `db:"variant_id"`
		}
		if err := t.Select(ctx, &taken, fmt.Sprintf(takeStockChecks, t.Dialect.SkipLocked), limit); err != nil {
			return err
		}
		more = len(taken) == limit
		changed := map[string][]string{}
		for _, c := range taken {
			changed[c.ProjectID] = append(changed[c.ProjectID], c.VariantID)
		}
		for project, variants := range changed {
			slices.Sort(variants)
			for part := range slices.Chunk(slices.Compact(variants), db.Listed) {
				problem, err := announceLow(ctx, t, id.Stored[id.Project](project), part, announce)
				if err != nil {
					return err
				}
				failed = errors.Join(failed, problem)
			}
		}
		return nil
	})
	return more && err == nil, errors.Join(err, failed)
}

// announceLow reads the remaining stock after the checks are deleted, because a later change has a check of its own.
// problem is why some variants are not announced.
func announceLow(ctx context.Context, t *db.Tx, project id.Project, variants []string, announce ports.Announce) (problem, err error) {
	args := db.Args{project.String()}
	query := fmt.Sprintf(selectLeft, args.List(variants))
	left, err := db.All[catalog.Level](ctx, t, query, args...)
	if err != nil {
		return nil, err
	}
	now, err := t.Now(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range left {
		if l.Quantity > catalog.LowStock {
			if _, err := t.Exec(ctx, deleteLowStock, project, l.Variant); err != nil {
				return nil, err
			}
			continue
		}
		added, err := t.Exec(ctx, insertLowStock, project, l.Variant, now)
		if err != nil {
			return nil, err
		}
		if added == 0 {
			continue
		}
		args, failed := eventOf(project, now, announce, func() (event.Data, error) {
			return event.InventoryLow{
				Product: l.Product,
				Variant: l.Variant,
				SKU:     l.SKU,
				Left:    l.Quantity,
			}, nil
		})
		if failed != nil { // tried again when its stock changes next
			problem = errors.Join(problem, fmt.Errorf("low stock of %s: %w", project, failed))
			_, err = t.Exec(ctx, deleteLowStock, project, l.Variant)
		} else {
			_, err = t.Exec(ctx, outbox.InsertEvent(t.Dialect), args...)
		}
		if err != nil {
			return nil, err
		}
	}
	return problem, nil
}

// AbandonedCheckouts also ends a checkout that cannot be read, without an event: it is not being paid and holds no
// stock.
func (v LateAnnouncements) AbandonedCheckouts(ctx context.Context, limit int, announce ports.Announce) (more bool, err error) {
	return alertTo(ctx, v.Store, selectUnpaid, abandonCheckout, limit, announce, checkoutAlert(abandoned))
}

func abandoned(c *checkout.Checkout) event.Data {
	s := c.Snapshot()
	phase := checkout.Ready
	if s.Declines > 0 {
		phase = checkout.Pending
	}
	items := make([]event.Item, len(s.Lines))
	for i, l := range s.Lines {
		items[i] = event.Item{
			Product:  l.Product,
			Variant:  l.Variant,
			SKU:      l.SKU,
			Name:     l.Name,
			Quantity: l.Quantity,
			Price:    l.Unit,
			Original: l.Original,
		}
	}
	return event.CheckoutAbandoned{
		Checkout: s.ID,
		Items:    items,
		Total:    c.Total(),
		Email:    s.Payment.Email,
		Phase:    phase.String(),
	}
}

func (v LateAnnouncements) LostNegotiations(ctx context.Context, limit int, announce ports.Announce) (more bool, err error) {
	type haggled struct {
		ProjectID string `db:"project_id"`
		SessionID string `db:"session_id"`
	}
	return eachDue(ctx, v.Store, selectHaggled, limit, func(t *db.Tx, now time.Time, r haggled) (problem, err error) {
		return endNegotiation(ctx, t, id.Stored[id.Project](r.ProjectID), r.SessionID, now, announce)
	})
}

// endNegotiation announces the lost deals of an ended session. problem is why the session cannot be read.
func endNegotiation(ctx context.Context, t *db.Tx, project id.Project, session string, now time.Time, announce ports.Announce) (problem, err error) {
	var end struct {
		ExpiresAt int64 `db:"expires_at"`
		Folded    bool
	}
	found, err := t.Get(ctx, &end, selectEnd, project.String(), session)
	if err != nil {
		return nil, err
	}
	next := db.Time(end.ExpiresAt).Add(lateDecision)
	if found && !end.Folded && !next.After(now) {
		next = now.Add(notFolded)
	}
	if found && next.After(now) {
		_, err := t.Exec(ctx, postponeHaggled, project.String(), session, db.Millis(next))
		return nil, err
	}
	if found {
		var events [][]any
		problem := fault.Survive(func() error {
			sessions, err := analyticsstore.Recorded(ctx, t, project, []id.Session{id.Stored[id.Session](session)})
			if err != nil {
				return err
			}
			for i := range sessions {
				if sessions[i].Declined, err = declined(ctx, t, project, sessions[i].ID); err != nil {
					return err
				}
			}
			events, err = unsold(project, sessions, now, announce)
			return err
		})
		switch {
		case t.Failure() != nil:
			return nil, t.Failure()
		case problem != nil:
			_, late := t.Exec(ctx, postponeHaggled, project.String(), session, db.Millis(now.Add(setAside)))
			return fmt.Errorf("a session of %s: %w", project, problem), late
		}
		for _, args := range events {
			if _, err := t.Exec(ctx, outbox.InsertEvent(t.Dialect), args...); err != nil {
				return nil, err
			}
		}
	}
	_, err = t.Exec(ctx, forgetHaggled, project.String(), session)
	return nil, err
}

// declined returns why the buyer of a session gave up quotes.
func declined(ctx context.Context, t *db.Tx, project id.Project, session id.Session) (map[id.Quote]negotiation.Reason, error) {
	type row struct {
		ID     id.Quote
		Reason negotiation.Reason
	}
	rows, err := db.All[row](ctx, t, selectDeclined, project, session)
	why := make(map[id.Quote]negotiation.Reason, len(rows))
	for _, r := range rows {
		why[r.ID] = r.Reason
	}
	return why, err
}

// unsold returns the events of the lost deals of sessions.
func unsold(project id.Project, sessions []analytics.Session, now time.Time, announce ports.Announce) (events [][]any, err error) {
	for _, s := range sessions {
		for _, u := range s.Unsold() {
			c, err := db.Currency(u.Currency)
			if err != nil {
				return nil, err
			}
			lost := event.NegotiationLost{
				Product:   u.Item.Product,
				Variant:   u.Item.Variant,
				Quantity:  u.Item.Quantity,
				List:      money.Of(u.List, c),
				BestOffer: money.Of(u.BestOffer, c),
				Reason:    u.Reason.String(),
			}
			if u.LastCounter != nil {
				lost.LastCounter = money.Of(*u.LastCounter, c)
			}
			args, err := outbox.EventArgs(announce(project, now, lost))
			if err != nil {
				return nil, err
			}
			events = append(events, args)
		}
	}
	return events, nil
}
