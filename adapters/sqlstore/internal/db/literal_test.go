package db

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

func TestInline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		statement string
		args      []any
		want      string
	}{
		{"SELECT 1", nil, "SELECT 1"},
		{"WHERE a = $1 AND b = $2 OR a = $1", []any{"x", 7}, "WHERE a = 'x' AND b = 7 OR a = 'x'"},
		{"$10 $1", []any{1, 2, 3, 4, 5, 6, 7, 8, 9, "ten"}, "'ten' 1"},
		{"'$1' || $1 || 'it''s $1' || \"$1\"", []any{"x"}, "'$1' || 'x' || 'it''s $1' || \"$1\""},
		{"-- it's $1\nSELECT $1", []any{"x"}, "-- it's $1\nSELECT 'x'"},
		{"SELECT $1 -- $1", []any{"x"}, "SELECT 'x' -- $1"},
		{"a LIKE $1 ESCAPE '\\' AND b = $2", []any{"%", "$1"}, "a LIKE '%' ESCAPE '\\' AND b = '$1'"},
		{"5-$1 - $2", []any{-3, 4}, "5-(-3) - 4"},
		{"$1, $2, $3, $4", []any{nil, true, false, []byte{0, 255}}, `NULL, TRUE, FALSE, '\x00ff'::bytea`},
		{"$1", []any{"it's"}, "'it''s'"},
		{"$1, $2", []any{(*int64)(nil), pointerTo(int64(3))}, "NULL, 3"},
		{"'unfinished $1", []any{"x"}, "'unfinished $1"},
	} {
		values, err := Plain(c.args)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := inline(&text, c.statement, values); err != nil || text.String() != c.want {
			t.Errorf("%s with %v:\n got %s, %v\nwant %s", c.statement, c.args, text.String(), err, c.want)
		}
	}
}

func pointerTo[T any](v T) *T { return &v }

func TestInline_missingArguments(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{"$2", "$0", "$", "$x"} {
		if err := inline(new(strings.Builder), statement, []any{"x"}); err == nil {
			t.Errorf("%s was taken", statement)
		}
	}
}

func TestPlain_refused(t *testing.T) {
	t.Parallel()
	for _, arg := range []any{1.5, struct{}{}, []string{"x"}, money.Of(1, money.USD)} {
		if _, err := Plain([]any{arg}); err == nil {
			t.Errorf("%T was taken", arg)
		}
	}
	for _, text := range []string{"a\x00b", "\xff", "abc\xc3"} {
		if _, err := Plain([]any{text}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: got %v, want Invalid", text, err)
		}
	}
}

// nasty are texts made of what has a meaning in SQL.
var nasty = rapid.OneOf(
	rapid.String(),
	rapid.Map(rapid.SliceOf(rapid.SampledFrom([]string{
		"'", "''", `\`, `\'`, `"`, "$1", "$$", ";", "--", "/*", "*/", "\n", "E'", "COMMIT", "é", "𝄞", "\u2028", "%", "_", "?", ":a",
	})), func(parts []string) string { return strings.Join(parts, "") }),
).Filter(func(s string) bool { return strings.IndexByte(s, 0) < 0 })

// Values written by a batch are read back unchanged by a batch, and do not disturb the statements around them.
func TestBatch_Run_values(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		rapid.Check(t, func(rt *rapid.T) {
			text := nasty.Draw(rt, "text")
			number := rapid.Int64().Draw(rt, "number")
			octets := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(rt, "octets")
			flag := rapid.Bool().Draw(rt, "flag")
			var before, got, after []struct {
				S string
				N int64
				O []byte
				F bool
			}
			const ask = `SELECT CAST($1 AS TEXT) AS s, CAST($2 AS BIGINT) AS n, $3 AS o, $4 = (1 = 1) AS f`
			b := s.Read(NoProject)
			b.Query(&before, ask, "before", 1, []byte{1}, true)
			b.Query(&got, ask, text, number, octets, flag)
			b.Query(&after, ask, "after", 1, []byte{1}, true)
			if err := b.Run(t.Context()); err != nil {
				rt.Fatal(err)
			}
			if len(got) != 1 || got[0].S != text || got[0].N != number || !bytes.Equal(got[0].O, octets) || got[0].F != flag {
				rt.Fatalf("%q, %d, %x, %t came back as %+v", text, number, octets, flag, got)
			}
			if len(before) != 1 || len(after) != 1 || before[0].S != "before" || after[0].S != "after" {
				rt.Fatalf("neighbours: %+v, %+v", before, after)
			}
		})
	})
}

func FuzzInline(f *testing.F) {
	f.Add("SELECT $1 -- '", "it's")
	f.Add(`'\' || $1 || "$1"`, `\'`)
	f.Fuzz(func(t *testing.T, statement, arg string) {
		values, err := Plain([]any{arg})
		if err != nil {
			return
		}
		var text strings.Builder
		if inline(&text, statement, values) == nil && !strings.Contains(statement, "$") && text.String() != statement {
			t.Errorf("%q became %q", statement, text.String())
		}
	})
}
