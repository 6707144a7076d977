package order

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// A buyer's right to an order is a manage token: it cancels the order and shows its receipt. Each of these is a hash
// of the one before it, so that nobody gets from right to left:
//
//	manage token  om_…   the buyer's; stored nowhere (see app/ordertoken)
//	receipt code  rc_…   a part of the receipt's address; shows the receipt and nothing else
//	token hash    Order.TokenHash, which is stored
const (
	manageTokenPrefix = "om_"
	receiptCodePrefix = "rc_"
)

// ErrTokenRequired answers a buyer who does not show the right to an order.
var ErrTokenRequired = fault.New(fault.Forbidden, "order_token_required",
	"This needs the order's manage_token, which finalize answered, or the session_id that the order was placed in.")

// ManageToken makes the manage token of a secret.
func ManageToken(secret string) string { return manageTokenPrefix + secret }

// ReceiptCode is the receipt code of a manage token.
func ReceiptCode(manageToken string) string {
	sum := sha256.Sum256([]byte("receipt of " + manageToken))
	return receiptCodePrefix + hex.EncodeToString(sum[:16])
}

// HashToken is what is stored of a manage token.
func HashToken(manageToken string) string { return HashReceiptCode(ReceiptCode(manageToken)) }

// HashReceiptCode is what is stored of the manage token that a receipt code is of.
func HashReceiptCode(code string) string { return id.Hash("order of " + code) }

// PlacedIn reports whether a buyer shows the session that the order was placed in.
func (o *Order) PlacedIn(session string) bool {
	return !o.Session.IsZero() && subtle.ConstantTimeCompare([]byte(session), []byte(o.Session.String())) == 1
}
