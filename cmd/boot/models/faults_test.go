package models_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/llm"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/simulator/model"
)

const key, prompt = "sk-1234567890abcdef", "a question that is nobody else's"

var providers = []string{"openai", "anthropic"}

func question(provider, name string) ports.ModelRequest {
	return ports.ModelRequest{
		Provider:    provider,
		Model:       name,
		System:      "be kind",
		User:        prompt,
		MaxTokens:   100,
		Temperature: 1500,
	}
}

// faults maps a model's fault to the caller's error code. "" means that the text is returned, and its reader detects the error.
var faults = map[string]string{
	"slow": "model_timeout", "hang": "model_timeout", "error": "model_unreachable", "throttle": "model_refused", "redirect": "model_nonsense",
	"lost": "model_unreachable", "broken": "model_nonsense", "truncated": "model_nonsense", "empty": "model_nonsense", "blank": "model_nonsense",
	"hollow": "model_nonsense", "cut": "model_nonsense", "page": "model_nonsense", "endless": "model_nonsense", "prose": "", "schema": "", "null": "",
}

// Each fault has its error code within the timeout. The error contains nothing of the prompt, the key or the response. No
// request is sent twice.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, kind := range model.Kinds {
		for _, provider := range providers {
			t.Run(kind+" "+provider, func(t *testing.T) {
				t.Parallel()
				s := open(t, model.Config{Key: key})
				if err := s.look.Fault(model.Fault{
					Kind:   kind,
					Times:  -1,
					Millis: 60_000,
				}); err != nil {
					t.Fatal(err)
				}
				want, known := faults[kind]
				ctx := t.Context()
				if want == "model_timeout" { // after the prompt arrived, which may take long on a busy machine
					hurried, cancel := context.WithTimeout(ctx, 5*time.Second)
					defer cancel()
					ctx = hurried
				}
				reply, err := s.client.Complete(ports.NewOutbound(ctx), question(provider, "m"))
				if !known || want == "" && (err != nil || reply.Text == "") || want != "" && (!fault.Is(err, want) || fault.KindOf(err) != fault.Unavailable) {
					t.Errorf("%+v, %v; want %q", reply, err, want)
				}
				if err != nil && (strings.Contains(err.Error(), "sk-") || strings.Contains(err.Error(), prompt) || strings.Contains(err.Error(), "html")) {
					t.Errorf("the error tells too much: %v", err)
				}
				if n := s.look.State().Questions; n != 1 {
					t.Errorf("%d requests", n)
				}
				s.silent(t, provider)
			})
		}
	}
}

// silent checks that the buyer gets the built-in rules' response in time when the model fails.
func (s *shop) silent(t *testing.T, provider string) {
	t.Helper()
	router, began := s.router(), time.Now()
	in := s.offer(provider, offerMid, "")
	answer, err := router.Quote(ports.NewOutbound(t.Context()), in)
	if err != nil || answer.Decision != negotiation.Decide(in.Table) || answer.Answered.Handler != agent.HouseHandler || answer.Answered.Fallback == "" {
		t.Errorf("%+v, %v", answer, err)
	}
	words := router.Word(ports.NewOutbound(t.Context()), agent.WordInput{
		Scene:    in.Scene,
		Product:  in.Product,
		Decision: answer.Decision,
		List:     in.Table.Bounds.List(),
	})
	if words != (agent.Texts{}) {
		t.Errorf("%+v", words)
	}
	if took := time.Since(began); took > 2*patience+20*time.Second { // generous for a busy machine; a fault lasts over a minute
		t.Errorf("the buyer waits %s", took)
	}
}

// Both services get the same prompt, each in its own format.
func TestRequests(t *testing.T) {
	t.Parallel()
	s := open(t, model.Config{Key: key, Answer: func(model.Question) string { return "fine" }})
	for n, provider := range []string{"openai", "Anthropic"} {
		reply, err := s.client.Complete(ports.NewOutbound(t.Context()), question(provider, "m"))
		if err != nil || reply.Text != "fine" || reply.InputTokens == 0 || reply.OutputTokens != 1 {
			t.Errorf("%s: %+v, %v", provider, reply, err)
		}
		asked := s.look.Questions()[n]
		if asked.API != strings.ToLower(provider) || asked.Model != "m" || asked.System != "be kind" || asked.User != prompt || asked.MaxTokens != 100 {
			t.Errorf("%+v", asked)
		}
		if want := []float64{1.5, 1}[n]; asked.Temperature == nil || *asked.Temperature != want {
			t.Errorf("%+v", asked)
		}
	}
}

