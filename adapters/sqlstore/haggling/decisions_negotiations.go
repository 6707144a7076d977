package haggling

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// negotiationsPerRead is the number of negotiations that one statement reads.
const negotiationsPerRead = 100

// selectNegotiations reads the entries of the newest negotiations that began before the last one read. A negotiation
// begins with the first entry about its item in its session.
//
// $1 project, $2 agent or empty, $3 from, $4 to, $5 at, $6 session and $7 seq of the last one's beginning, $8 limit.
// SQLite only uses $4 to find rows by the index. A condition on the sessions is inserted.
const selectNegotiations = `
WITH begun AS (
  SELECT d.project_id, d.session_id, d.product_id, d.variant_id, d.quantity, d.at AS began, d.seq AS first
  FROM decisions AS d
  WHERE d.project_id = $1
    AND d.at >= $3
    AND d.at < $4
    AND (d.at, d.session_id, d.seq) < ($5, $6, $7)
    AND ($2 = '' OR d.agent_id = $2)%s
    AND NOT EXISTS (
      SELECT 1
      FROM decisions AS e
      WHERE e.project_id = d.project_id
        AND e.session_id = d.session_id
        AND e.seq < d.seq
        AND e.product_id = d.product_id
        AND e.variant_id = d.variant_id
        AND e.quantity = d.quantity
    )
  ORDER BY d.at DESC, d.session_id DESC, d.seq DESC
  LIMIT $8
)
SELECT e.project_id, e.session_id, e.seq, e.id, e.quote_id, e.product_id, e.variant_id, e.quantity, e.at, e.currency,
  e.offer, e.response, e.price, e.rule, e.policy_version, e.list_price, e.opening, e.target, e.floor, e.before, e.signals,
  e.message, e.agent_id, e.handler, e.fallback, e.proposal,
  CASE WHEN e.client = '' AND e.erased_at IS NOT NULL THEN '` + negotiation.Forgotten + `' ELSE e.client END AS client,
  b.began, b.first,
  EXISTS (
    SELECT 1
    FROM quotes AS q
    WHERE q.project_id = b.project_id
      AND q.session_id = b.session_id
      AND q.product_id = b.product_id
      AND q.variant_id = b.variant_id
      AND q.quantity = b.quantity
      AND q.redeemed_by <> ''
  ) AS bought
FROM begun AS b
JOIN decisions AS e
  ON e.project_id = b.project_id
  AND e.session_id = b.session_id
  AND e.product_id = b.product_id
  AND e.variant_id = b.variant_id
  AND e.quantity = b.quantity
ORDER BY b.began DESC, b.session_id DESC, b.first DESC, e.seq`

// selectHaggled counts sessions, by the index over the newest decisions. A condition on the products is inserted.
const selectHaggled = `
SELECT product_id, count(*) AS negotiations
FROM (
  SELECT DISTINCT product_id, session_id
  FROM decisions
  WHERE project_id = $1
    AND at >= $2%s
) AS haggled
GROUP BY product_id
ORDER BY count(*) DESC, product_id
LIMIT $3`

// Haggled implements ports.Decisions.
func (v Decisions) Haggled(ctx context.Context, project id.Project, since time.Time, of []id.Product, limit int) ([]ports.HaggledProduct, error) {
	args, only := db.Args{project, since, limit}, ""
	if len(of) > 0 {
		in, err := v.Store.Dialect.In(&args, db.Strings(of))
		if err != nil {
			return nil, err
		}
		only = "\n    AND product_id IN " + in
	}
	return db.All[ports.HaggledProduct](ctx, v.Store.Read(project), fmt.Sprintf(selectHaggled, only), args...)
}

type negotiationRow struct {
	EntryRow
	Began  int64
	First  int
	Bought bool
}

// negotiationStart is where a negotiation began.
type negotiationStart struct {
	at      int64
	session string
	seq     int
}

func (r negotiationRow) start() negotiationStart {
	return negotiationStart{r.Began, r.Session.String(), r.First}
}

func (v Decisions) Negotiations(ctx context.Context, project id.Project, f ports.NegotiationFilter, limit int,
	show func(ports.Negotiation) error) error {
	before, last := db.Millis(f.To), negotiationStart{at: db.Millis(f.To)} // which is before any session's at that time
	for limit > 0 {
		most := min(limit, negotiationsPerRead)
		args := db.Args{project, f.Agent, f.From, before, last.at, last.session, last.seq, most}
		of, err := v.ofSessions(&args, f.Sessions)
		if err != nil {
			return err
		}
		rows, err := db.All[negotiationRow](ctx, v.Store.Read(project), fmt.Sprintf(selectNegotiations, of), args...)
		if err != nil {
			return err
		}
		shown, err := showNegotiations(rows, show)
		if err != nil || shown < most {
			return err
		}
		limit -= shown
		last = rows[len(rows)-1].start()
		before = last.at + 1
	}
	return nil
}

// ofSessions returns the condition that a decision belongs to one of these sessions; if none are given, there is no
// condition.
func (v Decisions) ofSessions(args *db.Args, names []id.Negotiation) (string, error) {
	if len(names) == 0 {
		return "", nil
	}
	in, err := v.Store.Dialect.In(args, db.Strings(names))
	return `
    AND d.session_id IN (
      SELECT n.session_id
      FROM decisions AS n
      WHERE n.negotiation_id IN ` + in + `
        AND n.project_id = $1
        AND n.seq = 1
    )`, err
}

// showNegotiations calls show with the negotiation of each group of rows, and returns how many there are.
func showNegotiations(rows []negotiationRow, show func(ports.Negotiation) error) (shown int, err error) {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].start() == rows[0].start() {
			n++
		}
		current := ports.Negotiation{Entries: make([]negotiation.Entry, n), Bought: rows[0].Bought}
		for i, r := range rows[:n] {
			current.Entries[i] = FromEntryRow(r.EntryRow)
		}
		if err := show(current); err != nil {
			return shown, err
		}
		rows, shown = rows[n:], shown+1
	}
	return shown, nil
}
