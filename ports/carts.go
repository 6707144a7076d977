package ports

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Stale means that another request was stored first, so the data that the request was decided by has changed. The
// request is decided again.
var Stale = fault.New(fault.Conflict, "stale", "Another request changed the session in the meantime.")

// CartAsk identifies the cart of a session, and the items to add to it.
type CartAsk struct {
	Session  id.Session // zero: a new one, whose cart is empty
	Tokens   []string   // hashes of checkout tokens
	Products []id.Product
	Refs     []string // products as those of a BasketAsk
}

// Cart is everything that reading, writing and buying a cart needs. The quotes are those of its lines and of the tokens, the
// products those of its lines, of the quotes' bundles and those asked for; what is unknown is left out.
type Cart struct {
	Basket
	Items    []session.CartItem
	LastLine int // the highest number of a line, those that are bought included
	// Checkout is the one that was made of the cart and is incomplete, ready, pending or processing; nil: there is none. Its
	// time may be over.
	Checkout *checkout.Checkout
}

// CartResult is a cart to be stored.
type CartResult struct {
	Session    *session.Session
	NewSession bool
	Touched    session.Touched
	Before     []session.CartItem // as it was read
	After      session.Cart
}

// Carts keeps the carts that buyers write.
type Carts interface {
	// Cart is one consistent read.
	Cart(ctx context.Context, project id.Project, ask CartAsk) (Cart, error)
	// Replace stores a cart, and what its request changed of the session. If a line of Before has changed, lines were
	// written since, or one of After's new lines exists: Conflict Stale, and nothing is stored. Lines that accepted
	// quotes added meanwhile stay.
	Replace(ctx context.Context, r CartResult) error
}
