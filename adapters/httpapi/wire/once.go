package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Transaction runs work with services whose writes are one transaction, and with what records the
// request in it. work may run more than once. The key that the transaction claims may be nil.
type Transaction[S any] func(ctx context.Context, claim *ports.KeyUse, work func(S, ports.Records) error) error

// Once runs requests so that what they change, what is remembered of it, and their answers are stored
// together; a request that is sent again under its key gets its first answer, and changes nothing.
type Once[S any] struct {
	Keys    ports.IdempotencyKeys
	Records ports.Records
	Vault   ports.Vault // answers hold secrets that are shown once
	Clock   ports.Clock
	Begin   Transaction[S]
	// Replayed hears of every answer that is sent again; nil: nobody does.
	Replayed func()
}

// Job is what one request needs of Once.
type Job[S any] struct {
	Owner string // of the key
	// OwnerOf is the owner of the key of a request with this body; nil: Owner.
	OwnerOf func(body []byte) string
	// Repeatable refuses to send an answer again, by an error; nil: every answer may be sent again.
	Repeatable func(ctx context.Context, answer []byte) error
	// Bind gives the services of the transaction to the operation.
	Bind func(huma.Context, S) huma.Context
	// Event is what the audit log is told of a request that succeeded; nil: nothing.
	Event func() *audit.Event
	// Enter takes a place in the operations' lane, once the body is there; see Lane.Enter.
	Enter func(context.Context) (placed context.Context, leave func(), err error)
	// Phased operations have several transactions, with a charge between them, and are idempotent by
	// themselves. Their key is claimed before and answered after them.
	Phased bool
	// Ahead operations ask others before their transaction begins. Their key is claimed before that: who sends
	// the request again meanwhile does not ask them too, and is told to wait.
	Ahead bool
	// Then is asked once the transaction is committed. What it returns, unless it is nil, runs the
	// operation a second time, outside of any transaction: for what asks others, who may take their time.
	// The answer takes the place of the first one, unless it is an error. So a crash in between, or a
	// request with the same key, meets the first answer, and what that says must be true and be seen to
	// later by somebody else.
	Then func() func(huma.Context) huma.Context
}

// longestSecond is how long a second stage may take. It is more than a provider gets.
const longestSecond = 12 * time.Second

// longestPhased is by when a phased request that gave no answer is given up for lost.
const longestPhased = 30 * time.Second

// errRefused rolls back a request whose answer is an error.
var errRefused = errors.New("the request was refused")

// Run runs an operation and answers.
func (o Once[S]) Run(ctx huma.Context, next func(huma.Context), job Job[S]) {
	r, w := humago.Unwrap(ctx)
	body, whole, err := readBody(r, ctx.Operation())
	switch {
	case err != nil:
		WriteError(w, r, unreadable(err))
		return
	case !whole:
		next(ctx) // which refuses the body
		return
	}
	owner := job.Owner
	if job.OwnerOf != nil {
		owner = job.OwnerOf(body)
	}
	use, err := o.keyUse(r, owner, body)
	if err != nil {
		WriteError(w, r, err)
		return
	}
	if use != nil && o.replay(w, r, *use, job.Repeatable) {
		return
	}
	placed, leave, err := job.Enter(ctx.Context())
	if err != nil {
		WriteError(w, r, err)
		return
	}
	defer leave()
	a := &attempt{ctx: huma.WithContext(ctx, placed), next: next, body: body}
	switch {
	case job.Phased:
		err = o.inPhases(a, use)
	case job.Ahead && use != nil:
		err = o.ahead(a, use, job)
	default:
		err = o.inOne(a, use, use, job)
		if err == nil && job.Then != nil && a.answer.status < http.StatusBadRequest {
			o.goOn(a, use, job.Then())
		}
	}
	switch {
	case errors.Is(err, ports.ErrKeyTaken) && o.replay(w, r, *use, job.Repeatable):
	case err != nil:
		WriteError(w, r, err)
	default:
		a.answer.sendTo(w)
	}
}

// ahead claims the key, runs the operation in one transaction, and frees the key if its answer is not kept.
func (o Once[S]) ahead(a *attempt, use *ports.KeyUse, job Job[S]) error {
	ctx := context.WithoutCancel(a.ctx.Context())
	use.Until = use.At.Add(longestPhased)
	if err := o.Keys.Claim(ctx, *use); err != nil {
		return err
	}
	err := o.inOne(a, nil, use, job)
	if err == nil && (a.answer.status < http.StatusBadRequest || a.answer.lasting()) {
		return nil
	}
	if err := o.Keys.Release(ctx, *use); err != nil {
		LoggerOf(ctx).WarnContext(ctx, "an idempotency key is not free yet", "error", err)
	}
	return err
}

