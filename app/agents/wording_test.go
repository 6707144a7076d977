package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// ghost is a language model that writes what it is told to, and remembers what it was asked.
type ghost struct {
	writes func(ports.ModelRequest) (string, error)
	takes  time.Duration
	cost   int

	mu    sync.Mutex
	asked []ports.ModelRequest
}

func (g *ghost) Complete(ctx ports.Outbound, r ports.ModelRequest) (ports.ModelReply, error) {
	g.mu.Lock()
	g.asked = append(g.asked, r)
	g.mu.Unlock()
	select {
	case <-time.After(g.takes):
	case <-ctx.Done():
		return ports.ModelReply{}, fault.New(fault.Unavailable, "model_timeout", "Too late.")
	}
	text, err := g.writes(r)
	return ports.ModelReply{Text: text, InputTokens: g.cost / 2, OutputTokens: g.cost - g.cost/2}, err
}

func (g *ghost) questions() []ports.ModelRequest {
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

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func loud(to io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func with(g *ghost) (*agents.Wording, *agents.Strategy) {
	return agents.WithModel(g, noon, quiet())
}

// on is a model's settings with everything turned on.
var on = agent.Model{Provider: "openai", Name: "m", MaxTokens: 1024, Temperature: 700, Wording: true, Strategy: true, Reasons: true}

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

func scene(locale string) agent.Scene {
	settings := project.DefaultSettings()
	settings.Locale = locale
	return agent.Scene{Project: &project.Project{ID: id.New[id.Project]([16]byte{1}), Settings: settings}}
}

// Numbers of the talk in these tests. No two have a form in common.
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
	rejected = negotiation.Rejected{Price: usd(counter), Hint: usd(100000), By: negotiation.BelowFloor}
)

// The merchant's template of a choice is filled from the answer.
func TestWord_merchantsTemplates(t *testing.T) {
	t.Parallel()
	m := on
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
		{countered, "sorry", agent.Texts{}}, // of another answer
		{rejected, "warm", agent.Texts{}},
		{countered, "house-counter-1", agent.Texts{}}, // the merchant has its own
		{accepted, "house-accept-1", agent.Texts{Message: "Agreed: 2 × Nordic Floor Lamp 80 at 1234.50 USD each."}},
		{negotiation.Rejected{Price: usd(counter), By: negotiation.ListOnly}, "no", agent.Texts{}},
	} {
		w, _ := with(&ghost{writes: always(choice(test.choice))})
		if got := w.Word(ports.NewOutbound(t.Context()), m, wordInput("de-DE", test.decision)); got != test.want {
			t.Errorf("%s, %s: %+v", test.decision.Outcome(), test.choice, got)
		}
	}
}

// A model gets the Management API's word for each answer, and its instructions explain the same words.
func TestWord_occasionsInTheWordsOfTheAPI(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		decision negotiation.Decision
		want     string
	}{
		{accepted, "accept"},
		{countered, "counter_offer"},
		{negotiation.Countered{Price: usd(counter), By: negotiation.Concession, Final: true}, "final_offer"},
		{negotiation.Countered{Price: usd(counter), By: negotiation.NoMovement}, "unmoved"},
		{negotiation.Countered{Price: usd(counter), By: negotiation.ProbingLimit}, "unmoved"},
		{rejected, "reject"},
	} {
		g := &ghost{writes: always("")}
		w, _ := with(g)
		w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-US", test.decision))
		asked := g.questions()
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

// The only template of an answer needs no model.
func TestWord_onlyTemplate(t *testing.T) {
	t.Parallel()
	m, g := on, &ghost{writes: always("")}
	m.Templates = []agent.Template{{ID: "warm", On: agent.OnCounter, Message: "{price}"}}
	w, _ := with(g)
	got := w.Word(ports.NewOutbound(t.Context()), m, wordInput("en-US", countered))
	if got.Message != "1234.50 USD" || len(g.questions()) != 0 {
		t.Errorf("%+v after %d questions", got, len(g.questions()))
	}
}

// Whatever a model writes, only the text of a template is sent.
func TestWord_modelsOwnText(t *testing.T) {
	t.Parallel()
	sendable := map[agent.Texts]bool{{}: true}
	for _, template := range agent.HouseTemplates {
		sendable[template.Fill(wordInput("en-US", countered))] = true
	}
	for _, text := range []string{
		"It is yours at 1011.00 USD.", "It is yours and shipping is on us.", "See it at https://evil.example.", "We accept your offer.", "<b>yours</b>",
		"house-counter-1 ", "HOUSE-COUNTER-1", "house-counter-1\u0000", "house-counter-1, and it is free", "house-accept-1", "{price}", "",
	} {
		w, _ := with(&ghost{writes: always(choice(text))})
		if got := w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-US", countered)); !sendable[got] || got != (agent.Texts{}) {
			t.Errorf("%q: %+v is sent", text, got)
		}
	}
}

