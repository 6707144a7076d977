package acp

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

// shortestKey is the minimum length of an idempotency key for requests that create a session, quote, token or checkout. A
// key must be hard to guess, because the same request under the same key gets the same answer.
const shortestKey = 16

// Operations that are answered by such a right; the first two open a session where the request names none.
const (
	searchID = "acp-search"
	quoteID  = "acp-quote"
	initID   = "acp-checkout-init"
)

// once runs requests that have a key so that each takes effect once.
func (h *handlers) once(phased bool) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		if len(r.Header.Values(wire.KeyHeader)) == 0 {
			next(ctx)
			return
		}
		if err := wire.CheckKey(r, ctx.Operation()); err != nil {
			wire.WriteError(w, r, err)
			return
		}
		shop := ctx.Context().Value(shopKey{}).(*project.Project)
		enter := func(ctx context.Context) (context.Context, func(), error) { return h.Lane.Enter(ctx, shop.ID.String()) }
		if phased { // it enters its own
			enter = wire.Unplaced
		}
		opens := false
		h.Once.Run(ctx, next, wire.Job[Services]{
			Enter: enter,
			OwnerOf: func(body []byte) string {
				owner, named := h.keyOwner(ctx, body)
				opens = !named && (ctx.Operation().OperationID == searchID || ctx.Operation().OperationID == quoteID)
				return shop.ID.String() + " " + owner
			},
			Repeatable: func(ctx context.Context, answer []byte) error {
				if !opens {
					return nil
				}
				return h.unused(ctx, shop.ID, answer)
			},
			Phased: phased,
			Bind:   func(ctx huma.Context, s Services) huma.Context { return huma.WithValue(ctx, servicesKey{}, &s) },
			Event:  func() *audit.Event { return nil }, // the log is about the merchant's changes
		})
	}
}

// keyOwner returns the owner of a request's idempotency key: the session or checkout that the request names, or else the
// client's address, which several clients may share.
func (h *handlers) keyOwner(ctx huma.Context, body []byte) (owner string, named bool) {
	session, checkout := "", ""
	if strings.Contains(ctx.Operation().Path, "/sessions/") {
		session = ctx.Param("id")
	} else {
		found := wire.Names(body, "session_id", "checkout_id")
		session, checkout = found[0], found[1]
	}
	switch {
	case session != "":
		return "session " + session, true
	case checkout != "":
		return "checkout " + checkout, true
	}
	r, _ := humago.Unwrap(ctx)
	return "client " + wire.AddressKey(h.ClientAddress(r)), false
}

// errKeyUsed answers a request that opened a session which has been used since.
var errKeyUsed = fault.New(fault.Conflict, "idempotency_key_used",
	"The session that this request opened has been used since. Name it by its session_id, or send another Idempotency-Key.")

// unused refuses to repeat an answer that opened a session once the session has been used. A client whose answer was lost
// has not used its session. A stranger behind the same address, who sends the same request under the same key, would get
// into it.
func (h *handlers) unused(ctx context.Context, shop id.Project, answer []byte) error {
	opened, err := id.Parse[id.Session](wire.Names(answer, "session_id")[0])
	if err != nil {
		return nil // a refusal, which opened none
	}
	visit, err := h.Sessions.Visit(ctx, shop, opened)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return errKeyUsed
	case err != nil:
		return err
	case !visit.Session.LastActivity.Equal(visit.Session.CreatedAt) || len(visit.History) > 1:
		return errKeyUsed
	}
	return nil
}
