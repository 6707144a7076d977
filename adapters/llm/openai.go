package llm

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/llm/internal/endpoint"
	"github.com/haggle-commerce/haggle/ports"
)

// openAI speaks chat completions.
type openAI struct {
	endpoint endpoint.Endpoint
	// house reports that this is OpenAI itself, whose models take max_completion_tokens alone. Other servers know the
	// older max_tokens.
	house bool
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
	house := err == nil && (strings.HasSuffix(at.Hostname(), ".openai.com") || strings.HasSuffix(at.Hostname(), ".openai.azure.com"))
	return openAI{endpoint.New(client, base, "/chat/completions", header), house}
}

func (o openAI) complete(ctx context.Context, r ports.ModelRequest, warmth bool) (ports.ModelReply, error) {
	ask := chatRequest{
		Model: r.Model,
		Messages: []chatMessage{
			{Role: "system", Content: r.System},
			{Role: "user", Content: r.User},
		},
	}
	if o.house {
		ask.MaxCompletionTokens = r.MaxTokens
	} else {
		ask.MaxTokens = r.MaxTokens
	}
	if warmth {
		ask.Temperature = new(float64(r.Temperature) / 1000)
	}
	var answer chatAnswer
	if err := o.endpoint.Post(ctx, ask, &answer); err != nil {
		return ports.ModelReply{}, failed(ctx, err)
	}
	if len(answer.Choices) == 0 || strings.TrimSpace(answer.Choices[0].Message.Content) == "" {
		return ports.ModelReply{}, nonsense("The language model's answer is empty.")
	}
	// Some servers give no reason for an end.
	if reason := answer.Choices[0].FinishReason; reason != "stop" && reason != "" {
		return ports.ModelReply{}, nonsense("The language model's answer was cut.")
	}
	return ports.ModelReply{
		Text:         answer.Choices[0].Message.Content,
		InputTokens:  int(answer.Usage.PromptTokens),
		OutputTokens: int(answer.Usage.CompletionTokens),
	}, nil
}