// A provider without key and address is unknown, and so is one with another name.
func TestUnknownProviders(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"openai", "anthropic", "", "other"} {
		if _, err := llm.New(llm.Options{}).Complete(ports.NewOutbound(t.Context()), question(provider, "m")); !fault.Is(err, "model_unknown") {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

// A wrong key is refused, and the error does not contain it.
func TestWrongKeys(t *testing.T) {
	t.Parallel()
	s := open(t, model.Config{Key: key})
	client := llm.New(llm.Options{
		OpenAIURL:    s.look.URL + "/v1",
		OpenAIKey:    "sk-wrong",
		AnthropicURL: s.look.URL,
		AnthropicKey: "sk-wrong",
	})
	for _, provider := range providers {
		if _, err := client.Complete(ports.NewOutbound(t.Context()), question(provider, "m")); !fault.Is(err, "model_refused") || strings.Contains(err.Error(), "sk-") {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

// Reasoning models refuse a temperature. The client learns this from their first refusal.
func TestModelsWithoutTemperature(t *testing.T) {
	t.Parallel()
	s := open(t, model.Config{})
	for _, provider := range providers {
		if _, err := s.client.Complete(ports.NewOutbound(t.Context()), question(provider, "thinker")); !fault.Is(err, "model_refused") {
			t.Errorf("%s: %v", provider, err)
		}
		if _, err := s.client.Complete(ports.NewOutbound(t.Context()), question(provider, "thinker")); err != nil {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

// After five failures in a row the circuit of a model opens. Other models of the provider are not affected.
func TestFailingModelsAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, provider := range providers {
		for _, kind := range []string{"error", "throttle", "lost"} {
			s := open(t, model.Config{})
			if err := s.look.Fault(model.Fault{
				Kind:  kind,
				Times: -1,
				Match: `"broken"`,
			}); err != nil {
				t.Fatal(err)
			}
			for range 20 {
				if _, err := s.client.Complete(ports.NewOutbound(t.Context()), question(provider, "broken")); err == nil {
					t.Error("it answers")
				}
			}
			if n := s.look.State().Questions; n != 5 {
				t.Errorf("%s %s: %d requests", provider, kind, n)
			}
			if _, err := s.client.Complete(ports.NewOutbound(t.Context()), question(provider, "broken")); !fault.Is(err, "model_unreachable") {
				t.Error(err)
			}
			if _, err := s.client.Complete(ports.NewOutbound(t.Context()), question(provider, "m")); err != nil {
				t.Errorf("%s %s: %v", provider, kind, err)
			}
		}
	}
}

// Faults of a single request and canceled requests do not open a model's circuit.
func TestWhatIsNoFailureOfAModel(t *testing.T) {
	t.Parallel()
	for _, provider := range providers {
		s := open(t, model.Config{})
		if err := errors.Join(s.look.Fault(model.Fault{
			Kind:   "error",
			Status: 400,
			Times:  10,
		}), s.look.Fault(model.Fault{Kind: "empty", Times: 10}), s.look.Fault(model.Fault{Kind: "hang", Times: 10})); err != nil {
			t.Fatal(err)
		}
		for n := range 30 {
			gone, cancel := context.WithCancel(t.Context())
			if n >= 20 {
				time.AfterFunc(5*time.Millisecond, cancel)
			}
			if _, err := s.client.Complete(ports.NewOutbound(gone), question(provider, "m")); err == nil || n >= 20 && !errors.Is(err, context.Canceled) {
				t.Errorf("%d: %v", n, err)
			}
			cancel()
		}
		s.look.ClearFaults()
		if _, err := s.client.Complete(ports.NewOutbound(t.Context()), question(provider, "m")); err != nil {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

// Connections are refused.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	const url = "http://user:sk-secret@127.0.0.1:1"
	client := llm.New(llm.Options{OpenAIURL: url + "/v1", AnthropicURL: url})
	for _, provider := range providers {
		if _, err := client.Complete(ports.NewOutbound(t.Context()), question(provider, "m")); !fault.Is(err, "model_unreachable") || strings.Contains(err.Error(), "sk-") || strings.Contains(err.Error(), prompt) {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

// The client ignores the environment variables of the services' own libraries: it sends none of their keys and uses none of
// their addresses.
func TestEnvironmentOfTheLibraries(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_ORG_ID"} {
		t.Setenv(name, key)
	}
	for _, name := range []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	open, closed := open(t, model.Config{}), open(t, model.Config{Key: key})
	for _, provider := range providers {
		if _, err := open.client.Complete(ports.NewOutbound(t.Context()), question(provider, "m")); err != nil {
			t.Errorf("%s: %v", provider, err)
		}
		keyless := llm.New(llm.Options{OpenAIURL: closed.look.URL + "/v1", AnthropicURL: closed.look.URL})
		if _, err := keyless.Complete(ports.NewOutbound(t.Context()), question(provider, "m")); !fault.Is(err, "model_refused") {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

// A well-behaved model's price and text reach the buyer.
func TestPoliteModel(t *testing.T) {
	t.Parallel()
	for _, provider := range providers {
		s := open(t, model.Config{})
		got := s.negotiate(t, provider, offerMid, "")
		if d, ok := got.Decision.(negotiation.Countered); !ok || d.Price != money.Of(opening, money.USD) || d.By != negotiation.AgentAnswer {
			t.Errorf("%s: %+v", provider, got.Decision)
		}
		if got.Words.Message != "It is yours at 1299.90 USD until 2030-01-31 12:00 UTC." || got.Words.Reasoning != "1299.90 USD is a fair price for Nordic Lamp." || len(got.Asked) != 2 {
			t.Errorf("%s: %+v", provider, got)
		}
	}
}
