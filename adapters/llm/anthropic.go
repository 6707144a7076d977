package llm

import (
	"context"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/llm/internal/endpoint"
	"github.com/haggle-commerce/haggle/ports"
)

// anthropicVersion is the version of the API that these requests and responses belong to.
const anthropicVersion = "2023-06-01"

// claude is a client of Anthropic's Messages API.
type claude struct{ endpoint endpoint.Endpoint }

// messagesRequest and messagesAnswer are the fields used of https://docs.anthropic.com/en/api/messages.
type (
	messagesRequest struct {
		Model       string           `json:"model"`
		MaxTokens   int              `json:"max_tokens"`
		System      []textBlock      `json:"system"`
		Messages    []messageOfBlock `json:"messages"`
		Temperature *float64         `json:"temperature,omitempty"`
	}
	messageOfBlock struct {
		Role    string      `json:"role"`
		Content []textBlock `json:"content"`
	}
	textBlock struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	messagesAnswer struct {
		Content    []textBlock `json:"content"`
		StopReason string      `json:"stop_reason"`
		Usage      struct {
			InputTokens  tokens `json:"input_tokens"`
			OutputTokens tokens `json:"output_tokens"`
		} `json:"usage"`
	}
)

func newAnthropic(base, key string, client *http.Client) provider {
	header := http.Header{}
	header.Set("Anthropic-Version", anthropicVersion)
	if key != "" {
		header.Set("X-Api-Key", key)
	}
	return claude{endpoint.New(client, base, "/v1/messages", header)}
}

func (c claude) complete(ctx context.Context, r ports.ModelRequest, withTemperature bool) (ports.ModelReply, error) {
	ask := messagesRequest{
		Model:     r.Model,
		MaxTokens: r.MaxTokens,
		System:    []textBlock{{Type: "text", Text: r.System}},
		Messages:  []messageOfBlock{{Role: "user", Content: []textBlock{{Type: "text", Text: r.User}}}},
	}
	if withTemperature { // from 0 to 1 here
		ask.Temperature = new(float64(min(r.Temperature, 1000)) / 1000)
	}
	var answer messagesAnswer
	if err := c.endpoint.Post(ctx, ask, &answer); err != nil {
		return ports.ModelReply{}, failed(ctx, err)
	}
	text := written(answer.Content)
	switch {
	case strings.TrimSpace(text) == "":
		return ports.ModelReply{}, nonsense("The language model's answer is empty.")
	case answer.StopReason != "end_turn" && answer.StopReason != "stop_sequence":
		return ports.ModelReply{}, nonsense("The language model's answer was cut.")
	}
	return ports.ModelReply{
		Text:         text,
		InputTokens:  int(answer.Usage.InputTokens),
		OutputTokens: int(answer.Usage.OutputTokens),
	}, nil
}

// written joins the text blocks of a response.
func written(content []textBlock) string {
	var text strings.Builder
	for _, block := range content {
		if block.Type == "text" {
			text.WriteString(block.Text)
		}
	}
	return text.String()
}
