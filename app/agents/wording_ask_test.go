package agents_test

import (
	"context"
	"errors"
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
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// An answer must be one JSON object with one text, optionally in a code fence.
func TestOnlyJSON_answerForms(t *testing.T) {
	t.Parallel()
	good := choice("house-counter-1")
	for text, sent := range map[string]bool{
		good: true, "```json\n" + good + "\n```": true, " \n" + good + "\n": true,
		"Of course: " + good: false, good + good: false, "[" + good + "]": false, `"` + good + `"`: false, "": false, "null": false, "{}": false,
		`{"template": 7}`: false, `{"template": null}`: false, `{"template": "house-counter-1", "price": 1}`: false,
		`["house-counter-1"]`: false, good[:20]: false,
	} {
		w, _ := withModel(&fakeModel{writes: always(text)})
		if got := w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", countered)); (got != agent.Texts{}) != sent {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// No model is asked if it is turned off, if the settings name none, or if there is nothing to say.
func TestWithModel_nothingToAsk(t *testing.T) {
	t.Parallel()
	g := &fakeModel{writes: always(choice("house-counter-1"))}
	w, s := withModel(g)
	off := allOn
	off.Wording, off.Strategy, off.Reasons = false, false, false
	nobody, nameless := allOn, allOn
	nobody.Provider, nameless.Name = "", ""
	for _, m := range []agent.Model{off, nobody, nameless} {
		w.Word(ports.NewOutbound(t.Context()), m, wordInput("en-US", countered))
		if a, err := s.Propose(ports.NewOutbound(t.Context()), m, quoteInput(offer, "")); a.Decision != nil || err != nil {
			t.Errorf("%+v %v", a, err)
		}
		w.Reasons(ports.NewOutbound(t.Context()), m, searchInput("lamp"), found())
	}
	w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", negotiation.Quoted{Price: usd(counter)}))
	hidden := wordInput("en-US", countered)
	hidden.Product.Name = "Lamp <script>"
	w.Word(ports.NewOutbound(t.Context()), allOn, hidden)
	w.Reasons(ports.NewOutbound(t.Context()), allOn, searchInput(" \u200b "), found())
	w.Reasons(ports.NewOutbound(t.Context()), allOn, searchInput("lamp"), catalog.Found{})
	if n := len(g.requests()); n != 0 {
		t.Errorf("%d questions: %+v", n, g.requests())
	}
}

// A request keeps within the limits of the settings.
func TestAsk_requestLimits(t *testing.T) {
	t.Parallel()
	g := &fakeModel{writes: always(choice("house-counter-1"))}
	w, s := withModel(g)
	few := allOn
	few.MaxTokens, few.Temperature = 50, 1500
	w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", countered))
	w.Word(ports.NewOutbound(t.Context()), few, wordInput("en-US", countered))
	_, _ = s.Propose(ports.NewOutbound(t.Context()), few, quoteInput(offer, ""))
	asked := g.requests()
	if len(asked) != 3 || asked[0].MaxTokens != 60 || asked[0].Temperature != 700 || asked[1].MaxTokens != 50 || asked[1].Temperature != 1500 || asked[2].Temperature != 0 {
		t.Errorf("%+v", asked)
	}
}

// A repeated question is answered from the cache, and concurrent equal questions share one request. Invalid answers are not cached.
func TestAsk_cached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &fakeModel{writes: always(choice("house-counter-1")), latency: 100 * time.Millisecond}
		w, _ := withModel(g)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", countered)) == (agent.Texts{}) {
					t.Error("no words")
				}
			})
		}
		all.Wait()
		began := time.Now()
		w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", countered))
		if len(g.requests()) != 1 || time.Since(began) != 0 {
			t.Errorf("%d questions, %s", len(g.requests()), time.Since(began))
		}
		another := wordInput("en-US", countered)
		another.Project = &project.Project{ID: id.New[id.Project]([16]byte{2}), Settings: another.Project.Settings}
		w.Word(ports.NewOutbound(t.Context()), allOn, another)
		w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-GB", countered))
		w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", negotiation.Countered{Price: usd(counter), Final: true}))
		if len(g.requests()) != 4 {
			t.Errorf("%d questions", len(g.requests()))
		}
		g.writes = always(choice("It is free."))
		for range 2 {
			w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-AU", countered))
		}
		if len(g.requests()) != 6 {
			t.Errorf("%d questions", len(g.requests()))
		}
	})
}

