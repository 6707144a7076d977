package wire

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Mount is an API on the request pipeline. C is what the API knows about a caller, S the stores that its handlers use. A request
// for any operation passes these stages:
//
//  1. Steps, in their order: they find the tenant, authenticate, count the request, and check its URL and headers.
//  2. The body is read, and the idempotency key looked up. A repeated request gets its first answer, and ends here.
//  3. The operation takes a place in its Lane.
//  4. A transaction begins, where the operation's mode says so.
//  5. The handler runs.
//  6. The audit event and the answer to the key are recorded in the same transaction, which commits.
//  7. The answer is sent.
//
// A GET, and a request without key to an API without audit log, has steps 1, 3, 5 and 7 only.
type Mount[C, S any] struct {
	API   huma.API
	Style *Style
	Steps []Step[C]
	// Reread updates a caller whose project has changed, for another attempt; nil: no other attempt is made.
	Reread Step[C]
	// Tenant shares the lanes with other tenants.
	Tenant func(C) string
	// Stores is the whole store. Begin runs work in one transaction of it.
	Stores S
	Begin  Transaction[S]
	Keys   KeyStore
	Rules  KeyRules[C]
	// Audit returns the audit event of a request that succeeded; nil: the API has no audit log.
	Audit func(context.Context, Entry[C], Note) *audit.Event

	stores map[string]Store[C, S] // by the id of the operation whose body they store
}

// Step is a middleware before the handler. It may add to the caller, and refuses the request by returning an error.
type Step[C any] func(*Entry[C]) error

// Entry is a request on its way to the handler.
type Entry[C any] struct {
	Writer    http.ResponseWriter
	Request   *http.Request
	Operation *huma.Operation
	Caller    C
}

// Check is the step that refuses what no operation accepts: text that is not UTF-8 or has NUL characters in path or query, bodies
// that are not JSON, and encoded bodies.
func Check[C any](e *Entry[C]) error { return checkRequest(e.Request, e.Operation) }

// Transaction runs work with the stores of one transaction, and reports whether the transaction was committed, or may have been.
// It first claims the key, if there is one, and returns ports.ErrKeyTaken if another request has it. work may run more than once.
// If work returns an error, the transaction is rolled back.
type Transaction[S any] func(ctx context.Context, claim *ports.KeyUsage, work func(S, ports.Records) error) (committed bool, err error)

// Request is what a handler gets in addition to its input.
type Request[C, S any] struct {
	Caller C
	// Stores are those of the request's transaction, or the whole store, as the operation's mode says.
	Stores S
	Note   *Note
	// Keyed reports whether the answer is stored under an idempotency key, to be sent again if the request is repeated.
	Keyed bool
	// Attempt is the number of the attempt of a prepared operation, from 1. Another attempt follows if another request was
	// committed first.
	Attempt int
}

// Note is what a handler notes about its change for the audit log.
type Note struct {
	Project       id.Project // if the request names none
	Target        string
	Before, After any
}

// Operation is a Huma operation and its place in the pipeline.
type Operation struct {
	huma.Operation
	Lane *Lane
	// ShortestKey is the minimum length of its idempotency keys.
	ShortestKey int
	// Deprecated tells clients by when to migrate; nil: the operation is not deprecated.
	Deprecated *Deprecation
	// Finish is called with each answer before it is sent, and may add headers; nil: none.
	Finish Finish
}

// Mode determines when the handler of an operation runs, and with which stores.
type Mode int

const (
	// ReadOnly handlers change nothing, and get the whole store.
	ReadOnly Mode = iota
	// Atomic handlers run within the request's transaction. They cannot call third parties, and may run more than once.
	Atomic
	// Prepared handlers compute their answer before the transaction, may call third parties, and return a Plan for the
	// transaction. If another request was committed first (fault code "stale"), or the project was changed
	// (ports.ProjectChanged), they run again.
	Prepared
	// Claimed is Prepared, with the idempotency key claimed before the handler runs: a second request with the key is
	// refused and asked to try again later, and calls no third party.
	Claimed
	// Staged handlers are Atomic, and return a second stage, which runs after the commit and may call third parties. Its answer
	// replaces the first one, unless it fails. After a crash in between the first answer stands, so it must be true, and
	// background work must do the rest.
	Staged
	// Phased handlers have several transactions of their own with calls of third parties in between, and are idempotent by
	// themselves. Their key is claimed before they run, and their answer is stored afterwards. They have no audit event.
	Phased
)

// Plan is what a prepared handler has prepared.
type Plan[S, O any] struct {
	// Commit writes it in the request's transaction, and returns the answer. It may run more than once.
	Commit func(ctx context.Context, stores S) (*O, error)
	// Discard undoes what the handler did at a third party if the transaction is not committed; nil: nothing to undo.
	Discard func()
}

// Second is the second stage of a staged handler.
type Second[C, S, O any] func(ctx ports.Outbound, rq Request[C, S]) (*O, error)

// AddReadOnly registers an operation of mode ReadOnly.
func AddReadOnly[C, S, I, O any](m *Mount[C, S], op Operation, handle func(context.Context, Request[C, S], *I) (*O, error)) {
	add(m, op, ReadOnly, func(ctx context.Context, c *call[C, S], in *I) (*O, error) {
		return handle(ctx, c.request, in)
	})
}

