package agents_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeModel is a language model that answers with writes and records the requests.
type fakeModel struct {
	writes  func(ports.ModelRequest) (string, error)
	latency time.Duration
	cost    int

	mu    sync.Mutex
	asked []ports.ModelRequest
}

func (g *fakeModel) Complete(ctx ports.Outbound, r ports.ModelRequest) (ports.ModelReply, error) {
	g.mu.Lock()
	g.asked = append(g.asked, r)
	g.mu.Unlock()
	select {
	case <-time.After(g.latency):
	case <-ctx.Done():
		return ports.ModelReply{}, fault.New(fault.Unavailable, "model_timeout", "Too late.")
	}
	text, err := g.writes(r)
	return ports.ModelReply{
		Text:         text,
		InputTokens:  g.cost / 2,
		OutputTokens: g.cost - g.cost/2,
	}, err
}

func (g *fakeModel) requests() []ports.ModelRequest {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]ports.ModelRequest(nil), g.asked...)
}

func always(text string) func(ports.ModelRequest) (string, error) {
	return func(ports.ModelRequest) (string, error) { return text, nil }
}

func choice(template string) string {
	text, _ := json.Marshal(map[string]string{"template": template})
	return string(text)
}

type clock struct{ at func() time.Time }

func (c clock) Now() time.Time { return c.at() }

var noon = clock{func() time.Time { return time.Date(2030, 5, 6, 12, 0, 0, 0, time.UTC) }}

func discardLog() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func debugLog(to io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func withModel(g *fakeModel) (*agents.Wording, *agents.Strategy) {
	return agents.WithModel(g, noon, discardLog())
}

// allOn is model settings with everything turned on.
var allOn = agent.Model{
	Provider:    "openai",
	Name:        "m",
	MaxTokens:   1024,
	Temperature: 700,
	Wording:     true,
	Strategy:    true,
	Reasons:     true,
}

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

func scene(locale string) agent.Scene {
	settings := project.DefaultSettings()
	settings.Locale = locale
	return agent.Scene{Project: &project.Project{ID: id.New[id.Project]([16]byte{1}), Settings: settings}}
}

// Amounts of the negotiation in these tests. No two share a notation.
const list, offer, counter, floor, target, opening, cost = 131900, 101100, 123450, 98765, 117720, 129990, 65432

func wordInput(locale string, d negotiation.Decision) agent.WordInput {
	return agent.WordInput{
		Scene:      scene(locale),
		Product:    agent.Product{Name: "Nordic Floor Lamp 80", Quantity: 2},
		Decision:   d,
		List:       usd(list),
		ValidUntil: noon.at().Add(30 * time.Minute),
	}
}

var countered = negotiation.Countered{Price: usd(counter), By: negotiation.Concession}

var (
	accepted = negotiation.Accepted{Price: usd(counter), By: negotiation.AtAsk}
	rejected = negotiation.Rejected{
		Price: usd(counter),
		Hint:  usd(100000),
		By:    negotiation.BelowFloor,
	}
)

// The merchant's template that the model chose is filled from the answer.
func TestWord_merchantsTemplates(t *testing.T) {
	t.Parallel()
	m := allOn
	m.Templates = []agent.Template{
		{ID: "warm", On: agent.OnCounter, Reasoning: "Für Sie {price} statt {list_price}.", Message: "{quantity} × {product}?"},
		{ID: "cool", On: agent.OnCounter, Message: "{price}, bis {valid_until}."},
		{ID: "sorry", On: agent.OnReject, Message: "Ab {hint} reden wir."},
		{ID: "no", On: agent.OnReject, Message: "Zu wenig."},
	}
	for _, test := range []struct {
		decision negotiation.Decision
		choice   string
		want     agent.Texts
	}{
		{countered, "warm", agent.Texts{Reasoning: "Für Sie 1234.50 USD statt 1319.00 USD.", Message: "2 × Nordic Floor Lamp 80?"}},
		{countered, "cool", agent.Texts{Message: "1234.50 USD, bis 2030-05-06 12:30 UTC."}},
		{rejected, "sorry", agent.Texts{Message: "Ab 1000.00 USD reden wir."}},
		{countered, "sorry", agent.Texts{}}, // belongs to another answer
		{rejected, "warm", agent.Texts{}},
		{countered, "house-counter-1", agent.Texts{}}, // replaced by the merchant's own
		{accepted, "house-accept-1", agent.Texts{Message: "Agreed: 2 × Nordic Floor Lamp 80 at 1234.50 USD each."}},
		{negotiation.Rejected{Price: usd(counter), By: negotiation.ListOnly}, "no", agent.Texts{}},
	} {
		w, _ := withModel(&fakeModel{writes: always(choice(test.choice))})
		if got := w.Word(ports.NewOutbound(t.Context()), m, wordInput("de-DE", test.decision)); got != test.want {
			t.Errorf("%s, %s: %+v", test.decision.Outcome(), test.choice, got)
		}
	}
}

// The prompt contains the Management API's word for each answer, and the instructions explain the same words.
func TestWord_occasionsInTheWordsOfTheAPI(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		decision negotiation.Decision
		want     string
	}{
		{accepted, "accept"},
		{countered, "counter_offer"},
		{negotiation.Countered{
			Price: usd(counter),
			By:    negotiation.Concession,
			Final: true,
		}, "final_offer"},
		{negotiation.Countered{Price: usd(counter), By: negotiation.NoMovement}, "unmoved"},
		{negotiation.Countered{Price: usd(counter), By: negotiation.ProbingLimit}, "unmoved"},
		{rejected, "reject"},
	} {
		g := &fakeModel{writes: always("")}
		w, _ := withModel(g)
		w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", test.decision))
		asked := g.requests()
		if len(asked) != 1 {
			t.Fatalf("%s: %d questions", test.want, len(asked))
		}
		var facts struct{ Answer string }
		if err := json.Unmarshal([]byte(asked[0].User), &facts); err != nil || facts.Answer != test.want {
			t.Errorf("the model is told %q (%v), want %q", facts.Answer, err, test.want)
		}
		if !strings.Contains(asked[0].System, `"`+test.want+`"`) {
			t.Errorf("the instructions do not explain %q", test.want)
		}
	}
}

