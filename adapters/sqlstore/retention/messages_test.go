package retention_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// says has a buyer of a project ask for a price, and say something.
func says(t *testing.T, s *storetest.Store, sale *porttest.Sale, client, message string) {
	t.Helper()
	r := sale.Answer()
	r.Entry.Message, r.Entry.Client = message, client
	if err := s.Haggling().Save(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// Messages go first. The chain holds their hash, and verifies without them.
func TestRetention_messages(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		says(t, s, sale, "client", "Please.")
		foldAll(t, s)
		for i, want := range []string{"Please.", ""} {
			days := []float64{29, 31}[i]
			retain(t, s, sale.Project(), days)
			list, err := s.Decisions().Sealed(t.Context(), sale.Project(), 1, 10)
			if err != nil || len(list) != 1 {
				t.Fatalf("%d, %v", len(list), err)
			}
			links := []negotiation.Link{negotiation.Link(list[0])}
			if _, broken := negotiation.VerifyChain(negotiation.ChainEnd{}, links); list[0].Message != want || list[0].Client == "client" != (i == 0) || broken != 0 {
				t.Errorf("after %v days %q of %q, broken at %d", days, list[0].Message, list[0].Client, broken)
			}
		}
	})
}

// When its messages are erased, a client's decisions keep one common pseudonym that does not identify the client, so
// that tuning still counts its sessions together. Sessions whose buyers were erased on request count as one client's.
func TestRetention_messagesOfOneClient(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		storetest.Change(t, s, "UPDATE sessions SET expires_at = expires_at + 31536000000") // it stays in use
		for _, client := range []string{"loud", "loud", "loud", "other", ""} {
			says(t, s, sale, client, "Please.")
		}
		foldAll(t, s)
		clients := func() map[string]int {
			t.Helper()
			counts := map[string]int{}
			err := s.Decisions().Negotiations(t.Context(), sale.Project(), ports.NegotiationFilter{To: began.AddDate(1, 0, 0)}, 100, func(n ports.Negotiation) error {
				for _, e := range n.Entries {
					counts[e.Client]++
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return counts
		}
		before := clients()
		retain(t, s, sale.Project(), 31)
		after := clients()
		counts := slices.Sorted(maps.Values(after))
		if len(after) != 3 || !slices.Equal(counts, []int{1, 1, 3}) || before["loud"] != 3 || after["loud"]+after["other"]+after[""]+after[negotiation.Forgotten] > 0 {
			t.Errorf("clients %v, after their messages went %v", before, after)
		}
		if broken, whole := storetest.Tampered(t, s, sale.Project()); broken != 0 || !whole {
			t.Errorf("the chain breaks at %d, whole: %t", broken, whole)
		}

		// A new client comes when the key has been replaced.
		for _, client := range []string{"loud", "loud"} {
			says(t, s, sale, client, "Please.")
		}
		foldAll(t, s)
		retain(t, s, sale.Project(), 62)
		if counts := slices.Sorted(maps.Values(clients())); !slices.Equal(counts, []int{1, 1, 2, 3}) {
			t.Errorf("clients under two keys: %v", counts)
		}

		sale.Checkouts(1, false)
		if done := erased(s, t, sale.Project(), sale.Visit().Session.ID, zoe); done.Messages != 7 {
			t.Errorf("erased %+v", done)
		}
		if got := clients(); len(got) != 1 || got[negotiation.Forgotten] != 7 {
			t.Errorf("erased on request: %v", got)
		}
		if broken, whole := storetest.Tampered(t, s, sale.Project()); broken != 0 || !whole {
			t.Errorf("without pseudonyms the chain breaks at %d, whole: %t", broken, whole)
		}
		if err := s.DB.InTx(t.Context(), sale.Project(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), "UPDATE decisions SET client = 'p_other'")
			return err
		}); err == nil || !strings.Contains(err.Error(), "erased once") {
			t.Errorf("a pseudonym was put in later: %v", err)
		}
	})
}
