// Package analytics counts what is in the records: figures by time slot, lost negotiations, and what sells with what.
package analytics

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Analytics is the store's view of what is counted of its records.
//
// A slot of a quarter of an hour is kept as one row of figures. A trigger notes each new decision, checkout
// and order in analytics_pending, in the transaction that stores it; a fold counts some of those and takes
// their notes away, in one transaction too. What a session adds follows from its records alone, so a fold adds
// to the slots what the session tells with the fresh records less what it told without them, and a reader does
// the same in memory for what is not folded yet: within one snapshot, every record is counted once.
type Analytics struct{ store *db.DB }

var _ ports.Analytics = Analytics{}

// NewAnalytics returns a view that counts what is in the records.
func NewAnalytics(s *db.DB) Analytics { return Analytics{s} }

// maxUnfolded is how many sessions a reader counts itself at most.
const maxUnfolded = 20_000

const (
	selectSlots = `
SELECT at, figures, '' AS products
FROM analytics_slots
WHERE project_id = $1
  AND at >= $2
  AND at < $3`

	selectSlotsAndProducts = `
SELECT at, figures, products
FROM analytics_slots
WHERE project_id = $1
  AND at >= $2
  AND at < $3`

	selectPendingSessions = `
SELECT DISTINCT session_id
FROM analytics_pending
WHERE project_id = $1
ORDER BY session_id
LIMIT $2`

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

	countSessions = `
SELECT count(*)
FROM sessions
WHERE project_id = $1
  AND created_at >= $2
  AND created_at < $3`

	// countSessionsGone counts those that are not kept any longer, by the slot in which they began.
	countSessionsGone = `
SELECT CAST(COALESCE(sum(sessions), 0) AS BIGINT)
FROM analytics_slots
WHERE project_id = $1
  AND at >= $2
  AND at < $3`

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

func (v Analytics) Figures(ctx context.Context, project id.Project, p ports.Period) ([]ports.Span, error) {
	var r *reading
	err := v.store.Snapshot(ctx, project, func(t *db.Tx) error {
		r = newReading(t, project, p)
		return r.all(ctx)
	})
	if err != nil {
		return nil, err
	}
	return r.spans, nil
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

// whole leaves slots that a bound cuts in two as they were folded if some of their records are not kept any longer: they
// count where they begin.
func (r *reading) whole(ctx context.Context) error {
	var gone int64
	if _, err := r.tx.Get(ctx, &gone, selectRecordsGone, r.project.String()); err != nil {
		return err
	}
	for slot := range r.edges {
		if db.Millis(slot) <= gone {
			delete(r.edges, slot)
		}
	}
	return nil
}

func (r *reading) folded(ctx context.Context) error {
	query := selectSlots
	if r.period.Products {
		query = selectSlotsAndProducts
	}
	var rows []SlotRow
	from := db.Millis(analytics.SlotOf(r.first()))
	if err := r.tx.Select(ctx, &rows, query, r.project.String(), from, db.Millis(r.last())); err != nil {
		return err
	}
	for _, row := range rows {
		at := db.Time(row.At)
		span, inside := analytics.Span(r.period.Bounds, at)
		if !inside || r.edges[at] {
			continue
		}
		f, err := FromSlotRow(row)
		if err != nil {
			return err
		}
		r.spans[span].Add(f, 1)
	}
	return nil
}

func (r *reading) unfolded(ctx context.Context) error {
	touched, err := pendingSessions(ctx, r.tx, r.project)
	if err != nil {
		return err
	}
	for slot := range r.edges {
		var there []string
		from, to := later(slot, r.first()), earlier(slot.Add(analytics.Slot), r.last())
		if err := r.tx.Select(ctx, &there, selectSessionsAt, r.project.String(), db.Millis(from), db.Millis(to)); err != nil {
			return err
		}
		touched = append(touched, there...)
	}
	sessions, err := Recorded(ctx, r.tx, r.project, distinct(touched))
	if err != nil {
		return err
	}
	for _, s := range sessions {
		r.add(s, 1)
		r.add(s.Counted(), -1)
	}
	return nil
}

// add counts what a session tells. In slots that are counted from the records nothing was folded that could
// be taken away.
func (r *reading) add(s analytics.Session, times int64) {
	facts, _ := s.Tell()
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

// pendingSessions are the sessions with something that is not folded.
func pendingSessions(ctx context.Context, t *db.Tx, project id.Project) ([]string, error) {
	var ids []string
	if err := t.Select(ctx, &ids, selectPendingSessions, project.String(), maxUnfolded+1); err != nil {
		return nil, err
	}
	if len(ids) > maxUnfolded {
		return nil, fault.New(fault.Unavailable, "analytics_behind", "Many new records are still being counted.").After(10 * time.Second)
	}
	return ids, nil
}

func (r *reading) refunded(ctx context.Context) error {
	var rows []struct {
		UpdatedAt int64 `db:"updated_at"`
		Amount    int64
	}
	if err := r.tx.Select(ctx, &rows, selectRefunded, r.project.String(), db.Millis(r.first()), db.Millis(r.last())); err != nil {
		return err
	}
	for _, row := range rows {
		if span, inside := analytics.Span(r.period.Bounds, db.Time(row.UpdatedAt)); inside {
			r.spans[span].Refunds++
			r.spans[span].Refunded += row.Amount
		}
	}
	return nil
}

func (r *reading) sessions(ctx context.Context) error {
	if !r.period.Sessions {
		return nil
	}
	for i := range r.spans {
		from, to := db.Millis(r.period.Bounds[i]), db.Millis(r.period.Bounds[i+1])
		if _, err := r.tx.Get(ctx, &r.spans[i].Sessions, countSessions, r.project.String(), from, to); err != nil {
			return err
		}
		var gone int64
		if _, err := r.tx.Get(ctx, &gone, countSessionsGone, r.project.String(), from, to); err != nil {
			return err
		}
		r.spans[i].Sessions += gone
	}
	return nil
}

func (v Analytics) ProductNames(ctx context.Context, project id.Project, products []id.Product) (map[id.Product]string, error) {
	args := db.Args{project.String()}
	query := selectNames + args.List(db.Strings(products))
	var rows []struct{ ID, Name string }
	b := v.store.Read(project)
	b.Query(&rows, query, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	names := make(map[id.Product]string, len(rows))
	for _, r := range rows {
		names[id.Stored[id.Product](r.ID)] = r.Name
	}
	return names, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func distinct(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	var once []string
	for _, one := range ids {
		if !seen[one] {
			seen[one] = true
			once = append(once, one)
		}
	}
	return once
}
