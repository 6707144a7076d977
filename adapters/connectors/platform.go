// Package connectors has what the connectors to outside platforms share: an HTTP client with limits on the
// size and duration of answers that returns the errors of package ports, and a circuit breaker. It contains
// nothing that is specific to one platform.
package connectors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

const (
	// Longest is the maximum size of an answer in bytes, after decompression.
	Longest = 8 << 20
	// Timeout limits a request, including reading the answer.
	Timeout = 15 * time.Second
)

// Platform is the HTTP client for one platform. Its errors contain neither addresses nor request data, and
// therefore no secrets.
type Platform struct {
	name  string
	http  *http.Client
	clock ports.Clock
	judge func(Answer) error
}

// New returns a client for the platform that merchants know by name. A nil client means http.DefaultClient.
// It follows no redirect to another host, because the redirected request would carry the account's
// credentials.
func New(name string, client *http.Client, clock ports.Clock) *Platform {
	if client == nil {
		client = http.DefaultClient
	}
	own := *client
	own.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		first := via[0].URL
		if len(via) >= 5 || next.URL.Host != first.Host || next.URL.Scheme != first.Scheme || via[0].Method != http.MethodGet {
			return http.ErrUseLastResponse
		}
		if client.CheckRedirect != nil {
			return client.CheckRedirect(next, via)
		}
		return nil
	}
	return &Platform{
		name:  name,
		http:  &own,
		clock: clock,
	}
}

// Judging returns a copy of p that calls judge for each answer before it looks at the status. judge returns
// nil if the status alone decides.
func (p *Platform) Judging(judge func(Answer) error) *Platform {
	with := *p
	with.judge = judge
	return &with
}

// Request is an HTTP request. Its body is JSON or Form, or empty if both are nil.
type Request struct {
	Method string // "": GET, or POST where there is a body
	URL    string
	Header map[string]string
	JSON   any
	Form   url.Values
}

// Answer is the response to a Request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Ask sends a request and decodes a successful answer into into, unless that is nil. Numbers that are decoded
// into an interface value stay json.Number.
func (p *Platform) Ask(ctx context.Context, r Request, into any) error {
	answer, err := p.Send(ctx, r)
	if err == nil {
		err = p.Judge(answer)
	}
	if err != nil || into == nil {
		return err
	}
	return p.Decode(answer.Body, into)
}

// Send sends a request and returns the answer, whatever its status. The error is ctx.Err() or a
// PlatformFailure.
func (p *Platform) Send(ctx context.Context, r Request) (Answer, error) {
	within, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	request, err := r.build(within)
	if err != nil {
		return Answer{}, &ports.PlatformFailure{Reason: p.name + " cannot be asked.", Cause: withoutURL(err)}
	}
	response, err := p.http.Do(request)
	if err != nil {
		return Answer{}, p.transportError(ctx, err)
	}
	defer response.Body.Close()
	body, err := p.read(ctx, response)
	return Answer{
		Status: response.StatusCode,
		Header: response.Header,
		Body:   body,
	}, err
}

func (p *Platform) read(ctx context.Context, response *http.Response) ([]byte, error) {
	if response.ContentLength > Longest {
		return nil, p.tooLong()
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, Longest+1))
	switch {
	case err != nil:
		return nil, p.transportError(ctx, err)
	case len(body) > Longest:
		return nil, p.tooLong()
	}
	return body, nil
}

func (p *Platform) tooLong() error {
	return p.Failed(fmt.Sprintf("sent an answer of more than %d MiB", Longest>>20), nil)
}

// Failed returns a PlatformFailure: "<the platform's name> <what>."
func (p *Platform) Failed(what string, cause error) error {
	return &ports.PlatformFailure{Reason: p.name + " " + what + ".", Cause: cause}
}

// Refused returns a PlatformRefusal: "<the platform's name> <what>."
func (p *Platform) Refused(what string) error {
	return &ports.PlatformRefusal{Reason: p.name + " " + strings.TrimSuffix(what, ".") + "."}
}

// transportError is the error of a request without a complete answer. It is ctx.Err() if the caller stopped
// waiting.
func (p *Platform) transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var slow net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &slow) && slow.Timeout() {
		return p.Failed("did not answer in time", withoutURL(err))
	}
	return p.Failed("did not answer", withoutURL(err))
}

// withoutURL returns err without the request's URL, which may contain a secret.
func withoutURL(err error) error {
	var with *url.Error
	if errors.As(err, &with) {
		return with.Err
	}
	return err
}

// Decode decodes exactly one JSON value. If body is anything else, the error is a PlatformFailure.
func (p *Platform) Decode(body []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	err := decoder.Decode(into)
	if err == nil && decoder.More() {
		err = errors.New("more than one value")
	}
	if err == nil {
		return nil
	}
	// The text of the other errors may quote the answer.
	cause := errors.New("malformed JSON")
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		cause = fmt.Errorf("JSON: %s at byte %d", wrong.Field, wrong.Offset)
	}
	return p.Failed("sent an answer that cannot be read", cause)
}

func (r Request) build(ctx context.Context) (*http.Request, error) {
	method, kind := r.Method, ""
	var body io.Reader
	switch {
	case r.JSON != nil:
		encoded, err := json.Marshal(r.JSON)
		if err != nil {
			return nil, err
		}
		body, kind = bytes.NewReader(encoded), "application/json"
	case r.Form != nil:
		body, kind = strings.NewReader(r.Form.Encode()), "application/x-www-form-urlencoded"
	}
	if method == "" && body != nil {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, r.URL, body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "Haggle/1")
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	return request, nil
}
