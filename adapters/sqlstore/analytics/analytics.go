// Package analytics stores the figures of time slots and folds new records into them, and finds lost negotiations and
// products that sell together. The domain's package analytics computes the figures.
package analytics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Analytics counts the store's records.
//
// A slot of a quarter of an hour is kept as one row of figures. A trigger notes each new decision, checkout and order
// in a journal, analytics_pending, in the transaction that stores it; a fold takes the beginning of the journal and
// counts what it names, in one transaction too. A session's figures follow from its records alone. So a fold adds to
// the slots the session's figures with the new records minus its figures without them, and a reader does the same in
// memory for records that are not folded yet. Within one snapshot, every record is counted once.
//
// A note's position is taken before it is committed, so notes appear out of order. A fold counts exactly the notes that
// its DELETE returned, whatever lies between them later.
type Analytics struct{ Store *db.DB }

var _ ports.Analytics = Analytics{}

// The maximum number of unfolded records that a reader counts itself.
const (
	maxUnfolded = 20_000 // sessions
	maxNotes    = 100_000
)

const (
	// selectSlots is completed by the column of products, or by none.
	selectSlots = `
SELECT at, figures, %s AS products, sessions, sessions_ucp, sessions_mcp
FROM analytics_slots
WHERE project_id = $1
  AND at >= $2
  AND at < $3`

	// selectSessionsAt are those that have something of a time.
	selectSessionsAt = `
SELECT id
FROM sessions
WHERE project_id = $1
  AND created_at >= $2
  AND created_at < $3
UNION
SELECT session_id
FROM decisions
WHERE project_id = $1
  AND at >= $2
  AND at < $3
UNION
SELECT session_id
FROM orders
WHERE project_id = $1
  AND created_at >= $2
  AND created_at < $3`

	// selectRecordsGone is a time after which all records are kept, and no slots are joined.
	selectRecordsGone = `
SELECT CASE
  WHEN r.slots_until > r.sessions_until AND r.slots_until > c.folded_until THEN r.slots_until - 1
  WHEN r.sessions_until > c.folded_until THEN r.sessions_until
  ELSE c.folded_until
END
FROM retention AS r
JOIN decision_chains AS c ON c.project_id = r.project_id
WHERE r.project_id = $1`

	selectRefunded = `
SELECT updated_at, amount
FROM refunds
WHERE project_id = $1
  AND status = 'succeeded'
  AND updated_at >= $2
  AND updated_at < $3`

	selectNames = `
SELECT id, name
FROM products
WHERE project_id = $1
  AND id IN `
)

func (v Analytics) Figures(ctx context.Context, project id.Project, p ports.Period) (spans []ports.Span, err error) {
	err = v.Store.Snapshot(ctx, project, func(t *db.Tx) error {
		r := newReading(t, project, p)
		spans = r.spans
		return r.all(ctx)
	})
	if err != nil {
		return nil, err
	}
	return spans, nil
}

// reading sums up a period within one snapshot.
type reading struct {
	tx      *db.Tx
	project id.Project
	period  ports.Period
	spans   []ports.Span
	// edges are the slots that a bound cuts in two: they are counted from the records.
	edges map[time.Time]bool
}

func newReading(t *db.Tx, project id.Project, p ports.Period) *reading {
	r := &reading{t, project, p, make([]ports.Span, len(p.Bounds)-1), map[time.Time]bool{}}
	for _, b := range p.Bounds {
		if slot := analytics.SlotOf(b); !slot.Equal(b) {
			r.edges[slot] = true
		}
	}
	return r
}

func (r *reading) first() time.Time { return r.period.Bounds[0] }
func (r *reading) last() time.Time  { return r.period.Bounds[len(r.spans)] }

