package haggling

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// quotesOfCart is completed by tokens. With OR in place of UNION, PostgreSQL would read all quotes of the project.
	quotesOfCart = `
  AND id IN (
    SELECT quote_id
    FROM cart_items
    WHERE project_id = $1
      AND session_id = $2
    UNION ALL
    SELECT id
    FROM quotes
    WHERE project_id = $1
      AND token_hash IN %s
      AND token_hash <> ''
  )`

	// productsOfCart is completed by more products.
	productsOfCart = `(
  SELECT product_id
  FROM cart_items
  WHERE project_id = $1
    AND session_id = $2
  UNION ALL
  SELECT id
  FROM products
  WHERE project_id = $1
    AND id IN %s
)`

	selectLastLine = `
SELECT COALESCE(MAX(line), 0) AS last
FROM cart_items
WHERE project_id = $1
  AND session_id = $2`

	selectLastSeq = `
SELECT COALESCE(MAX(seq), 0) AS last
FROM decisions
WHERE project_id = $1
  AND session_id = $2`

	// deleteLines is completed by rows of line, variant, quantity and quote.
	deleteLines = `
DELETE FROM cart_items
WHERE project_id = $1
  AND session_id = $2
  AND (line, variant_id, quantity, quote_id) IN (VALUES %s)
RETURNING line`
)

var (
	insertLines = `
INSERT INTO cart_items (` + cart.Columns() + `)
VALUES `

	// keepCart is keepSession with the buyer, and with the highest number of a line of the cart. If another request has
	// added lines, the number differs from the one that was read, and the statement fails, because the column is never
	// NULL.
	keepCart = `
UPDATE sessions
SET last_activity = ` + later("last_activity", "$3") + `, expires_at = ` + later("expires_at", "$4") + `,
  line_seq = CASE WHEN line_seq = $5 THEN $6 END,
  buyer_first = $7, buyer_last = $8, buyer_email = $9, buyer_phone = $10
WHERE project_id = $1
  AND id = $2
RETURNING id`
)

// CartReading has the rows of a cart, once its batch has run.
type CartReading struct {
	session  *sessionNow
	moment   struct{ Now time.Time }
	items    []session.CartItem
	last     int
	quotes   []*quoteRow
	products []catalogue.ProductRow
	variants []catalogue.StockedRow
}

// ReadCart adds the statements to a batch that read a cart.
func ReadCart(b *db.Batch, d db.Dialect, project id.Project, ask ports.CartAsk) *CartReading {
	r := &CartReading{}
	if ask.Session.IsZero() {
		b.Query(&r.moment, "SELECT "+d.Clock+" AS now")
	} else {
		b.Query(&r.session, fmt.Sprintf(selectSessionNow, d.Clock, agreedNow(d.Clock)), project, ask.Session)
		b.Query(&r.items, selectCart, project, ask.Session)
		b.Query(&r.last, selectLastLine, project, ask.Session)
	}
	args := db.Args{project, ask.Session}
	tokens := args.List(ask.Tokens)
	b.Query(&r.quotes, selectQuote+fmt.Sprintf(quotesOfCart, tokens), args...)
	args = db.Args{project, ask.Session}
	wanted := fmt.Sprintf(productsOfCart, catalogue.WantedProducts(&args, db.Strings(ask.Products), ask.Refs))
	b.Query(&r.products, catalogue.SelectProducts+catalogue.WhereActive+wanted, args...)
	b.Query(&r.variants, catalogue.SelectStocked+"(SELECT id FROM products"+catalogue.WhereActive+wanted+")"+catalogue.ByPosition, args...)
	return r
}

// Cart returns the cart that was read.
func (r *CartReading) Cart() ports.Cart {
	found := ports.Cart{
		Basket:   ports.Basket{Now: r.moment.Now},
		Items:    r.items,
		LastLine: r.last,
	}
	found.Products, found.Stock = catalogue.FromStockedRows(r.products, r.variants)
	if r.session != nil {
		found.Session, found.Now, found.Agreed = &r.session.Session, r.session.Now, r.session.agreements()
	}
	for _, q := range r.quotes {
		found.Quotes = append(found.Quotes, fromQuoteRow(q))
	}
	return found
}

// ReplaceCart is ports.Carts.Replace. It locks the session, then the cart.
func ReplaceCart(ctx context.Context, store *db.DB, r ports.CartResult) error {
	return store.InTx(ctx, r.Session.Project, func(t *db.Tx) error {
		last, err := takeOut(ctx, t, r)
		if err != nil {
			return err
		}
		rows := make([][]any, len(r.After.Items))
		for i, item := range r.After.Items {
			rows[i] = cart.Args(cartRow{r.Session.Project, r.Session.ID, item, last, i})
		}
		return t.Insert(ctx, insertLines, rows, "")
	})
}

// takeOut deletes the lines of Before, and returns the seq of the session's last decision.
func takeOut(ctx context.Context, t *db.Tx, r ports.CartResult) (last int, err error) {
	visit, b := *r.Session, &db.Batch{}
	var kept *id.Session
	if r.NewSession {
		visit.LineSeq = r.After.LineSeq
		b.Exec(insertSession, sessions.Args(visit)...)
	} else {
		b.Query(&kept, keepCart, visit.Project, visit.ID, visit.LastActivity, visit.ExpiresAt, visit.LineSeq, r.After.LineSeq,
			visit.Buyer.First, visit.Buyer.Last, visit.Buyer.Email, visit.Buyer.Phone)
	}
	b.Query(&last, selectLastSeq, visit.Project, visit.ID)
	var gone []int
	if len(r.Before) > 0 {
		args := db.Args{visit.Project, visit.ID}
		b.Query(&gone, fmt.Sprintf(deleteLines, lineRows(&args, r.Before)), args...)
	}
	switch err := t.Run(ctx, b); {
	case err != nil:
		return 0, err
	case !r.NewSession && kept == nil:
		return 0, fault.Missing("session")
	case len(gone) != len(r.Before):
		return 0, ports.Stale
	}
	return last, nil
}

func lineRows(args *db.Args, items []session.CartItem) string {
	rows := ""
	for i, item := range items {
		if i > 0 {
			rows += ", "
		}
		line, variant, quantity, quote := args.Add(item.Line), args.Add(item.Variant), args.Add(item.Quantity), args.Add(item.Quote)
		rows += "(CAST(" + line + " AS INTEGER), " + variant + ", CAST(" + quantity + " AS INTEGER), " + quote + ")"
	}
	return rows
}
