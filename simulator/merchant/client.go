// Package merchant is a merchant's client of the Management API (features/MANAGEMENT.md#projects,
// features/MANAGEMENT.md#keys and features/MANAGEMENT.md#events). It shares no types with the server. Creating calls take
// a struct, patching calls a map, so that null can be sent.
package merchant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/exchange"
)

// Client calls the Management API with one API key for one project. It is safe for concurrent use.
type Client struct {
	connection *exchange.Client
	key        string
	project    string
}

// New returns a client. Without a key it sends no Authorization header, without a project no X-Project-ID.
func New(connection *exchange.Client, key, project string) *Client {
	return &Client{
		connection: connection,
		key:        key,
		project:    project,
	}
}

// In returns a client for another project.
func (c *Client) In(project string) *Client { return New(c.connection, c.key, project) }

// As returns a client with another API key.
func (c *Client) As(key string) *Client { return New(c.connection, key, c.project) }

// Secret returns the client's API key.
func (c *Client) Secret() string { return c.key }

// Transcript returns the conversation so far.
func (c *Client) Transcript() *exchange.Transcript { return c.connection.Transcript() }

// Error is a refused request (features/MANAGEMENT.md#errors).
type Error struct {
	HTTPStatus int           `json:"-"`
	Code       string        `json:"code"`
	Message    string        `json:"message"`
	Details    []FieldDetail `json:"details"`
	RequestID  string        `json:"request_id"`
}

// FieldDetail is the problem with one field.
type FieldDetail struct {
	Field   string `json:"field"` // dotted path: settings.default_currency
	Message string `json:"message"`
}

// Error returns the error on one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s %v (request %s)", e.HTTPStatus, e.Code, e.Message, e.Details, e.RequestID)
}

// Field returns the message about a field, or "".
func (e *Error) Field(name string) string {
	for _, detail := range e.Details {
		if detail.Field == name {
			return detail.Message
		}
	}
	return ""
}

// CodeOf returns the error code in err, or "" if err is not an *Error.
func CodeOf(err error) string {
	var problem *Error
	if errors.As(err, &problem) {
		return problem.Code
	}
	return ""
}

// ErrorOf decodes an error body. If the body cannot be decoded, the error has the status and the start of the text.
func ErrorOf(response exchange.Response) *Error {
	var body struct {
		Error *Error `json:"error"`
	}
	if err := json.Unmarshal(response.Body, &body); err != nil || body.Error == nil {
		return &Error{HTTPStatus: response.Status, Message: fmt.Sprintf("unreadable error: %.200q", response.Body)}
	}
	body.Error.HTTPStatus = response.Status
	return body.Error
}

// Option changes the headers of one call.
type Option func(http.Header)

// IdempotencyKey makes a call safe to repeat (features/MANAGEMENT.md#idempotency).
func IdempotencyKey(key string) Option { return Header("Idempotency-Key", key) }

// Header sets a header of the call; an empty value removes it.
func Header(name, value string) Option {
	return func(header http.Header) { header[http.CanonicalHeaderKey(name)] = []string{value} }
}

// Page selects a part of a list. The zero Page sends neither parameter.
type Page struct{ Limit, Offset int }

// Meta is the position of a page in its list.
type Meta struct {
	Total  int `json:"total"`
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

// List is one page of a list.
type List[T any] struct {
	Data []T  `json:"data"`
	Meta Meta `json:"meta"`
}

// query encodes the page and other parameters, with the question mark.
func (p Page) query(parameters url.Values) string {
	if parameters == nil {
		parameters = url.Values{}
	}
	if p.Limit != 0 {
		parameters.Set("limit", strconv.Itoa(p.Limit))
	}
	if p.Offset != 0 {
		parameters.Set("offset", strconv.Itoa(p.Offset))
	}
	if len(parameters) == 0 {
		return ""
	}
	return "?" + parameters.Encode()
}

// Do sends any request with the client's headers, which header can replace. It returns an error only if the transport
// fails.
func (c *Client) Do(ctx context.Context, method, path string, header http.Header, body []byte) (exchange.Response, error) {
	all := http.Header{}
	if c.key != "" {
		all.Set("Authorization", "Bearer "+c.key)
	}
	if c.project != "" {
		all.Set("X-Project-ID", c.project)
	}
	maps.Copy(all, header)
	return c.connection.Do(ctx, exchange.Request{
		Method: method,
		Path:   path,
		Header: all,
		Body:   body,
	})
}

// call sends in, unless it is nil, and decodes the answer as T. A status outside 2xx is returned as an *Error.
func call[T any](ctx context.Context, c *Client, method, path string, in any, options []Option) (T, error) {
	var out T
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return out, err
		}
	}
	header := http.Header{}
	for _, option := range options {
		option(header)
	}
	response, err := c.Do(ctx, method, path, header, body)
	switch {
	case err != nil:
		return out, err
	case !response.OK():
		return out, ErrorOf(response)
	case response.Status == http.StatusNoContent:
		return out, nil
	}
	return out, response.Decode(&out)
}

// nothing is the answer to a call without a response body.
type nothing struct{}
