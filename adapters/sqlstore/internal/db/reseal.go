package db

import (
	"context"

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

// ResealIn replaces the secrets of the rows that list selects, and returns how many there are. seal returns the
// arguments of update.
func ResealIn[R any](ctx context.Context, t *Tx, list, update string, seal func(R) ([]any, error)) (int, error) {
	var rows []R
	if err := t.Select(ctx, &rows, list+t.Dialect.ForUpdate); err != nil {
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
