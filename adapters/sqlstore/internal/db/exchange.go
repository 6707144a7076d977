package db

import (
	"context"
	"errors"
	"time"
)

// On PostgreSQL a transaction takes two round trips less than it has parts: BEGIN goes with its first statement, and
// COMMIT with the effects that Last keeps for it. The first text also asks for the transaction's name, so that COMMIT is
// only sent once the transaction can be asked about.

// ending bounds the statements that go with COMMIT, and COMMIT: like COMMIT alone they no longer listen to the request's
// context.
const ending = 8 * time.Second

// send sends statements, with what is due before them and an end, which may be none, as one text.
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

// begun sends what is due before a statement.
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
			return ifUnharmed(translate(ctx, err))
		}
	}
	if t.last == nil {
		return s.commit(ctx, t.conn, *t.name)
	}
	return s.committed(ctx, t.conn, *t.name, ending, func(ctx context.Context) error { return t.send(ctx, nil, "COMMIT") })
}

// unsent is the failure of a step of a unit that sent nothing.
type unsent struct{ error }

// sentNothing reports whether err is that, and returns the failure itself.
func sentNothing(err error) (failure error, ok bool) {
	var u unsent
	if errors.As(err, &u) {
		return u.error, true
	}
	return err, false
}
