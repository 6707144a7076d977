package haggling

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// moveSession never takes back time that an extension gave since the session was read.
	moveSession = `
UPDATE sessions
SET loyalty_tier = $3, location = $4, purchase_history = $5, urgency = $6,
  last_activity = CASE WHEN last_activity > $8 THEN last_activity ELSE $8 END,
  expires_at = CASE WHEN expires_at > $9 THEN expires_at ELSE $9 END,
  member_tier = $10, member_purchases = $11
WHERE project_id = $1
  AND id = $2`

	insertQuote = `
INSERT INTO quotes (` + quoteColumns + `, seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`

	// updateQuote leaves alone who claimed or redeemed the quote, and what it is about.
	updateQuote = `
UPDATE quotes
SET state = $7, currency = $8, list_price = $9, opening = $10, target = $11, floor = $12,
  rounds = $13, moves = $14, best_offer = $15, counter = $16, policy_version = $17, final_price = $18,
  bundle = $19, with_bundle = $20, token_hash = $21, valid_until = $23
WHERE project_id = $1
  AND id = $2`

	supersedeQuote = `
UPDATE quotes
SET state = 'superseded'
WHERE project_id = $1
  AND id = $2
  AND state = 'open'`

	putCartItem = `
INSERT INTO cart_items (project_id, session_id, variant_id, product_id, name, quantity, price, currency,
  quote_id, seq, position)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (project_id, session_id, variant_id) DO UPDATE
SET product_id = excluded.product_id, name = excluded.name, quantity = excluded.quantity, price = excluded.price,
  currency = excluded.currency, quote_id = excluded.quote_id, seq = excluded.seq, position = excluded.position`

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
		b.Exec(InsertSession, sessionArgs(r.Session)...)
	}
	entry, err := entryArgs(r.Entry)
	if err != nil {
		return err
	}
	b.Exec(insertEntry, entry...)
	if !r.NewSession {
		b.Exec(moveSession, sessionArgs(r.Session)...)
	}
	if err := saveQuote(b, r); err != nil {
		return err
	}
	for position, item := range r.Cart {
		b.Exec(putCartItem, cartArgs(r, position, item)...)
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
		b.Exec(insertQuote, append(row.args(), r.Entry.Seq)...)
	} else {
		b.Exec(updateQuote, row.args()...)
	}
	if r.Superseded != nil {
		b.Exec(supersedeQuote, r.Session.Project.String(), r.Superseded.Snapshot().ID.String())
	}
	return nil
}

func cartArgs(r ports.HaggleResult, position int, item session.CartItem) []any {
	return []any{
		r.Session.Project.String(), r.Session.ID.String(), item.Variant.String(), item.Product.String(), item.Name,
		item.Quantity, item.Price.Minor(), item.Price.Currency().Code(), item.Quote.String(), r.Entry.Seq, position,
	}
}

// kept reads back whether an answer was stored whose COMMIT was not heard of.
func (v Haggling) kept(ctx context.Context, e negotiation.Entry) bool {
	var stored []struct{ ID string }
	b := v.store.Read(e.Project)
	b.Query(&stored, selectEntryID, e.Project.String(), e.Session.String(), e.Seq)
	return b.Run(ctx) == nil && len(stored) == 1 && stored[0].ID == e.ID.String()
}
