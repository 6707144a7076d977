package history

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
)

// version is the version of the file's format.
const version = "haggle-history 1"

// Export writes a project's records since a time up to now, from SQLite. No server may use the database.
func Export(ctx context.Context, s *db.DB, of Names, from, until time.Time, w io.Writer) error {
	m := &marker{
		names: map[string]string{
			of.Project.String(): "P",
			of.Account.String(): "A",
			of.Member.String():  "M",
		},
		ids:     map[string]string{},
		counts:  map[string]int{},
		derived: map[string]string{},
		from:    from,
		until:   until,
	}
	var body strings.Builder
	err := s.OnWriter(ctx, func(conn *sqlx.Conn) error {
		if err := m.meetSessions(ctx, conn, of.Project); err != nil {
			return err
		}
		for _, t := range tables {
			if err := m.table(ctx, conn, t, of.Project, &body); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
		return m.project(ctx, conn, of.Project, &body)
	})
	if err != nil {
		return err
	}
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	fmt.Fprintf(packed, "%s\t%d\t%d\n", version, until.UnixMilli(), from.UnixMilli())
	for _, kind := range m.kinds {
		fmt.Fprintf(packed, "ids\t%s\t%d\n", kind, m.counts[kind])
	}
	if _, err := io.WriteString(packed, body.String()); err != nil {
		return err
	}
	return packed.Close()
}

// meetSessions numbers the sessions in their order, before anything else names them.
func (m *marker) meetSessions(ctx context.Context, conn *sqlx.Conn, of id.Project) error {
	var all []string
	err := conn.SelectContext(ctx, &all, "SELECT id FROM sessions WHERE project_id = $1 ORDER BY rowid", of.String())
	for _, one := range all {
		m.id(one)
	}
	return err
}

// project writes the counters of the project's row.
func (m *marker) project(ctx context.Context, conn *sqlx.Conn, of id.Project, w io.Writer) error {
	return m.query(ctx, conn, "project", `
SELECT catalog_version, products, agent_revision
FROM projects
WHERE id = $1`, of, w)
}

func (m *marker) table(ctx context.Context, conn *sqlx.Conn, t table, of id.Project, w io.Writer) error {
	var columns []string
	if err := conn.SelectContext(ctx, &columns, "SELECT name FROM pragma_table_info($1) ORDER BY cid", t.name); err != nil {
		return err
	}
	columns = t.columns(columns)
	for i, c := range columns {
		if slices.Contains(t.required, c) {
			columns[i] = "'' AS " + c
		}
	}
	order := t.order
	if order == "" {
		order = "rowid"
	}
	return m.query(ctx, conn, t.name, "SELECT "+strings.Join(columns, ", ")+"\nFROM "+t.name+"\nWHERE project_id = $1\nORDER BY "+order, of, w)
}

// query writes a line that names the columns, and one for each row.
func (m *marker) query(ctx context.Context, conn *sqlx.Conn, name, query string, of id.Project, w io.Writer) error {
	rows, err := conn.QueryxContext(ctx, query, of.String())
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "table\t%s\t%s\n", name, strings.Join(columns, "\t"))
	for rows.Next() {
		values, err := rows.SliceScan()
		if err != nil {
			return err
		}
		fields := make([]string, len(values))
		for i, v := range values {
			if fields[i], err = m.field(v); err != nil {
				return fmt.Errorf("%s: %w", columns[i], err)
			}
		}
		fmt.Fprintf(w, "%s\n", strings.Join(fields, "\t"))
	}
	return rows.Err()
}

// field encodes a value as a text: ~ for null, @ and the time before the end for a time, # for a number, = for a text.
func (m *marker) field(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "~", nil
	case int64:
		at := time.UnixMilli(v)
		switch {
		case m.within(at):
			return "@" + m.before(at), nil
		case at.Year() > 2019 && at.Year() < m.until.Year():
			return "", fmt.Errorf("the time %s is not of the history", at.UTC())
		}
		return "#" + strconv.FormatInt(v, 10), nil
	case string:
		text, err := m.text(v)
		return "=" + escape.Replace(text), err
	}
	return "", fmt.Errorf("a value of type %T cannot be exported", value)
}

var escape = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`)
