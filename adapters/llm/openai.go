package llm

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/llm/internal/endpoint"
	"github.com/haggle-commerce/haggle/ports"
)

// openAI is a client of the chat completions API.
type openAI struct {
	endpoint endpoint.Endpoint
	// official is whether the server is OpenAI's, whose models accept only max_completion_tokens. Other servers have the
	// older max_tokens.
	official bool
}

// chatRequest and chatAnswer are the fields used of https://platform.openai.com/docs/api-reference/chat/create.
type (
	chatRequest struct {
		Model               string        `json:"model"`
		Messages            []chatMessage `json:"messages"`
		MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
		MaxTokens           int           `json:"max_tokens,omitempty"`
		Temperature         *float64      `json:"temperature,omitempty"`
	}
	chatMessage struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	chatAnswer struct {
		Choices []struct {
			Message      chatMessage `json:"message"`
			FinishReason string      `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			PromptTokens     tokens `json:"prompt_tokens"`
			CompletionTokens tokens `json:"completion_tokens"`
		} `json:"usage"`
	}
)

func newOpenAI(base, key string, client *http.Client) provider {
	header := http.Header{}
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	at, err := url.Parse(base)
	official := err == nil && (strings.HasSuffix(at.Hostname(), ".openai.com") || strings.HasSuffix(at.Hostname(), ".openai.azure.com"))
	return openAI{endpoint.New(client, base, "/chat/completions", header), official}
}

func (o openAI) complete(ctx context.Context, r ports.ModelRequest, withTemperature bool) (ports.ModelReply, error) {
	ask := chatRequest{
		Model: r.Model,
		Messages: []chatMessage{
			{Role: "system", Content: r.System},
			{Role: "user", Content: r.User},
		},
	}
	if o.official {
		ask.MaxCompletionTokens = r.MaxTokens
	} else {
		ask.MaxTokens = r.MaxTokens
	}
	if withTemperature {
		ask.Temperature = new(float64(r.Temperature) / 1000)
	}
	var answer chatAnswer
	if err := o.endpoint.Post(ctx, ask, &answer); err != nil {
		return ports.ModelReply{}, failed(ctx, err)
	}
	if len(answer.Choices) == 0 || strings.TrimSpace(answer.Choices[0].Message.Content) == "" {
		return ports.ModelReply{}, nonsense("The language model's answer is empty.")
	}
	// Some servers send no finish reason.
	if reason := answer.Choices[0].FinishReason; reason != "stop" && reason != "" {
		return ports.ModelReply{}, nonsense("The language model's answer was cut.")
	}
	return ports.ModelReply{
		Text:         answer.Choices[0].Message.Content,
		InputTokens:  int(answer.Usage.PromptTokens),
		OutputTokens: int(answer.Usage.CompletionTokens),
	}, nil
}