// If an answer has only one template, no model is asked.
func TestWord_onlyTemplate(t *testing.T) {
	t.Parallel()
	m, g := allOn, &fakeModel{writes: always("")}
	m.Templates = []agent.Template{{ID: "warm", On: agent.OnCounter, Message: "{price}"}}
	w, _ := withModel(g)
	got := w.Word(ports.NewOutbound(t.Context()), m, wordInput("en-US", countered))
	if got.Message != "1234.50 USD" || len(g.requests()) != 0 {
		t.Errorf("%+v after %d questions", got, len(g.requests()))
	}
}

// Only the text of a template is sent, for any text that a model writes.
func TestWord_modelsOwnText(t *testing.T) {
	t.Parallel()
	sendable := map[agent.Texts]bool{{}: true}
	for _, template := range agent.BuiltinTemplates {
		sendable[template.Fill(wordInput("en-US", countered))] = true
	}
	for _, text := range []string{
		"It is yours at 1011.00 USD.", "It is yours and shipping is on us.", "See it at https://evil.example.", "We accept your offer.", "<b>yours</b>",
		"house-counter-1 ", "HOUSE-COUNTER-1", "house-counter-1\u0000", "house-counter-1, and it is free", "house-accept-1", "{price}", "",
	} {
		w, _ := withModel(&fakeModel{writes: always(choice(text))})
		if got := w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", countered)); !sendable[got] || got != (agent.Texts{}) {
			t.Errorf("%q: %+v is sent", text, got)
		}
	}
}

func TestWord_panic(t *testing.T) {
	t.Parallel()
	w, _ := withModel(&fakeModel{writes: func(ports.ModelRequest) (string, error) { panic("unexpected answer") }})
	for range 2 {
		if got := w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", countered)); got != (agent.Texts{}) {
			t.Errorf("%+v", got)
		}
	}
}
