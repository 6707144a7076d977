package llm

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/haggle-commerce/haggle/ports"
)

// openAI speaks chat completions.
type openAI struct {
	service openai.ChatCompletionService
	// house tells that this is OpenAI itself, whose models take max_completion_tokens alone. Other servers know the
	// older max_tokens.
	house bool
}

// newOpenAI takes nothing from the environment, as the library's own client would.
func newOpenAI(base, key string, client *http.Client) provider {
	options := []option.RequestOption{option.WithBaseURL(base), option.WithMaxRetries(0), option.WithHTTPClient(client)}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	at, err := url.Parse(base)
	house := err == nil && (strings.HasSuffix(at.Hostname(), ".openai.com") || strings.HasSuffix(at.Hostname(), ".openai.azure.com"))
	return openAI{openai.NewChatCompletionService(options...), house}
}

func (o openAI) complete(ctx context.Context, r ports.ModelRequest, warmth bool) (ports.ModelReply, error) {
	ask := openai.ChatCompletionNewParams{
		Model:    r.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(r.System), openai.UserMessage(r.User)},
	}
	limit := param.NewOpt(int64(r.MaxTokens))
	if o.house {
		ask.MaxCompletionTokens = limit
	} else {
		ask.MaxTokens = limit
	}
	if warmth {
		ask.Temperature = param.NewOpt(float64(r.Temperature) / 1000)
	}
	answer, err := o.service.New(ctx, ask)
	var answered *openai.Error
	switch {
	case err != nil && ctx.Err() == nil && errors.As(err, &answered) && answered.Response != nil:
		return ports.ModelReply{}, judged(answered.StatusCode, answered.Response.Header, answered.RawJSON())
	case err != nil:
		return ports.ModelReply{}, failed(ctx, err)
	case answer == nil || len(answer.Choices) == 0 || strings.TrimSpace(answer.Choices[0].Message.Content) == "":
		return ports.ModelReply{}, nonsense("The language model's answer is empty.")
	}
	// Some servers give no reason for an end.
	if reason := answer.Choices[0].FinishReason; reason != "stop" && reason != "" {
		return ports.ModelReply{}, nonsense("The language model's answer was cut.")
	}
	return ports.ModelReply{
		Text:        answer.Choices[0].Message.Content,
		InputTokens: count(answer.Usage.PromptTokens), OutputTokens: count(answer.Usage.CompletionTokens),
	}, nil
}

// count is a number of tokens as it may be believed.
func count(tokens int64) int { return int(min(max(tokens, 0), 1_000_000_000)) }
