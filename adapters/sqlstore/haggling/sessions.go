package haggling

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Sessions stores buyers' sessions.
type Sessions struct{ Store *db.DB }

var _ ports.Sessions = Sessions{}

var (
	sessions = db.NewTable[session.Session]("sessions", db.Columns{
		"Claims.Member.Tier":      "member_tier",
		"Claims.Member.Purchases": "member_purchases",
		"Agent.Profile":           "agent_profile",
		"Agent.Verified":          "agent_verified",
		"Agent.Key":               "agent_key",
		"Agent.Protocol":          "protocol",
		"Buyer.First":             "buyer_first",
		"Buyer.Last":              "buyer_last",
		"Buyer.Email":             "buyer_email",
		"Buyer.Phone":             "buyer_phone",
	})
	cart = db.NewTable[cartRow]("cart_items")

	insertSession = sessions.Insert()

	updateSession = sessions.Update([]string{"project_id", "id"}, "loyalty_tier", "location", "purchase_history", "urgency",
		"created_at", "last_activity", "expires_at", "member_tier", "member_purchases")

	SelectSession = sessions.Select() + `
WHERE project_id = $1
  AND id = $2`

	// selectSessionNow is completed by the database's clock and what is agreed.
	selectSessionNow = `
SELECT ` + sessions.Columns() + `, %[1]s AS now, %[2]s AS agreed
FROM sessions
WHERE project_id = $1
  AND id = $2`

	// selectSessionOfTokens is completed by the database's clock, the tokens and what is agreed.
	selectSessionOfTokens = `
SELECT ` + sessions.Columns() + `, %[1]s AS now, %[3]s AS agreed
FROM sessions
WHERE project_id = $1
  AND id = (
    SELECT MIN(session_id)
    FROM quotes
    WHERE project_id = $1
      AND token_hash IN %[2]s
      AND token_hash <> ''
  )`
)

const (
	// Items that were bought are no longer in the cart. They are recognized by their redeemed tokens, because deleting
	// the lines would be one more write for every purchase. A line at list price has the current list price.
	selectCart = `
SELECT line, product_id, variant_id, name, quantity, currency, quote_id, CASE
  WHEN quote_id = '' THEN COALESCE((
    SELECT COALESCE(v.price, p.price)
    FROM variants AS v
    JOIN products AS p ON p.project_id = v.project_id AND p.id = v.product_id
    WHERE v.project_id = c.project_id
      AND v.id = c.variant_id
      AND p.currency = c.currency
  ), price)
  ELSE price
END AS price
FROM cart_items AS c
WHERE project_id = $1
  AND session_id = $2
  AND NOT EXISTS (
    SELECT 1
    FROM quotes AS q
    WHERE q.project_id = c.project_id
      AND q.id = c.quote_id
      AND q.redeemed_by <> ''
  )
ORDER BY seq, position`

	selectShown = `
SELECT product_id
FROM shown
WHERE project_id = $1
  AND session_id = $2
ORDER BY position, product_id`

	selectBought = `
SELECT lines
FROM orders
WHERE project_id = $1
  AND session_id = $2`

	// insertShown is completed by rows of product and place, and by where the first place is among what was shown before.
	// Both engines name the columns of VALUES so. SQLite needs the WHERE, to tell the conflict's ON from a join's.
	insertShown = `
INSERT INTO shown (project_id, session_id, product_id, position)
SELECT $1, $2, column1, column2%[2]s
FROM (VALUES %[1]s) AS given
WHERE TRUE
ON CONFLICT (project_id, session_id, product_id) DO NOTHING`

	afterShown = ` + (
  SELECT COALESCE(MAX(position) + 1, 0)
  FROM shown
  WHERE project_id = $1
    AND session_id = $2
)`
)

type sessionNow struct {
	session.Session
	Now    time.Time
	Agreed string // see agreedNow
}

type cartRow struct {
	Project id.Project
	Session id.Session
	session.CartItem
	Seq      int
	Position int
}

