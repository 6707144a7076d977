// Package acp is a buyer's client for the Agent Commerce Protocol. Its types are written from the contract
// (features/PROTOCOL.md#manifest and features/PROTOCOL.md#sessions) and not shared with the server, so a field that the
// server misnames is missing here. It makes no decisions; package buyer does.
package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/simulator/exchange"
)

// Client calls the ACP of one project. It is safe for concurrent use if its observers are.
type Client struct {
	connection *exchange.Client
	base       string
	observers  []func(Call)
}

// Call is one finished call. Observers measure and check calls.
type Call struct {
	Endpoint string // method and path template: POST /acp/quote
	At       time.Time
	Request  any // the request struct, or the path's id
	Response any // the response struct by value; nil if Err is not nil
	Raw      exchange.Response
	Err      error
}

// New returns a client for the project with the slug, at {connection's URL}/p/{slug}.
func New(connection *exchange.Client, slug string, observers ...func(Call)) *Client {
	return &Client{
		connection: connection,
		base:       "/p/" + url.PathEscape(slug),
		observers:  observers,
	}
}

// Transcript returns the conversation so far.
func (c *Client) Transcript() *exchange.Transcript { return c.connection.Transcript() }

// Option changes the headers of one call.
type Option func(http.Header)

// IdempotencyKey makes a call safe to repeat (features/MANAGEMENT.md#idempotency).
func IdempotencyKey(key string) Option { return Header("Idempotency-Key", key) }

// Header sets a header of the call; an empty value removes it.
func Header(name, value string) Option {
	return func(header http.Header) { header[http.CanonicalHeaderKey(name)] = []string{value} }
}

// Do sends any request to a path below the project's address, including requests that no honest client would send. It
// returns an error only if the transport fails.
func (c *Client) Do(ctx context.Context, method, path string, header http.Header, body []byte) (exchange.Response, error) {
	return c.connection.Do(ctx, exchange.Request{
		Method: method,
		Path:   c.base + path,
		Header: header,
		Body:   body,
	})
}

// operation is one endpoint and the fields that the specification requires in its answers.
type operation struct {
	method, template string
	required         func(value any) []string
}

func (o operation) String() string { return o.method + " " + o.template }

// call sends one request and decodes the answer as T. A status outside 2xx is returned as an *Error.
func call[T any](ctx context.Context, c *Client, o operation, path string, in any, options []Option) (T, error) {
	var out T
	request := exchange.Request{
		Method: o.method,
		Path:   c.base + path,
		Header: http.Header{},
	}
	for _, option := range options {
		option(request.Header)
	}
	if o.method == http.MethodPost || o.method == http.MethodPut {
		body, err := json.Marshal(in)
		if err != nil {
			return out, err
		}
		request.Body = body
	}
	began := time.Now()
	response, err := c.connection.Do(ctx, request)
	if err == nil {
		err = c.read(o, request, response, &out)
	}
	done := Call{
		Endpoint: o.String(),
		At:       began,
		Request:  in,
		Raw:      response,
		Err:      err,
	}
	if err == nil {
		done.Response = out
	}
	for _, observe := range c.observers {
		observe(done)
	}
	return out, err
}

// read decodes the answer and reports required fields that it lacks as violations.
func (c *Client) read(o operation, request exchange.Request, response exchange.Response, out any) error {
	for _, word := range unknownActions(response.Value) {
		c.connection.Report(request, response, "next_actions has the unknown word "+word)
	}
	if !response.OK() {
		problem := ErrorOf(response)
		for _, name := range missing(response.Value, "status", "error", "message", "request_id") {
			c.connection.Report(request, response, "the error has no "+name)
		}
		return problem
	}
	if err := response.Decode(out); err != nil {
		c.connection.Report(request, response, "the answer cannot be read: "+err.Error())
		return fmt.Errorf("%s: %w", o, err)
	}
	for _, name := range o.required(response.Value) {
		c.connection.Report(request, response, "the answer has no "+name)
	}
	return nil
}