// A buyer waits at most 1.2 s for texts and 0.6 s for a search, and never longer than the request's context.
func TestAsk_timeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, s := withModel(&fakeModel{writes: always("{}"), latency: time.Hour})
		for name, test := range map[string]struct {
			want time.Duration
			call func(context.Context)
		}{
			"wording":  {1200 * time.Millisecond, func(ctx context.Context) { w.Word(ports.NewOutbound(ctx), allOn, wordInput("en-US", countered)) }},
			"strategy": {1200 * time.Millisecond, func(ctx context.Context) { _, _ = s.Propose(ports.NewOutbound(ctx), allOn, quoteInput(offer, "")) }},
			"reasons":  {600 * time.Millisecond, func(ctx context.Context) { w.Reasons(ports.NewOutbound(ctx), allOn, searchInput("lamp"), found()) }},
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

// A project has a number of tokens per day. Another project has its own.
func TestDailyTokens(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 5, 6, 23, 0, 0, 0, time.UTC)
	g := &fakeModel{writes: always(choice("house-counter-1")), cost: agents.DailyTokens * 3 / 10}
	var log strings.Builder
	w, _ := agents.WithModel(g, clock{func() time.Time { return now }}, debugLog(&log))
	used := 0
	ask := func(n int, owner byte) {
		in := wordInput("en-US", negotiation.Countered{Price: usd(counter + int64(n))})
		in.Project.ID = id.New[id.Project]([16]byte{owner})
		if w.Word(ports.NewOutbound(t.Context()), allOn, in) != (agent.Texts{}) {
			used++
		}
	}
	for n := range 10 {
		ask(n, 1)
	}
	if len(g.requests()) != 4 || used != 4 || strings.Count(log.String(), "code=model_budget") != 6 {
		t.Errorf("%d questions, %d answers: %s", len(g.requests()), used, log.String())
	}
	ask(20, 2)
	now = now.Add(time.Hour)
	ask(30, 1)
	if len(g.requests()) != 6 {
		t.Errorf("%d questions", len(g.requests()))
	}
}

// If a model fails, the built-in texts are used, and the log contains neither the prompt nor the answer.
func TestAsk_failureLog(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, errors.New("boom"), context.Canceled, fault.New(fault.Unavailable, "model_refused", "No.")} {
		var log strings.Builder
		w, _ := agents.WithModel(&fakeModel{writes: func(ports.ModelRequest) (string, error) { return "It is free!", err }}, noon,
			debugLog(&log))
		if got := w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", countered)); got != (agent.Texts{}) {
			t.Errorf("%v: %+v", err, got)
		}
		if strings.Contains(log.String(), "free") || strings.Contains(log.String(), "Nordic") || strings.Contains(log.String(), "level=INFO") || !strings.Contains(log.String(), "code=") {
			t.Error(log.String())
		}
	}
}

// A failure in one merchant's requests, or in one use, must not suspend the model for others.
func TestAsk_groupedByProjectAndUse(t *testing.T) {
	t.Parallel()
	g := &fakeModel{writes: always("")}
	w, _ := withModel(g)
	first, second := wordInput("en-US", countered), wordInput("en-US", countered)
	second.Project = &project.Project{ID: id.New[id.Project]([16]byte{2}), Settings: second.Project.Settings}
	w.Word(ports.NewOutbound(t.Context()), allOn, first)
	w.Word(ports.NewOutbound(t.Context()), allOn, second)
	w.Reasons(ports.NewOutbound(t.Context()), allOn, searchInput("lamp"), found())
	groups := map[string]bool{}
	for _, r := range g.requests() {
		groups[r.Group] = true
	}
	if len(groups) != 3 || groups[""] {
		t.Errorf("%v, want three groups", groups)
	}
}
