package sqlstore_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// Violated constraints are returned as their faults.
func TestStore_brokenConstraints(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		_, writes := storetest.Products(p.ID, 0, 2)
		for _, w := range writes {
			if err := s.Products().Create(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		first, second := writes[0].Product, writes[1].Product
		project := p.ID.String()
		for _, c := range []struct {
			statement string
			args      []any
			kind      fault.Kind
			code      string
		}{
			{`UPDATE products SET sku = $3 WHERE project_id = $1 AND id = $2`, []any{project, first.ID.String(), second.SKU}, fault.Conflict, "sku_taken"},
			{`UPDATE variants SET sku = $3 WHERE project_id = $1 AND product_id = $2`, []any{project, first.ID.String(), second.SKU}, fault.Conflict, "sku_taken"},
			{`UPDATE stock SET quantity = quantity - 11 WHERE project_id = $1`, []any{project}, fault.Conflict, "insufficient_stock"},
			{`UPDATE products SET price = 0 WHERE project_id = $1`, []any{project}, fault.Internal, "internal_error"},
			{`INSERT INTO sessions (project_id, id, loyalty_tier, location, purchase_history, urgency, created_at, last_activity, expires_at)
				VALUES ($1, 'sess_x', '', '', 0, '', 0, 0, 0)`, []any{"proj_unknown"}, fault.NotFound, "project_not_found"},
		} {
			b := s.DB.Write(p.ID)
			if c.kind == fault.NotFound {
				b = s.DB.Write(db.AnyProject)
			}
			b.Exec(c.statement, c.args...)
			err := b.Run(t.Context())
			if fault.KindOf(err) != c.kind || !fault.Is(err, c.code) {
				t.Errorf("%s: got %v, want %s", c.statement, err, c.code)
			}
		}
	})
}
