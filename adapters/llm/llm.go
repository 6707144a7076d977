// Package llm sends requests to language models: those of OpenAI and every server with a compatible chat completions API
// ("openai"), and Anthropic's ("anthropic"). It does not retry, and suspends a failing model for a while. It neither writes
// prompts nor validates answers.
package llm

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/haggle-commerce/haggle/adapters/llm/internal/endpoint"
	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Names of the providers.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

const (
	openAIURL    = "https://api.openai.com/v1"
	anthropicURL = "https://api.anthropic.com"

	maxBytes = 256 << 10        // of a response body
	inFlight = 64               // connections kept to one server
	watched  = 256              // models, by provider and name
	grouped  = 10_000           // circuits, by model and group
	tooMany  = 5                // failures in a row
	pause    = 30 * time.Second // during which a failing model gets no requests
)

// Options configures the providers. The operator chooses the URLs, so private addresses are allowed. A provider with neither
// a URL nor a key is unknown.
type Options struct {
	OpenAIURL    string // with the version; "": https://api.openai.com/v1
	OpenAIKey    string // "": none is sent
	AnthropicURL string // without a version; "": https://api.anthropic.com
	AnthropicKey string
	Client       *http.Client // nil: one of its own. Its redirects and its time limit are not used.
}

// Client is a ports.LanguageModel. Its errors contain neither prompts nor keys nor the provider's text. After five
// consecutive failures of one group's requests, that group's requests fail with model_unreachable for 30 s.
type Client struct {
	providers map[string]provider
	models    bulkhead.Cache[string, *model]
	// circuits are by model and group of requests. Whether a model responds in time depends on the request too, so one
	// merchant's requests must not suspend the model for others.
	circuits bulkhead.Cache[string, *circuit]
}

var _ ports.LanguageModel = (*Client)(nil)

// provider sends one request. Its errors may be shown to users.
type provider interface {
	complete(ctx context.Context, r ports.ModelRequest, withTemperature bool) (ports.ModelReply, error)
}

// New returns a client. It sends no request yet.
func New(o Options) *Client {
	models := bulkhead.NewCache[string](watched, func() *model { return &model{} })
	c := &Client{map[string]provider{}, models, bulkhead.NewCache[string](grouped, newCircuit)}
	var transport http.RoundTripper
	if o.Client != nil {
		transport = o.Client.Transport
	}
	client := endpoint.Client(transport, inFlight, maxBytes)
	if o.OpenAIURL+o.OpenAIKey != "" {
		c.providers[OpenAI] = newOpenAI(cmp.Or(o.OpenAIURL, openAIURL), o.OpenAIKey, client)
	}
	if o.AnthropicURL+o.AnthropicKey != "" {
		c.providers[Anthropic] = newAnthropic(cmp.Or(o.AnthropicURL, anthropicURL), o.AnthropicKey, client)
	}
	return c
}

// Complete sends one request to a model.
func (c *Client) Complete(ctx ports.Outbound, r ports.ModelRequest) (ports.ModelReply, error) {
	name := strings.ToLower(r.Provider)
	p, known := c.providers[name]
	if !known {
		return ports.ModelReply{}, fault.New(fault.Unavailable, "model_unknown", "This server has no such provider of language models.")
	}
	if err := ctx.Err(); err != nil {
		return ports.ModelReply{}, failed(ctx, err)
	}
	name += "\x00" + r.Model
	m := c.models.Of(name)
	reply, err := c.circuits.Of(name + "\x00" + r.Group).Execute(func() (ports.ModelReply, error) {
		reply, err := p.complete(ctx, r, !m.noTemperature.Load())
		if errors.Is(err, errNoTemperature) {
			m.noTemperature.Store(true)
		}
		return reply, err
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return ports.ModelReply{}, unreachable("The language model failed lately and is left alone for a while.")
	}
	return reply, err
}

// tokens is a provider's token count, limited to plausible values. Anything but a number counts as 0, because the answer is
// usable without it.
type tokens int

func (t *tokens) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err == nil && n > 0 {
		*t = tokens(min(n, 1_000_000_000))
	}
	return nil
}
