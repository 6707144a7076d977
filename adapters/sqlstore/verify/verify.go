// Package verify checks invariants over all projects: of stock, sales, money and the decision record. It repairs
// nothing.
package verify

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

// Invariant is a rule about the rows of the whole database, and the result of its check.
type Invariant struct {
	Holds   string // what holds, in a line
	Checked int64  // of how many rows
	Broken  []Violation
}

// Violation is a row that breaks an invariant.
type Violation struct {
	Project string
	Subject string // its id
	Says    string // what is wrong with it
}

// Count is how many rows a table has, of all projects.
type Count struct {
	Of   string // what they are, such as "orders"
	Rows int64
}

// Verification is the state of all invariants at one moment.
type Verification struct {
	Counts     []Count // what the database holds, so that an empty or a stale copy is noticed
	Invariants []Invariant
	// Undecided is the number of payments and refunds under way, whose outcome is not known yet.
	Undecided int
}

// Violations are those of all invariants.
func (v Verification) Violations() []Violation {
	var all []Violation
	for _, i := range v.Invariants {
		all = append(all, i.Broken...)
	}
	return all
}

// mostViolations is how many violations of one invariant are reported.
const mostViolations = "50"

// promise is an invariant with its statements: one counts the rows to check, one finds those that break it.
type promise struct {
	holds   string
	checked string
	broken  string // selects project, subject and says
	timed   bool   // broken has $1, a time before which what is under way was left alone
}

// counted are the tables whose rows Verify counts.
var counted = []struct{ of, table string }{
	{"shops", "projects"},
	{"products", "products"},
	{"orders", "orders"},
	{"decisions", "decisions"},
	{"ledger transactions", "ledger_transactions"},
}

// resumedWithin is the time after the end of its lease within which a process must have resumed an attempt.
const resumedWithin = 45 * time.Second

// Verify checks every invariant over all projects, in one state of the database, and changes nothing.
// A server may be running on it. checked is called with the number of checked invariants, before the first and after each.
func Verify(ctx context.Context, s *db.DB, now time.Time, checked func(done, of int)) (v Verification, err error) {
	err = s.Snapshot(ctx, db.AnyProject, func(t *db.Tx) error {
		v, err = look(ctx, s, t, now, checked)
		return err
	})
	return v, err
}

func look(ctx context.Context, s *db.DB, t *db.Tx, now time.Time, checked func(done, of int)) (Verification, error) {
	promises := slices.Concat(salePromises, moneyPromises, recordPromises)
	checked(0, len(promises))
	if s.Dialect.OneTrip {
		// Nested loops over a shop's whole history take hours.
		if _, err := t.Exec(ctx, "SET LOCAL enable_nestloop = off"); err != nil {
			return Verification{}, err
		}
	}
	v := Verification{}
	if err := t.Select(ctx, &v.Undecided, selectUndecided); err != nil {
		return Verification{}, err
	}
	for _, c := range counted {
		count := Count{Of: c.of}
		if err := t.Select(ctx, &count.Rows, "SELECT count(*) AS rows FROM "+c.table); err != nil {
			return Verification{}, err
		}
		v.Counts = append(v.Counts, count)
	}
	for i, p := range promises {
		found := Invariant{Holds: p.holds}
		if err := t.Select(ctx, &found.Checked, "SELECT count(*) AS checked FROM "+onEngine(s, p.checked)); err != nil {
			return Verification{}, err
		}
		if err := t.Select(ctx, &found.Broken, onEngine(s, firstBroken(p.broken)), p.args(now)...); err != nil {
			return Verification{}, err
		}
		v.Invariants = append(v.Invariants, found)
		checked(i+1, len(promises))
	}
	return v, nil
}

// Undecided is how many payments and refunds are under way.
func Undecided(ctx context.Context, s *db.DB) (int, error) {
	n, err := db.First[int](ctx, s.Read(db.AnyProject), selectUndecided)
	if err != nil {
		return 0, err
	}
	return *n, nil
}

// firstBroken skips projects that are being deleted, because only a part of their rows is left. It keeps PostgreSQL
// from planning for an early first row, because mostly there is none.
func firstBroken(all string) string {
	return "WITH broken AS MATERIALIZED (" + all + "\n)\nSELECT project, subject, says\nFROM broken" +
		"\nWHERE project NOT IN (SELECT id FROM projects WHERE status = 'deleting')\nLIMIT " + mostViolations
}

func (p promise) args(now time.Time) []any {
	if !p.timed {
		return nil
	}
	return []any{db.Millis(now.Add(-resumedWithin))}
}

var jsonMark = regexp.MustCompile(`\{(each|json) ([a-z_.]+)\}`)

// onEngine writes out {each column}, the elements of a JSON list as rows with a value, and {json
// column}, a JSON text to be looked into with -> and ->>.
func onEngine(s *db.DB, statement string) string {
	write := map[string]string{"each": "json_each($2)", "json": "$2"}
	if s.Dialect.OneTrip {
		write = map[string]string{"each": "LATERAL (SELECT jsonb_array_elements(CAST($2 AS JSONB)) AS value)", "json": "CAST($2 AS JSONB)"}
	}
	return jsonMark.ReplaceAllStringFunc(statement, func(mark string) string {
		kind := jsonMark.FindStringSubmatch(mark)[1]
		return jsonMark.ReplaceAllString(mark, write[kind])
	})
}
