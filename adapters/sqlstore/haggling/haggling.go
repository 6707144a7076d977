// Package haggling stores sessions with their carts, negotiations and their decision record. It decides no prices: the
// domain's package negotiation does.
package haggling

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Haggling stores negotiations.
type Haggling struct{ Store *db.DB }

var _ ports.Haggling = Haggling{}

var selectQuote = `
SELECT ` + quotes.Columns() + `, redeemed_by
FROM quotes
WHERE project_id = $1`

// Parameters of the statements that load: $1 project, $2 session, $3 quote, $4 product, $5 variant,
// $6 quantity; empty where the ask names none.
const (
	// askedProduct is the quote's where the ask names a quote.
	askedProduct = `
CASE WHEN $3 = '' THEN $4 ELSE (
  SELECT product_id
  FROM quotes
  WHERE project_id = $1
    AND session_id = $2
    AND id = $3
) END`

	selectDecided = `
SELECT COALESCE(MAX(seq), 0) AS last, COUNT(CASE WHEN rule = 'below_floor' THEN 1 END) AS refused
FROM decisions
WHERE project_id = $1
  AND session_id = $2`

	quoteInSession = `
  AND session_id = $2
  AND id = $3`

	priorOfQuote = `
  AND session_id = $2
  AND (product_id, variant_id, quantity) = (
    SELECT product_id, variant_id, quantity
    FROM quotes
    WHERE project_id = $1
      AND session_id = $2
      AND id = $3
  )
ORDER BY seq DESC
LIMIT 1`

	// selectProbed looks no further back than a client's newest decisions, because the count of a client with more is
	// high enough.
	selectProbed = `
SELECT count(DISTINCT session_id) AS n
FROM (
  SELECT session_id
  FROM decisions
  WHERE project_id = $1
    AND client = $7
    AND client <> ''
    AND at >= $8
  ORDER BY at DESC
  LIMIT 2000
) AS newest`
)

type askedVariantRow struct {
	catalogue.StockedRow
	Probes int
}

// decidedRow is a session's decisions, summed up.
type decidedRow struct{ Last, Refused int }

// asked has the rows that are read for one HaggleAsk.
type asked struct {
	session  *session.Session
	cart     []session.CartItem
	decided  decidedRow
	quote    *quoteRow
	prior    *quoteRow
	products []catalogue.ProductRow
	variants []askedVariantRow
	probed   negotiation.Probed
}

func (v Haggling) Load(ctx context.Context, project id.Project, ask ports.HaggleAsk) (ports.Haggle, error) {
	load, args := loadingOf(ask), []any{
		project.String(), ask.Session.String(), ask.Quote.String(),
		ask.Product.String(), cmp.Or(ask.Ref, ask.Variant.String()), ask.Quantity,
	}
	var found asked
	b := v.Store.Read(project)
	if ask.Product.IsZero() && ask.Quote.IsZero() && ask.Ref == "" {
		b.Query(&found.session, SelectSession, project, ask.Session)
		err := b.Run(ctx)
		return ports.Haggle{Session: found.session}, err
	}
	if !ask.Session.IsZero() || !ask.Quote.IsZero() {
		b.Query(&found.session, load.session, args...)
		b.Query(&found.cart, load.cart, args...)
		b.Query(&found.decided, load.decided, args...)
		if ask.Quote.IsZero() {
			b.Query(&found.prior, load.priorOfItem, args...)
		} else {
			b.Query(&found.quote, load.quote, args...)
			b.Query(&found.prior, load.priorOfQuote, args...)
		}
	}
	if ask.Client != "" && !ask.Since.IsZero() {
		b.Query(&found.probed.Client, selectProbed, slices.Concat(args, []any{ask.Client, ask.Since})...)
	}
	b.Query(&found.products, load.product, args...)
	if ask.Client != "" && !ask.ProductSince.IsZero() {
		b.Query(&found.variants, load.probedVariants, append(args, ask.Client, ask.ProductSince, ask.Sessions)...)
	} else {
		b.Query(&found.variants, load.variants, args...)
	}
	if err := b.Run(ctx); err != nil {
		return ports.Haggle{}, err
	}
	return found.haggle()
}

