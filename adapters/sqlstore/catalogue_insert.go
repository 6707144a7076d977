package sqlstore

import (
	"context"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
)

// insert runs an INSERT of many rows in chunks. The text of full ones is the same, and is read once.
func (t *tx) insert(ctx context.Context, statement string, rows [][]any, onConflict string) error {
	most := t.dialect.maxRows
	var full *sqlx.Stmt
	if len(rows) >= 2*most {
		var err error
		full, err = t.conn.PreparexContext(ctx, statement+t.placeholders(most, len(rows[0]))+onConflict)
		if err != nil {
			return t.note(ctx, err)
		}
		defer full.Close()
	}
	for some := range slices.Chunk(rows, most) {
		values, err := plain(slices.Concat(some...))
		switch {
		case err != nil:
		case full != nil && len(some) == most:
			_, err = full.ExecContext(ctx, values...)
		default:
			_, err = t.conn.ExecContext(ctx, statement+t.placeholders(len(some), len(some[0]))+onConflict, values...)
		}
		if err != nil {
			return t.note(ctx, err)
		}
	}
	return nil
}

// among is what a column is to be IN: one parameter on SQLite, for the reason below.
func (t *tx) among(args *arguments, values []string) (string, error) {
	return t.dialect.among(args, values)
}

func (d dialect) among(args *arguments, values []string) (string, error) {
	if d.oneTrip {
		return args.list(values), nil
	}
	text, err := toJSON(values)
	return "(SELECT value FROM json_each(" + args.add(text) + "))", err
}

// placeholders are the parameters of rows of values: ($1, $2), ($3, $4). On SQLite they have no numbers:
// its driver looks numbered ones up by name, each among all (measured: a third of a batch's time).
func (t *tx) placeholders(rows, columns int) string {
	if t.dialect.oneTrip {
		var text strings.Builder
		var args arguments
		row := make([]any, columns)
		for i := range rows {
			if i > 0 {
				text.WriteString(",\n  ")
			}
			text.WriteString(args.row(row...))
		}
		return text.String()
	}
	row := "(" + strings.Repeat("?, ", columns-1) + "?)"
	return strings.Repeat(row+",\n  ", rows-1) + row
}
