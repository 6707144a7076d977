package wire

import (
	"context"
	"crypto/sha256"
	"io"
	"mime"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Stored is a body that was stored while it arrived, without being held in memory.
type Stored struct {
	Sum [sha256.Size]byte // of the body; it distinguishes requests under one idempotency key
	// Value is what the handler gets instead of a body.
	Value any
	// Discard removes the stored body if the request fails.
	Discard func(context.Context) error
}

// Store stores the body of an operation.
type Store[C, S any] func(ctx context.Context, rq Request[C, S], body io.Reader) (Stored, error)

// AddStored registers an operation of mode Atomic whose body, of the media types given, is stored before its transaction begins.
// It holds a place in the lane meanwhile.
func AddStored[C, S, I, O any](m *Mount[C, S], op Operation, media []string, limit int64, store Store[C, S],
	handle func(context.Context, Request[C, S], *I, any) (*O, error)) {
	if m.stores == nil {
		m.stores = map[string]Store[C, S]{}
	}
	m.stores[op.OperationID] = store
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
	for _, one := range media {
		op.RequestBody.Content[one] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	op.MaxBodyBytes = limit
	add(m, op, Atomic, func(ctx context.Context, c *call[C, S], in *I) (out *O, err error) {
		c.committed, err = c.transact(ctx, func(stores S) (any, error) {
			c.request.Note = &Note{}
			out, err = handle(ctx, c.on(stores), in, c.stored.Value)
			return out, err
		})
		return out, err
	})
}

// serveStored stores the body, and then serves the request like serveOnce.
func (c *call[C, S]) serveStored(ctx huma.Context, next func(huma.Context), store Store[C, S]) {
	r, w, style := c.entry.Request, c.entry.Writer, c.mount.Style
	placed, leave, err := c.enter(ctx.Context())
	if err != nil {
		style.WriteError(w, r, err)
		return
	}
	defer leave()
	ctx, c.placed, c.atomic = huma.WithContext(ctx, placed), true, true
	stored, err := store(placed, c.request, r.Body)
	if err != nil {
		style.WriteError(w, r, err)
		return
	}
	defer func() {
		if c.committed {
			return
		}
		if err := stored.Discard(context.WithoutCancel(placed)); err != nil {
			LoggerOf(placed).WarnContext(placed, "a stored body is left for the background work to remove", "error", err)
		}
	}()
	c.stored = stored
	if !c.answeredByKey() {
		c.answer(ctx, next)
	}
}

// fingerprintOf returns the fingerprint that distinguishes requests under a key. For a stored body it includes the query, which
// says how to read the body.
func (c *call[C, S]) fingerprintOf() (sum [sha256.Size]byte, ok bool) {
	if c.stored.Discard == nil {
		return c.mount.Rules.fingerprint(c.body)
	}
	return sha256.Sum256(append(c.stored.Sum[:], c.entry.Request.URL.Query().Encode()...)), true
}

// checkMedia checks the media type of an operation whose bodies are not JSON, and reports whether the operation is one.
func checkMedia(h http.Header, op *huma.Operation) (others bool, err error) {
	var known []string
	for media := range op.RequestBody.Content {
		if media != "application/json" {
			known = append(known, media)
		}
	}
	if len(known) == 0 || op.RequestBody.Content["application/json"] != nil {
		return false, nil
	}
	if slices.Contains(known, MediaType(h.Get("Content-Type"))) {
		return true, nil
	}
	slices.Sort(known)
	return true, fault.New(fault.Unsupported, "unsupported_media_type", "The Content-Type must be "+anyOf(known)+".")
}

func anyOf(list []string) string {
	text := list[0]
	for _, one := range list[1:] {
		text += " or " + one
	}
	return text
}

// MediaType returns the media type of a Content-Type without parameters, or "" if it is malformed.
func MediaType(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return media
}
