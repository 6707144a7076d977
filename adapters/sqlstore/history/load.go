package history

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

// longestLine is how many bytes a row may have.
const longestLine = 1 << 20

// Load writes a history into an unused project, in one transaction. The history then ends at most a day before now.
// Load reports whether it wrote: it does not if the project has products already. random generates bits of ids.
func Load(ctx context.Context, s *db.DB, into Names, now time.Time, random func([]byte), file io.Reader) (loaded bool, err error) {
	f, err := read(file, into, now, random)
	if err != nil {
		return false, err
	}
	return db.InTx(ctx, s, into.Project, func(t *db.Tx) (bool, error) {
		empty, err := db.First[int](ctx, t, "SELECT 1 FROM projects WHERE id = $1 AND catalog_version = 0"+t.Dialect.ForUpdate, into.Project)
		if err != nil || empty == nil {
			return false, err
		}
		return true, f.write(ctx, t, into)
	})
}

// write replaces the agent that the project was opened with by those of the history.
func (f *file) write(ctx context.Context, t *db.Tx, into Names) error {
	kinds, err := booleans(ctx, t)
	if err != nil {
		return err
	}
	for _, before := range []string{"DELETE FROM agents WHERE project_id = $1", "DELETE FROM agent_policies WHERE project_id = $1"} {
		if _, err := t.Exec(ctx, before, into.Project); err != nil {
			return err
		}
	}
	for _, r := range f.tables {
		if r.name == "project" {
			if err := r.count(ctx, t, into, f.began); err != nil {
				return err
			}
			continue
		}
		if err := r.insert(ctx, t, kinds); err != nil {
			return err
		}
	}
	// The slots in the file already count these rows.
	_, err = t.Exec(ctx, "DELETE FROM analytics_pending WHERE project_id = $1", into.Project)
	return err
}

// count sets the counters in the project's row.
func (r rows) count(ctx context.Context, t *db.Tx, into Names, began time.Time) error {
	if len(r.values) != 1 {
		return errors.New("the history has no project")
	}
	args := []any{into.Project, db.Millis(began)}
	var set []string
	for i, c := range r.columns {
		args = append(args, r.values[0][i])
		set = append(set, c+" = $"+strconv.Itoa(i+3))
	}
	_, err := t.Exec(ctx, "UPDATE projects\nSET created_at = $2, updated_at = $2, "+strings.Join(set, ", ")+"\nWHERE id = $1", args...)
	return err
}

func (r rows) insert(ctx context.Context, t *db.Tx, kinds map[string]bool) error {
	for i, c := range r.columns {
		if !kinds[r.name+"."+c] {
			continue
		}
		for _, row := range r.values {
			if n, ok := row[i].(int64); ok {
				row[i] = n != 0
			}
		}
	}
	statement := "INSERT INTO " + r.name + " (" + strings.Join(r.columns, ", ") + ")\nVALUES "
	for _, part := range r.parts(t.Dialect.MaxRows) {
		if err := t.Insert(ctx, statement, part, ""); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

// parts splits the rows into those of one statement each; rows that belong together stay in one part.
func (r rows) parts(most int) (parts [][][]any) {
	i := slices.IndexFunc(tables, func(t table) bool { return t.name == r.name && t.whole != "" })
	if i < 0 {
		return [][][]any{r.values}
	}
	key := slices.Index(r.columns, tables[i].whole)
	for rest := r.values; len(rest) > 0; {
		n := min(most, len(rest))
		for n < len(rest) && n > 1 && rest[n][key] == rest[n-1][key] {
			n--
		}
		parts, rest = append(parts, rest[:n]), rest[n:]
	}
	return parts
}

// booleans are the columns of truth values on PostgreSQL. SQLite has numbers there.
func booleans(ctx context.Context, t *db.Tx) (map[string]bool, error) {
	if !t.Dialect.OneTrip {
		return nil, nil
	}
	all, err := db.All[string](ctx, t, `
SELECT table_name || '.' || column_name
FROM information_schema.columns
WHERE table_schema = 'public'
  AND data_type = 'boolean'`)
	found := make(map[string]bool, len(all))
	for _, c := range all {
		found[c] = true
	}
	return found, err
}

// Outdated returns an error that names a table whose columns in the file differ from those of a schema.
func Outdated(file io.Reader, columnsOf func(table string) []string) error {
	f, err := read(file, Names{}, time.Time{}, func([]byte) {})
	if err != nil {
		return err
	}
	if len(f.tables) != len(tables)+1 {
		return fmt.Errorf("%w: it has %d tables, not %d", ErrOutdated, len(f.tables)-1, len(tables))
	}
	for i, t := range tables {
		want := t.columns(columnsOf(t.name))
		if has := f.tables[i]; has.name != t.name || !slices.Equal(has.columns, want) {
			return fmt.Errorf("%w: it has %s (%s), not %s (%s)", ErrOutdated, has.name, strings.Join(has.columns, ", "), t.name, strings.Join(want, ", "))
		}
	}
	return nil
}

// rows are those of a table.
type rows struct {
	name    string
	columns []string
	values  [][]any
}

// file is a file as it was read, with new ids and times.
type file struct {
	reader
	began  time.Time
	tables []rows
}

// read reads the file with the names and the time of the project that it is for.
func read(packed io.Reader, into Names, now time.Time, random func([]byte)) (*file, error) {
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	f := &file{}
	for number := 1; lines.Scan(); number++ {
		if err := f.line(lines.Text(), into, now, random); err != nil {
			return nil, fmt.Errorf("line %d of the history: %w", number, err)
		}
	}
	return f, lines.Err()
}

func (f *file) line(text string, into Names, now time.Time, random func([]byte)) error {
	fields := strings.Split(text, "\t")
	switch {
	case f.began.IsZero():
		return f.begin(fields, into, now, random)
	case fields[0] == "ids" && len(fields) == 3:
		n, err := strconv.Atoi(fields[2])
		f.draw(fields[1], n)
		return err
	case fields[0] == "table" && len(fields) > 2:
		f.tables = append(f.tables, rows{
			name:    fields[1],
			columns: slices.Clone(fields[2:]),
		})
		return nil
	case len(f.tables) == 0:
		return errors.New("it is of no table")
	}
	t := &f.tables[len(f.tables)-1]
	if len(fields) != len(t.columns) {
		return fmt.Errorf("%s has %d columns, not %d", t.name, len(t.columns), len(fields))
	}
	values := make([]any, len(fields))
	for i, field := range fields {
		var err error
		if values[i], err = f.field(field); err != nil {
			return err
		}
	}
	t.values = append(t.values, values)
	return nil
}

func (f *file) begin(fields []string, into Names, now time.Time, random func([]byte)) error {
	if len(fields) != 3 || fields[0] != version {
		return ErrOutdated
	}
	until, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return err
	}
	from, err := strconv.ParseInt(fields[2], 10, 64)
	by := MovedBy(db.Time(until), now)
	f.began = db.Time(from).Add(by)
	f.reader = reader{
		names:  map[string]string{"P": into.Project.String(), "A": into.Account.String(), "M": into.Member.String()},
		ids:    map[string][]string{},
		until:  db.Time(until).Add(by),
		from:   f.began,
		random: random,
	}
	return err
}
