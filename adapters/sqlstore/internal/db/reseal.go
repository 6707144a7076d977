package db

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
)

// SealedRow is a row of one secret.
type SealedRow struct {
	ProjectID string `db:"project_id"` // empty: the table's rows belong to no project
	ID        string
	Secret    []byte
}

// Reseal is ResealIn in a transaction of its own, which begins with the statements first.
func Reseal[R any](ctx context.Context, s *DB, project id.Project, list, update string, seal func(R) ([]any, error), first ...string) (n int, err error) {
	err = s.InTx(ctx, project, func(t *Tx) (err error) {
		for _, statement := range first {
			if _, err := t.Exec(ctx, statement); err != nil {
				return err
			}
		}
		n, err = ResealIn(ctx, t, list, update, seal)
		return err
	})
	return n, err
}

// ResealParts replaces secrets as ResealIn does, in parts of at most size rows, each in a transaction of its own, so
// that others can write between them and finished parts stay when a later one fails. The first parameters of list are
// the key of the row that it begins after, as many as key has; the next one is size. seal returns the same key before
// other arguments.
func ResealParts[R any](ctx context.Context, s *DB, project id.Project, size int, list, update string, key []any, seal func(R) ([]any, error)) (all int, err error) {
	for {
		n, last := 0, key
		err := s.InTx(ctx, project, func(t *Tx) (err error) {
			n, err = ResealIn(ctx, t, list, update, func(r R) ([]any, error) {
				args, err := seal(r)
				if err == nil {
					last = args[:len(key)]
				}
				return args, err
			}, append(slices.Clip(key), size)...)
			return err
		})
		if err != nil {
			return all, err
		}
		if all += n; n < size {
			return all, nil
		}
		key = last
	}
}

// ResealIn replaces the secrets of the rows that list selects by args, and returns how many there are. seal returns the
// arguments of update.
func ResealIn[R any](ctx context.Context, t *Tx, list, update string, seal func(R) ([]any, error), args ...any) (int, error) {
	var rows []R
	if err := t.Select(ctx, &rows, list+t.Dialect.ForUpdate, args...); err != nil {
		return 0, err
	}
	for _, r := range rows {
		args, err := seal(r)
		if err != nil {
			return 0, err
		}
		if _, err := t.Exec(ctx, update, args...); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}
