package ucp

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// errKeyUsed answers a request that opened a cart, checkout or negotiation which has been used since.
var errKeyUsed = fault.New(fault.Conflict, "idempotency_key_used",
	"The object that this request created has been used since. Name it by its id, or send another Idempotency-Key.")

// repeat refuses to repeat an answer that opened a session once the session has been used. An agent whose answer was lost has not
// used the session. Agents that do not sign share the profile that they name, and often an address, so another agent with the
// same request and key would get into the session.
func (h *handlers) repeat(ctx context.Context, e entry, body, answer []byte) error {
	if e.Caller.Agent.Verified || wire.Names(body, "cart_id")[0] != "" {
		return nil
	}
	ids, shop := wire.Names(answer, "id", "cart_id"), e.Caller.Shop.ID // a refusal has none, because it opened nothing
	switch strings.TrimSuffix(e.Operation.OperationID, "-"+h.version.date) {
	case createCartID:
		return h.unused(ctx, shop, ids[0])
	case startNegotiationID:
		return h.unused(ctx, shop, ids[1])
	case createCheckoutID:
		return h.unusedCheckout(ctx, shop, ids[0])
	}
	return nil
}

func (h *handlers) unused(ctx context.Context, shop id.Project, cart string) error {
	opened, err := id.Parse[id.Session](cart)
	if err != nil {
		return nil
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

// unusedCheckout checks the checkout's session only if it was opened together with the checkout. A checkout in an earlier session
// required the code of a deal, which cannot be guessed.
func (h *handlers) unusedCheckout(ctx context.Context, shop id.Project, of string) error {
	opened, err := id.Parse[id.Checkout](of)
	if err != nil {
		return nil
	}
	c, err := h.Stores.Checkouts.Get(ctx, shop, opened)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return errKeyUsed
	case err != nil:
		return err
	}
	made := c.Snapshot()
	if made.Revision > 1 || made.Status != checkout.Incomplete && made.Status != checkout.Ready {
		return errKeyUsed
	}
	visit, err := h.Stores.Sessions.Visit(ctx, shop, made.Session)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return errKeyUsed
	case err != nil:
		return err
	case visit.Session.CreatedAt.Equal(made.CreatedAt) && visit.Session.Used():
		return errKeyUsed
	}
	return nil
}
