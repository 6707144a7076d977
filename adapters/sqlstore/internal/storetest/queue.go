package storetest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

var QueueNoon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func Rewrite(t *testing.T, s *Store, statement string, args ...any) {
	t.Helper()
	if err := s.DB.InTx(t.Context(), db.AnyProject, func(x *db.Tx) error {
		_, err := x.Exec(t.Context(), statement, args...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// LapsedCheckout is a checkout whose lease ended at noon.
func LapsedCheckout(t *testing.T, s *Store, sale *porttest.Sale) string {
	t.Helper()
	c := sale.Init(sale.Quote())
	Rewrite(t, s, "UPDATE checkouts\nSET status = 'processing', attempt = 1, lease_until = $2, queue = project_id\nWHERE id = $1",
		c.ID().String(), db.Millis(QueueNoon))
	return c.ID().String()
}

func ClaimAll[T any](t testing.TB, q ports.Queue[T], most int) (list []ports.Leased[T]) {
	t.Helper()
	groups, err := q.Waiting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var shares []ports.Share
	for _, group := range groups {
		shares = append(shares, ports.Share{Group: group, Most: most})
	}
	if list, err = q.Claim(t.Context(), 15*time.Second, shares); err != nil {
		t.Fatal(err)
	}
	return list
}
