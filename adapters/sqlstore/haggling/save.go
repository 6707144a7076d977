package haggling

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	// moveSession never undoes an extension that was stored since the session was read, nor the buyer's identity.
	moveSession = `
UPDATE sessions
SET ` + sessions.Set("loyalty_tier", "location", "purchase_history", "urgency") + `,
  member_tier = ` + known("member_tier") + `, member_purchases = ` + known("member_purchases") + `,
  last_activity = ` + later("last_activity", sessions.Param("last_activity")) + `,
  expires_at = ` + later("expires_at", sessions.Param("expires_at")) + `
WHERE project_id = ` + sessions.Param("project_id") + `
  AND id = ` + sessions.Param("id")

	// keepSession keeps claims that a buyer made since the session was read.
	keepSession = `
UPDATE sessions
SET last_activity = ` + later("last_activity", "$3") + `, expires_at = ` + later("expires_at", "$4") + `
WHERE project_id = $1
  AND id = $2`

	insertQuote = quotes.Insert("seq")

	// updateQuote does not change who claimed or redeemed the quote, nor its item. The buyer may have declined the
	// quote since it was read, which no decision records: then the statement fails, because no state is NULL.
	updateQuote = quotes.Update([]string{"project_id", "id"}, "state", "currency", "list_price", "opening", "target", "floor",
		"rounds", "moves", "best_offer", "counter", "policy_version", "final_price", "bundle", "with_bundle", "token_hash", "token_salt", "valid_until",
		"personal", "personal_region").
		But("state", func(state string) string { return "CASE WHEN state <> 'declined' THEN " + state + " END" })

	// putCartItem replaces a line of the variant, at the end of the cart, or adds a line. Since the statement began,
	// that line may have been deleted and its number reused for another variant: then it fails, because no line is
	// NULL.
	putCartItem = `
INSERT INTO cart_items (` + cart.Columns() + `)
VALUES (` + cart.ValuesBut(map[string]string{"line": "COALESCE(" + agreedBefore + ", " + nextLine + ")"}) + `)
ON CONFLICT (project_id, session_id, line) DO UPDATE
SET line = CASE WHEN cart_items.variant_id = excluded.variant_id THEN excluded.line END,
  ` + db.Excluded("product_id", "name", "quantity", "price", "currency", "quote_id", "seq", "position")

	// agreedBefore is the variant's line that is agreed and not bought yet, or else its first one at list price.
	agreedBefore = `(
  SELECT l.line
  FROM cart_items AS l
  WHERE l.project_id = ` + cart.Param("project_id") + `
    AND l.session_id = ` + cart.Param("session_id") + `
    AND l.variant_id = ` + cart.Param("variant_id") + `
    AND NOT EXISTS (
      SELECT 1
      FROM quotes AS q
      WHERE q.project_id = l.project_id
        AND q.id = l.quote_id
        AND q.redeemed_by <> ''
    )
  ORDER BY CASE WHEN l.quote_id = '' THEN 1 ELSE 0 END, l.line
  LIMIT 1
)`

	// nextLine is a number that no line of the session has had: the numbers of deleted lines are at most line_seq.
	nextLine = `(
  SELECT MAX(taken.line) + 1
  FROM (
    SELECT l.line
    FROM cart_items AS l
    WHERE l.project_id = ` + cart.Param("project_id") + `
      AND l.session_id = ` + cart.Param("session_id") + `
    UNION ALL
    SELECT s.line_seq
    FROM sessions AS s
    WHERE s.project_id = ` + cart.Param("project_id") + `
      AND s.id = ` + cart.Param("session_id") + `
  ) AS taken
)`
)

// later is the later one of a session's stored time and a given one.
func later(column, given string) string {
	return "CASE WHEN " + column + " > " + given + " THEN " + column + " ELSE " + given + " END"
}

// known is the row's value of the buyer's membership or, if it is empty, the stored one.
func known(column string) string {
	said := sessions.Param("member_tier") + " <> '' OR " + sessions.Param("member_purchases") + " <> 0"
	return "CASE WHEN " + said + " THEN " + sessions.Param(column) + " ELSE " + column + " END"
}

const (
	supersedeQuote = `
UPDATE quotes
SET state = 'superseded'
WHERE project_id = $1
  AND id = $2
  AND state = 'open'`

	declineQuote = `
UPDATE quotes
SET state = 'declined', declined_for = $3
WHERE project_id = $1
  AND id = $2
  AND state = 'open'
RETURNING id`

	selectEntryID = `
SELECT id
FROM decisions
WHERE project_id = $1
  AND session_id = $2
  AND seq = $3`
)

// Save writes the decision first, because its unique seq decides races.
func (v Haggling) Save(ctx context.Context, r ports.HaggleResult) error {
	b := v.Store.Write(r.Session.Project)
	if r.NewSession {
		b.Exec(insertSession, sessions.Args(*r.Session)...)
	}
	b.Exec(insertEntry, entries.Args(toEntryRow(r.Entry), r.Version, id.NegotiationOf(r.Entry.Session))...)
	if !r.NewSession {
		Keep(b, r.Session, r.Touched)
	}
	saveQuote(b, r)
	for position, item := range r.Cart {
		b.Exec(putCartItem, cart.Args(cartRow{r.Session.Project, r.Session.ID, item, r.Entry.Seq, position})...)
	}
	for _, e := range outbox.Effects(v.Store.Dialect, r.Event) {
		b.Exec(e.Statement, e.Args...)
	}
	err := b.Run(ctx)
	if db.Lost(err) && v.kept(ctx, r.Entry) {
		return nil
	}
	return db.OrMissingSession(err)
}

func saveQuote(b *db.Batch, r ports.HaggleResult) {
	row := toQuoteRow(r.Quote)
	if r.NewQuote {
		b.Exec(insertQuote, quotes.Args(row, r.Entry.Seq)...)
	} else {
		b.Exec(updateQuote.Text, updateQuote.Args(row)...)
	}
	if r.Superseded != nil {
		b.Exec(supersedeQuote, r.Session.Project, r.Superseded.Snapshot().ID)
	}
}

func (v Haggling) Decline(ctx context.Context, q *negotiation.Quote) error {
	s := q.Snapshot()
	var declined *id.Quote
	b := v.Store.Write(s.Project)
	b.Query(&declined, declineQuote, s.Project, s.ID, s.DeclinedFor)
	if err := b.Run(ctx); err != nil {
		return err
	}
	if declined == nil {
		return ports.Stale
	}
	return nil
}

// kept reads back whether an answer was stored if the reply to its COMMIT was lost.
func (v Haggling) kept(ctx context.Context, e negotiation.Entry) bool {
	stored, err := db.First[id.Decision](ctx, v.Store.Read(e.Project), selectEntryID, e.Project, e.Session, e.Seq)
	return err == nil && stored != nil && *stored == e.ID
}
