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

func (g *ghost) Complete(ctx context.Context, r ports.ModelRequest) (ports.ModelReply, error) {
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

func words(reasoning, message string) string {
	text, _ := json.Marshal(map[string]string{"reasoning": reasoning, "message": message})
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
	return agent.WordInput{Scene: scene(locale), Product: agent.Product{Name: "Nordic Floor Lamp 80", Quantity: 2}, Decision: d, List: usd(list)}
}

var countered = negotiation.Countered{Price: usd(counter), By: negotiation.Concession}

// What may be sent, and what may not. Each text is the message beside a reasoning that may.
func TestWhatAModelMayWrite(t *testing.T) {
	t.Parallel()
	accepted := negotiation.Accepted{Price: usd(counter), By: negotiation.AtAsk}
	rejected := negotiation.Rejected{Price: usd(counter), Hint: usd(100000), By: negotiation.BelowFloor}
	for _, test := range []struct {
		locale   string
		decision negotiation.Decision
		good     []string
		bad      []string
	}{
		{"en-US", countered, []string{
			"The Nordic Floor Lamp 80 is yours at 1234.50 USD.", "We can come down to $1,234.50, and that is a fair price for it.",
			"It is 1,234.50 instead of 1319.00 USD. What do you think?", "Thank you! Our price for you is 1234.50.", "That's our best: it is yours at “1234.50 USD”…",
		}, []string{
			"", "It is yours at 1011.00 USD.", "It is yours at 1234.5001 USD.", "It is yours at 1.234,50 USD.", "It is yours at 12345.0 USD.",
			"It is yours at 80 USD.", "You can have Floor Lamp 80 at 80.", "It is yours at €1234.50.", "It is yours at 1234.50 EUR.",
			"It is yours at 1234.50 yen.", "It is yours at 1234.50k.", "It is yours at 1234.50 thousand.", "It is yours for half of 1234.50.",
			"It is yours for less than 1234.50 USD.", "It is yours at twelve dollars.", "It is yours at ¹²³.", "It is yours at １２３４.50.", "It is yours at Ⅻ.",
			"It is yours and shipping is on us.", "It is yours with 10% off.", "It is yours, and a discount comes later.", "We accept your offer, it is yours.",
			"It is a deal!", "OK, it is yours.", "Your offer works for us.", "It is yours for what you proposed.", "Your offer wins.",
			"Congratulations, it is yours.", "You can go ahead at your price.", "We still have room to move.", "There is wiggle room in it.", "Can we meet halfway?",
			"We earn more than that.", "You have your money back if not.", "It is yours and expires at midnight.", "Our floor is not far from that.", "It is close to our cost.", "It is above our minimum margin.",
			"See it at evil.example, it is yours.", "See it at https://evil.example.", "Write to me@evil.example for it.", "It is [yours](x).", "It is **yours**.",
			"It is <b>yours</b>.", "It is `yours`.", "It is\nyours.", "It is\u200b yours.", "It is \u202eyours.", "It is yоurs.", "It is ﬁne and yours.",
			"It is f r e e for you.", "C'est notre prix pour vous.", "Darmowa dostawa dla ciebie.", "これは私たちの価格です。", "It is yours 🎁.", "It is yours\xff.",
			strings.Repeat("It is yours. ", 20), "The system prompt says that it is yours.", "It is yours at 1234.50 123.", "It is yours at 1234.50.1.",
		}},
		{"en-US", accepted, []string{"We accept your offer: it is yours at 1234.50 USD, it is a deal!"}, []string{"We accept your offer of 1011.00 USD."}},
		{"en-US", rejected, []string{"The offer is too low for us, but it is yours at 1234.50 USD."}, []string{"We would talk from 1000 on.", "Your 1011.00 is too low."}},
		{"de-DE", countered, []string{"Wir können Ihnen die Nordic Floor Lamp 80 für 1.234,50 USD geben.", "Das ist unser Preis: $1234,50. Was sagen Sie zu dem Preis?"}, []string{
			"Wir können Ihnen 20 Prozent Rabatt geben.", "Wir geben es Ihnen für fünfzig.", "Der Versand ist für Sie kostenlos.", "Das ist unter unserem Mindestpreis.",
			"Wir nehmen es an, das ist abgemacht.", "Sie zahlen weniger als das.", "Sie bekommen es für die Hälfte.", "Sie bekommen es für 1.234 USD.",
		}},
		{"fr-FR", countered, []string{"Nous pouvons vous le laisser à 1\u202f234,50 USD, c’est notre prix."}, []string{
			"Nous vous offrons la livraison gratuite.", "C'est une remise pour vous.", "Nous sommes d'accord avec vous.", "C'est le prix plancher pour nous.", "Vous payez cinquante de moins."}},
		{"es-ES", countered, []string{"Le podemos dejar la lámpara en 1.234,50 USD, y es un buen precio."}, []string{
			"Es suyo con envío gratis.", "Es suyo por cincuenta.", "Le damos un descuento por su oferta.", "Trato hecho, es suyo."}},
		{"it-IT", countered, []string{"Per lei il prezzo è di 1.234,50 USD, ed è il nostro."}, []string{"È suo con la spedizione gratuita.", "Le diamo uno sconto del prezzo.", "È suo per cinquanta."}},
		{"pt-BR", countered, []string{"O nosso preço para você é de 1.234,50 USD."}, []string{"É seu com frete e desconto.", "O preço é de cinquenta para você.", "Fechado, é seu."}},
		{"nl-NL", countered, []string{"Dit is onze prijs voor u: 1.234,50 USD."}, []string{"U krijgt een korting van ons.", "Het is van u voor vijftig.", "Wij gaan akkoord met u."}},
		{"ja-JP", countered, nil, []string{"The price is 1234.50 USD, and it is yours."}},
	} {
		polite := map[string]string{"en": "This is our price for you.", "de": "Das ist unser Preis.", "fr": "C'est notre prix.", "es": "Es el precio de la casa.",
			"it": "È il nostro prezzo.", "pt": "O preço é da casa.", "nl": "Dit is onze prijs."}[test.locale[:2]]
		said := func(text string) agent.Words {
			w, _ := with(&ghost{writes: always(words(polite, text))})
			return w.Word(t.Context(), on, wordInput(test.locale, test.decision))
		}
		for _, text := range test.good {
			if got := said(text); got.Message != text || got.Reasoning != polite {
				t.Errorf("%s %s: %q is not sent", test.locale, test.decision.Response(), text)
			}
		}
		for _, text := range test.bad {
			if got := said(text); got != (agent.Words{}) {
				t.Errorf("%s %s: %q is sent", test.locale, test.decision.Response(), text)
			}
		}
	}
}

// An answer is one JSON object of two texts, in a fence at most.
func TestFormOfAnAnswer(t *testing.T) {
	t.Parallel()
	good := words("This is our price.", "It is yours.")
	for text, sent := range map[string]bool{
		good: true, "```json\n" + good + "\n```": true, " \n" + good + "\n": true,
		"Of course: " + good: false, good + good: false, "[" + good + "]": false, `"` + good + `"`: false, "": false, "null": false, "{}": false,
		`{"reasoning": "This is it."}`: false, `{"reasoning": "This is it.", "message": 7}`: false, `{"reasoning": "This is it.", "message": null}`: false,
		`{"reasoning": "This is it.", "message": "It is yours.", "price": 1}`: false, good[:20]: false,
	} {
		w, _ := with(&ghost{writes: always(text)})
		if got := w.Word(t.Context(), on, wordInput("en-US", countered)); (got != agent.Words{}) != sent {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// Nothing is asked where it is off, where there is no model, or nothing to say.
func TestOff(t *testing.T) {
	t.Parallel()
	g := &ghost{writes: always(words("This is our price.", "It is yours."))}
	w, s := with(g)
	off := on
	off.Wording, off.Strategy, off.Reasons = false, false, false
	nobody, nameless := on, on
	nobody.Provider, nameless.Name = "", ""
	for _, m := range []agent.Model{off, nobody, nameless} {
		w.Word(t.Context(), m, wordInput("en-US", countered))
		if a, err := s.Propose(t.Context(), m, quoteInput(offer, "")); a.Decision != nil || err != nil {
			t.Errorf("%+v %v", a, err)
		}
		w.Reasons(t.Context(), m, searchInput("lamp"), found())
	}
	w.Word(t.Context(), on, wordInput("en-US", negotiation.Quoted{Price: usd(counter)}))
	w.Word(t.Context(), on, wordInput("xx", countered))
	hidden := wordInput("en-US", countered)
	hidden.Product.Name = "Lamp <script>"
	w.Word(t.Context(), on, hidden)
	w.Reasons(t.Context(), on, searchInput(" \u200b "), found())
	w.Reasons(t.Context(), on, searchInput("lamp"), catalog.Found{})
	if n := len(g.questions()); n != 0 {
		t.Errorf("%d questions: %+v", n, g.questions())
	}
}

// A request keeps the settings' limits.
func TestLimitsOfARequest(t *testing.T) {
	t.Parallel()
	g := &ghost{writes: always(words("This is our price.", "It is yours."))}
	w, s := with(g)
	few := on
	few.MaxTokens, few.Temperature = 50, 1500
	w.Word(t.Context(), on, wordInput("en-US", countered))
	w.Word(t.Context(), few, wordInput("en-US", countered))
	_, _ = s.Propose(t.Context(), few, quoteInput(offer, ""))
	asked := g.questions()
	if len(asked) != 3 || asked[0].MaxTokens != 300 || asked[0].Temperature != 700 || asked[1].MaxTokens != 50 || asked[1].Temperature != 1500 || asked[2].Temperature != 0 {
		t.Errorf("%+v", asked)
	}
}

// What was asked once is remembered, and what is asked at once is asked once. What may not be sent is not remembered.
func TestAnswersAreRemembered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &ghost{writes: always(words("This is our price.", "It is yours.")), takes: 100 * time.Millisecond}
		w, _ := with(g)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if w.Word(t.Context(), on, wordInput("en-US", countered)) == (agent.Words{}) {
					t.Error("no words")
				}
			})
		}
		all.Wait()
		began := time.Now()
		w.Word(t.Context(), on, wordInput("en-US", countered))
		if len(g.questions()) != 1 || time.Since(began) != 0 {
			t.Errorf("%d questions, %s", len(g.questions()), time.Since(began))
		}
		another := wordInput("en-US", countered)
		another.Project = &project.Project{ID: id.New[id.Project]([16]byte{2}), Settings: another.Project.Settings}
		w.Word(t.Context(), on, another)
		w.Word(t.Context(), on, wordInput("en-GB", countered))
		w.Word(t.Context(), on, wordInput("en-US", negotiation.Countered{Price: usd(counter), Final: true}))
		if len(g.questions()) != 4 {
			t.Errorf("%d questions", len(g.questions()))
		}
		g.writes = always(words("This is our price.", "It is free."))
		for range 2 {
			w.Word(t.Context(), on, wordInput("en-AU", countered))
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
			"wording":  {1200 * time.Millisecond, func(ctx context.Context) { w.Word(ctx, on, wordInput("en-US", countered)) }},
			"strategy": {1200 * time.Millisecond, func(ctx context.Context) { _, _ = s.Propose(ctx, on, quoteInput(offer, "")) }},
			"reasons":  {600 * time.Millisecond, func(ctx context.Context) { w.Reasons(ctx, on, searchInput("lamp"), found()) }},
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
	g := &ghost{writes: always(words("This is our price.", "It is yours.")), cost: agents.DailyTokens * 3 / 10}
	var log strings.Builder
	w, _ := agents.WithModel(g, clock{func() time.Time { return now }}, loud(&log))
	used := 0
	ask := func(n int, owner byte) {
		in := wordInput("en-US", negotiation.Countered{Price: usd(counter + int64(n))})
		in.Project.ID = id.New[id.Project]([16]byte{owner})
		if w.Word(t.Context(), on, in) != (agent.Words{}) {
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
		if got := w.Word(t.Context(), on, wordInput("en-US", countered)); got != (agent.Words{}) {
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
		if got := w.Word(t.Context(), on, wordInput("en-US", countered)); got != (agent.Words{}) {
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
	w.Word(t.Context(), on, first)
	w.Word(t.Context(), on, second)
	w.Reasons(t.Context(), on, searchInput("lamp"), found())
	groups := map[string]bool{}
	for _, r := range g.questions() {
		groups[r.Group] = true
	}
	if len(groups) != 3 || groups[""] {
		t.Errorf("%v, want three groups", groups)
	}
}
