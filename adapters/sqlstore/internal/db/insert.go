package db

import (
	"context"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
)

// Insert runs an INSERT of many rows in chunks. All full chunks have the same text, which is parsed once.
func (t *Tx) Insert(ctx context.Context, statement string, rows [][]any, onConflict string) error {
	if len(rows) == 0 {
		return nil
	}
	if err := t.begun(ctx); err != nil {
		return t.Note(ctx, err)
	}
	most := t.Dialect.MaxRows
	var full *sqlx.Stmt
	if len(rows) >= 2*most {
		var err error
		full, err = t.conn.PreparexContext(ctx, statement+t.placeholders(most, len(rows[0]))+onConflict)
		if err != nil {
			return t.Note(ctx, err)
		}
		defer full.Close()
	}
	for some := range slices.Chunk(rows, most) {
		values, err := Plain(slices.Concat(some...))
		switch {
		case err != nil:
		case full != nil && len(some) == most:
			_, err = full.ExecContext(ctx, values...)
		default:
			_, err = t.conn.ExecContext(ctx, statement+t.placeholders(len(some), len(some[0]))+onConflict, values...)
		}
		if err != nil {
			return t.Note(ctx, err)
		}
	}
	return nil
}

// In returns the right-hand side of a column's IN: one parameter on SQLite, for the reason given at placeholders.
func (d Dialect) In(args *Args, values []string) (string, error) {
	if d.OneTrip {
		return args.List(values), nil
	}
	text, err := ToJSON(values)
	return "(SELECT value FROM json_each(" + args.Add(text) + "))", err
}

// placeholders are the parameters of rows of values: ($1, $2), ($3, $4). On SQLite they have no numbers:
// its driver looks numbered ones up by name, each among all (measured: a third of a batch's time).
func (t *Tx) placeholders(rows, columns int) string {
	if t.Dialect.OneTrip {
		var text strings.Builder
		var args Args
		row := make([]any, columns)
		for i := range rows {
			if i > 0 {
				text.WriteString(",\n  ")
			}
			text.WriteString(args.Row(row...))
		}
		return text.String()
	}
	row := "(" + strings.Repeat("?, ", columns-1) + "?)"
	return strings.Repeat(row+",\n  ", rows-1) + row
}
