// Package exchange sends HTTP requests and records the responses: decoded, timed, checked against the server's OpenAPI
// document and written to a transcript. It knows no API; packages acp and merchant build on it.
package exchange

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/simulator/openapi"
)

const (
	requestTimeout = 60 * time.Second
	bodyLimit      = 64 << 20
)

// Config is how to reach a server. Only URL is required.
type Config struct {
	URL        string             // of the server, without a trailing slash
	HTTP       *http.Client       // default: one client for the whole process
	Validator  *openapi.Validator // default: none, responses are not checked
	Transcript *Transcript        // default: one of its own
	Header     http.Header        // sent with every request
	RequestIDs string             // prefix of the X-Request-Id values; default random
	Patience   *Patience          // default: none, a 429 is returned like any other response
}

// shared keeps enough idle connections for many buyers of one server.
var shared = &http.Client{Timeout: requestTimeout, Transport: func() http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256
	return transport
}()}

// Client sends requests to one server. It is safe for concurrent use.
type Client struct {
	config Config
	sent   atomic.Int64
}

// NewClient returns a client with defaults for empty fields of config.
func NewClient(config Config) *Client {
	config.URL = strings.TrimSuffix(config.URL, "/")
	if config.HTTP == nil {
		config.HTTP = shared
	}
	if config.Transcript == nil {
		config.Transcript = NewTranscript(0)
	}
	if config.RequestIDs == "" {
		config.RequestIDs = "sim-" + strings.ToLower(rand.Text()[:10])
	}
	return &Client{config: config}
}

// Request is what to send. Path begins with a slash and may have a query.
type Request struct {
	Method, Path string
	Header       http.Header // replaces the client's own headers of the same name; an empty value removes one
	Body         []byte      // nil: no body
}

// Response is a response with its decoded body.
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte
	Value     any // Body decoded, numbers as json.Number; nil if it is not JSON
	RequestID string
	Elapsed   time.Duration
}

// OK reports whether the status is 2xx.
func (r Response) OK() bool { return r.Status >= 200 && r.Status < 300 }

// Decode decodes the body into out.
func (r Response) Decode(out any) error {
	if err := json.Unmarshal(r.Body, out); err != nil {
		return fmt.Errorf("status %d, body %.200q: %w", r.Status, r.Body, err)
	}
	return nil
}

// Transcript returns the conversation so far.
func (c *Client) Transcript() *Transcript { return c.config.Transcript }

// Report adds a violation to the validator, if there is one.
func (c *Client) Report(request Request, response Response, reason string) {
	if c.config.Validator == nil {
		return
	}
	path, _, _ := strings.Cut(request.Path, "?")
	c.config.Validator.Report(openapi.Violation{
		Method:    request.Method,
		Path:      path,
		Status:    response.Status,
		Reason:    reason,
		RequestID: response.RequestID,
	})
}

// Do sends the request. If Config.Patience allows it, Do waits as Retry-After says and sends it again. It returns an
// error only if the transport fails; every status is a Response.
func (c *Client) Do(ctx context.Context, request Request) (Response, error) {
	left := c.config.Patience.longest()
	for {
		response, err := c.attempt(ctx, request)
		if err != nil {
			return Response{}, err
		}
		again, err := c.config.Patience.wait(ctx, response, &left)
		switch {
		case err != nil:
			return Response{}, fmt.Errorf("%s %s: waiting as told: %w", request.Method, request.Path, err)
		case !again:
			return response, nil
		}
	}
}

// attempt sends the request once.
func (c *Client) attempt(ctx context.Context, request Request) (Response, error) {
	outgoing, err := c.build(ctx, request)
	if err != nil {
		return Response{}, err
	}
	began := time.Now()
	response, err := c.send(outgoing)
	response.Elapsed = time.Since(began)
	c.config.Transcript.add(request, response, err)
	if err != nil {
		return Response{}, fmt.Errorf("%s %s: %w", request.Method, request.Path, err)
	}
	c.judge(outgoing, request, response)
	return response, nil
}

func (c *Client) build(ctx context.Context, request Request) (*http.Request, error) {
	outgoing, err := http.NewRequestWithContext(ctx, request.Method, c.config.URL+request.Path, bytes.NewReader(request.Body))
	if err != nil {
		return nil, err
	}
	if request.Body == nil {
		outgoing.Body, outgoing.GetBody, outgoing.ContentLength = nil, nil, 0
	} else {
		outgoing.Header.Set("Content-Type", "application/json")
	}
	outgoing.Header.Set("Accept", "application/json")
	outgoing.Header.Set("X-Request-Id", fmt.Sprintf("%s-%d", c.config.RequestIDs, c.sent.Add(1)))
	maps.Copy(outgoing.Header, canonical(c.config.Header))
	maps.Copy(outgoing.Header, canonical(request.Header))
	for name, values := range outgoing.Header {
		if len(values) == 0 || len(values) == 1 && values[0] == "" {
			delete(outgoing.Header, name)
		}
	}
	return outgoing, nil
}

func canonical(header http.Header) http.Header {
	out := make(http.Header, len(header))
	for name, values := range header {
		out[http.CanonicalHeaderKey(name)] = values
	}
	return out
}

func (c *Client) send(outgoing *http.Request) (Response, error) {
	incoming, err := c.config.HTTP.Do(outgoing)
	if err != nil {
		return Response{}, err
	}
	defer func() { _ = incoming.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(incoming.Body, bodyLimit))
	if err != nil {
		return Response{}, fmt.Errorf("reading the response: %w", err)
	}
	return Response{
		Status:    incoming.StatusCode,
		Header:    incoming.Header,
		Body:      body,
		Value:     valueOf(incoming.Header, body),
		RequestID: incoming.Header.Get("X-Request-Id"),
	}, nil
}

// valueOf decodes a JSON body. It returns nil if the body is not exactly one JSON value.
func valueOf(header http.Header, body []byte) any {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if !strings.HasSuffix(kind, "json") {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || decoder.More() {
		return nil
	}
	return value
}

func (c *Client) judge(outgoing *http.Request, request Request, response Response) {
	if c.config.Validator == nil {
		return
	}
	path, _ := openapi.Below(c.config.URL, outgoing.URL)
	c.config.Validator.Check(c.config.URL, openapi.Answer{
		Method: request.Method,
		Path:   path,
		Status: response.Status,
		Header: response.Header,
		Body:   response.Body,
		Value:  response.Value,
	})
	if sent := outgoing.Header.Get("X-Request-Id"); !echoed(sent, response.RequestID) {
		c.Report(request, response, fmt.Sprintf("X-Request-Id %q was sent and %q came back", sent, response.RequestID))
	}
}

// echoed reports whether the server handled X-Request-Id as documented: it returns an id of 1 to 128 printable characters
// unchanged and replaces any other (features/PROTOCOL.md#errors).
func echoed(sent, received string) bool {
	usable := len(sent) >= 1 && len(sent) <= 128 && strings.IndexFunc(sent, func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0
	return received != "" && (!usable || sent == received)
}
