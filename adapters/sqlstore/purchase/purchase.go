// Package purchase stores checkouts, orders with their notes, returns, refunds, disputes, labels, and charges without
// an order. The transaction that claims a checkout also reserves its stock and deal tokens (claim.go). The state
// machines are in the domain.
package purchase

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// purchase is one transaction of a purchase.
type purchase struct {
	tx      *db.Tx
	project id.Project
}

var _ ports.Purchase = purchase{}

const (
	// wanted begins the statements that move stock. It is completed by rows of variant, location and
	// pieces.
	wanted = `
WITH want (variant_id, location, pieces) AS (VALUES `

	// onBackorder is asked again when stock is taken: the policy may have been changed since stock was read.
	onBackorder = `s.oversold < 1000000000 AND EXISTS (
    SELECT 1
    FROM variants AS v
    WHERE v.project_id = s.project_id
      AND v.id = s.variant_id
      AND v.inventory_policy = 'backorder'
  )`

	takeStock = `)
UPDATE stock AS s
SET quantity = CASE WHEN s.quantity >= want.pieces THEN s.quantity - want.pieces ELSE 0 END,
  oversold = CASE WHEN s.quantity >= want.pieces THEN s.oversold ELSE s.oversold + want.pieces - s.quantity END
FROM want
WHERE s.project_id = $1
  AND s.variant_id = want.variant_id
  AND s.location = want.location
  AND (s.quantity >= want.pieces OR ` + onBackorder + `)`

	// takeHeldStock is takeStock after holdStock.
	takeHeldStock = `
)
UPDATE stock AS s
SET quantity = CASE WHEN s.quantity >= held.pieces THEN s.quantity - held.pieces ELSE 0 END,
  oversold = CASE WHEN s.quantity >= held.pieces THEN s.oversold ELSE s.oversold + held.pieces - s.quantity END
FROM held
WHERE s.project_id = $1
  AND s.variant_id = held.variant_id
  AND s.location = held.location
  AND (s.quantity >= held.pieces OR ` + onBackorder + `)`

	// Stock that is put back first reduces the oversold count, as Shelf.PutBack does. A level at its maximum stays
	// there.
	//
	// holdStock locks the levels by variant, then location, as every transaction does.
	holdStock = `),
held AS (
  SELECT s.variant_id, s.location, want.pieces
  FROM stock AS s
  JOIN want ON want.variant_id = s.variant_id AND want.location = s.location
  WHERE s.project_id = $1
  ORDER BY s.variant_id, s.location`

	putBackStock = `
)
UPDATE stock AS s
SET quantity = CASE
  WHEN s.quantity + held.pieces > 1000000000 THEN 1000000000
  WHEN s.quantity + held.pieces < s.oversold THEN 0
  ELSE s.quantity + held.pieces - s.oversold
END, oversold = CASE
  WHEN s.quantity + held.pieces < s.oversold THEN s.oversold - s.quantity - held.pieces
  ELSE 0
END
FROM held
WHERE s.project_id = $1
  AND s.variant_id = held.variant_id
  AND s.location = held.location`

	// The statements on tokens are completed by the lines' quotes.
	reserveTokens = `
UPDATE quotes
SET claimed_by = $2
WHERE project_id = $1
  AND redeemed_by = ''
  AND claimed_by IN ('', $2)
  AND id IN `

	releaseTokens = `
UPDATE quotes
SET claimed_by = ''
WHERE project_id = $1
  AND redeemed_by = ''
  AND claimed_by = $2
  AND id IN `

	redeemTokens = `
UPDATE quotes
SET redeemed_by = $3
WHERE project_id = $1
  AND redeemed_by = ''
  AND claimed_by = $2
  AND id IN `
)

func outOfStock() *fault.Error {
	return fault.New(fault.Conflict, "out_of_stock", "There is not enough stock.")
}

func tokenRedeemed() *fault.Error {
	return fault.New(fault.Conflict, "token_redeemed", "The checkout token has been used by another checkout.")
}

func (p purchase) Lock(ctx context.Context, of id.Checkout) (*checkout.Checkout, time.Time, error) {
	row, err := db.One[checkoutNowRow](ctx, p.tx, "checkout", p.lockCheckout(), p.project, of)
	if err != nil {
		return nil, time.Time{}, err
	}
	return FromCheckoutRow(row.CheckoutRow), row.Now, nil
}

func (p purchase) lockCheckout() string {
	return fmt.Sprintf(lockCheckout, p.tx.Dialect.ForUpdate, p.tx.Dialect.Clock)
}

// lock is ForUpdate for the rows of one table of a join.
func lock(d db.Dialect, table string) string {
	if d.ForUpdate == "" {
		return ""
	}
	return d.ForUpdate + " OF " + table
}

