// Package embedding gets the embedding vectors of texts from an OpenAI-compatible endpoint: Client for batches, Queries for
// single queries that a buyer waits for. It neither searches nor stores.
package embedding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/llm/internal/endpoint"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	batch    = 64       // texts in one request
	longest  = 4096     // numbers in a vector
	maxBytes = 16 << 20 // of a response: twice the largest possible one
)

// Config configures the endpoint. The operator chooses the URL, so private addresses are allowed.
type Config struct {
	URL   string // with the version: https://api.openai.com/v1
	Key   string // "": none is sent
	Model string
}

// Client is an Embedder. It does not retry. Failures are Unavailable, code embeddings_unavailable, with a short message and
// the endpoint's Retry-After, if any. Texts that the endpoint rejects are Invalid, code embeddings_refused.
type Client struct {
	endpoint endpoint.Endpoint
	model    string
}

var _ ports.Embedder = (*Client)(nil)

// New returns a client. It sends no request yet.
func New(c Config) *Client {
	header := http.Header{}
	if c.Key != "" {
		header.Set("Authorization", "Bearer "+c.Key)
	}
	return &Client{endpoint.New(endpoint.Client(nil, inFlight, maxBytes), c.URL, "/embeddings", header), c.Model}
}

// Model returns the name of the embedding model.
func (c *Client) Model() string { return c.model }

// embedRequest and embedAnswer are the fields used of https://platform.openai.com/docs/api-reference/embeddings/create.
type (
	embedRequest struct {
		Model          string   `json:"model"`
		Input          []string `json:"input"`
		EncodingFormat string   `json:"encoding_format"`
	}
	embedAnswer struct {
		Data []struct {
			Index     *int    `json:"index"`
			Embedding numbers `json:"embedding"`
		} `json:"data"`
	}
)

// numbers is a vector. It is empty if the endpoint sends anything but a list of numbers.
type numbers []float64

func (n *numbers) UnmarshalJSON(text []byte) error {
	var all []float64
	if json.Unmarshal(text, &all) == nil {
		*n = all
	}
	return nil
}

// Embed returns the vectors of texts, requesting 64 at a time. Only the context limits its time.
func (c *Client) Embed(ctx ports.Outbound, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for some := range slices.Chunk(texts, batch) {
		var answer embedAnswer
		if err := c.endpoint.Post(ctx, embedRequest{c.model, some, "float"}, &answer); err != nil {
			return nil, failed(ctx, err)
		}
		got, err := read(answer, len(some))
		if err == nil && len(vectors) > 0 && len(vectors[0]) != len(got[0]) {
			err = uneven(len(vectors[0]), len(got[0]))
		}
		if err != nil {
			return nil, unusable(err)
		}
		vectors = append(vectors, got...)
	}
	return vectors, nil
}

// read checks a response: it must have a vector for each of n texts, by index, all of one length and none of them zero.
func read(answer embedAnswer, n int) ([][]float32, error) {
	if len(answer.Data) != n {
		return nil, fmt.Errorf("%d vectors for %d texts", len(answer.Data), n)
	}
	vectors := make([][]float32, n)
	for _, e := range answer.Data {
		if e.Index == nil {
			return nil, errors.New("a vector without an index")
		}
		if *e.Index < 0 || *e.Index >= n || vectors[*e.Index] != nil {
			return nil, fmt.Errorf("the index %d twice, or out of place", *e.Index)
		}
		vector, err := narrow(e.Embedding)
		if err != nil {
			return nil, err
		}
		vectors[*e.Index] = vector
	}
	for _, vector := range vectors {
		if len(vector) != len(vectors[0]) {
			return nil, uneven(len(vectors[0]), len(vector))
		}
	}
	return vectors, nil
}

// narrow converts a vector to 32-bit numbers.
func narrow(wide []float64) ([]float32, error) {
	if len(wide) == 0 || len(wide) > longest {
		return nil, fmt.Errorf("a vector of %d numbers", len(wide))
	}
	vector, nothing := make([]float32, len(wide)), true
	for i, x := range wide {
		vector[i] = float32(x)
		if math.IsNaN(x) || math.IsInf(float64(vector[i]), 0) {
			return nil, errors.New("a vector with what is no number")
		}
		nothing = nothing && vector[i] == 0
	}
	if nothing {
		return nil, errors.New("a vector of zeros")
	}
	return vector, nil
}

func uneven(a, b int) error { return fmt.Errorf("vectors of %d and of %d numbers", a, b) }

func unavailable(message string) *fault.Error {
	return fault.New(fault.Unavailable, "embeddings_unavailable", message)
}

func unusable(err error) error {
	return unavailable("The embeddings endpoint answered with " + err.Error() + ".")
}

// failed returns the error of a request without vectors. It omits the endpoint's text, which may repeat the inputs or the
// key.
func failed(ctx context.Context, err error) error {
	var answered *endpoint.StatusError
	var tooLong *http.MaxBytesError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case ctx.Err() != nil:
		return unavailable("The embeddings endpoint did not answer in time.").Because(ctx.Err())
	case errors.As(err, &answered):
		return judge(answered.Status).After(answered.RetryAfter())
	case errors.As(err, &tooLong):
		return unavailable("The embeddings endpoint's answer is too long.")
	}
	return unavailable("The embeddings endpoint sent no answer that can be read.").Because(err)
}

func judge(status int) *fault.Error {
	message := fmt.Sprintf("The embeddings endpoint answered %d.", status)
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return refused(message)
	}
	return unavailable(message)
}

func refused(message string) *fault.Error {
	return fault.New(fault.Invalid, "embeddings_refused", message)
}
