package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

// rowsPerProgress is the number of rows between two calls of Progress.
const rowsPerProgress = 1_000

// Write writes a backup of a snapshot of the database. The header's version and proof are the caller's.
func Write(ctx context.Context, d *db.DB, to io.Writer, h Header, progress Progress) (Summary, error) {
	var s Summary
	err := d.OnWriter(ctx, func(conn *sqlx.Conn) (err error) {
		s, err = write(ctx, conn, d.Dialect, to, h, progress)
		return err
	})
	return s, err
}

// In PostgreSQL a REPEATABLE READ transaction sees one snapshot, and the project * stands for all projects. In SQLite
// every transaction sees one snapshot.
var begin = map[bool][]string{
	true: {
		"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
		"SET LOCAL statement_timeout = 0",
		"SET LOCAL idle_in_transaction_session_timeout = 0",
		"SET LOCAL haggle.project_id = '*'",
	},
	false: {"BEGIN DEFERRED"},
}

func write(ctx context.Context, conn *sqlx.Conn, dialect db.Dialect, to io.Writer, h Header, progress Progress) (Summary, error) {
	postgres := dialect.OneTrip
	for _, statement := range begin[postgres] {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return Summary{}, err
		}
	}
	// Nothing was written, so the transaction, if it is still open, is rolled back here or ends with the connection.
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }()
	h.Format, h.Engine = Format, "sqlite"
	if postgres {
		h.Engine = "postgres"
	}
	var clock int64
	if err := conn.GetContext(ctx, &clock, "SELECT "+dialect.Clock); err != nil {
		return Summary{}, err
	}
	h.At = db.Time(clock).UTC()
	if err := conn.GetContext(ctx, &h.Schema, "SELECT max(version_id) FROM goose_db_version WHERE is_applied"); err != nil {
		return Summary{}, err
	}
	tables, err := catalogued(ctx, conn, postgres)
	if err != nil {
		return Summary{}, err
	}
	w := newWriter(to)
	if err := w.object(h); err != nil {
		return Summary{}, err
	}
	rows := map[string]int64{}
	for _, t := range tables {
		if rows[t.name], err = w.table(ctx, conn, t, progress); err != nil {
			return Summary{}, fmt.Errorf("%s: %w", t.name, err)
		}
	}
	sum := hex.EncodeToString(w.sum.Sum(nil))
	if err := w.object(endLine{rows, sum}); err != nil {
		return Summary{}, err
	}
	return Summary{h, rows, sum}, w.out.Flush()
}

// writer writes lines, and sums up what it wrote.
type writer struct {
	out  *bufio.Writer
	sum  hash.Hash
	line []byte
}

func newWriter(to io.Writer) *writer {
	return &writer{out: bufio.NewWriterSize(to, 1<<16), sum: sha256.New()}
}

func (w *writer) object(v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	return w.send(text.Bytes())
}

func (w *writer) send(line []byte) error {
	w.sum.Write(line)
	_, err := w.out.Write(line)
	return err
}

func (w *writer) table(ctx context.Context, conn *sqlx.Conn, t table, progress Progress) (n int64, err error) {
	if err := w.object(tableLine{t.name, t.names()}); err != nil {
		return 0, err
	}
	rows, err := conn.QueryContext(ctx, "SELECT "+strings.Join(t.names(), ", ")+" FROM "+t.name+" ORDER BY "+strings.Join(t.keys, ", "))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	values := make([]any, len(t.columns))
	into := make([]any, len(t.columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return n, err
		}
		if err := w.row(t, values); err != nil {
			return n, err
		}
		if n++; n%rowsPerProgress == 0 {
			progress(t.name, rowsPerProgress)
		}
	}
	progress(t.name, n%rowsPerProgress)
	return n, rows.Err()
}

func (w *writer) row(t table, values []any) (err error) {
	line := append(w.line[:0], '[')
	for i, v := range values {
		if i > 0 {
			line = append(line, ',')
		}
		if line, err = appendValue(line, v, t.columns[i].kind); err != nil {
			return fmt.Errorf("%s: %w", t.columns[i].name, err)
		}
	}
	w.line = append(line, ']', '\n')
	return w.send(w.line)
}

func appendValue(to []byte, v any, k kind) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(to, "null"...), nil
	case int64:
		return strconv.AppendInt(to, v, 10), nil
	case bool:
		if v {
			return append(to, '1'), nil
		}
		return append(to, '0'), nil
	case []byte:
		if k == binary {
			to = append(to, '"')
			to = base64.StdEncoding.AppendEncode(to, v)
			return append(to, '"'), nil
		}
		return appendText(to, string(v))
	case string:
		return appendText(to, v)
	}
	return nil, fmt.Errorf("a %T cannot be backed up", v)
}

func appendText(to []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("%q is not UTF-8", s)
	}
	quoted, err := json.Marshal(s)
	return append(to, quoted...), err
}
