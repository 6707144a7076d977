// Package endpoint sends requests to a JSON API of models: each request and each response is one JSON object. It does not
// retry. The providers' own libraries would add retries and other unused features, and were a sixth of the program's size.
package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Endpoint is a URL of one provider.
type Endpoint struct {
	client *http.Client
	url    string
	header http.Header
}

// New returns the endpoint at a path below a base URL. It may modify header.
func New(client *http.Client, base, path string, header http.Header) Endpoint {
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json")
	return Endpoint{client, strings.TrimSuffix(base, "/") + path, header}
}

// Client returns an HTTP client that follows no redirects. Reading more than maxBytes of a response fails with an
// *http.MaxBytesError. It keeps up to the given number of idle connections to a server. transport may be nil.
func Client(transport http.RoundTripper, connections int, maxBytes int64) *http.Client {
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxIdleConnsPerHost = connections
		transport = own
	}
	return &http.Client{
		Transport:     shortAnswers{transport, maxBytes},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type shortAnswers struct {
	http.RoundTripper
	maxBytes int64
}

func (s shortAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, s.maxBytes)
	}
	return answer, err
}

// StatusError is the error of a response whose status is 400 or more.
type StatusError struct {
	Status int
	Header http.Header
	Text   string // as much as could be read
}

func (e *StatusError) Error() string { return http.StatusText(e.Status) }

// RetryAfter returns the provider's Retry-After, at most an hour; 0 if there is none.
func (e *StatusError) RetryAfter() time.Duration {
	text := e.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, time.Hour.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), time.Hour)
	}
	return 0
}

// ErrRedirected means that the response is a redirect.
var ErrRedirected = errors.New("the address is redirected")

// Post sends ask once and decodes the response.
func (e Endpoint) Post(ctx context.Context, ask, answer any) error {
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = e.header.Clone()
	response, err := e.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch status := response.StatusCode; {
	case status >= http.StatusBadRequest:
		return &StatusError{status, response.Header, string(text)}
	case err != nil:
		return err
	case status >= http.StatusMultipleChoices:
		return ErrRedirected
	}
	return json.Unmarshal(text, answer)
}
