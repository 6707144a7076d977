package sqlstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// sealedShop is a project with so many sealed decisions, and one that is not sealed.
func sealedShop(t *testing.T, s *Store, n int) *porttest.Sale {
	t.Helper()
	sale := porttest.NewSale(t, views(s))
	for i := range n + 1 {
		if i == n {
			if sealed, err := s.Decisions().Seal(t.Context(), n); sealed != n || err != nil {
				t.Fatalf("%d of %d were sealed (%v)", sealed, n, err)
			}
		}
		r := sale.Answer()
		r.Entry.Agent, r.Entry.Handler, r.Entry.Client = numbered[id.Agent](1), "haggle", "client"
		r.Entry.Proposal = r.Entry.Offer
		if err := s.Haggling().Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	return sale
}

// recordColumns are the columns of decisions but those of the chain.
func recordColumns(t *testing.T, s *Store) []string {
	t.Helper()
	var names []string
	query := "SELECT name FROM pragma_table_info('decisions')"
	if s.db.Dialect.OneTrip {
		query = "SELECT column_name FROM information_schema.columns WHERE table_name = 'decisions'"
	}
	if err := s.db.ReadPool().SelectContext(t.Context(), &names, query); err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(linkColumns, n) })
	if len(names) < 27 {
		t.Fatalf("decisions has only the columns %v", names)
	}
	return names
}

// linkColumns are those of an entry's place in the chain.
var linkColumns = []string{"position", "hash", "prior", "personal", "salt", "erased_at"}

// falsified is what a column becomes that somebody tampers with.
func falsified(column string) string {
	switch column {
	case "seq", "at", "quantity", "policy_version", "list_price", "opening", "target", "floor", "offer", "proposal":
		return column + " + 1000"
	case "price":
		return "NULL"
	case "session_id":
		return "'another'"
	case "currency":
		return "'EUR'"
	case "before":
		return `replace(before, '"rounds":0', '"rounds":1')`
	case "signals":
		return `replace(signals, '"stock":1000000', '"stock":1000001')`
	}
	return column + " || 'x'"
}

// unguardedRecord begins a transaction in which nothing holds the decisions.
func unguardedRecord(s *Store) string {
	const drop = "; DROP INDEX decisions_sealed"
	if s.db.Dialect.OneTrip {
		return "BEGIN; SET LOCAL haggle.project_id = '*'; ALTER TABLE decisions DISABLE TRIGGER USER" + drop
	}
	return "PRAGMA foreign_keys = off; BEGIN IMMEDIATE; DROP TRIGGER decisions_unchanged; DROP TRIGGER decisions_seal; DROP TRIGGER decisions_stay; DROP TRIGGER decisions_erase; DROP TRIGGER decisions_salt" + drop
}

// tampered is where the chain of a project breaks after a statement, which is undone.
func tampered(t *testing.T, s *Store, project id.Project, statements ...string) (broken int64, whole bool) {
	t.Helper()
	as(t, s, unguardedRecord(s), func(conn *sqlx.Conn) {
		for _, statement := range statements {
			result, err := conn.ExecContext(t.Context(), statement)
			if err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
			if n, _ := result.RowsAffected(); n == 0 {
				t.Fatalf("%s changes nothing", statement)
			}
		}
		x := s.db.TxOn(conn)
		var rows []decidedRow
		if err := x.Select(t.Context(), &rows, selectSealed, project.String(), 1, 100); err != nil {
			t.Fatal(err)
		}
		list, err := fromDecidedRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		links := make([]negotiation.Link, len(list))
		for i, d := range list {
			links[i] = negotiation.Link(d)
		}
		var end negotiation.ChainEnd
		end, broken = negotiation.VerifyChain(negotiation.ChainEnd{}, links)
		var head chainRow
		if _, err := x.Get(t.Context(), &head, selectChain, project.String()); err != nil {
			t.Fatal(err)
		}
		whole = broken == 0 && end == negotiation.ChainEnd(head)
	})
	if !s.db.Dialect.OneTrip {
		if _, err := s.db.WritePool().ExecContext(t.Context(), "PRAGMA foreign_keys = on"); err != nil {
			t.Fatal(err)
		}
	}
	return broken, whole
}

