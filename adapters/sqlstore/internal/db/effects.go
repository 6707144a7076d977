package db

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Effect is one write of several that belong together.
type Effect struct {
	Statement string
	Args      []any
	// Rows is how many the statement has to write; AnyRows leaves it open.
	Rows int
	// Short is what it means that it wrote another number of rows.
	Short *fault.Error
}

const AnyRows = -1

// Apply carries out effects on different tables and checks how many rows they wrote. On PostgreSQL
// that is one statement, whose effects do not see each other; on SQLite one for each.
func (t *Tx) Apply(ctx context.Context, effects ...Effect) error {
	if len(effects) == 0 {
		return nil
	}
	written, err := make([]int, len(effects)), error(nil)
	if t.Dialect.OneTrip {
		err = t.atOnce(ctx, effects, written)
	} else {
		err = t.inTurn(ctx, effects, written)
	}
	if err != nil {
		return err
	}
	for i, e := range effects {
		if e.Rows != AnyRows && written[i] != e.Rows {
			return t.Note(ctx, e.Short)
		}
	}
	return nil
}

func (t *Tx) inTurn(ctx context.Context, effects []Effect, written []int) error {
	for i, e := range effects {
		n, err := t.Exec(ctx, e.Statement, e.Args...)
		if err != nil {
			return err
		}
		written[i] = int(n)
	}
	return nil
}

// atOnce makes each effect a data-modifying WITH query and reads their counts.
func (t *Tx) atOnce(ctx context.Context, effects []Effect, written []int) error {
	var with, counts []string
	var args []any
	for i, e := range effects {
		with = append(with, fmt.Sprintf("effect_%d AS (%s\nRETURNING 1)", i, shifted(e.Statement, len(args))))
		counts = append(counts, fmt.Sprintf("(SELECT count(*) FROM effect_%d)", i))
		args = append(args, e.Args...)
	}
	args, err := Plain(args)
	if err != nil {
		return t.Note(ctx, err)
	}
	statement := "WITH " + strings.Join(with, ",\n") + "\nSELECT " + strings.Join(counts, ", ")
	into := make([]any, len(written))
	for i := range written {
		into[i] = &written[i]
	}
	return t.Note(ctx, t.conn.QueryRowxContext(ctx, statement, args...).Scan(into...))
}

// shifted adds by to the number of every $n.
func shifted(statement string, by int) string {
	before, rest, found := strings.Cut(statement, "$")
	if !found {
		return statement
	}
	size := 0
	for size < len(rest) && rest[size] >= '0' && rest[size] <= '9' {
		size++
	}
	n, _ := strconv.Atoi(rest[:size])
	return before + "$" + strconv.Itoa(n+by) + shifted(rest[size:], by)
}
