package analytics

import (
	"context"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

const (
	// noted joins a record r of the sessions %s with the note that it waits to be folded. The two are committed
	// together, so one statement sees both or neither.
	noted = `
LEFT JOIN analytics_pending AS p
  ON p.project_id = r.project_id
  AND p.session_id = r.session_id
  AND p.record_id = r.id
  AND p.session_id IN %s
WHERE r.project_id = $1
  AND r.session_id IN %s`

	selectBegan = `
SELECT id, created_at
FROM sessions
WHERE project_id = $1
  AND id IN `

	// Costs are recorded with the inputs of decisions, and matter of deals.
	selectTold = `
SELECT r.session_id, r.id, r.quote_id, r.product_id, r.variant_id, r.quantity, r.at, r.currency, r.offer, r.response,
  r.price, r.rule, r.agent_id, r.policy_version, r.handler, r.fallback, r.list_price, r.floor,
  CASE WHEN r.response = 'accept' THEN r.signals ELSE '{}' END AS signals,
  p.record_id IS NOT NULL AS fresh
FROM decisions AS r` + noted + `
ORDER BY r.session_id, r.seq`

	selectOpened = `
SELECT r.session_id, r.id, r.lines,
  p.record_id IS NOT NULL AS fresh
FROM checkouts AS r` + noted + `
ORDER BY r.id`

	selectOrdered = `
SELECT r.session_id, r.id, r.lines, r.total, r.created_at,
  p.record_id IS NOT NULL AS fresh
FROM orders AS r` + noted + `
ORDER BY r.created_at, r.id`
)

type BeganRow struct {
	ID        string
	CreatedAt int64 `db:"created_at"`
}

type toldRow struct {
	SessionID     string `db:"session_id"`
	ID            string
	QuoteID       string `db:"quote_id"`
	ProductID     string `db:"product_id"`
	VariantID     string `db:"variant_id"`
	Quantity      int
	At            int64
	Currency      string
	Offer         *int64
	Response      string
	Price         *int64
	Rule          string
	AgentID       string `db:"agent_id"`
	PolicyVersion int    `db:"policy_version"`
	Handler       string
	Fallback      string
	ListPrice     int64 `db:"list_price"`
	Floor         int64
	Signals       string
	Fresh         bool
}

type openedRow struct {
	SessionID string `db:"session_id"`
	ID        string
	Lines     string
	Fresh     bool
}

type orderedRow struct {
	openedRow
	Total     int64
	CreatedAt int64 `db:"created_at"`
}

// Recorded reads the records of sessions. Orders come first: what an order refers to is there when the
// decisions are read, also where each statement sees a later state.
func Recorded(ctx context.Context, t *db.Tx, project id.Project, ids []string) ([]analytics.Session, error) {
	var all []analytics.Session
	for part := range slices.Chunk(ids, db.Listed) {
		var began []BeganRow
		var ordered []orderedRow
		var opened []openedRow
		var told []toldRow
		args := db.Args{project.String()}
		in := args.List(part)
		for _, s := range []struct {
			into  any
			query string
		}{
			{&ordered, strings.ReplaceAll(selectOrdered, "%s", in)},
			{&opened, strings.ReplaceAll(selectOpened, "%s", in)},
			{&told, strings.ReplaceAll(selectTold, "%s", in)},
			{&began, selectBegan + in},
		} {
			if err := t.Select(ctx, s.into, s.query, args...); err != nil {
				return nil, err
			}
		}
		sessions, err := gathered(began, told, opened, ordered)
		if err != nil {
			return nil, err
		}
		all = append(all, sessions...)
	}
	return all, nil
}

func gathered(began []BeganRow, told []toldRow, opened []openedRow, ordered []orderedRow) ([]analytics.Session, error) {
	sessions := make([]analytics.Session, len(began))
	of := make(map[string]*analytics.Session, len(began))
	for i, r := range began {
		sessions[i] = analytics.Session{ID: id.Stored[id.Session](r.ID), Began: db.Time(r.CreatedAt)}
		of[r.ID] = &sessions[i]
	}
	for _, r := range told {
		d, err := fromToldRow(r)
		if err != nil {
			return nil, err
		}
		if s := of[r.SessionID]; s != nil { // a project may be deleted meanwhile
			s.Decisions = append(s.Decisions, d)
		}
	}
	for _, r := range opened {
		lines, err := linesSold(r.Lines)
		if err != nil {
			return nil, err
		}
		c := analytics.Checkout{ID: r.ID, Fresh: r.Fresh}
		for _, l := range lines {
			c.Quotes = append(c.Quotes, l.Quote)
		}
		if s := of[r.SessionID]; s != nil {
			s.Checkouts = append(s.Checkouts, c)
		}
	}
	for _, r := range ordered {
		lines, err := linesSold(r.Lines)
		if err != nil {
			return nil, err
		}
		o := analytics.Order{ID: r.ID, Fresh: r.Fresh, At: db.Time(r.CreatedAt), Gross: r.Total, Lines: lines}
		if s := of[r.SessionID]; s != nil {
			s.Orders = append(s.Orders, o)
		}
	}
	return sessions, nil
}

func itemOf(session, product, variant string, quantity int) negotiation.Item {
	return negotiation.Item{
		Session:  id.Stored[id.Session](session),
		Product:  id.Stored[id.Product](product),
		Variant:  id.Stored[id.Variant](variant),
		Quantity: quantity,
	}
}

func fromToldRow(r toldRow) (analytics.Decision, error) {
	var inputs struct{ Cost *int64 }
	outcome, rule, err := spelling.Verdict(r.Response, r.Rule)
	if err != nil {
		return analytics.Decision{}, err
	}
	if outcome == negotiation.OutcomeAccepted {
		if err := db.FromJSON(r.Signals, &inputs); err != nil {
			return analytics.Decision{}, err
		}
	}
	return analytics.Decision{
		ID: r.ID, Fresh: r.Fresh, Quote: id.Stored[id.Quote](r.QuoteID),
		Item: itemOf(r.SessionID, r.ProductID, r.VariantID, r.Quantity), At: db.Time(r.At), Currency: r.Currency,
		Offer: r.Offer, Outcome: outcome, Price: r.Price, Rule: rule, Agent: id.Stored[id.Agent](r.AgentID), Policy: r.PolicyVersion,
		Handler: r.Handler, Fallback: r.Fallback, List: r.ListPrice, Floor: r.Floor, Cost: inputs.Cost,
	}, nil
}

var linesFormat = stored.JSON[[]analytics.Line](stored.Tags{"Line.List": "original"})

func linesSold(text string) (lines []analytics.Line, err error) {
	err = linesFormat.Read(text, &lines, money.Currency{})
	return lines, err
}

type lostRow struct {
	Began     int64
	SessionID string `db:"session_id"`
	ProductID string `db:"product_id"`
	VariantID string `db:"variant_id"`
	Quantity  int
	Last      int64
	Currency  string
	Best      int64
	Standing  int64
	ListPrice int64 `db:"list_price"`
	Floor     int64
}

func lostValues(project id.Project, l analytics.Lost) []any {
	i := l.Item
	return []any{
		project.String(), db.Millis(l.Began), i.Session.String(), i.Product.String(), i.Variant.String(), i.Quantity,
		db.Millis(l.Last), l.Currency, l.Best, l.Standing, l.List, l.Floor,
	}
}

func fromLostRow(r lostRow) analytics.Lost {
	return analytics.Lost{
		Item: itemOf(r.SessionID, r.ProductID, r.VariantID, r.Quantity), Began: db.Time(r.Began), Last: db.Time(r.Last),
		Currency: r.Currency, Best: r.Best, Standing: r.Standing, List: r.ListPrice, Floor: r.Floor,
	}
}