func TestTamperingShows(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		project := sealedShop(t, s, 7).Project()
		if broken, whole := tampered(t, s, project); broken != 0 || !whole {
			t.Fatalf("untouched, the chain breaks at %d", broken)
		}
		for _, column := range recordColumns(t, s) {
			statement := "UPDATE decisions SET " + column + " = " + falsified(column) + " WHERE position = 3"
			if broken, _ := tampered(t, s, project, statement); broken != 3 {
				t.Errorf("%s: the chain breaks at %d, want 3", statement, broken)
			}
		}
		for name, c := range map[string]struct {
			statements []string
			broken     int64
		}{
			"a hash":                      {[]string{"UPDATE decisions SET hash = 'x' WHERE position = 5"}, 5},
			"a personal hash":             {[]string{"UPDATE decisions SET personal = 'x' WHERE position = 5"}, 5},
			"a salt":                      {[]string{"UPDATE decisions SET salt = 'x' WHERE position = 5"}, 5},
			"a message, marked as erased": {[]string{"UPDATE decisions SET message = 'x', erased_at = 1 WHERE position = 5"}, 5},
			"a price, marked as erased": {[]string{
				"UPDATE decisions SET message = '', client = '', salt = '', erased_at = 1, price = NULL WHERE position = 5"}, 5},
			"a prior":    {[]string{"UPDATE decisions SET prior = 'x' WHERE position = 5"}, 5},
			"a position": {[]string{"UPDATE decisions SET position = 9 WHERE position = 5"}, 5},
			"unsealed":   {[]string{"UPDATE decisions SET position = NULL, hash = '', prior = '' WHERE position = 5"}, 5},
			"deleted":    {[]string{"DELETE FROM decisions WHERE position = 4"}, 4},
			"deleted, and closed up": {[]string{
				"DELETE FROM decisions WHERE position = 4", "UPDATE decisions SET position = position - 1 WHERE position > 4",
			}, 4},
			"reordered": {[]string{"UPDATE decisions SET position = 8 - position WHERE position IN (2, 6)"}, 2},
			"reordered with their hashes": {[]string{
				"UPDATE decisions SET position = position + 100 WHERE position > 1", "UPDATE decisions SET position = 2 WHERE position = 103",
				"UPDATE decisions SET position = 3 WHERE position = 102", "UPDATE decisions SET position = position - 100 WHERE position > 100",
			}, 2},
			"inserted": {[]string{
				"UPDATE decisions SET position = position + 1 WHERE position > 3",
				"UPDATE decisions SET position = 4, hash = (SELECT hash FROM decisions WHERE position = 3), prior = hash WHERE position IS NULL",
			}, 4},
			"added at the end": {[]string{
				"UPDATE decisions SET position = 8, hash = 'x', prior = (SELECT hash FROM decisions WHERE position = 7) WHERE position IS NULL",
			}, 8},
		} {
			if broken, _ := tampered(t, s, project, c.statements...); broken != c.broken {
				t.Errorf("%s: the chain breaks at %d, want %d", name, broken, c.broken)
			}
		}
		if _, whole := tampered(t, s, project, "DELETE FROM decisions WHERE position = 7"); whole {
			t.Error("without its last link the chain is whole")
		}
	})
}

// What a chain would show the database refuses in the first place.
func TestDecisionsAreOnlyAddedAndSealedOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		project := sealedShop(t, s, 2).Project()
		guarded, begin := "decisions are only added", "BEGIN IMMEDIATE"
		if s.db.Dialect.OneTrip {
			begin = "BEGIN; SET LOCAL haggle.project_id = '*'" // as the owner, who could grant itself everything
		}
		refusal := func(statement string) {
			t.Helper()
			as(t, s, begin, func(conn *sqlx.Conn) {
				if _, err := conn.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), guarded) {
					t.Errorf("%s: %v", statement, err)
				}
			})
		}
		for _, column := range recordColumns(t, s) {
			for _, which := range []string{"position = 1", "position IS NULL"} {
				refusal("UPDATE decisions SET " + column + " = " + falsified(column) + " WHERE " + which)
				refusal("UPDATE decisions SET position = 9, " + column + " = " + falsified(column) + " WHERE " + which)
			}
		}
		refusal("UPDATE decisions SET position = 9 WHERE position = 1")
		refusal("UPDATE decisions SET hash = 'x' WHERE position = 1")
		refusal("UPDATE decisions SET prior = 'x' WHERE position = 1")
		refusal("UPDATE decisions SET position = NULL WHERE position = 1")
		refusal("UPDATE decisions SET hash = 'x' WHERE position IS NULL")
		refusal("UPDATE decisions SET personal = 'x' WHERE position = 1")
		refusal("UPDATE decisions SET salt = 'x' WHERE position = 1")
		refusal("UPDATE decisions SET salt = 'x' WHERE position IS NULL")
		refusal("UPDATE decisions SET erased_at = 1 WHERE position = 1")
		refusal("UPDATE decisions SET message = '', client = '', salt = '' WHERE position = 1")
		refusal("UPDATE decisions SET message = 'x', client = '', salt = '', erased_at = 1 WHERE position = 1")
		refusal("UPDATE decisions SET message = '', client = '', salt = '', erased_at = 1, price = NULL WHERE position = 1")
		refusal("DELETE FROM decisions WHERE position = 1")
		refusal("DELETE FROM decisions WHERE position IS NULL")
		guarded = "versions of policies are only added"
		for _, change := range []string{
			"project_id = 'x'", "agent_id = 'x'", "version = 9", "policy = '{}'", "origin = 'tuned'", "note = 'x'", "created_at = 9",
		} {
			refusal("UPDATE agent_policies SET " + change)
		}
		refusal("DELETE FROM agent_policies")
		if _, whole := tampered(t, s, project); !whole {
			t.Error("the chain is not whole")
		}
	})
}

