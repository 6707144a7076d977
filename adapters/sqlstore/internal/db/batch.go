package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Batch is a transaction whose statements are all known before it begins:
//
//	b := s.reading(project)
//	b.query(&sessions, selectSession, project.String(), session.String())
//	b.query(&items, selectCart, project.String(), session.String())
//	err := b.run(ctx)
//
// On PostgreSQL it is one round trip: lib/pq sends a text without parameters as one message, in which
// the server runs every statement, so arguments are written into the text as literals (literal.go).
// The results come as result sets; statements without rows have none. On SQLite the statements run
// one after the other with bound parameters. Either way the batch commits, or fails as a whole.
type Batch struct {
	store   *DB
	project id.Project
	reads   bool
	steps   []step
	err     error // of an argument
}

type step struct {
	dest      any // nil: the statement has no rows
	statement string
	args      []any
	rows      int // that were read
}

// Read begins a batch that sees one consistent state and writes nothing.
func (s *DB) Read(project id.Project) *Batch {
	return &Batch{
		store:   s,
		project: project,
		reads:   true,
		steps:   make([]step, 0, usualSteps),
	}
}

// Write begins a batch that writes.
func (s *DB) Write(project id.Project) *Batch {
	return &Batch{
		store:   s,
		project: project,
		steps:   make([]step, 0, usualSteps),
	}
}

// usualSteps is the maximum number of statements of most batches.
const usualSteps = 4

// Exec runs one writing statement.
func (s *DB) Exec(ctx context.Context, project id.Project, statement string, args ...any) error {
	b := s.Write(project)
	b.Exec(statement, args...)
	return b.Run(ctx)
}

// Query adds a statement with rows: a SELECT, or a write with RETURNING. dest is a pointer to a slice, which gets all rows,
// to a pointer, which is nil if there is no row, or to a value, which is zero then.
func (b *Batch) Query(dest any, statement string, args ...any) { b.add(dest, statement, args) }

// Exec adds a statement without rows.
func (b *Batch) Exec(statement string, args ...any) { b.add(nil, statement, args) }

func (b *Batch) add(dest any, statement string, args []any) {
	values, err := Plain(args)
	if err != nil && b.err == nil {
		b.err = err
	}
	b.steps = append(b.steps, step{
		dest:      dest,
		statement: statement,
		args:      values,
	})
}

// Run sends the batch and fills the destinations. It retries a batch that lost against another transaction and, if it
// only reads, one that lost its connection.
func (b *Batch) Run(ctx context.Context) error {
	if b.err != nil {
		return translate(ctx, b.err)
	}
	name := "write"
	if b.reads {
		name = "read"
	}
	return b.store.traced(ctx, name, b.send)
}

func (b *Batch) send(ctx context.Context) error {
	send := b.stepByStep
	if b.store.Dialect.OneTrip {
		send = b.oneTrip
	}
	if u := b.store.unit; u.begun() || u != nil && !b.reads {
		return u.step(ctx, b.project, func(conn *sqlx.Conn, prefix string) error {
			if name := u.wanted(); name != nil {
				named := Batch{store: b.store, steps: append([]step{{dest: name, statement: b.store.Dialect.transactionName}}, b.steps...)}
				return named.oneTrip(ctx, conn, prefix, "")
			}
			return send(ctx, conn, prefix, "")
		})
	}
	if !b.reads && b.store.write.group != nil {
		return b.store.grouped(ctx, b.project, func(conn *sqlx.Conn) error { return send(ctx, conn, "", "") })
	}
	pool := b.store.write
	if b.reads {
		pool = b.store.read
	}
	return retry(ctx, func() error {
		return onConn(ctx, pool, b.project, func(conn *sqlx.Conn) error {
			if b.reads {
				return asRetryable(send(ctx, conn, b.begin(), "COMMIT"))
			}
			err := abandoning(ctx, conn, func(ctx context.Context) error { return send(ctx, conn, b.begin(), "COMMIT") })
			if err != nil && ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		})
	})
}

func (b *Batch) begin() string {
	if b.reads {
		return b.store.Dialect.BeginRead(b.project)
	}
	return b.store.Dialect.Begin(b.project)
}

// stepByStep runs each statement between a first and a last one, which may be none.
func (b *Batch) stepByStep(ctx context.Context, conn *sqlx.Conn, first, last string) error {
	if first != "" {
		if err := begin(ctx, conn, first); err != nil {
			return err
		}
	}
	for _, s := range b.steps {
		if err := s.run(ctx, conn); err != nil {
			return translate(ctx, err)
		}
	}
	if last == "" {
		return nil
	}
	return b.store.commit(ctx, conn, transactionName{})
}

func (s step) run(ctx context.Context, conn *sqlx.Conn) error {
	if s.dest == nil {
		_, err := execute(ctx, conn, s.statement, s.args)
		return err
	}
	_, err := fetch(ctx, conn, s.dest, s.statement, s.args)
	return err
}

// oneTrip sends all statements, and the first and last ones, as one text.
func (b *Batch) oneTrip(ctx context.Context, conn *sqlx.Conn, first, last string) error {
	return translate(ctx, b.ask(ctx, conn, first, last))
}

func (b *Batch) ask(ctx context.Context, conn *sqlx.Conn, first, last string) error {
	t := textFor(conn)
	if err := b.write(t, first, last); err != nil {
		return err
	}
	return b.exchange(ctx, conn, t)
}

// exchange sends the text of write, and fills the destinations.
func (b *Batch) exchange(ctx context.Context, conn *sqlx.Conn, t *text) (err error) {
	defer func() { t.sent(err) }()
	return query(ctx, conn, t.String(), nil, func(rows driver.Rows) error { return b.scan(ctx, rows) })
}

// write writes all statements between a first and a last one, which may be none.
func (b *Batch) write(t *text, first, last string) error {
	t.WriteString(t.conn.onConnection(first))
	for _, s := range b.steps {
		if t.Len() > 0 {
			t.WriteString(";\n")
		}
		if err := t.add(s.statement, s.args); err != nil {
			return err
		}
	}
	if last != "" {
		t.WriteString(";\n" + last)
	}
	return nil
}

// scan reads one result set for each step that has rows. The end of the last one is the reply to COMMIT.
func (b *Batch) scan(ctx context.Context, rows driver.Rows) error {
	more := true
	for i := range b.steps {
		s := &b.steps[i]
		if s.dest == nil {
			continue
		}
		if !more {
			return fmt.Errorf("a statement given to query has no rows: %s", s.statement)
		}
		var err error
		if s.rows, err = scan(ctx, rows, s.dest); err != nil {
			return err
		}
		if more, err = nextResultSet(rows); err != nil {
			return err
		}
	}
	if !more {
		return nil
	}
	switch err := rows.Next(nil); {
	case err == nil:
		return errors.New("a statement given to exec has rows")
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}
