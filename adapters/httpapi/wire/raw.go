package wire

import (
	"bytes"
	"io"
)

// Body returns the body of a request as it was sent, for a step that needs it before anything of it is read, and puts it
// back. It reports false for one that is larger than the operation takes, which is refused later. An operation without
// body has none.
func (e *Entry[C]) Body() (body []byte, whole bool, err error) {
	if e.Operation.RequestBody == nil {
		return nil, true, nil
	}
	return e.Sent()
}

// mostIgnored is how many bytes of a body are read where the operation takes none.
const mostIgnored = 4 << 10

// Sent is Body, but has the body of an operation without one too, up to a limit: it may be signed.
func (e *Entry[C]) Sent() (body []byte, whole bool, err error) {
	limit := e.Operation.MaxBodyBytes
	if e.Operation.RequestBody == nil {
		limit = mostIgnored
	}
	body, whole, err = readUpTo(e.Request, limit)
	switch {
	case err != nil:
		return nil, false, unreadable(err)
	case whole && body != nil:
		e.Request.Body = io.NopCloser(bytes.NewReader(body))
	}
	return body, whole, nil
}