// A sealer that dies leaves nothing behind, wherever it was.
func TestSealThatDoesNotCommit(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		sale := sealedShop(t, s, 3)
		died := errors.New("died")
		for range 3 {
			err := s.Within(t.Context(), nil, func(view *Store) error {
				if n, err := view.Decisions().Seal(t.Context(), 10); n != 1 || err != nil {
					t.Errorf("%d were sealed (%v)", n, err)
				}
				return died
			})
			if !errors.Is(err, died) {
				t.Fatal(err)
			}
		}
		head, err := s.Decisions().Head(t.Context(), sale.Project())
		if err != nil || head.Position != 3 || head.Unsealed != 1 {
			t.Errorf("the head is %+v (%v)", head, err)
		}
		if n, err := s.Decisions().Seal(t.Context(), 10); n != 1 || err != nil {
			t.Errorf("%d were sealed (%v)", n, err)
		}
		if _, whole := tampered(t, s, sale.Project()); !whole {
			t.Error("the chain is not whole")
		}
	})
}

// Sealers do not wait for each other, and one whose connection is cut is made up for by the others.
func TestSealersWhoseConnectionsAreCut(t *testing.T) {
	t.Parallel()
	s := freshPostgres(t)
	project := sealedShop(t, s, 1).Project()
	as(t, s, s.db.Dialect.Begin(project), func(conn *sqlx.Conn) {
		x := s.db.TxOn(conn)
		var held chainRow
		if ok, err := x.Get(t.Context(), &held, selectChain+s.db.Dialect.ForUpdate, project.String()); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if n, err := s.Decisions().Seal(t.Context(), 10); n != 0 || err != nil {
			t.Errorf("%d were sealed beside another sealer (%v)", n, err)
		}
	})
	p := newPast(5, project, time.UnixMilli(0), time.Hour)
	for len(p.decisions) < 600 {
		p.visit()
	}
	p.store(t, s)
	cut := openStore(t, Config{URL: addressOf(t, s)})
	for {
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Decisions().Seal(t.Context(), 100) // fails, most of the time
		}()
		if _, err := cut.db.WritePool().ExecContext(t.Context(), `
SELECT pg_terminate_backend(pid)
FROM pg_stat_activity
WHERE datname = current_database()
  AND pid <> pg_backend_pid()
  AND state <> 'idle'`); err != nil {
			t.Fatal(err)
		}
		<-done
		if head, err := s.Decisions().Head(t.Context(), project); err != nil || head.Unsealed == 0 {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if err := wholeChain(t, s, project); err != nil {
		t.Error(err)
	}
}

// addressOf is the address of the database that a store is of.
func addressOf(t *testing.T, s *Store) string {
	t.Helper()
	var name string
	if err := s.db.ReadPool().GetContext(t.Context(), &name, "SELECT current_database()"); err != nil {
		t.Fatal(err)
	}
	return pgserver.Shared(t).URL(name)
}

// wholeChain checks a chain in parts.
func wholeChain(tb testing.TB, s *Store, project id.Project) error {
	tb.Helper()
	var end negotiation.ChainEnd
	for {
		part, err := s.Decisions().Sealed(tb.Context(), project, end.Position+1, 1000)
		if err != nil {
			return err
		}
		if len(part) == 0 {
			break
		}
		links := make([]negotiation.Link, len(part))
		for i, d := range part {
			links[i] = negotiation.Link(d)
		}
		var broken int64
		if end, broken = negotiation.VerifyChain(end, links); broken != 0 {
			return fmt.Errorf("the chain breaks at %d", broken)
		}
	}
	head, err := s.Decisions().Head(tb.Context(), project)
	if err == nil && head != (ports.ChainHead{Position: end.Position, Hash: end.Hash}) {
		err = fmt.Errorf("the chain ends at %v, and its head is %v", end, head)
	}
	return err
}

// Decisions are looked up by a quote that is gone, however many there are.
func TestDecisionsOfQuoteAreLookedUp(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		p := storeProject(t, s, 1)
		past := newPast(5, p.ID, time.UnixMilli(0), time.Hour)
		for len(past.decisions) < 2000 {
			past.visit()
		}
		past.store(t, s)
		sealAll(t, s)
		explain := "EXPLAIN QUERY PLAN "
		if s.db.Dialect.OneTrip {
			change(t, s, "RESET ROLE; ANALYZE decisions; ANALYZE quotes")
			explain = "EXPLAIN (COSTS OFF) "
		}
		args := db.Args{p.ID.String()}
		where := decisionsWhere(ports.DecisionFilter{Quote: numbered[id.Quote](1)}, &args)
		values := strings.NewReplacer("$1", "'"+p.ID.String()+"'", "$2", "'quote_1'")
		for _, query := range []string{countDecisions + where, selectDecisions + where + newestDecisions + "20"} {
			plan := planOf(t, s, p.ID, explain+values.Replace(query))
			if !strings.Contains(plan, "decisions_of_quote") || strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN decisions") ||
				strings.Contains(plan, "decisions_newest") {
				t.Errorf("%s\n%s", query, plan)
			}
		}
	})
}
