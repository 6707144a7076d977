package acp

import (
	"context"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// shortestKey is the minimum length of an idempotency key for requests that create a session, quote, token or checkout. A
// key must be hard to guess, because the same request under the same key gets the same answer.
const shortestKey = 16

// These operations answer with ids or tokens that are capabilities. They open a session if the request names none.
const (
	searchID  = "acp-search"
	quoteID   = "acp-quote"
	initID    = "acp-checkout-init"
	cartPutID = "acp-cart-put"
)

// These are other operations whose names are used in more than one place.
const (
	documentID       = "acp-openapi"
	manifestID       = "acp-manifest"
	productID        = "acp-product"
	availabilityID   = "acp-availability"
	cartID           = "acp-cart"
	cartCancelID     = "acp-cart-cancel"
	checkoutID       = "acp-checkout"
	checkoutReviseID = "acp-checkout-revise"
	checkoutPageID   = "acp-checkout-page"
	sessionID        = "acp-session"
	sessionExtendID  = "acp-session-extend"
	orderID          = "acp-order"
	orderPageID      = "acp-receipt"
	receiptID        = "acp-buyer-receipt"
	returnReadID     = "acp-return"
)

// keyOwner returns the owner of a request's idempotency key: the session or checkout that the request names, or else the
// client's address, which several clients may share.
func (h *handlers) keyOwner(e entry, body []byte) string {
	owner, named := named(e, body)
	if !named {
		owner = "client " + wire.AddressKey(h.ClientAddress(e.Request))
	}
	return e.Caller.Shop.ID.String() + " " + owner
}

// named returns the session or checkout named in a request.
func named(e entry, body []byte) (owner string, ok bool) {
	session, checkout := "", ""
	switch path := e.Operation.Path; {
	case strings.Contains(path, "/sessions/"):
		session = e.Request.PathValue("id")
	case strings.HasSuffix(path, cartPath) && e.Operation.Method == http.MethodDelete:
		session = e.Request.URL.Query().Get("session_id")
	case strings.HasSuffix(path, "/checkout/{id}"):
		checkout = e.Request.PathValue("id")
	default:
		found := wire.Names(body, "session_id", "checkout_id")
		session, checkout = found[0], found[1]
	}
	switch {
	case session != "":
		return "session " + session, true
	case checkout != "":
		return "checkout " + checkout, true
	}
	return "", false
}

// repeat refuses to repeat an answer that opened a session once the session has been used.
func (h *handlers) repeat(ctx context.Context, e entry, body, answer []byte) error {
	if id := e.Operation.OperationID; id != searchID && id != quoteID && id != initID && id != cartPutID {
		return nil
	}
	if _, named := named(e, body); named {
		return nil
	}
	return h.unused(ctx, e.Caller.Shop.ID, answer)
}

// errKeyUsed answers a request that opened a session which has been used since.
var errKeyUsed = fault.New(fault.Conflict, "idempotency_key_used",
	"The session that this request opened has been used since. Name it by its session_id, or send another Idempotency-Key.")

// unused refuses to repeat an answer that opened a session once the session has been used. A client whose answer was lost has not
// used its session. Otherwise a stranger behind the same address could get into the session by sending the same request under the
// same key.
func (h *handlers) unused(ctx context.Context, shop id.Project, answer []byte) error {
	opened, err := id.Parse[id.Session](wire.Names(answer, "session_id")[0])
	if err != nil {
		return nil // a refusal, which opened none
	}
	visit, err := h.Stores.Sessions.Visit(ctx, shop, opened)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return errKeyUsed
	case err != nil:
		return err
	case visit.Session.Used() || len(visit.History) > 1:
		return errKeyUsed
	}
	return nil
}
