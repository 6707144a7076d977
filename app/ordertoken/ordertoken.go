// Package ordertoken derives and verifies manage tokens, which authorize a buyer to manage an order. It stores nothing.
//
// A token is derived from the master key and a random salt that is stored with the order. So a repeated finalize returns the
// same token, no token is stored, and neither the database nor the master key alone reveals one. A token does not help to
// guess the master key. The order also stores a hash of its token (see domain/order).
//
// After the master key was replaced, the hash shows which of the keys the token was issued under. Once that key is gone,
// tokens issued under it are still accepted, and finalize returns another one, derived from the newest key.
//
// Orders of releases without tokens have none: only their session gives access to them.
package ordertoken

import (
	"crypto/subtle"
	"slices"

	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Tokens derives and verifies the tokens of orders.
type Tokens struct{ Secrets ports.DerivedSecrets }

// Assign gives a new order its token.
func (t Tokens) Assign(o *order.Order, salt string) {
	o.TokenSalt = salt
	o.TokenHash = order.HashToken(t.derived(o)[0])
}

// Of returns an order's token, or "" if it has none.
func (t Tokens) Of(o *order.Order) string {
	known := t.derived(o)
	if len(known) == 0 {
		return ""
	}
	i := slices.IndexFunc(known, func(token string) bool { return order.HashToken(token) == o.TokenHash })
	return known[max(i, 0)]
}

// Opens reports whether a manage token is the order's.
func (t Tokens) Opens(o *order.Order, token string) bool { return t.taken(o, order.HashToken(token)) }

// ShowsReceipt reports whether a receipt code is the order's.
func (t Tokens) ShowsReceipt(o *order.Order, code string) bool {
	return t.taken(o, order.HashReceiptCode(code))
}

func (t Tokens) taken(o *order.Order, hash string) bool {
	ok := same(hash, o.TokenHash)
	for _, token := range t.derived(o) {
		ok = same(hash, order.HashToken(token)) || ok
	}
	return ok
}

// derived returns the order's tokens under each of the master keys.
func (t Tokens) derived(o *order.Order) []string {
	if o.TokenSalt == "" {
		return nil
	}
	tokens := t.Secrets.Derive(o.ID.String()+" "+o.TokenSalt, "order token")
	for i, secret := range tokens {
		tokens[i] = order.ManageToken(secret)
	}
	return tokens
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
