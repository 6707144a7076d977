// Package endpoint asks an API of models: each request is one JSON object, and so is each answer. The providers' own
// libraries bring retries and much else that is not used here, and were a sixth of the program's size.
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

// Endpoint is where one provider answers.
type Endpoint struct {
	client *http.Client
	url    string
	header http.Header
}

// New asks at a path below a base address. header may be changed.
func New(client *http.Client, base, path string, header http.Header) Endpoint {
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json")
	return Endpoint{client, strings.TrimSuffix(base, "/") + path, header}
}

// Client follows no redirects and ends answers of more than maxBytes with an *http.MaxBytesError. It keeps as many
// connections to a server as given. transport may be nil.
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

// StatusError is an answer whose status is 400 or more.
type StatusError struct {
	Status int
	Header http.Header
	Text   string // as much as could be read
}

func (e *StatusError) Error() string { return http.StatusText(e.Status) }

// RetryAfter is how long the provider wants to be left alone, at most an hour; 0: it does not say.
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

// ErrRedirected is an answer that leads to another address.
var ErrRedirected = errors.New("the address is redirected")

// Post sends ask once and decodes the answer.
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
