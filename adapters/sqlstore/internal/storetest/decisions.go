package storetest

import (
	"fmt"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// SealedShop is a project with so many sealed decisions, and one that is not sealed.
func SealedShop(t *testing.T, s *Store, n int) *porttest.Sale {
	t.Helper()
	sale := porttest.NewSale(t, Views(s))
	for i := range n + 1 {
		if i == n {
			if sealed, err := s.Decisions().Seal(t.Context(), n); sealed != n || err != nil {
				t.Fatalf("%d of %d were sealed (%v)", sealed, n, err)
			}
		}
		r := sale.Answer()
		r.Entry.Agent, r.Entry.Handler, r.Entry.Client = Numbered[id.Agent](1), "haggle", "client"
		r.Entry.Proposal = r.Entry.Offer
		if err := s.Haggling().Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	return sale
}

// UnguardedRecord begins a transaction in which no trigger protects the decisions.
func UnguardedRecord(s *Store) string {
	const drop = "; DROP INDEX decisions_sealed"
	if s.DB.Dialect.OneTrip {
		return "BEGIN; SET LOCAL haggle.project_id = '*'; ALTER TABLE decisions DISABLE TRIGGER USER" + drop
	}
	return "PRAGMA foreign_keys = off; BEGIN IMMEDIATE; DROP TRIGGER decisions_unchanged; DROP TRIGGER decisions_seal; DROP TRIGGER decisions_stay; DROP TRIGGER decisions_erase; DROP TRIGGER decisions_salt" + drop
}

// Tampered returns where the chain of a project breaks after statements, which are rolled back.
func Tampered(t *testing.T, s *Store, project id.Project, statements ...string) (broken int64, whole bool) {
	t.Helper()
	As(t, s, UnguardedRecord(s), func(conn *sqlx.Conn) {
		for _, statement := range statements {
			result, err := conn.ExecContext(t.Context(), statement)
			if err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
			if n, _ := result.RowsAffected(); n == 0 {
				t.Fatalf("%s changes nothing", statement)
			}
		}
		x := s.DB.TxOn(conn)
		var rows []haggling.DecidedRow
		if err := x.Select(t.Context(), &rows, haggling.SelectSealed, project.String(), 1, 100); err != nil {
			t.Fatal(err)
		}
		links := haggling.SealedOf(rows)
		var end negotiation.ChainEnd
		end, broken = negotiation.VerifyChain(negotiation.ChainEnd{}, links)
		var head haggling.ChainRow
		if _, err := x.Get(t.Context(), &head, haggling.SelectChain, project.String()); err != nil {
			t.Fatal(err)
		}
		whole = broken == 0 && end == negotiation.ChainEnd(head)
	})
	if !s.DB.Dialect.OneTrip {
		if _, err := s.DB.WritePool().ExecContext(t.Context(), "PRAGMA foreign_keys = on"); err != nil {
			t.Fatal(err)
		}
	}
	return broken, whole
}

// WholeChain checks a chain in parts.
func WholeChain(tb testing.TB, s *Store, project id.Project) error {
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
		var broken int64
		if end, broken = negotiation.VerifyChain(end, part); broken != 0 {
			return fmt.Errorf("the chain breaks at %d", broken)
		}
	}
	head, err := s.Decisions().Head(tb.Context(), project)
	if err == nil && head != (ports.ChainHead{Position: end.Position, Hash: end.Hash}) {
		err = fmt.Errorf("the chain ends at %v, and its head is %v", end, head)
	}
	return err
}