func (a asked) haggle() (h ports.Haggle, err error) {
	h.Probed = a.probed
	if len(a.products) > 0 {
		h.Stock = make(map[id.Variant]int, len(a.variants))
		variants := make([]catalogue.VariantRow, len(a.variants))
		for i, v := range a.variants {
			variants[i], h.Stock[v.Variant.ID], h.Probed.Product = v.VariantRow, v.Stock, v.Probes
		}
		if h.Product, err = catalogue.Only(catalogue.FromProductRows(a.products, variants)); err != nil {
			return ports.Haggle{}, err
		}
	}
	if a.session != nil {
		h.Session, h.LastSeq, h.Cart = a.session, a.decided.Last, a.cart
		h.Probed.Session = a.decided.Refused
		h.Quote, h.Prior = fromQuoteRow(a.quote), fromQuoteRow(a.prior)
	}
	return h, nil
}

// dealtProducts are the products that the quotes of tokens are about, and those bundled with them. It is completed by the
// bundles as JSON and, twice, by the tokens.
const dealtProducts = `(
  SELECT product_id
  FROM quotes
  WHERE project_id = $1
    AND token_hash IN %[2]s
    AND token_hash <> ''
  UNION ALL
  SELECT %[1]s->>'product'
  FROM quotes
  WHERE project_id = $1
    AND token_hash IN %[2]s
    AND token_hash <> ''
    AND bundle IS NOT NULL
)`

func (v Haggling) Basket(ctx context.Context, project id.Project, ask ports.BasketAsk) (ports.Basket, error) {
	var found *sessionNow
	var agreed []*quoteRow
	var rows []catalogue.ProductRow
	var variants []catalogue.StockedRow
	b := v.Store.Read(project)
	var moment struct{ Now time.Time }
	args := db.Args{project}
	tokens := args.List(ask.Tokens)
	if ask.Session.IsZero() {
		b.Query(&moment, "SELECT "+v.Store.Dialect.Clock+" AS now")
		b.Query(&found, fmt.Sprintf(selectSessionOfTokens, v.Store.Dialect.Clock, tokens, agreedNow(v.Store.Dialect.Clock)), args...)
	} else {
		b.Query(&found, fmt.Sprintf(selectSessionNow, v.Store.Dialect.Clock, agreedNow(v.Store.Dialect.Clock)), project, ask.Session)
	}
	if len(ask.Tokens) > 0 {
		b.Query(&agreed, selectQuote+"\n  AND token_hash IN "+tokens+"\n  AND token_hash <> ''\nORDER BY created_at, id", args...)
	}
	wanted := ""
	switch {
	case len(ask.Products)+len(ask.Refs) > 0:
		args = db.Args{project}
		wanted = catalogue.WantedProducts(&args, db.Strings(ask.Products), ask.Refs)
	case len(ask.Tokens) > 0:
		wanted = fmt.Sprintf(dealtProducts, v.Store.Dialect.JsonOf("bundle"), tokens)
	}
	if wanted != "" {
		b.Query(&rows, catalogue.SelectProducts+catalogue.WhereActive+wanted, args...)
		b.Query(&variants, catalogue.SelectStocked+"(SELECT id FROM products"+catalogue.WhereActive+wanted+")"+catalogue.ByPosition, args...)
	}
	if err := b.Run(ctx); err != nil {
		return ports.Basket{}, err
	}
	basket := ports.Basket{Now: moment.Now}
	basket.Products, basket.Stock = catalogue.FromStockedRows(rows, variants)
	if found != nil {
		basket.Session, basket.Now, basket.Agreed = &found.Session, found.Now, found.agreements()
	}
	for _, r := range agreed {
		basket.Quotes = append(basket.Quotes, fromQuoteRow(r))
	}
	return basket, nil
}
