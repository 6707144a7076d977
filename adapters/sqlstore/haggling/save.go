package haggling

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	// moveSession never takes back time that an extension gave since the session was read.
	moveSession = `
UPDATE sessions
SET ` + sessions.Set("loyalty_tier", "location", "purchase_history", "urgency", "member_tier", "member_purchases") + `,
  last_activity = ` + later("last_activity") + `, expires_at = ` + later("expires_at") + `
WHERE project_id = ` + sessions.Param("project_id") + `
  AND id = ` + sessions.Param("id")

	insertQuote = quotes.Insert("seq")

	// updateQuote leaves alone who claimed or redeemed the quote, and what it is about.
	updateQuote = quotes.Update([]string{"project_id", "id"}, "state", "currency", "list_price", "opening", "target", "floor",
		"rounds", "moves", "best_offer", "counter", "policy_version", "final_price", "bundle", "with_bundle", "token_hash", "valid_until")

	putCartItem = cart.Insert() + `
ON CONFLICT (project_id, session_id, variant_id) DO UPDATE
SET ` + db.Excluded("product_id", "name", "quantity", "price", "currency", "quote_id", "seq", "position")
)

// later is the later one of a session's stored time and that of the row.
func later(column string) string {
	given := sessions.Param(column)
	return "CASE WHEN " + column + " > " + given + " THEN " + column + " ELSE " + given + " END"
}

const (
	supersedeQuote = `
UPDATE quotes
SET state = 'superseded'
WHERE project_id = $1
  AND id = $2
  AND state = 'open'`

	selectEntryID = `
SELECT id
FROM decisions
WHERE project_id = $1
  AND session_id = $2
  AND seq = $3`
)

// Save writes the decision before anything that it may race for: its seq exists once.
func (v Haggling) Save(ctx context.Context, r ports.HaggleResult) error {
	b := v.store.Write(r.Session.Project)
	if r.NewSession {
		b.Exec(InsertSession, sessions.Args(toSessionRow(r.Session))...)
	}
	entry, err := toEntryRow(r.Entry)
	if err != nil {
		return err
	}
	b.Exec(insertEntry, entries.Args(entry)...)
	if !r.NewSession {
		b.Exec(moveSession, sessions.Args(toSessionRow(r.Session))...)
	}
	if err := saveQuote(b, r); err != nil {
		return err
	}
	for position, item := range r.Cart {
		b.Exec(putCartItem, cart.Args(toCartRow(r, position, item))...)
	}
	if r.Event != nil {
		args, err := outbox.EventArgs(r.Event)
		if err != nil {
			return err
		}
		b.Exec(outbox.InsertEvent(v.store.Dialect), args...)
	}
	err = b.Run(ctx)
	if db.Lost(err) && v.kept(ctx, r.Entry) {
		return nil
	}
	return db.OrMissingSession(err)
}

func saveQuote(b *db.Batch, r ports.HaggleResult) error {
	row, err := toQuoteRow(r.Quote)
	if err != nil {
		return err
	}
	if r.NewQuote {
		b.Exec(insertQuote, quotes.Args(row, r.Entry.Seq)...)
	} else {
		b.Exec(updateQuote.Text, updateQuote.Args(row)...)
	}
	if r.Superseded != nil {
		b.Exec(supersedeQuote, r.Session.Project.String(), r.Superseded.Snapshot().ID.String())
	}
	return nil
}

func toCartRow(r ports.HaggleResult, position int, item session.CartItem) cartRow {
	return cartRow{
		ProjectID: r.Session.Project.String(),
		SessionID: r.Session.ID.String(),
		ProductID: item.Product.String(),
		VariantID: item.Variant.String(),
		Name:      item.Name,
		Quantity:  item.Quantity,
		Price:     item.Price.Minor(),
		Currency:  item.Price.Currency().Code(),
		QuoteID:   item.Quote.String(),
		Seq:       r.Entry.Seq,
		Position:  position,
	}
}

// kept reads back whether an answer was stored whose COMMIT was not heard of.
func (v Haggling) kept(ctx context.Context, e negotiation.Entry) bool {
	var stored []struct{ ID string }
	b := v.store.Read(e.Project)
	b.Query(&stored, selectEntryID, e.Project.String(), e.Session.String(), e.Seq)
	return b.Run(ctx) == nil && len(stored) == 1 && stored[0].ID == e.ID.String()
}