func (p purchase) Save(ctx context.Context, c *checkout.Checkout, e *event.Event) error {
	return p.tx.Last(ctx, append([]db.Effect{saveCheckout(c)}, outbox.Effects(p.tx.Dialect, e)...)...)
}

func (p purchase) Revise(ctx context.Context, c *checkout.Checkout, version int64) error {
	return p.tx.Last(ctx, db.Effect{
		Statement: reviseIfUnchanged,
		Args:      reviseCheckout.Args(toCheckoutRow(c), version),
		Rows:      1,
		Short:     fault.Missing("checkout"),
	})
}

func (p purchase) Settle(ctx context.Context, s ports.Settlement) error {
	effects := []db.Effect{saveCheckout(s.Checkout)}
	if s.Order == nil {
		return p.tx.Last(ctx, append(effects, p.undone(s)...)...)
	}
	return p.tx.Last(ctx, slices.Concat(effects, placeOrder(s.Order), outbox.Effects(p.tx.Dialect, s.Event), p.redeemed(s.Order), p.bought(s), written(s.Order))...)
}

// undone puts back the stock of an attempt without an order. Stock of a variant that was dropped meanwhile is dropped
// with it.
func (p purchase) undone(s ports.Settlement) []db.Effect {
	var effects []db.Effect
	if len(s.PutBack) > 0 {
		effects = append(effects, putBack(p.tx, p.project, s.PutBack))
	}
	c := s.Checkout.Snapshot()
	if !s.Declined.IsZero() {
		effects = append(effects, p.declined(c, s.Declined)...)
	}
	if tokens := tokensOf(c.Lines); len(tokens) > 0 {
		args := db.Args{p.project, c.ID}
		statement := releaseTokens + args.List(tokens)
		effects = append(effects, db.Effect{
			Statement: statement,
			Args:      args,
			Rows:      db.AnyRows,
		})
	}
	return effects
}

// putBack returns stock to its locations, each variant and location once.
func putBack(t *db.Tx, project id.Project, takes []catalog.Reservation) db.Effect {
	args := db.Args{project}
	statement := wanted + takesRows(&args, takes) + holdStock + lock(t.Dialect, "s") + putBackStock
	return db.Effect{
		Statement: statement,
		Args:      args,
		Rows:      db.AnyRows,
	}
}

// redeemed redeems the order's tokens, which also removes their items from the cart.
func (p purchase) redeemed(o *order.Order) []db.Effect {
	tokens := tokensOf(o.Lines)
	if len(tokens) == 0 {
		return nil
	}
	args := db.Args{p.project, o.Checkout, o.ID}
	statement := redeemTokens + args.List(tokens)
	return []db.Effect{{
		Statement: statement,
		Args:      args,
		Rows:      len(tokens),
		Short:     tokenRedeemed(),
	}}
}

// bought removes from a cart the items that its checkout sold at list price.
func (p purchase) bought(s ports.Settlement) []db.Effect {
	c := s.Checkout.Snapshot()
	var variants []string
	for _, l := range c.Lines {
		if l.Quote.IsZero() {
			variants = append(variants, l.Variant.String())
		}
	}
	if !c.FromCart || len(variants) == 0 {
		return nil
	}
	args := db.Args{p.project, c.Session}
	statement := emptyCart + args.List(variants)
	return []db.Effect{{
		Statement: statement,
		Args:      args,
		Rows:      db.AnyRows,
	}}
}

func saveCheckout(c *checkout.Checkout) db.Effect {
	return db.Effect{
		Statement: updateCheckout.Text,
		Args:      updateCheckout.Args(toCheckoutRow(c)),
		Rows:      1,
		Short:     fault.Missing("checkout"),
	}
}

// tokensOf are the quotes that cover lines. One may cover two: its item and its bundle.
func tokensOf(lines []checkout.Line) []string {
	var tokens []string
	for _, l := range lines {
		if !l.Quote.IsZero() {
			tokens = append(tokens, l.Quote.String())
		}
	}
	slices.Sort(tokens)
	return slices.Compact(tokens)
}

// takesRows are rows with the types of stock's columns, which PostgreSQL cannot infer from parameters.
func takesRows(a *db.Args, takes []catalog.Reservation) string {
	rows := make([]string, len(takes))
	for i, t := range takes {
		variant, location, pieces := a.Add(t.Variant), a.Add(t.Location), a.Add(t.Quantity)
		rows[i] = "(" + variant + ", " + location + ", CAST(" + pieces + " AS INTEGER))"
	}
	return strings.Join(rows, ", ")
}
