package analytics

import (
	"context"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
)

// Sessions are counted in the slot in which they began. Slots include the sessions that began before a time, which the
// store's retention advances, and those that are no longer kept; readers count all others.

var (
	// SelectBeganIn counts sessions by slot.
	SelectBeganIn = `
SELECT created_at - created_at % ` + strconv.FormatInt(analytics.Slot.Milliseconds(), 10) + ` AS at, protocol, count(*) AS sessions
FROM sessions
WHERE project_id = $1
  AND created_at >= $2
  AND created_at < $3
GROUP BY 1, 2`

	// selectBeganAt counts them by instant.
	selectBeganAt = `
SELECT created_at AS at, protocol, count(*) AS sessions
FROM sessions
WHERE project_id = $1
  AND created_at >= $2
  AND created_at < $3
GROUP BY 1, 2`
)

const selectCounted = `
SELECT sessions_counted
FROM retention
WHERE project_id = $1`

// BeganIn are sessions that began in a slot, or at an instant.
type BeganIn struct {
	At       time.Time
	Protocol agentid.Protocol
	Sessions int64
}

// sessions counts those that slots do not have.
func (r *reading) sessions(ctx context.Context) error {
	if !r.period.Sessions && !r.period.Protocols {
		return nil
	}
	var counted time.Time
	if _, err := r.tx.Get(ctx, &counted, selectCounted, r.project); err != nil {
		return err
	}
	if from := later(r.first(), counted); from.Before(r.last()) {
		if err := r.count(ctx, SelectBeganIn, from, r.last(), false); err != nil {
			return err
		}
	}
	for slot := range r.edges {
		if err := r.count(ctx, selectBeganAt, later(slot, r.first()), earlier(slot.Add(analytics.Slot), r.last()), true); err != nil {
			return err
		}
	}
	return nil
}

// count counts sessions of slots that a bound cuts in two, or of others.
func (r *reading) count(ctx context.Context, query string, from, to time.Time, cut bool) error {
	rows, err := db.All[BeganIn](ctx, r.tx, query, r.project, from, to)
	for _, row := range rows {
		if span, inside := analytics.Span(r.period.Bounds, row.At); inside && r.edges[analytics.SlotOf(row.At)] == cut {
			r.began(span, row.Protocol, row.Sessions)
		}
	}
	return err
}

// began adds sessions to a span.
func (r *reading) began(span int, by agentid.Protocol, n int64) {
	if n == 0 || !r.period.Sessions && !r.period.Protocols {
		return
	}
	s := &r.spans[span]
	s.Sessions += n
	if !r.period.Protocols {
		return
	}
	if s.SessionsBy == nil {
		s.SessionsBy = make(map[agentid.Protocol]int64)
	}
	s.SessionsBy[by] += n
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
