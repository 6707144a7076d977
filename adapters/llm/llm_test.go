package llm_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/llm"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// The services' formats and real failures are tested against a fake in cmd/boot/models. The tests here use responses that no
// service sends.

func complete(t *testing.T, provider string, handler http.HandlerFunc) (ports.ModelReply, error) {
	t.Helper()
	s := httptest.NewServer(handler)
	defer s.Close()
	c := llm.New(llm.Options{
		OpenAIURL:    s.URL,
		AnthropicURL: s.URL,
		AnthropicKey: "k",
	})
	return c.Complete(ports.NewOutbound(t.Context()), ports.ModelRequest{
		Provider:  provider,
		Model:     "m",
		System:    "s",
		User:      "u",
		MaxTokens: 9,
	})
}

func TestComplete_nonsense(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{llm.OpenAI, llm.Anthropic} {
		for _, body := range []string{
			``, `null`, `[]`, `7`, `"text"`, `{"choices": null, "content": null}`, `{"choices": [null], "content": [null]}`, `{"choices": {}, "content": {}}`,
			`{"choices": [{"message": null, "finish_reason": "stop"}], "stop_reason": "end_turn", "content": [{"type": "thinking", "thinking": "hm"}]}`,
			`{"choices": [{"message": {"content": "hi"}, "finish_reason": "content_filter"}], "stop_reason": "refusal", "content": [{"type": "text", "text": "hi"}]}`,
			`{"choices": [{"message": {"content": "` + strings.Repeat("a", 300<<10) + `"}, "finish_reason": "stop"}]}`,
		} {
			reply, err := complete(t, provider, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, body)
			})
			if !fault.Is(err, "model_nonsense") || reply != (ports.ModelReply{}) {
				t.Errorf("%s %.80s: %+v, %v", provider, body, reply, err)
			}
		}
	}
}

// Implausible token counts of a provider are limited.
func TestTokens(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]ports.ModelReply{
		`{"choices": [{"message": {"content": "hi"}}], "usage": {"prompt_tokens": -5, "completion_tokens": 7}}`:            {Text: "hi", OutputTokens: 7},
		`{"choices": [{"message": {"content": "hi"}}]}`:                                                                    {Text: "hi"},
		`{"choices": [{"message": {"content": "hi"}}], "usage": {"prompt_tokens": 9000000000000}}`:                         {Text: "hi", InputTokens: 1_000_000_000},
		`{"choices": [{"message": {"content": "hi"}}], "usage": {"prompt_tokens": "12", "completion_tokens": {"all": 7}}}`: {Text: "hi", InputTokens: 12},
		`{"choices": [{"message": {"content": "hi"}}], "usage": null}`:                                                     {Text: "hi"},
	} {
		reply, err := complete(t, llm.OpenAI, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		})
		if err != nil || reply != want {
			t.Errorf("%s: %+v, %v", body, reply, err)
		}
	}
}

// The provider's Retry-After is returned to the caller, without waiting for it.
func TestComplete_retryAfter(t *testing.T) {
	t.Parallel()
	for provider, status := range map[string]int{llm.OpenAI: http.StatusTooManyRequests, llm.Anthropic: 529} {
		asked := 0
		_, err := complete(t, provider, func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(status)
		})
		failure, ok := err.(*fault.Error)
		if !ok || failure.RetryAfter != 30*time.Second || asked != 1 {
			t.Errorf("%s: %v after %d requests", provider, err, asked)
		}
	}
}

// A given HTTP client keeps its transport, but follows no redirects and reads bounded responses.
func TestNew_givenClient(t *testing.T) {
	t.Parallel()
	var seen *http.Request
	given := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		seen = r
		return &http.Response{
			StatusCode: 200,
			Header:     http.Header{"Content-Type": {"application/json"}},
			Request:    r,
			Body:       io.NopCloser(strings.NewReader(`{"choices": [{"message": {"content": "hi"}}]}`)),
		}, nil
	})}
	reply, err := llm.New(llm.Options{OpenAIKey: "k", Client: given}).Complete(ports.NewOutbound(t.Context()), ports.ModelRequest{
		Provider:  "openai",
		Model:     "m",
		User:      "u",
		MaxTokens: 9,
	})
	if err != nil || reply.Text != "hi" || seen.URL.String() != "https://api.openai.com/v1/chat/completions" || seen.Header.Get("Authorization") != "Bearer k" {
		t.Errorf("%+v, %v, %v", reply, err, seen)
	}
	body, err := io.ReadAll(seen.Body)
	if err != nil || !strings.Contains(string(body), `"max_completion_tokens":9`) || strings.Contains(string(body), `"max_tokens"`) {
		t.Errorf("%s %v", body, err)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Requests carry the API version, because the service refuses them without it.
func TestComplete_anthropicRequest(t *testing.T) {
	t.Parallel()
	var path, body string
	var header http.Header
	_, err := complete(t, llm.Anthropic, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		path, header, body = r.URL.Path, r.Header, string(text)
		_, _ = io.WriteString(w, `{"content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"}`)
	})
	if err != nil || path != "/v1/messages" || header.Get("X-Api-Key") != "k" || header.Get("Anthropic-Version") != "2023-06-01" ||
		header.Get("Content-Type") != "application/json" {
		t.Errorf("%v, %s, %v", err, path, header)
	}
	const want = `{"model":"m","max_tokens":9,"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"text","text":"u"}]}],"temperature":0}`
	if body != want {
		t.Errorf("it sent\n%s\nwant\n%s", body, want)
	}
}
