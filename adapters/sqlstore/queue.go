package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// queueTable is a table whose rows are worked on in the background. An index over group and due, of the rows
// that wait, is needed.
type queueTable struct {
	name    string // in jobs_set_aside
	table   string
	key     string // the column that names a row, beside project_id
	group   string // the column of the group
	waits   string // whether a row waits, as the index has it
	due     string // when a row that waits is due, as the index has it
	lease   string // the column of the lease's end
	retry   string // the column of when a row that is set aside is due
	columns string
}

// workQueue hands out the rows of a table.
type workQueue[R, T any] struct {
	store *Store
	table queueTable
	lease func(R) ports.Leased[T]
}

func (w workQueue[R, T]) Waiting(ctx context.Context) ([]string, error) {
	return w.table.waiting(ctx, w.store)
}

func (w workQueue[R, T]) Claim(ctx context.Context, lease time.Duration, shares []ports.Share) ([]ports.Leased[T], error) {
	rows, err := claimRows[R](ctx, w.store, w.table, lease, shares)
	list := make([]ports.Leased[T], len(rows))
	for i, r := range rows {
		list[i] = w.lease(r)
	}
	return list, err
}

func (w workQueue[R, T]) SetAside(ctx context.Context, held ports.Held, reason string) error {
	return w.table.setAside(ctx, w.store, held, reason)
}

func (w workQueue[R, T]) Restore(ctx context.Context, held ports.Held) error {
	return w.table.restore(ctx, w.store, held)
}

// moment is the database's clock, asked once in a statement, so that an index can be searched for it.
func (d dialect) moment() string {
	if d.stopped != nil && d.stopped.Load() != 0 {
		return "(SELECT CAST(" + strconv.FormatInt(d.stopped.Load(), 10) + " AS BIGINT))"
	}
	return "(SELECT " + d.clock + ")"
}

// SetClock stops the database's clock at a time, for tests of what the clock decides. The zero time lets it go
// on.
func (s *Store) SetClock(now time.Time) {
	if now.IsZero() {
		s.dialect.stopped.Store(0)
		return
	}
	s.dialect.stopped.Store(toMillis(now))
}

