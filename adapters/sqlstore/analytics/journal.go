package analytics

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	// selectNotes reads the beginning of the journal.
	selectNotes = `
SELECT position, session_id, record_id
FROM analytics_pending
WHERE project_id = $1
ORDER BY position
LIMIT $2`

	// takeNotes takes away the beginning of the journal, up to a position, and returns what was in it.
	takeNotes = `
DELETE FROM analytics_pending
WHERE project_id = $1
  AND position <= $2
RETURNING position, session_id, record_id`

	// selectLater is completed by the sessions.
	selectLater = `
SELECT position, session_id, record_id
FROM analytics_pending
WHERE project_id = $1
  AND session_id IN %s`
)

// note marks a record of a session as not folded.
type note struct {
	Position int64
	Session  id.Session
	Record   string `db:"record_id"`
}

// notes are records by their session.
type notes map[id.Session][]string

func noted(rows []note) notes {
	n := make(notes)
	for _, r := range rows {
		n[r.Session] = append(n[r.Session], r.Record)
	}
	return n
}

func (n notes) has(session id.Session, record string) bool {
	return slices.Contains(n[session], record)
}

func (n notes) sessions() []id.Session { return slices.Collect(maps.Keys(n)) }

// take deletes and returns the beginning of the journal: the notes of as many sessions as one fold reads. It reports
// whether there is more.
func (f folding) take(ctx context.Context) (taken notes, more bool, err error) {
	first, err := db.All[note](ctx, f.tx, selectNotes, f.project, notedAtOnce)
	if err != nil || len(first) == 0 { // somebody else was faster
		return nil, false, err
	}
	var ids []id.Session // in the order of their first notes
	seen := make(map[id.Session]bool)
	for _, n := range first {
		if !seen[n.Session] {
			seen[n.Session] = true
			ids = append(ids, n.Session)
		}
	}
	some, err := f.firstSessions(ctx, ids[:min(len(ids), foldedAtOnce)])
	if err != nil {
		return nil, false, err
	}
	last := len(first)
	if len(some) < len(ids) {
		last = slices.IndexFunc(first, func(n note) bool { return n.Session == ids[len(some)] })
	}
	rows, err := db.All[note](ctx, f.tx, takeNotes, f.project, first[last-1].Position)
	return noted(rows), last < len(first) || len(first) == notedAtOnce, err
}

// fresh reads the sessions of the notes taken. Records with other notes were committed meanwhile, or come later in the
// journal. They are left out here, and counted when their notes are taken. Notes are read after the records, so a
// record without a note is folded already.
func (f folding) fresh(ctx context.Context, taken notes) ([]analytics.Session, error) {
	ids := taken.sessions()
	sessions, err := recorded(ctx, f.tx, f.project, ids, taken)
	if err != nil {
		return nil, err
	}
	later := make(notes)
	for part := range slices.Chunk(ids, db.Listed) {
		args := db.Args{f.project}
		query := fmt.Sprintf(selectLater, args.List(db.Strings(part)))
		rows, err := db.All[note](ctx, f.tx, query, args...)
		if err != nil {
			return nil, err
		}
		maps.Copy(later, noted(rows))
	}
	for i := range sessions {
		s := &sessions[i]
		s.Decisions = slices.DeleteFunc(s.Decisions, func(d analytics.Decision) bool { return later.has(s.ID, d.ID) })
		s.Checkouts = slices.DeleteFunc(s.Checkouts, func(c analytics.Checkout) bool { return later.has(s.ID, c.ID) })
		s.Orders = slices.DeleteFunc(s.Orders, func(o analytics.Order) bool { return later.has(s.ID, o.ID) })
	}
	return sessions, nil
}
