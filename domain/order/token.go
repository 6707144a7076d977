package order

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// A buyer manages an order with a manage token: it can cancel the order and show its receipt. Each of these is a hash
// of the one before it, so that none can be derived from a later one:
//
//	manage token  om_…   the buyer's; stored nowhere (see app/ordertoken)
//	receipt code  rc_…   a part of the receipt's address; shows the receipt and nothing else
//	token hash    Order.TokenHash, which is stored
const (
	manageTokenPrefix = "om_"
	receiptCodePrefix = "rc_"
)

// ErrTokenRequired refuses a buyer without a token for the order.
var ErrTokenRequired = fault.New(fault.Forbidden, "order_token_required",
	"Send the order's manage_token, which finalize returned, or the session_id in which the order was placed.")

// ManageToken returns the manage token of a secret.
func ManageToken(secret string) string { return manageTokenPrefix + secret }

// ReceiptCode returns the receipt code of a manage token.
func ReceiptCode(manageToken string) string {
	sum := sha256.Sum256([]byte("receipt of " + manageToken))
	return receiptCodePrefix + hex.EncodeToString(sum[:16])
}

// HashToken returns the stored hash of a manage token.
func HashToken(manageToken string) string { return HashReceiptCode(ReceiptCode(manageToken)) }

// HashReceiptCode returns the stored hash of the manage token of a receipt code.
func HashReceiptCode(code string) string { return id.Hash("order of " + code) }

// PlacedIn reports whether session is the session that the order was placed in.
func (o *Order) PlacedIn(session string) bool {
	return !o.Session.IsZero() && subtle.ConstantTimeCompare([]byte(session), []byte(o.Session.String())) == 1
}
