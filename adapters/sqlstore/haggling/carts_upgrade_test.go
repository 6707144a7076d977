package haggling_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Lines of carts of earlier releases are numbered in the order in which they are shown.
func TestSessions_Visit_cartOfEarlierRelease(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, store *storetest.Store) {
		s := porttest.OpenShop(t, storetest.Views(store))
		sess, other, p := s.Session(), s.Session(), s.Product(5)
		s.Agree(sess, p, 1)
		s.Agree(sess, s.Product(5), 1)
		s.Agree(other, p, 1)
		s.Agree(sess, p, 2) // comes last now
		want := s.Visit(sess.ID).Cart
		table := "CREATE TABLE older (project_id TEXT NOT NULL, session_id TEXT NOT NULL, variant_id TEXT NOT NULL, product_id TEXT NOT NULL, name TEXT NOT NULL, " +
			"quantity INTEGER NOT NULL, price INTEGER NOT NULL, currency TEXT NOT NULL, quote_id TEXT NOT NULL, seq INTEGER NOT NULL, position INTEGER NOT NULL, " +
			"PRIMARY KEY (project_id, session_id, variant_id)) STRICT, WITHOUT ROWID"
		undo := []string{
			table, "INSERT INTO older SELECT project_id, session_id, variant_id, product_id, name, quantity, price, currency, quote_id, seq, position FROM cart_items",
			"DROP TABLE cart_items", "ALTER TABLE older RENAME TO cart_items",
		}
		if store.DB.Dialect.OneTrip {
			undo = []string{
				"ALTER TABLE cart_items DROP CONSTRAINT cart_items_pkey", "ALTER TABLE cart_items DROP COLUMN line",
				"ALTER TABLE cart_items ADD CONSTRAINT cart_items_pkey PRIMARY KEY (project_id, session_id, variant_id)",
			}
		}
		storetest.Upgrade(t, store, 72, append(undo, "DROP INDEX checkouts_cart", "ALTER TABLE checkouts DROP COLUMN from_cart", "ALTER TABLE sessions DROP COLUMN line_seq")...)
		want[0].Line, want[1].Line = 1, 2
		porttest.Same(t, "cart", s.Visit(sess.ID).Cart, want)
		porttest.Same(t, "another cart", lines(s.Visit(other.ID).Cart), []int{1})
		s.PutCart(sess, porttest.AtList(p, 1))
		porttest.Same(t, "the next line", lines(s.Visit(sess.ID).Cart), []int{3})
	})
}

func lines(cart []session.CartItem) (list []int) {
	for _, item := range cart {
		list = append(list, item.Line)
	}
	return list
}