// AddAtomic registers an operation of mode Atomic.
func AddAtomic[C, S, I, O any](m *Mount[C, S], op Operation, handle func(context.Context, Request[C, S], *I) (*O, error)) {
	add(m, op, Atomic, func(ctx context.Context, c *call[C, S], in *I) (out *O, err error) {
		_, err = c.transact(ctx, func(stores S) (any, error) {
			c.request.Note = &Note{}
			out, err = handle(ctx, c.on(stores), in)
			return out, err
		})
		return out, err
	})
}

// AddPrepared registers an operation of mode Prepared.
func AddPrepared[C, S, I, O any](m *Mount[C, S], op Operation, handle func(ports.Outbound, Request[C, S], *I) (Plan[S, O], error)) {
	add(m, op, Prepared, prepared(handle))
}

// AddClaimed registers an operation of mode Claimed.
func AddClaimed[C, S, I, O any](m *Mount[C, S], op Operation, handle func(ports.Outbound, Request[C, S], *I) (Plan[S, O], error)) {
	add(m, op, Claimed, prepared(handle))
}

// maxAttempts is the largest number of attempts of a prepared operation. An attempt is repeated only because another request was
// committed first.
const maxAttempts = 32

func prepared[C, S, I, O any](handle func(ports.Outbound, Request[C, S], *I) (Plan[S, O], error)) func(context.Context, *call[C, S], *I) (*O, error) {
	return func(ctx context.Context, c *call[C, S], in *I) (out *O, err error) {
		for changed := 0; ; {
			plan, err := handle(ports.NewOutbound(ctx), c.request, in)
			if err != nil {
				return nil, err
			}
			out, err = commitPlan(ctx, c, plan)
			switch {
			case fault.Is(err, "stale") && c.request.Attempt < maxAttempts:
				c.request.Attempt++
			case fault.Is(err, ports.ProjectChanged) && changed < maxAttempts && c.mount.Reread != nil:
				if err := c.mount.Reread(&c.entry); err != nil {
					return nil, err
				}
				c.request.Caller = c.entry.Caller
				changed++
			default:
				return out, err
			}
			c.request.Note = &Note{}
		}
	}
}

// commitPlan commits a plan, and discards it if that fails or panics.
func commitPlan[C, S, O any](ctx context.Context, c *call[C, S], plan Plan[S, O]) (out *O, err error) {
	committed := false
	defer func() {
		if !committed && plan.Discard != nil {
			plan.Discard()
		}
	}()
	committed, err = c.transact(ctx, func(stores S) (any, error) {
		out, err = plan.Commit(ctx, stores)
		return out, err
	})
	return out, err
}

// AddStaged registers an operation of mode Staged. If Second is nil, there is no second stage.
func AddStaged[C, S, I, O any](m *Mount[C, S], op Operation, handle func(context.Context, Request[C, S], *I) (*O, Second[C, S, O], error)) {
	add(m, op, Staged, func(ctx context.Context, c *call[C, S], in *I) (out *O, err error) {
		var second Second[C, S, O]
		_, err = c.transact(ctx, func(stores S) (any, error) {
			c.request.Note = &Note{}
			out, second, err = handle(ctx, c.on(stores), in)
			return out, err
		})
		if err != nil || second == nil {
			return out, err
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), secondTimeout) // continues if the client has gone
		defer cancel()
		last, err := second(ports.NewOutbound(ctx), c.request)
		if err != nil {
			LoggerOf(ctx).WarnContext(ctx, "the first answer stands", "operation", c.entry.Operation.OperationID, "error", err)
			return out, nil
		}
		c.amend(ctx, last)
		return last, nil
	})
}

// AddPhased registers an operation of mode Phased.
func AddPhased[C, S, I, O any](m *Mount[C, S], op Operation, handle func(ports.Outbound, Request[C, S], *I) (*O, error)) {
	add(m, op, Phased, func(ctx context.Context, c *call[C, S], in *I) (*O, error) {
		return handle(ports.NewOutbound(ctx), c.request, in)
	})
}

// carried passes a call through Huma, which passes only a context to the handler. The handler's own context does not contain it.
type carried struct {
	context.Context
	call any
}

// add registers an operation. Its handler takes the call from the context that Huma passes.
func add[C, S, I, O any](m *Mount[C, S], op Operation, mode Mode, handle func(context.Context, *call[C, S], *I) (*O, error)) {
	m.Style.On(&op.Operation)
	if op.ShortestKey > 0 {
		setMetadata(&op.Operation, shortestKey, op.ShortestKey)
	}
	if op.Finish != nil {
		op.Middlewares = append(op.Middlewares, op.Finish.middleware)
	}
	op.Middlewares = append(op.Middlewares, func(ctx huma.Context, next func(huma.Context)) { m.serve(ctx, next, mode, op.Lane) })
	if op.Deprecated != nil {
		op.Deprecated.on(&op.Operation)
	}
	path := RefsOf[I]("path")
	huma.Register(m.API, op.Operation, func(ctx context.Context, in *I) (*O, error) {
		if err := path.Unknown(in); err != nil {
			return nil, err
		}
		c := ctx.(carried).call.(*call[C, S])
		ctx, leave, err := c.enter(ctx.(carried).Context)
		if err != nil {
			return nil, err
		}
		defer leave()
		return handle(ctx, c, in)
	})
}

// Outbound converts ctx to a context for code that may call third parties. It is for requests outside of the pipeline, and for
// steps, which run before any transaction. The caller guarantees that no transaction is open.
func Outbound(ctx context.Context) ports.Outbound { return ports.NewOutbound(ctx) }
