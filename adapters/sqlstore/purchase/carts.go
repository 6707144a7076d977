package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Carts stores the carts that buyers write.
type Carts struct{ Store *db.DB }

var _ ports.Carts = Carts{}

const (
	selectCheckoutOfCart = `
  AND session_id = $2
  AND from_cart
  AND status IN ('incomplete', 'ready', 'pending', 'processing')`

	// emptyCart is completed by the variants that were bought at list price.
	emptyCart = `
DELETE FROM cart_items
WHERE project_id = $1
  AND session_id = $2
  AND quote_id = ''
  AND variant_id IN `
)

func (v Carts) Cart(ctx context.Context, project id.Project, ask ports.CartAsk) (ports.Cart, error) {
	b := v.Store.Read(project)
	reading := haggling.ReadCart(b, v.Store.Dialect, project, ask)
	var open *CheckoutRow
	if !ask.Session.IsZero() {
		b.Query(&open, selectCheckoutsOf+selectCheckoutOfCart, project, ask.Session)
	}
	if err := b.Run(ctx); err != nil {
		return ports.Cart{}, err
	}
	found := reading.Cart()
	if open != nil {
		found.Checkout = FromCheckoutRow(*open)
	}
	return found, nil
}

func (v Carts) Replace(ctx context.Context, r ports.CartResult) error {
	return haggling.ReplaceCart(ctx, v.Store, r)
}
