package management

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/id"
)

// once runs an operation that changes something in one transaction with its audit event and with the
// answer to its key. One that only looks like that has the answer to its key kept, and nothing else.
func (h *handlers) once(o operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		v := visitOf(ctx.Context())
		r, _ := humago.Unwrap(ctx)
		if o.dry { // the operation takes its place in the lane by itself
			h.Once.Run(ctx, next, wire.Job[Services]{Owner: keyOwner(v, r), Enter: wire.Unplaced, Phased: true})
			return
		}
		v.confirmed, v.consented = new(bool), new(connecting.Consented)
		var n *note
		h.Once.Run(ctx, next, wire.Job[Services]{
			Owner: keyOwner(v, r), Ahead: o.ahead,
			Enter: func(ctx context.Context) (context.Context, func(), error) { return h.lane(o).Enter(ctx, v.tenant()) },
			Bind: func(ctx huma.Context, s Services) huma.Context {
				n = &note{}
				bound := v
				bound.services, bound.note = &s, n
				return huma.WithValue(ctx, visitKey{}, bound)
			},
			Event: func() *audit.Event { return h.event(ctx.Context(), o, v, n) },
			Then: func() func(huma.Context) huma.Context {
				if n.next == nil {
					return nil
				}
				second := v
				second.next = n.next
				return func(ctx huma.Context) huma.Context { return huma.WithValue(ctx, visitKey{}, second) }
			},
		})
	}
}

// lane is where an operation takes its place. What waits for payment providers does so among payments.
func (h *handlers) lane(o operation) *wire.Lane {
	if o.asks {
		return h.PaymentLane
	}
	return h.Lane
}

// stage is what an operation does after its transaction. Its answer takes the place of the first one,
// unless it fails.
type stage[O any] func(*handlers, context.Context) (*O, error)

// registerStaged adds an operation of two stages. The first one is as of any operation: its change, its
// audit event and its answer to the Idempotency-Key are one transaction. Then the stage that it returns,
// if any, asks a payment provider, and answers with how things stand after that. A crash between the
// two leaves the first answer, such as a pending refund, which the background work goes on with.
func registerStaged[I, O any](h *handlers, tag string, o operation, handler func(*handlers, context.Context, *I) (*O, stage[O], error)) {
	o.asks = true
	register(h, tag, o, func(h *handlers, ctx context.Context, in *I) (*O, error) {
		v := visitOf(ctx)
		if next, second := v.next.(stage[O]); second {
			return next(h, ctx)
		}
		out, next, err := handler(h, ctx, in)
		if next != nil {
			v.note.next = next
		}
		return out, err
	})
}

// keyOwner is whose an idempotency key is: the API key's, for the project that the request names. It is
// not the account's, for another key of it may not be allowed to see the answer.
func keyOwner(v visit, r *http.Request) string {
	if v.caller.Key == nil {
		return ""
	}
	return v.caller.Key.ID.String() + " " + r.Header.Get(projectHeader)
}

// note is what an operation tells the audit log about its change.
type note struct {
	project       id.Project // where the request names none
	target        string
	before, after any
	next          any // the stage that follows; nil: none
}

// noteProject names the project that was opened.
func noteProject(ctx context.Context, p id.Project) {
	n := visitOf(ctx).note
	n.project, n.target = p, p.String()
}

// noteTarget names what was changed, where the path does not.
func noteTarget(ctx context.Context, id string) { visitOf(ctx).note.target = id }

// noteChange tells a thing before and after its change, as the API shows it.
func noteChange(ctx context.Context, before, after any) {
	n := visitOf(ctx).note
	n.before, n.after = before, after
}

// mostNoted is how long a list the audit log takes.
const mostNoted = 20

// noteList tells a list that was written; of a long one, how long it was.
func noteList[T any](ctx context.Context, name string, list []T) {
	if len(list) > mostNoted {
		noteChange(ctx, nil, map[string]int{"count": len(list)})
		return
	}
	noteChange(ctx, nil, map[string]any{name: list})
}

func (h *handlers) event(ctx context.Context, o operation, v visit, n *note) *audit.Event {
	e := &audit.Event{
		ID: h.NewEventID(), Account: v.caller.Account.ID, Key: v.caller.Key.ID, Action: o.id, Target: n.target,
		Address: v.address.String(), RequestID: wire.RequestID(ctx), At: h.Clock.Now(),
	}
	e.Project = n.project
	if v.project != nil {
		e.Project = v.project.ID
	}
	if e.Target == "" {
		e.Target = e.Project.String()
	}
	e.Before, e.After = difference(n.before, n.after)
	return e
}