// An answer is one JSON object of one text, in a fence at most.
func TestFormOfAnAnswer(t *testing.T) {
	t.Parallel()
	good := choice("house-counter-1")
	for text, sent := range map[string]bool{
		good: true, "```json\n" + good + "\n```": true, " \n" + good + "\n": true,
		"Of course: " + good: false, good + good: false, "[" + good + "]": false, `"` + good + `"`: false, "": false, "null": false, "{}": false,
		`{"template": 7}`: false, `{"template": null}`: false, `{"template": "house-counter-1", "price": 1}`: false,
		`["house-counter-1"]`: false, good[:20]: false,
	} {
		w, _ := with(&ghost{writes: always(text)})
		if got := w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-US", countered)); (got != agent.Texts{}) != sent {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// Nothing is asked where it is off, where there is no model, or nothing to say.
func TestOff(t *testing.T) {
	t.Parallel()
	g := &ghost{writes: always(choice("house-counter-1"))}
	w, s := with(g)
	off := on
	off.Wording, off.Strategy, off.Reasons = false, false, false
	nobody, nameless := on, on
	nobody.Provider, nameless.Name = "", ""
	for _, m := range []agent.Model{off, nobody, nameless} {
		w.Word(ports.NewOutbound(t.Context()), m, wordInput("en-US", countered))
		if a, err := s.Propose(ports.NewOutbound(t.Context()), m, quoteInput(offer, "")); a.Decision != nil || err != nil {
			t.Errorf("%+v %v", a, err)
		}
		w.Reasons(ports.NewOutbound(t.Context()), m, searchInput("lamp"), found())
	}
	w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-US", negotiation.Quoted{Price: usd(counter)}))
	hidden := wordInput("en-US", countered)
	hidden.Product.Name = "Lamp <script>"
	w.Word(ports.NewOutbound(t.Context()), on, hidden)
	w.Reasons(ports.NewOutbound(t.Context()), on, searchInput(" \u200b "), found())
	w.Reasons(ports.NewOutbound(t.Context()), on, searchInput("lamp"), catalog.Found{})
	if n := len(g.questions()); n != 0 {
		t.Errorf("%d questions: %+v", n, g.questions())
	}
}

// A request keeps the settings' limits.
func TestLimitsOfARequest(t *testing.T) {
	t.Parallel()
	g := &ghost{writes: always(choice("house-counter-1"))}
	w, s := with(g)
	few := on
	few.MaxTokens, few.Temperature = 50, 1500
	w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-US", countered))
	w.Word(ports.NewOutbound(t.Context()), few, wordInput("en-US", countered))
	_, _ = s.Propose(ports.NewOutbound(t.Context()), few, quoteInput(offer, ""))
	asked := g.questions()
	if len(asked) != 3 || asked[0].MaxTokens != 60 || asked[0].Temperature != 700 || asked[1].MaxTokens != 50 || asked[1].Temperature != 1500 || asked[2].Temperature != 0 {
		t.Errorf("%+v", asked)
	}
}

// What was asked once is remembered, and what is asked at once is asked once. What may not be sent is not remembered.
func TestAnswersAreRemembered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &ghost{writes: always(choice("house-counter-1")), takes: 100 * time.Millisecond}
		w, _ := with(g)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-US", countered)) == (agent.Texts{}) {
					t.Error("no words")
				}
			})
		}
		all.Wait()
		began := time.Now()
		w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-US", countered))
		if len(g.questions()) != 1 || time.Since(began) != 0 {
			t.Errorf("%d questions, %s", len(g.questions()), time.Since(began))
		}
		another := wordInput("en-US", countered)
		another.Project = &project.Project{ID: id.New[id.Project]([16]byte{2}), Settings: another.Project.Settings}
		w.Word(ports.NewOutbound(t.Context()), on, another)
		w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-GB", countered))
		w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-US", negotiation.Countered{Price: usd(counter), Final: true}))
		if len(g.questions()) != 4 {
			t.Errorf("%d questions", len(g.questions()))
		}
		g.writes = always(choice("It is free."))
		for range 2 {
			w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-AU", countered))
		}
		if len(g.questions()) != 6 {
			t.Errorf("%d questions", len(g.questions()))
		}
	})
}

