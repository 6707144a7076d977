// Package queue leases rows of tables to background workers. Each table defines which of its rows wait and when they
// are due. Rows that were set aside after a failure have entries in jobs_set_aside.
package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Table is a table whose rows are worked on in the background. It needs an index over group and due of the waiting
// rows.
type Table struct {
	Name    string // in jobs_set_aside
	Table   string
	Key     string // the column that names a row, beside project_id
	Group   string // the column of the group
	Waits   string // whether a row waits, as the index has it
	Due     string // when a row that waits is due, as the index has it
	Lease   string // the column of the lease's end
	Retry   string // the column of when a row that is set aside is due
	Columns string
	// Size, if set, is the column of a row's size in bytes. A claim then takes no more rows of a group than MostBytes, but
	// always one.
	Size      string
	MostBytes int
}

// Queue leases the rows of a table.
type Queue[R, T any] struct {
	Store *db.DB
	Table Table
	// Item decodes a row. A row that cannot be decoded, or whose decoding panics, is leased with the reason.
	Item func(R) (T, error)
}

// Row is the Item of rows that are leased as they are.
func Row[R any](r R) (*R, error) { return &r, nil }

func (w Queue[R, T]) Waiting(ctx context.Context) ([]string, error) {
	return w.Table.Waiting(ctx, w.Store)
}

// leasedRow is what a claim returns of a row.
type leasedRow[R any] struct {
	Row         db.Decoded[R]
	HeldProject id.Project `db:"held_project"`
	HeldKey     string
	HeldGroup   string
	HeldUntil   time.Time
	SetAside    int
}

