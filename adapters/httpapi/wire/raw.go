package wire

import (
	"bytes"
	"io"
)

// Body returns the body of a request as it was sent, for a step that needs it before anything of it is read, and puts it
// back. It reports false for one that is larger than the operation takes, which is refused later. An operation without
// body has none.
func (e *Entry[C]) Body() (body []byte, whole bool, err error) {
	body, whole, err = readBody(e.Request, e.Operation)
	switch {
	case err != nil:
		return nil, false, unreadable(err)
	case whole && body != nil:
		e.Request.Body = io.NopCloser(bytes.NewReader(body))
	}
	return body, whole, nil
}
