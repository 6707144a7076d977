package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// secondTimeout bounds a second stage. It is longer than the timeout of payment providers.
const secondTimeout = 12 * time.Second

// claimTimeout is how long a key stays claimed if its request ends without an answer.
const claimTimeout = 30 * time.Second

// call is one request of an operation.
type call[C, S any] struct {
	mount   *Mount[C, S]
	mode    Mode
	lane    *Lane
	entry   Entry[C]
	request Request[C, S]

	body   []byte
	use    *ports.KeyUsage // of the request's idempotency key; nil: it has none
	atomic bool            // the pipeline begins a transaction
	placed bool            // in the lane
	kept   bool            // the answer is stored under the key
	taken  error           // that another request has the key

	stored    Stored // the body of an operation that has it stored
	committed bool   // the stored body is in use, and must not be discarded
}

// serve is the pipeline; see Mount.
func (m *Mount[C, S]) serve(ctx huma.Context, next func(huma.Context), mode Mode, lane *Lane) {
	defer func() {
		if cause := recover(); cause != nil {
			if cause != http.ErrAbortHandler {
				cause = operationPanic{m.Style, cause, debug.Stack()}
			}
			panic(cause)
		}
	}()
	r, w := humago.Unwrap(ctx)
	announce(ctx.Operation(), w.Header())
	c := &call[C, S]{
		mount: m,
		mode:  mode,
		lane:  lane,
		entry: Entry[C]{
			Writer:    w,
			Request:   r,
			Operation: ctx.Operation(),
		},
	}
	for _, step := range m.Steps {
		if err := step(&c.entry); err != nil {
			c.refuse(err)
			return
		}
	}
	c.request = Request[C, S]{
		Caller:  c.entry.Caller,
		Stores:  m.Stores,
		Note:    &Note{},
		Attempt: 1,
	}
	if mode == ReadOnly || r.Method == http.MethodGet {
		c.pass(ctx, next)
		return
	}
	if store := m.stores[ctx.Operation().OperationID]; store != nil {
		c.serveStored(ctx, next, store)
		return
	}
	keyed := m.Rules.BodyKey != nil
	if !keyed {
		key := m.Rules.key(r, nil)
		err := Single(r.Header, KeyHeader)
		if err == nil {
			err = m.Rules.check(c.entry.Operation, key)
		}
		if err != nil {
			m.Style.WriteError(w, r, err)
			return
		}
		keyed = key != ""
	}
	if m.Audit == nil && !keyed {
		c.pass(ctx, next)
		return
	}
	c.serveOnce(ctx, next)
}

// refuse answers a request that a step refused. The request that deleted the tenant, sent again, gets its answer.
func (c *call[C, S]) refuse(err error) {
	if c.entry.Request.Method == http.MethodDelete && fault.KindOf(err) == fault.NotFound {
		if use, keyErr := c.keyUse(); keyErr == nil && use != nil && c.replay(*use) {
			return
		}
	}
	c.mount.Style.WriteError(c.entry.Writer, c.entry.Request, err)
}

// pass lets Huma run the handler.
func (c *call[C, S]) pass(ctx huma.Context, next func(huma.Context)) {
	next(huma.WithContext(ctx, carried{ctx.Context(), c}))
}

// enter takes the operation's place in its lane, unless it has one.
func (c *call[C, S]) enter(ctx context.Context) (placed context.Context, leave func(), err error) {
	if c.placed || c.lane == nil {
		return ctx, func() {}, nil
	}
	return c.lane.Enter(ctx, c.mount.Tenant(c.request.Caller))
}

// serveOnce runs an operation whose effect, audit event and answer are stored together.
func (c *call[C, S]) serveOnce(ctx huma.Context, next func(huma.Context)) {
	r, w, style := c.entry.Request, c.entry.Writer, c.mount.Style
	body, whole, err := readBody(r, c.entry.Operation)
	switch {
	case err != nil:
		style.WriteError(w, r, unreadable(err))
		return
	case !whole:
		c.pass(ctx, next) // Huma refuses the body
		return
	}
	c.body = body
	if c.answeredByKey() {
		return
	}
	if c.mode != Phased { // phased handlers enter the lane themselves
		placed, leave, err := c.enter(ctx.Context())
		if err != nil {
			style.WriteError(w, r, err)
			return
		}
		defer leave()
		ctx, c.placed, c.atomic = huma.WithContext(ctx, placed), true, true
	}
	if c.use != nil && (c.mode == Phased || c.mode == Claimed) {
		if err := c.claim(ctx.Context()); err != nil {
			c.refuseKey(err)
			return
		}
	}
	c.answer(ctx, next)
}

// answeredByKey reads the request's key, and reports whether it has answered the request: with the stored answer, or with an
// error about the key.
func (c *call[C, S]) answeredByKey() bool {
	var err error
	if c.use, err = c.keyUse(); err != nil {
		c.mount.Style.WriteError(c.entry.Writer, c.entry.Request, err)
		return true
	}
	c.request.Keyed = c.use != nil
	return c.use != nil && c.replay(*c.use)
}

// answer runs the handler, and stores its answer under the request's key.
func (c *call[C, S]) answer(ctx huma.Context, next func(huma.Context)) {
	answer := c.handle(ctx, next)
	if c.taken != nil {
		c.refuseKey(c.taken)
		return
	}
	c.keep(ctx.Context(), answer)
	answer.sendTo(c.entry.Writer)
}