// Claim leases rows of groups. Each group's statement is one of a batch.
func (w Queue[R, T]) Claim(ctx context.Context, lease time.Duration, shares []ports.Share) ([]ports.Leased[T], error) {
	if len(shares) == 0 {
		return nil, nil
	}
	s := w.Store.OutsideRequest()
	rows := make([][]leasedRow[R], len(shares))
	b := s.Write(db.AnyProject)
	statement := w.Table.ClaimStatement(s.Dialect)
	for i, share := range shares {
		b.Query(&rows[i], statement, share.Group, share.Most, lease.Milliseconds())
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	var list []ports.Leased[T]
	for _, r := range slices.Concat(rows...) {
		l := ports.Leased[T]{Err: r.Row.Err, Held: ports.Held{
			Project:  r.HeldProject,
			Key:      r.HeldKey,
			Group:    r.HeldGroup,
			Until:    r.HeldUntil,
			Failures: r.SetAside,
		}}
		if l.Err == nil {
			l.Err = fault.Survive(func() (err error) {
				l.Item, err = w.Item(r.Row.Value)
				return err
			})
		}
		list = append(list, l)
	}
	return list, nil
}

func (w Queue[R, T]) SetAside(ctx context.Context, held ports.Held, reason string) error {
	return w.Table.SetAside(ctx, w.Store, held, reason)
}

func (w Queue[R, T]) Restore(ctx context.Context, held ports.Held) error {
	return w.Table.Restore(ctx, w.Store, held)
}

// SelectGroups skips from one group to the next by the index, no matter how many rows wait in each.
func (q Table) SelectGroups(d db.Dialect) string {
	return fmt.Sprintf(`
WITH RECURSIVE known (name) AS (
  SELECT (SELECT %[2]s FROM %[1]s WHERE %[3]s ORDER BY %[2]s LIMIT 1)
  UNION ALL
  SELECT (SELECT t.%[2]s FROM %[1]s t WHERE %[3]s AND t.%[2]s > known.name ORDER BY t.%[2]s LIMIT 1)
  FROM known
  WHERE known.name IS NOT NULL
)
SELECT name
FROM (
  SELECT name, (SELECT %[4]s FROM %[1]s WHERE %[3]s AND %[2]s = known.name ORDER BY %[4]s LIMIT 1) AS due
  FROM known
  WHERE name IS NOT NULL
) AS waiting
WHERE due <= %[5]s
ORDER BY due, name
LIMIT 1000`, q.Table, q.Group, q.Waits, q.Due, d.Moment())
}

// Waiting returns the groups with due rows.
func (q Table) Waiting(ctx context.Context, s *db.DB) ([]string, error) {
	return db.All[string](ctx, s.Read(db.AnyProject), q.SelectGroups(s.Dialect))
}

// ClaimStatement has the parameters group, number of rows, and lease in milliseconds.
func (q Table) ClaimStatement(d db.Dialect) string {
	size, bound, from := "", "", "taken"
	if q.Size != "" { // PostgreSQL locks no rows in a query with window functions
		size = ", " + q.Due + " AS due, " + q.Size + " AS size"
		bound = fmt.Sprintf(`, bounded AS (
  SELECT owner, name
  FROM (SELECT owner, name, size, sum(size) OVER (ORDER BY due, owner, name) AS bytes FROM taken) AS summed
  WHERE bytes <= %d OR bytes = size
)`, q.MostBytes)
		from = "bounded"
	}
	return fmt.Sprintf(`
WITH taken AS MATERIALIZED (
  SELECT project_id AS owner, %[2]s AS name%[11]s
  FROM %[1]s
  WHERE %[3]s = $1
    AND %[4]s
    AND %[5]s <= %[7]s
  ORDER BY %[5]s
  LIMIT $2%[8]s
)%[12]s
UPDATE %[1]s
SET %[6]s = %[7]s + $3
FROM %[13]s AS taken
WHERE project_id = taken.owner
  AND %[2]s = taken.name
RETURNING %[9]s, project_id AS held_project, %[2]s AS held_key, %[3]s AS held_group, %[6]s AS held_until, %[10]s AS set_aside`,
		q.Table, q.Key, q.Group, q.Waits, q.Due, q.Lease, d.Moment(), d.SkipLocked, q.Columns, q.TimesSetAside(), size, bound, from)
}

// TimesSetAside is the number of consecutive times that a row was set aside.
func (q Table) TimesSetAside() string {
	return fmt.Sprintf(`coalesce((
    SELECT aside.failures
    FROM jobs_set_aside AS aside
    WHERE aside.project_id = %[1]s.project_id AND aside.queue = '%[3]s' AND aside.row_id = %[1]s.%[2]s
  ), 0)`, q.Table, q.Key, q.Name)
}

const (
	noteSetAside = `
INSERT INTO jobs_set_aside (project_id, queue, row_id, failures, due_at, error, first_at)
VALUES ($1, $2, $3, 1, %[1]s + $4, $5, %[1]s)
ON CONFLICT (project_id, queue, row_id) DO UPDATE
SET failures = jobs_set_aside.failures + 1, due_at = excluded.due_at, error = excluded.error`

	DeleteSetAside = `
DELETE FROM jobs_set_aside
WHERE project_id = $1
  AND queue = $2
  AND row_id = $3`

	// forgetGone deletes old entries, which are of rows that no longer exist: an existing row is due again within an
	// hour.
	forgetGone = `
DELETE FROM jobs_set_aside
WHERE due_at < %s - $1`

	countSetAside = `
SELECT queue, count(*) AS n
FROM jobs_set_aside
GROUP BY queue`
)

// SetAside postpones a held row and stores an entry.
func (q Table) SetAside(ctx context.Context, s *db.DB, h ports.Held, reason string) error {
	return s.OutsideRequest().InTx(ctx, h.Project, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, fmt.Sprintf(`
UPDATE %s
SET %s = %s + $4
WHERE project_id = $1
  AND %s = $2
  AND %s = $3`, q.Table, q.Retry, t.Dialect.Moment(), q.Key, q.Lease), h.Project, h.Key, h.Until, h.Pause().Milliseconds())
		if err != nil || rows == 0 {
			return err
		}
		return NoteAside(ctx, t, q.Name, h, reason)
	})
}

func NoteAside(ctx context.Context, t *db.Tx, name string, h ports.Held, reason string) error {
	_, err := t.Exec(ctx, fmt.Sprintf(noteSetAside, t.Dialect.Moment()),
		h.Project, name, h.Key, h.Pause().Milliseconds(), asReason(reason))
	return err
}

// asReason shortens a failure to the text that is stored.
func asReason(text string) string {
	text, _, _ = strings.Cut(db.Printable(text), "\n") // without the stack of a panic
	return string([]rune(text)[:min(len([]rune(text)), 500)])
}

// Restore forgets that a row was set aside.
func (q Table) Restore(ctx context.Context, s *db.DB, h ports.Held) error {
	return s.OutsideRequest().Exec(ctx, h.Project, DeleteSetAside, h.Project, q.Name, h.Key)
}

// CountSetAside returns how many rows of each queue are set aside.
func CountSetAside(ctx context.Context, s *db.DB) (map[string]int, error) {
	rows, err := db.All[struct {
		Queue string
		N     int
	}](ctx, s.Read(db.AnyProject), countSetAside)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int, len(rows))
	for _, r := range rows {
		counts[r.Queue] = r.N
	}
	return counts, nil
}

// ForgetSetAside deletes the entries of rows that no longer exist.
func ForgetSetAside(ctx context.Context, s *db.DB) error {
	return s.Exec(ctx, db.AnyProject, fmt.Sprintf(forgetGone, s.Dialect.Moment()), (24 * time.Hour).Milliseconds())
}
