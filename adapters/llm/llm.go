// Package llm asks language models: those of OpenAI and of every server that speaks its chat completions
// ("openai"), and Anthropic's ("anthropic"). It never asks twice for one answer, and leaves a model that fails alone
// for a while. What is asked for, and whether an answer may be used, is decided elsewhere.
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

	maxBytes = 256 << 10        // of an answer, headers aside
	inFlight = 64               // connections kept to one server
	watched  = 256              // models, by provider and name
	grouped  = 10_000           // circuits, by model and group
	tooMany  = 5                // failures in a row
	pause    = 30 * time.Second // in which a model that failed is not asked
)

// Options say where the providers are. They are the operator's, so any address is taken. A provider that has
// neither an address nor a key here is unknown.
type Options struct {
	OpenAIURL    string // with the version; "": https://api.openai.com/v1
	OpenAIKey    string // "": none is sent
	AnthropicURL string // without a version; "": https://api.anthropic.com
	AnthropicKey string
	Client       *http.Client // nil: one of its own. Its redirects and its time limit are not used.
}

// Client is a ports.LanguageModel. Its errors hold neither prompts nor keys nor what the provider wrote. After
// five failures in a row of one group's requests the model is not asked for that group for 30 s: model_unreachable.
type Client struct {
	providers map[string]provider
	models    bulkhead.Cache[string, *model]
	// circuits are by model and group of requests: whether a model answers in time depends on the request too, and so
	// the requests of one merchant must not suspend it for others.
	circuits bulkhead.Cache[string, *circuit]
}

var _ ports.LanguageModel = (*Client)(nil)

// provider asks once. Its errors are ready to be shown.
type provider interface {
	complete(ctx context.Context, r ports.ModelRequest, warmth bool) (ports.ModelReply, error)
}

// New makes a client. It asks nothing yet.
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

// Complete asks a model once.
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
		reply, err := p.complete(ctx, r, !m.cold.Load())
		if errors.Is(err, errCold) {
			m.cold.Store(true)
		}
		return reply, err
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return ports.ModelReply{}, unreachable("The language model failed lately and is left alone for a while.")
	}
	return reply, err
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