// claim claims the key before the handler runs. The claim outlives the client.
func (c *call[C, S]) claim(ctx context.Context) error {
	c.use.Until = c.use.At.Add(claimTimeout)
	return c.mount.Keys.Claim(context.WithoutCancel(ctx), *c.use)
}

// refuseKey answers a request whose key another request has claimed, with that request's answer if it is stored by now.
func (c *call[C, S]) refuseKey(err error) {
	if errors.Is(err, ports.ErrKeyTaken) && c.replay(*c.use) {
		return
	}
	c.mount.Style.WriteError(c.entry.Writer, c.entry.Request, c.mount.Rules.translate(err))
}

// handle lets Huma run the handler on the body that was read, and captures the answer.
func (c *call[C, S]) handle(ctx huma.Context, next func(huma.Context)) *captured {
	r := c.entry.Request.WithContext(ctx.Context())
	r.Body = io.NopCloser(bytes.NewReader(c.body))
	answer := &captured{ResponseWriter: c.entry.Writer, header: http.Header{}}
	c.pass(humago.NewContext(c.entry.Operation, r, answer), next)
	return answer
}

// on returns the request with the stores of its transaction.
func (c *call[C, S]) on(stores S) Request[C, S] {
	rq := c.request
	rq.Stores = stores
	return rq
}

// transact runs work, which returns the answer, and records the audit event and the answer in the same transaction. A request
// without a key to an API without an audit log needs no transaction other than work's own.
func (c *call[C, S]) transact(ctx context.Context, work func(S) (answer any, err error)) (committed bool, err error) {
	if !c.atomic {
		_, err := work(c.mount.Stores)
		return err == nil, err
	}
	claim, kept := c.use, false
	if c.mode == Claimed {
		claim = nil
	}
	committed, err = c.mount.Begin(ctx, claim, func(stores S, records ports.Records) error {
		answer, err := work(stores)
		if err != nil {
			return err
		}
		record := ports.Record{Event: c.event(ctx)}
		if kept = c.use != nil && !passing(answer); kept {
			record.Use = c.use
			if record.Answer, err = c.render(answer); err != nil {
				return err
			}
		}
		if record.Use == nil && record.Event == nil {
			return nil
		}
		return records.Record(ctx, record)
	})
	if errors.Is(err, ports.ErrKeyTaken) {
		c.taken = err
	}
	c.kept = err == nil && kept
	return committed, err
}

func (c *call[C, S]) event(ctx context.Context) *audit.Event {
	if c.mount.Audit == nil {
		return nil
	}
	return c.mount.Audit(ctx, c.entry, *c.request.Note)
}

// amend replaces the stored answer by that of the second stage.
func (c *call[C, S]) amend(ctx context.Context, answer any) {
	if !c.kept {
		return
	}
	kept, err := c.render(answer)
	if err == nil {
		err = c.mount.Keys.Amend(ctx, *c.use, kept)
	}
	if err != nil {
		LoggerOf(ctx).WarnContext(ctx, "the first answer stays kept for its idempotency key", "error", err)
	}
}

// keep stores an answer outside of a transaction: a refusal that would be the same again, or the answer of a phased operation. If
// that fails, the client still gets its answer, and may send the request again. If the answer is not to be stored, keep releases
// the claimed key.
func (c *call[C, S]) keep(ctx context.Context, answer *captured) {
	if c.use == nil || c.kept {
		return
	}
	ctx = context.WithoutCancel(ctx)
	var err error
	switch {
	case answer.lasting():
		err = c.mount.Keys.Record(ctx, ports.Record{Use: c.use, Answer: c.seal(answer.status, answer.header.Get("Content-Type"), answer.body.Bytes())})
	case c.mode == Phased || c.mode == Claimed:
		err = c.mount.Keys.Release(ctx, *c.use)
	}
	if err != nil {
		LoggerOf(ctx).WarnContext(ctx, "an answer is not kept for its idempotency key", "error", err)
	}
}

// readBody reads the body of an operation up to its limit, and reports whether that is the whole body. If not, it puts the part
// that it read back.
func readBody(r *http.Request, op *huma.Operation) (body []byte, whole bool, err error) {
	if op.RequestBody == nil {
		return nil, true, nil
	}
	return readUpTo(r, op.MaxBodyBytes)
}

// readUpTo reads a body of less than limit bytes.
func readUpTo(r *http.Request, limit int64) (body []byte, whole bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r.Body, limit))
	if err != nil || int64(len(body)) < limit {
		return body, true, err
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	return nil, false, nil
}

// unreadable returns the error for a body that did not arrive.
func unreadable(cause error) error {
	message := "The body could not be read."
	if errors.Is(cause, os.ErrDeadlineExceeded) {
		message = "The body took too long to arrive."
	}
	return fault.New(fault.Malformed, "invalid_request", message).Because(cause)
}

// captured records an answer before it is sent.
type captured struct {
	http.ResponseWriter // only its connection is used
	header              http.Header
	status              int
	body                bytes.Buffer
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

// SetReadDeadline does nothing, because the body has been read and the connection does not belong to the operation.
func (c *captured) SetReadDeadline(time.Time) error { return nil }

// lasting reports whether a repeated request would get the same answer. It would not after an internal error, if a retry may
// help, or if other headers would change the answer, because the fingerprint does not cover them.
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
