package wire

import (
	"bytes"
	"io"
)

// Body returns the body of a request as it was sent, for steps that need it before it is parsed, and puts it back. It returns
// false for a body over the operation's limit, which is refused later. It returns no body for an operation without one.
func (e *Entry[C]) Body() (body []byte, whole bool, err error) {
	if e.Operation.RequestBody == nil {
		return nil, true, nil
	}
	return e.Sent()
}

// mostIgnored is how many bytes of a body are read for an operation without body.
const mostIgnored = 4 << 10

// Sent is like Body, but also returns the body of a request to an operation without one, up to a limit, because it may be signed.
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