// boughtRow is read without the currency of the prices, so it has none.
type boughtRow struct {
	Lines []boughtLine `db:",json"`
}

type boughtLine struct{ Product id.Product }

var _ = stored.JSON[boughtLine](nil)

// accepted marks the recommendations that an order of the session has.
func accepted(products []id.Product, orders []boughtRow) []session.Shown {
	bought := make(map[id.Product]bool)
	for _, o := range orders {
		for _, l := range o.Lines {
			bought[l.Product] = true
		}
	}
	shown := make([]session.Shown, len(products))
	for i, p := range products {
		shown[i] = session.Shown{Product: p, Accepted: bought[p]}
	}
	return shown
}

func (v Sessions) Create(ctx context.Context, s *session.Session, shown ...id.Product) error {
	b := v.Store.Write(s.Project)
	b.Exec(insertSession, sessions.Args(*s)...)
	show(b, s.Project, s.ID, shown, "")
	return b.Run(ctx)
}

func (v Sessions) Update(ctx context.Context, project id.Project, of id.Session, change func(*session.Session) error) (*session.Session, error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (*session.Session, error) {
		s, err := db.One[session.Session](ctx, t, "session", SelectSession+t.Dialect.ForUpdate, project, of)
		if err != nil {
			return nil, err
		}
		if err := change(s); err != nil {
			return nil, err
		}
		_, err = t.Exec(ctx, updateSession.Text, updateSession.Args(*s)...)
		return s, err
	})
}

func (v Sessions) Visit(ctx context.Context, project id.Project, of id.Session) (ports.Visit, error) {
	args := []any{project.String(), of.String()}
	var visit ports.Visit
	var found *sessionNow
	var history []EntryRow
	var shown []id.Product
	var orders []boughtRow
	b := v.Store.Read(project)
	b.Query(&found, fmt.Sprintf(selectSessionNow, v.Store.Dialect.Clock, "''"), args...)
	b.Query(&visit.Cart, selectCart, args...)
	b.Query(&history, selectHistory, args...)
	b.Query(&shown, selectShown, args...)
	b.Query(&orders, selectBought, args...)
	if err := b.Run(ctx); err != nil {
		return ports.Visit{}, err
	}
	if found == nil {
		return ports.Visit{}, fault.Missing("session")
	}
	visit.Session, visit.Now = &found.Session, found.Now
	visit.History, visit.Shown = fromEntryRows(history), accepted(shown, orders)
	return visit, nil
}

func (v Sessions) Keep(ctx context.Context, s *session.Session, t session.Touched, shown ...id.Product) error {
	if !t.Any() && len(shown) == 0 {
		return nil
	}
	b := v.Store.Write(s.Project)
	missing := Keep(b, s, t)
	show(b, s.Project, s.ID, shown, afterShown)
	if err := b.Run(ctx); err != nil {
		return db.OrMissingSession(err)
	}
	return missing()
}

// Keep adds statements to a batch that store the changes of a session. When the batch has run, missing returns an error
// if there is no such session.
func Keep(b *db.Batch, s *session.Session, t session.Touched) (missing func() error) {
	var kept *id.Session
	switch {
	case t.Claims:
		b.Query(&kept, moveSession+returning, sessions.Args(*s)...)
	case t.Time:
		b.Query(&kept, keepSession+returning, s.Project, s.ID, s.LastActivity, s.ExpiresAt)
	}
	return func() error {
		if t.Any() && kept == nil {
			return fault.Missing("session")
		}
		return nil
	}
}

const returning = "\nRETURNING id"

func show(b *db.Batch, project id.Project, in id.Session, products []id.Product, after string) {
	if len(products) == 0 {
		return
	}
	args := db.Args{project, in}
	rows := make([]string, len(products))
	for i, product := range products {
		rows[i] = args.Row(product, i)
	}
	b.Exec(fmt.Sprintf(insertShown, strings.Join(rows, ", "), after), args...)
}