// inOne runs the operation and records its answer in one transaction, which an error rolls back. It begins
// with the claim, if there is one.
func (o Once[S]) inOne(a *attempt, claim, use *ports.KeyUse, job Job[S]) error {
	ctx := a.ctx.Context()
	err := o.Begin(ctx, claim, func(services S, records ports.Records) error {
		a.run(func(c huma.Context) huma.Context { return job.Bind(c, services) })
		if a.answer.status >= http.StatusBadRequest {
			return errRefused
		}
		record := ports.Record{Event: job.Event()}
		if use != nil {
			record.Use, record.Answer = use, o.seal(*use, a.answer)
		}
		return records.Record(ctx, record)
	})
	if !errors.Is(err, errRefused) {
		return err
	}
	if use == nil || !a.answer.lasting() {
		return nil
	}
	o.keep(ctx, *use, a.answer)
	return nil
}

// goOn runs the operation's second stage, also when the client has gone.
func (o Once[S]) goOn(a *attempt, use *ports.KeyUse, bind func(huma.Context) huma.Context) {
	if bind == nil {
		return
	}
	first := a.answer
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx.Context()), longestSecond)
	defer cancel()
	a.run(func(c huma.Context) huma.Context { return bind(huma.WithContext(c, ctx)) })
	if a.answer.status >= http.StatusBadRequest {
		a.answer = first
		return
	}
	if use == nil {
		return
	}
	if err := o.Keys.Amend(ctx, *use, o.seal(*use, a.answer)); err != nil {
		LoggerOf(ctx).WarnContext(ctx, "the first answer stays kept for its idempotency key", "error", err)
	}
}

// keep stores the answer to a request that has nothing to commit with it. If that fails the client gets
// its answer all the same, and may ask again.
func (o Once[S]) keep(ctx context.Context, use ports.KeyUse, answer *captured) {
	if err := o.Records.Record(ctx, ports.Record{Use: &use, Answer: o.seal(use, answer)}); err != nil {
		LoggerOf(ctx).WarnContext(ctx, "an answer is not kept for its idempotency key", "error", err)
	}
}

// inPhases claims the key, runs the operation, and keeps its answer, also when the client has gone.
func (o Once[S]) inPhases(a *attempt, use *ports.KeyUse) error {
	unbound := func(c huma.Context) huma.Context { return c }
	if use == nil {
		a.run(unbound)
		return nil
	}
	ctx := context.WithoutCancel(a.ctx.Context())
	use.Until = use.At.Add(longestPhased)
	if err := o.Keys.Claim(ctx, *use); err != nil {
		return err
	}
	a.run(unbound)
	if a.answer.lasting() {
		o.keep(ctx, *use, a.answer)
	} else if err := o.Keys.Release(ctx, *use); err != nil {
		LoggerOf(ctx).WarnContext(ctx, "an idempotency key is not free yet", "error", err)
	}
	return nil
}

// attempt is one request, whose operation may run several times before it is answered.
type attempt struct {
	ctx    huma.Context
	next   func(huma.Context)
	body   []byte
	answer *captured // the last one
}

func (a *attempt) run(bind func(huma.Context) huma.Context) {
	r, w := humago.Unwrap(a.ctx)
	again := r.WithContext(a.ctx.Context())
	again.Body = io.NopCloser(bytes.NewReader(a.body))
	a.answer = &captured{ResponseWriter: w, header: http.Header{}, asked: a.body}
	a.next(bind(humago.NewContext(a.ctx.Operation(), again, a.answer)))
}

// readBody reads the body that an operation takes up to its limit, and tells whether that was all of
// it. If not, what was read is put back.
func readBody(r *http.Request, op *huma.Operation) (body []byte, whole bool, err error) {
	if op.RequestBody == nil {
		return nil, true, nil
	}
	body, err = io.ReadAll(io.LimitReader(r.Body, op.MaxBodyBytes))
	if err != nil || int64(len(body)) < op.MaxBodyBytes {
		return body, true, err
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	return nil, false, nil
}

// unreadable is a body that did not arrive.
func unreadable(cause error) error {
	message := "The body could not be read."
	if errors.Is(cause, os.ErrDeadlineExceeded) {
		message = "The body took too long to arrive."
	}
	return fault.New(fault.Malformed, "invalid_request", message).Because(cause)
}

// captured is an answer before it is sent.
type captured struct {
	http.ResponseWriter // only its connection is used
	header              http.Header
	status              int
	body                bytes.Buffer
	asked               []byte // the request's body
}

func (c *captured) Header() http.Header { return c.header }

func (c *captured) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
}

func (c *captured) Write(b []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	return c.body.Write(b)
}

func (c *captured) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// SetReadDeadline does nothing: the body has been read, and the connection is not the operation's.
func (c *captured) SetReadDeadline(time.Time) error { return nil }

// lasting tells whether the answer would be the same again: not if it is our failure, if trying again
// may help, or if other headers would, which the fingerprint does not tell apart.
func (c *captured) lasting() bool {
	switch {
	case c.status >= 500, c.status == http.StatusBadRequest, c.status == http.StatusForbidden, c.status == http.StatusUnauthorized:
		return false
	}
	return c.header.Get("Retry-After") == ""
}

func (c *captured) sendTo(w http.ResponseWriter) {
	for name, values := range c.header {
		w.Header()[name] = values
	}
	w.WriteHeader(c.status)
	_, _ = c.body.WriteTo(w) // the client may have gone
}
