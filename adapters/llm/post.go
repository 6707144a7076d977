package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// endpoint is where one provider answers. Each request is one JSON object, and so is each answer. The providers' own
// libraries do more than that one call, and were a sixth of the program's size.
type endpoint struct {
	client *http.Client
	url    string
	header http.Header
}

func newEndpoint(client *http.Client, base, path string, header http.Header) endpoint {
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json")
	return endpoint{client, strings.TrimSuffix(base, "/") + path, header}
}

// post sends ask once and decodes the answer. Its errors are ready to be shown.
func (e endpoint) post(ctx context.Context, ask, answer any) error {
	body, err := json.Marshal(ask)
	if err != nil {
		return failed(ctx, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return failed(ctx, err)
	}
	request.Header = e.header.Clone()
	response, err := e.client.Do(request)
	if err != nil {
		return failed(ctx, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch status := response.StatusCode; {
	case status >= 400: // also if its text cannot be read
		if ctx.Err() != nil {
			return failed(ctx, ctx.Err())
		}
		return judged(status, response.Header, string(text))
	case err != nil:
		return failed(ctx, err)
	case status >= 300:
		return nonsense("The language model's address is redirected.")
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return failed(ctx, err)
	}
	return nil
}

// tokens are a provider's count, as far as it can be believed. What is no number counts as none, for the answer is as
// good without it.
type tokens int

func (t *tokens) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err == nil && n > 0 {
		*t = tokens(min(n, 1_000_000_000))
	}
	return nil
}