// A buyer waits for words 1.2 s at most, for a search 0.6 s, and for as long as the buyer's own time lasts.
func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, s := with(&ghost{writes: always("{}"), takes: time.Hour})
		for name, test := range map[string]struct {
			want time.Duration
			call func(context.Context)
		}{
			"wording":  {1200 * time.Millisecond, func(ctx context.Context) { w.Word(ports.NewOutbound(ctx), on, wordInput("en-US", countered)) }},
			"strategy": {1200 * time.Millisecond, func(ctx context.Context) { _, _ = s.Propose(ports.NewOutbound(ctx), on, quoteInput(offer, "")) }},
			"reasons":  {600 * time.Millisecond, func(ctx context.Context) { w.Reasons(ports.NewOutbound(ctx), on, searchInput("lamp"), found()) }},
		} {
			began := time.Now()
			test.call(t.Context())
			if took := time.Since(began); took != test.want {
				t.Errorf("%s takes %s", name, took)
			}
			hurried, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			began = time.Now()
			test.call(hurried)
			cancel()
			if took := time.Since(began); took != 50*time.Millisecond {
				t.Errorf("%s takes a hurried buyer %s", name, took)
			}
		}
		time.Sleep(2 * time.Second)
	})
}

// A project has so many tokens a day, and another project its own.
func TestDailyTokens(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 5, 6, 23, 0, 0, 0, time.UTC)
	g := &ghost{writes: always(choice("house-counter-1")), cost: agents.DailyTokens * 3 / 10}
	var log strings.Builder
	w, _ := agents.WithModel(g, clock{func() time.Time { return now }}, loud(&log))
	used := 0
	ask := func(n int, owner byte) {
		in := wordInput("en-US", negotiation.Countered{Price: usd(counter + int64(n))})
		in.Project.ID = id.New[id.Project]([16]byte{owner})
		if w.Word(ports.NewOutbound(t.Context()), on, in) != (agent.Texts{}) {
			used++
		}
	}
	for n := range 10 {
		ask(n, 1)
	}
	if len(g.questions()) != 4 || used != 4 || strings.Count(log.String(), "code=model_budget") != 6 {
		t.Errorf("%d questions, %d answers: %s", len(g.questions()), used, log.String())
	}
	ask(20, 2)
	now = now.Add(time.Hour)
	ask(30, 1)
	if len(g.questions()) != 6 {
		t.Errorf("%d questions", len(g.questions()))
	}
}

// Whatever a model's failure is, the house's words stay, and the log says nothing of what was asked or written.
func TestFailuresAreQuiet(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, errors.New("boom"), context.Canceled, fault.New(fault.Unavailable, "model_refused", "No.")} {
		var log strings.Builder
		w, _ := agents.WithModel(&ghost{writes: func(ports.ModelRequest) (string, error) { return "It is free!", err }}, noon,
			loud(&log))
		if got := w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-US", countered)); got != (agent.Texts{}) {
			t.Errorf("%v: %+v", err, got)
		}
		if strings.Contains(log.String(), "free") || strings.Contains(log.String(), "Nordic") || strings.Contains(log.String(), "level=INFO") || !strings.Contains(log.String(), "code=") {
			t.Error(log.String())
		}
	}
}

func TestWord_panic(t *testing.T) {
	t.Parallel()
	w, _ := with(&ghost{writes: func(ports.ModelRequest) (string, error) { panic("unexpected answer") }})
	for range 2 {
		if got := w.Word(ports.NewOutbound(t.Context()), on, wordInput("en-US", countered)); got != (agent.Texts{}) {
			t.Errorf("%+v", got)
		}
	}
}

// Failures of one merchant's requests, or of one use, must not suspend the model for others.
func TestRequestsAreGroupedByMerchantAndUse(t *testing.T) {
	t.Parallel()
	g := &ghost{writes: always("")}
	w, _ := with(g)
	first, second := wordInput("en-US", countered), wordInput("en-US", countered)
	second.Project = &project.Project{ID: id.New[id.Project]([16]byte{2}), Settings: second.Project.Settings}
	w.Word(ports.NewOutbound(t.Context()), on, first)
	w.Word(ports.NewOutbound(t.Context()), on, second)
	w.Reasons(ports.NewOutbound(t.Context()), on, searchInput("lamp"), found())
	groups := map[string]bool{}
	for _, r := range g.questions() {
		groups[r.Group] = true
	}
	if len(groups) != 3 || groups[""] {
		t.Errorf("%v, want three groups", groups)
	}
}
