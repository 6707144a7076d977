package wire

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// readBody reads the body that an operation takes up to its limit, and reports whether that was all of
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

// lasting reports whether the answer would be the same again: not if it is our failure, if trying again
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
