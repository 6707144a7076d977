package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/haggle-commerce/haggle/ports"
)

// claude speaks Anthropic's messages.
type claude struct{ service anthropic.MessageService }

// newAnthropic takes nothing from the environment, as the library's own client would, and writes no spans: they
// could hold what was asked.
func newAnthropic(base, key string, client *http.Client) provider {
	options := []option.RequestOption{
		option.WithBaseURL(base), option.WithMaxRetries(0), option.WithHTTPClient(client), option.WithoutOpenTelemetry(),
	}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	return claude{anthropic.NewMessageService(options...)}
}

func (c claude) complete(ctx context.Context, r ports.ModelRequest, warmth bool) (ports.ModelReply, error) {
	ask := anthropic.MessageNewParams{
		Model: r.Model, MaxTokens: int64(r.MaxTokens),
		System:   []anthropic.TextBlockParam{{Text: r.System}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(r.User))},
	}
	if warmth { // from 0 to 1 here
		ask.Temperature = anthropic.Float(float64(min(r.Temperature, 1000)) / 1000)
	}
	answer, err := c.service.New(ctx, ask)
	var answered *anthropic.Error
	switch {
	case err != nil && ctx.Err() == nil && errors.As(err, &answered) && answered.Response != nil:
		return ports.ModelReply{}, judged(answered.StatusCode, answered.Response.Header, answered.RawJSON())
	case err != nil:
		return ports.ModelReply{}, failed(ctx, err)
	}
	text := written(answer)
	switch {
	case strings.TrimSpace(text) == "":
		return ports.ModelReply{}, nonsense("The language model's answer is empty.")
	case answer.StopReason != anthropic.StopReasonEndTurn && answer.StopReason != anthropic.StopReasonStopSequence:
		return ports.ModelReply{}, nonsense("The language model's answer was cut.")
	}
	return ports.ModelReply{Text: text, InputTokens: count(answer.Usage.InputTokens), OutputTokens: count(answer.Usage.OutputTokens)}, nil
}

// written is the text of an answer, which comes in blocks.
func written(answer *anthropic.Message) string {
	var text strings.Builder
	if answer != nil {
		for _, block := range answer.Content {
			if block.Type == "text" {
				text.WriteString(block.Text)
			}
		}
	}
	return text.String()
}
