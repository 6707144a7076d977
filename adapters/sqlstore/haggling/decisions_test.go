package haggling_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// recordColumns are the columns of decisions but those of the chain.
func recordColumns(t *testing.T, s *storetest.Store) []string {
	t.Helper()
	var names []string
	query := "SELECT name FROM pragma_table_info('decisions')"
	if s.DB.Dialect.OneTrip {
		query = "SELECT column_name FROM information_schema.columns WHERE table_name = 'decisions'"
	}
	if err := s.DB.ReadPool().SelectContext(t.Context(), &names, query); err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(n string) bool {
		return n == "probe" || n == "negotiation_id" /* which are for counting and finding */ || slices.Contains(linkColumns, n)
	})
	if len(names) < 27 {
		t.Fatalf("decisions has only the columns %v", names)
	}
	return names
}

// linkColumns are those of an entry's place in the chain.
var linkColumns = []string{"position", "hash", "prior", "personal", "salt", "erased_at"}

// falsified is the value of a column that is tampered with.
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

func TestDecisions_tampered(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := storetest.SealedShop(t, s, 7).Project()
		if broken, whole := storetest.Tampered(t, s, project); broken != 0 || !whole {
			t.Fatalf("untouched, the chain breaks at %d", broken)
		}
		for _, column := range recordColumns(t, s) {
			statement := "UPDATE decisions SET " + column + " = " + falsified(column) + " WHERE position = 3"
			if broken, _ := storetest.Tampered(t, s, project, statement); broken != 3 {
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
			if broken, _ := storetest.Tampered(t, s, project, c.statements...); broken != c.broken {
				t.Errorf("%s: the chain breaks at %d, want %d", name, broken, c.broken)
			}
		}
		if _, whole := storetest.Tampered(t, s, project, "DELETE FROM decisions WHERE position = 7"); whole {
			t.Error("without its last link the chain is whole")
		}
	})
}

// The database refuses changes that would break the chain.
func TestDecisions_unchangeable(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := storetest.SealedShop(t, s, 2).Project()
		guarded, begin := "decisions are only added", "BEGIN IMMEDIATE"
		if s.DB.Dialect.OneTrip {
			begin = "BEGIN; SET LOCAL haggle.project_id = '*'" // as the owner, who could grant itself everything
		}
		refusal := func(statement string) {
			t.Helper()
			storetest.As(t, s, begin, func(conn *sqlx.Conn) {
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
		if _, whole := storetest.Tampered(t, s, project); !whole {
			t.Error("the chain is not whole")
		}
	})
}

// A sealer that dies anywhere leaves no partial writes.
func TestDecisions_Seal_notCommitted(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := storetest.SealedShop(t, s, 3)
		died := errors.New("died")
		for range 3 {
			err := s.Within(t.Context(), nil, func(view *storetest.Store) error {
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
		if _, whole := storetest.Tampered(t, s, sale.Project()); !whole {
			t.Error("the chain is not whole")
		}
	})
}

// Sealers do not wait for each other, and others seal the decisions of one whose connection is cut.
func TestDecisions_Seal_connectionsCut(t *testing.T) {
	t.Parallel()
	s := storetest.FreshPostgres(t)
	project := storetest.SealedShop(t, s, 1).Project()
	storetest.As(t, s, s.DB.Dialect.Begin(project), func(conn *sqlx.Conn) {
		x := s.DB.TxOn(conn)
		var held haggling.ChainRow
		if ok, err := x.Get(t.Context(), &held, haggling.SelectChain+s.DB.Dialect.ForUpdate, project.String()); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if n, err := s.Decisions().Seal(t.Context(), 10); n != 0 || err != nil {
			t.Errorf("%d were sealed beside another sealer (%v)", n, err)
		}
	})
	p := storetest.NewPast(5, project, time.UnixMilli(0), time.Hour)
	for len(p.Decisions) < 600 {
		p.Visit()
	}
	p.Store(t, s)
	cut := storetest.OpenStore(t, sqlstore.Config{URL: addressOf(t, s)})
	for {
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Decisions().Seal(t.Context(), 100) // fails, most of the time
		}()
		if _, err := cut.DB.WritePool().ExecContext(t.Context(), `
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
	if err := storetest.WholeChain(t, s, project); err != nil {
		t.Error(err)
	}
}

// addressOf is the address of the database that a store is of.
func addressOf(t *testing.T, s *storetest.Store) string {
	t.Helper()
	var name string
	if err := s.DB.ReadPool().GetContext(t.Context(), &name, "SELECT current_database()"); err != nil {
		t.Fatal(err)
	}
	return pgserver.Shared(t).URL(name)
}

// Decisions are looked up by a quote that is gone, however many there are.
func TestDecisions_ofQuoteByIndex(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		past := storetest.NewPast(5, p.ID, time.UnixMilli(0), time.Hour)
		for len(past.Decisions) < 2000 {
			past.Visit()
		}
		past.Store(t, s)
		storetest.SealAll(t, s)
		explain := "EXPLAIN QUERY PLAN "
		if s.DB.Dialect.OneTrip {
			storetest.Change(t, s, "RESET ROLE; ANALYZE decisions; ANALYZE quotes")
			explain = "EXPLAIN (COSTS OFF) "
		}
		where := haggling.DecisionsWhere(p.ID, ports.DecisionFilter{Quote: storetest.Numbered[id.Quote](1)}).Text
		values := strings.NewReplacer("$1", "'"+p.ID.String()+"'", "$2", "'quote_1'")
		for _, query := range []string{
			"SELECT count(*) AS n" + haggling.FromDecisions + where,
			haggling.SelectDecisions + where + "\nORDER BY " + haggling.NewestDecisions + "\nLIMIT 20",
		} {
			plan := storetest.PlanOf(t, s, p.ID, explain+values.Replace(query))
			if !strings.Contains(plan, "decisions_of_quote") || strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN decisions") ||
				strings.Contains(plan, "decisions_newest") {
				t.Errorf("%s\n%s", query, plan)
			}
		}
	})
}