// selectGroups leaps from one group to the next by the index, however much waits in each.
func (q queueTable) selectGroups(d dialect) string {
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
LIMIT 1000`, q.table, q.group, q.waits, q.due, d.moment())
}

// waiting are the groups with due rows.
func (q queueTable) waiting(ctx context.Context, s *Store) ([]string, error) {
	var rows []struct{ Name string }
	b := s.reading(anyProject)
	b.query(&rows, q.selectGroups(s.dialect))
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	groups := make([]string, len(rows))
	for i, r := range rows {
		groups[i] = r.Name
	}
	return groups, nil
}

// claimStatement takes the group, how many rows are wanted, and the lease in milliseconds.
func (q queueTable) claimStatement(d dialect) string {
	return fmt.Sprintf(`
WITH taken AS MATERIALIZED (
  SELECT project_id AS owner, %[2]s AS name
  FROM %[1]s
  WHERE %[3]s = $1
    AND %[4]s
    AND %[5]s <= %[7]s
  ORDER BY %[5]s
  LIMIT $2%[8]s
)
UPDATE %[1]s
SET %[6]s = %[7]s + $3
FROM taken
WHERE project_id = taken.owner
  AND %[2]s = taken.name
RETURNING %[9]s, %[6]s AS held_until, %[10]s AS set_aside`,
		q.table, q.key, q.group, q.waits, q.due, q.lease, d.moment(), d.skipLocked, q.columns, q.timesSetAside())
}

// timesSetAside is how many times in a row a row was set aside.
func (q queueTable) timesSetAside() string {
	return fmt.Sprintf(`coalesce((
    SELECT aside.failures
    FROM jobs_set_aside AS aside
    WHERE aside.project_id = %[1]s.project_id AND aside.queue = '%[3]s' AND aside.row_id = %[1]s.%[2]s
  ), 0)`, q.table, q.key, q.name)
}

// heldRow is what every claim returns of a row beside its own columns.
type heldRow struct {
	HeldUntil int64 `db:"held_until"`
	SetAside  int   `db:"set_aside"`
}

func (r heldRow) held(project, key, group string) ports.Held {
	return ports.Held{
		Project: id.Stored[id.Project](project), Key: key, Group: group, Until: fromMillis(r.HeldUntil), Failures: r.SetAside,
	}
}

// claimRows leases rows of groups. Each group's statement is one of a batch.
func claimRows[R any](ctx context.Context, s *Store, q queueTable, lease time.Duration, shares []ports.Share) ([]R, error) {
	s = s.outside()
	rows := make([][]R, len(shares))
	b := s.writing(anyProject)
	statement := q.claimStatement(s.dialect)
	for i, share := range shares {
		b.query(&rows[i], statement, share.Group, share.Most, lease.Milliseconds())
	}
	if len(shares) == 0 {
		return nil, nil
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	return slices.Concat(rows...), nil
}

// decoded decodes a claimed row. A panic is the row's failure too.
func decoded[T any](held ports.Held, decode func() (T, error)) (l ports.Leased[T]) {
	l.Held = held
	l.Err = fault.Survive(func() (err error) {
		l.Item, err = decode()
		return err
	})
	return l
}

// readable are the rows that can be read, and why the others cannot: for loops, where one row keeps no other waiting.
func readable[R, T any](rows []R, name func(R) string, from func(R) (T, error)) (list []T, failed error) {
	for _, r := range rows {
		var one T
		err := fault.Survive(func() (err error) {
			one, err = from(r)
			return err
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name(r), err))
			continue
		}
		list = append(list, one)
	}
	return list, failed
}

const (
	noteSetAside = `
INSERT INTO jobs_set_aside (project_id, queue, row_id, failures, due_at, error, first_at)
VALUES ($1, $2, $3, 1, %[1]s + $4, $5, %[1]s)
ON CONFLICT (project_id, queue, row_id) DO UPDATE
SET failures = jobs_set_aside.failures + 1, due_at = excluded.due_at, error = excluded.error`

	forgetSetAside = `
DELETE FROM jobs_set_aside
WHERE project_id = $1
  AND queue = $2
  AND row_id = $3`

	// forgetGone are entries of rows that are gone: those that are not come back within an hour.
	forgetGone = `
DELETE FROM jobs_set_aside
WHERE due_at < %s - $1`

	countSetAside = `
SELECT queue, count(*) AS n
FROM jobs_set_aside
GROUP BY queue`
)

// setAside puts a held row off and notes that.
func (q queueTable) setAside(ctx context.Context, s *Store, h ports.Held, reason string) error {
	return s.outside().inTx(ctx, h.Project, func(t *tx) error {
		rows, err := t.exec(ctx, fmt.Sprintf(`
UPDATE %s
SET %s = %s + $4
WHERE project_id = $1
  AND %s = $2
  AND %s = $3`, q.table, q.retry, t.dialect.moment(), q.key, q.lease), h.Project.String(), h.Key, toMillis(h.Until), h.Pause().Milliseconds())
		if err != nil || rows == 0 {
			return err
		}
		return noteAside(ctx, t, q.name, h, reason)
	})
}

func noteAside(ctx context.Context, t *tx, queue string, h ports.Held, reason string) error {
	_, err := t.exec(ctx, fmt.Sprintf(noteSetAside, t.dialect.moment()),
		h.Project.String(), queue, h.Key, h.Pause().Milliseconds(), asReason(reason))
	return err
}

// asReason keeps what is stored of a failure short.
func asReason(text string) string {
	text, _, _ = strings.Cut(printable(text), "\n") // without the stack of a panic
	return string([]rune(text)[:min(len([]rune(text)), 500)])
}

// restore forgets that a row was set aside.
func (q queueTable) restore(ctx context.Context, s *Store, h ports.Held) error {
	b := s.outside().writing(h.Project)
	b.exec(forgetSetAside, h.Project.String(), q.name, h.Key)
	return b.run(ctx)
}

// SetAside is how much work of each queue is set aside.
func (s *Store) SetAside(ctx context.Context) (map[string]int, error) {
	var rows []struct {
		Queue string
		N     int
	}
	b := s.reading(anyProject)
	b.query(&rows, countSetAside)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	counts := make(map[string]int, len(rows))
	for _, r := range rows {
		counts[r.Queue] = r.N
	}
	return counts, nil
}

// ForgetSetAside forgets what was set aside and is gone since.
func (s *Store) ForgetSetAside(ctx context.Context) error {
	b := s.writing(anyProject)
	b.exec(fmt.Sprintf(forgetGone, s.dialect.moment()), (24 * time.Hour).Milliseconds())
	return b.run(ctx)
}
