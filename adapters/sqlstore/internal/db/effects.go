package db

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Effect is one write of several that belong together.
type Effect struct {
	Statement string
	Args      []any
	// Rows is the number of rows that the statement must write; AnyRows allows any.
	Rows int
	// Short is the fault if it wrote another number of rows.
	Short *fault.Error
}

const AnyRows = -1

// Apply executes effects on different tables and checks how many rows they wrote. On PostgreSQL that is one statement,
// whose effects do not see each other; on SQLite it is one for each.
func (t *Tx) Apply(ctx context.Context, all ...Effect) error {
	if len(all) == 0 {
		return nil
	}
	if err := t.Last(ctx, all...); err != nil {
		return err
	}
	return t.Note(ctx, t.begun(ctx))
}

// Last is Apply for the end of a transaction: on PostgreSQL the effects are sent with COMMIT, in one round trip, so the
// transaction fails if they do. If another statement follows, they are executed before it.
func (t *Tx) Last(ctx context.Context, all ...Effect) error {
	if len(all) == 0 {
		return nil
	}
	if !t.Dialect.OneTrip {
		return t.execEach(ctx, all)
	}
	if t.last != nil {
		if err := t.begun(ctx); err != nil {
			return t.Note(ctx, err)
		}
	}
	var err error
	t.last, err = asCTE(all)
	return t.Note(ctx, err)
}

func (t *Tx) execEach(ctx context.Context, all []Effect) error {
	written := make([]int64, len(all))
	for i, e := range all {
		n, err := t.Exec(ctx, e.Statement, e.Args...)
		if err != nil {
			return err
		}
		written[i] = n
	}
	for i, e := range all {
		if e.Rows != AnyRows && written[i] != int64(e.Rows) {
			return t.Note(ctx, e.Short)
		}
	}
	return nil
}

// effects are one statement on PostgreSQL.
type effects struct {
	of   []Effect
	step step
}

// asCTE makes each effect a data-modifying WITH query. The statement fails if an effect wrote a wrong number of rows,
// by casting a text that names the effect to an integer.
func asCTE(all []Effect) (*effects, error) {
	var text strings.Builder
	var args []any
	between := "WITH "
	for i, e := range all {
		text.WriteString(between)
		fmt.Fprintf(&text, "effect_%d AS (", i)
		renumber(&text, e.Statement, len(args))
		text.WriteString("\nRETURNING 1)")
		args = append(args, e.Args...)
		between = ",\n"
	}
	text.WriteString("\nSELECT CASE")
	for i, e := range all {
		fmt.Fprintf(&text, "\n  WHEN (SELECT count(*) FROM effect_%d) ", i)
		if e.Rows == AnyRows {
			text.WriteString("< 0") // it is counted all the same, so that effects are carried out in their order
		} else {
			fmt.Fprintf(&text, "<> %d", e.Rows)
		}
		fmt.Fprintf(&text, " THEN CAST('effect %[1]d wrote ' || (SELECT count(*) FROM effect_%[1]d) AS INTEGER)", i)
	}
	text.WriteString("\n  ELSE 0\nEND AS written")
	args, err := Plain(args)
	if err != nil {
		return nil, err
	}
	return &effects{all, step{
		dest:      new(int),
		statement: text.String(),
		args:      args,
	}}, nil
}

var wrote = regexp.MustCompile(`effect (\d+) wrote `)

// explain returns the fault of the effect that wrote a wrong number of rows, if err reports that.
func (e *effects) explain(err error) error {
	var pgErr *pq.Error
	if e == nil || !errors.As(err, &pgErr) || pgErr.Code != "22P02" { // invalid_text_representation
		return err
	}
	found := wrote.FindStringSubmatch(pgErr.Message)
	if found == nil {
		return err
	}
	n, _ := strconv.Atoi(found[1])
	return e.of[n].Short
}

// renumber writes a statement with by added to the number of every $n.
func renumber(text *strings.Builder, statement string, by int) {
	for {
		before, rest, found := strings.Cut(statement, "$")
		text.WriteString(before)
		if !found {
			return
		}
		size := 0
		for size < len(rest) && rest[size] >= '0' && rest[size] <= '9' {
			size++
		}
		n, _ := strconv.Atoi(rest[:size])
		var digits [20]byte
		text.WriteByte('$')
		text.Write(strconv.AppendInt(digits[:0], int64(n+by), 10))
		statement = rest[size:]
	}
}
