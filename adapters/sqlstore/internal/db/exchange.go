package db

import (
	"context"
	"errors"
	"time"
)

// On PostgreSQL a transaction saves two round trips: BEGIN is sent with its first statement, and COMMIT with the
// effects that Last keeps for it. The first text also queries the transaction's name, so that the outcome of the COMMIT
// can be queried later.

// endTimeout bounds COMMIT and the statements that are sent with it. Like a single COMMIT they no longer observe the
// request's context.
const endTimeout = 8 * time.Second

// send sends statements as one text, with the statements due before them and an optional end.
func (t *Tx) send(ctx context.Context, steps []step, end string) error {
	if t.broken != nil {
		return t.broken
	}
	before := make([]step, 0, 2)
	if t.first != "" && t.name != nil {
		before = append(before, step{dest: t.name, statement: t.Dialect.transactionName})
	}
	due := t.last
	if due != nil {
		before = append(before, due.step)
	}
	all := Batch{steps: append(before, steps...)}
	text := textFor(t.conn)
	if err := all.write(text, t.first, end); err != nil {
		return err
	}
	t.first, t.last = "", nil
	err := due.explain(all.exchange(ctx, t.conn, text))
	copy(steps, all.steps[len(before):])
	t.broken = err
	return err
}

// begun sends the statements that are due before another one.
func (t *Tx) begun(ctx context.Context) error {
	if t.first == "" && t.last == nil {
		return t.broken
	}
	return t.send(ctx, nil, "")
}

// end commits a transaction.
func (s *DB) end(ctx context.Context, t *Tx) error {
	if t.first != "" {
		if t.last == nil {
			return nil // nothing was done
		}
		if err := t.begun(ctx); err != nil {
			return asRetryable(translate(ctx, err))
		}
	}
	if t.last == nil {
		return s.commit(ctx, t.conn, *t.name)
	}
	return s.committed(ctx, t.conn, *t.name, endTimeout, func(ctx context.Context) error { return t.send(ctx, nil, "COMMIT") })
}

// unsent is the failure of a step of a unit that sent nothing.
type unsent struct{ error }

// sentNothing reports whether err is unsent, and returns the failure itself.
func sentNothing(err error) (failure error, ok bool) {
	var u unsent
	if errors.As(err, &u) {
		return u.error, true
	}
	return err, false
}
