package db

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Source is where rows are read: a batch, whose last statement is the read, or a transaction.
type Source interface {
	read(ctx context.Context, dest any, query string, args []any) error
}

func (b *Batch) read(ctx context.Context, dest any, query string, args []any) error {
	b.Query(dest, query, args...)
	return b.Run(ctx)
}

func (t *Tx) read(ctx context.Context, dest any, query string, args []any) error {
	return t.Select(ctx, dest, query, args...)
}

// All reads rows, which are structs or single values.
func All[R any](ctx context.Context, from Source, query string, args ...any) (rows []R, err error) {
	if err := from.read(ctx, &rows, query, args); err != nil {
		return nil, err
	}
	return rows, nil
}

// First reads a row; nil: there is none.
func First[R any](ctx context.Context, from Source, query string, args ...any) (row *R, err error) {
	if err := from.read(ctx, &row, query, args); err != nil {
		return nil, err
	}
	return row, nil
}

// One reads a row that must exist. thing names it in the fault, such as "order".
func One[R any](ctx context.Context, from Source, thing, query string, args ...any) (*R, error) {
	row, err := First[R](ctx, from, query, args...)
	if err == nil && row == nil {
		return nil, fault.Missing(thing)
	}
	return row, err
}

// Page reads a page of a list, and counts the list. from begins with FROM and ends in a condition, to which where adds.
func Page[R any](ctx context.Context, b *Batch, columns, from string, where Conditions, order string, page ports.Page) (rows []R, total int, err error) {
	b.Query(&total, "SELECT count(*) AS n"+from+where.Text, where.Args...)
	end := "\nORDER BY " + order + where.Args.Page(page)
	b.Query(&rows, "SELECT "+columns+from+where.Text+end, where.Args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	if rows == nil {
		rows = []R{} // an empty page is no missing one
	}
	return rows, total, nil
}

// Each calls do with each row of a long list. read reads the part of at most Listed rows after the last one, which is nil
// at first.
func Each[R any](read func(last *R) ([]R, error), do func(R) error) error {
	var last *R
	for {
		rows, err := read(last)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := do(r); err != nil {
				return err
			}
		}
		if len(rows) < Listed {
			return nil
		}
		last = &rows[len(rows)-1]
	}
}