func (r *reading) all(ctx context.Context) error {
	for _, part := range []func(context.Context) error{r.whole, r.folded, r.unfolded, r.refunded, r.sessions} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// whole uses the folded figures of slots that a bound cuts in two if some of their records are no longer kept: such a
// slot counts where it begins.
func (r *reading) whole(ctx context.Context) error {
	var gone time.Time
	_, err := r.tx.Get(ctx, &gone, selectRecordsGone, r.project)
	maps.DeleteFunc(r.edges, func(slot time.Time, _ bool) bool { return !slot.After(gone) })
	return err
}

func (r *reading) folded(ctx context.Context) error {
	products := "''"
	if r.period.Products {
		products = "products"
	}
	rows, err := db.All[SlotRow](ctx, r.tx, fmt.Sprintf(selectSlots, products), r.project, analytics.SlotOf(r.first()), r.last())
	if err != nil {
		return err
	}
	for _, row := range rows {
		span, inside := analytics.Span(r.period.Bounds, row.At)
		if !inside || r.edges[row.At] {
			continue
		}
		f, err := FromSlotRow(row)
		if err != nil {
			return err
		}
		r.spans[span].Add(f, 1)
		r.began(span, agentid.Haggle, row.Sessions-row.UCP-row.MCP)
		r.began(span, agentid.UCP, row.UCP)
		r.began(span, agentid.MCP, row.MCP)
	}
	return nil
}

func (r *reading) unfolded(ctx context.Context) error {
	fresh, err := unfolded(ctx, r.tx, r.project)
	if err != nil {
		return err
	}
	touched := fresh.sessions()
	for slot := range r.edges {
		from := later(slot, r.first())
		to := earlier(slot.Add(analytics.Slot), r.last())
		there, err := db.All[id.Session](ctx, r.tx, selectSessionsAt, r.project, from, to)
		if err != nil {
			return err
		}
		touched = append(touched, there...)
	}
	slices.SortFunc(touched, func(a, b id.Session) int { return strings.Compare(a.String(), b.String()) })
	sessions, err := recorded(ctx, r.tx, r.project, slices.Compact(touched), fresh)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		r.add(s, 1)
		r.add(s.Counted(), -1)
	}
	return nil
}

// add adds a session's figures. Slots that are counted from the records have no folded figures to subtract.
func (r *reading) add(s analytics.Session, times int64) {
	facts, _ := s.Facts()
	for _, f := range facts {
		span, inside := analytics.Span(r.period.Bounds, f.At)
		if !inside || times < 0 && r.edges[analytics.SlotOf(f.At)] {
			continue
		}
		if !r.period.Products {
			f.Products = nil
		}
		r.spans[span].Add(f.Figures, times)
	}
}

// unfolded are the records that are not folded.
func unfolded(ctx context.Context, t *db.Tx, project id.Project) (notes, error) {
	rows, err := db.All[note](ctx, t, selectNotes, project, maxNotes+1)
	if err != nil {
		return nil, err
	}
	fresh := noted(rows)
	if len(rows) > maxNotes || len(fresh) > maxUnfolded {
		return nil, fault.New(fault.Unavailable, "analytics_behind", "Many new records are still being counted. Try again.").After(10 * time.Second)
	}
	return fresh, nil
}

func (r *reading) refunded(ctx context.Context) error {
	type row struct {
		UpdatedAt time.Time
		Amount    int64
	}
	rows, err := db.All[row](ctx, r.tx, selectRefunded, r.project, r.first(), r.last())
	for _, row := range rows {
		if span, inside := analytics.Span(r.period.Bounds, row.UpdatedAt); inside {
			r.spans[span].Refunds++
			r.spans[span].Refunded += row.Amount
		}
	}
	return err
}

func (v Analytics) ProductNames(ctx context.Context, project id.Project, products []id.Product) (map[id.Product]string, error) {
	type row struct {
		ID   id.Product
		Name string
	}
	args := db.Args{project}
	rows, err := db.All[row](ctx, v.Store.Read(project), selectNames+args.List(db.Strings(products)), args...)
	names := make(map[id.Product]string, len(rows))
	for _, r := range rows {
		names[r.ID] = r.Name
	}
	return names, err
}
