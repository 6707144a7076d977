package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// DailyTokens are what a project's agents may use of language models in a day (UTC), questions and answers together.
// Trials leave half of them to buyers. They are counted by each replica on its own and from its start.
const DailyTokens = 200_000

const (
	wordTime   = 1200 * time.Millisecond // of a decision's words, and of a proposed price
	reasonTime = 600 * time.Millisecond  // of the reasons of a search
	remembered = 4096                    // answers
	inFlight   = 64                      // questions at once
)

// Shares of language models: of those who wait for an answer, who may wait for the same one, and of the questions
// under way. Beyond them the house's words stay.
var (
	waitShares = bulkhead.Shares{
		Places: 256,
		Tenant: 64,
		Target: 128,
	}
	flightShares = bulkhead.Shares{
		Places: inFlight,
		Tenant: inFlight / 4,
		Target: inFlight / 2,
	}
)

// asking is what all uses of language models share: one memory, one budget.
type asking struct {
	model   ports.LanguageModel
	clock   ports.Clock
	log     *slog.Logger
	answers *lru.Cache[string, any]
	flights singleflight.Group
	waiting *bulkhead.Room
	asked   *bulkhead.Room

	mu    sync.Mutex
	day   string
	spent map[id.Project]int
}

func newAsking(model ports.LanguageModel, clock ports.Clock, log *slog.Logger) *asking {
	answers, _ := lru.New[string, any](remembered) // fails without a size only
	return &asking{
		model:   model,
		clock:   clock,
		log:     log,
		answers: answers,
		waiting: bulkhead.NewRoom(waitShares),
		asked:   bulkhead.NewRoom(flightShares),
	}
}

// Room is where those wait who had something asked.
func (a *asking) Room() *bulkhead.Room { return a.waiting }

func busy() error {
	return fault.New(fault.Unavailable, "model_busy", "Too many questions are put to language models at once.")
}

// trial is the key of contexts in which nobody buys.
type trial struct{}

func onTrial(ctx ports.Outbound) ports.Outbound { return ctx.WithValue(trial{}, true) }

// tokensOf is how many of a day's tokens may be gone once a question is answered.
func tokensOf(ctx context.Context) int {
	if ctx.Value(trial{}) != nil {
		return DailyTokens / 2
	}
	return DailyTokens
}

// modelOf is how a scene's agent uses a model, with the project's defaults where it sets nothing. The default name
// belongs to the default provider: it is not taken with another.
func modelOf(s agent.Scene) agent.Model {
	m, defaults := s.Mandate.Agent.Model, s.Project.Settings
	if m.Provider == "" {
		m.Provider = defaults.LLMProvider
	}
	if m.Name == "" && strings.EqualFold(m.Provider, defaults.LLMProvider) {
		m.Name = defaults.LLMModel
	}
	if m.MaxTokens <= 0 {
		m.MaxTokens = defaults.MaxTokens
	}
	if m.Temperature < 0 {
		m.Temperature = defaults.Temperature
	}
	return m
}

// named reports whether there is a model to ask.
func named(m agent.Model) bool { return m.Provider != "" && m.Name != "" }

// question is what is asked of a model.
type question struct {
	name     string // of the use, for logs
	system   string
	facts    any // sent as JSON
	tokens   int // that an answer needs at most
	patience time.Duration
}

// ask has a question answered, from memory where it was asked before. An answer counts once read has taken it.
func ask[T any](ctx ports.Outbound, a *asking, m agent.Model, p *project.Project, q question, read func(string) (T, error)) (T, error) {
	var nothing T
	facts, err := json.Marshal(q.facts)
	if err != nil {
		return nothing, err
	}
	r := ports.ModelRequest{
		Provider:    m.Provider,
		Model:       m.Name,
		System:      q.system,
		User:        string(facts),
		MaxTokens:   min(m.MaxTokens, q.tokens),
		Temperature: m.Temperature,
		Group:       p.ID.String() + " " + q.name,
	}
	key := fmt.Sprintf("%s\x00%s\x00%+v", q.name, p.ID, r)
	if answer, ok := a.answers.Get(key); ok {
		return answer.(T), nil
	}
	if ctx.Err() != nil { // nobody waits for what it would cost
		return nothing, ctx.Err()
	}
	leave, ok := a.waiting.Enter(ctx, r.Provider+" "+r.Model)
	if !ok {
		return nothing, busy()
	}
	defer leave()
	// A buyer does not share a trial's flight, which may have no tokens.
	flight := a.flights.DoChan(fmt.Sprintf("%d\x00%s", tokensOf(ctx), key), func() (answer any, err error) {
		ctx, cancel := ctx.WithoutCancel().WithTimeout(q.patience)
		defer cancel()
		err = fault.Survive(func() error { // no caller could recover from a panic here
			answer, err = answered(ctx, a, p.ID, r, read)
			return err
		})
		if err == nil {
			a.answers.Add(key, answer)
		}
		return answer, err
	})
	var landed singleflight.Result
	bulkhead.Outside(ctx, func() {
		select {
		case landed = <-flight:
		case <-ctx.Done():
			landed.Err = ctx.Err()
		}
	})
	if landed.Err != nil {
		a.note(ctx, m, p, q.name, landed.Err)
		return nothing, landed.Err
	}
	return landed.Val.(T), nil
}

// answered asks the model, and reads what it wrote.
func answered[T any](ctx ports.Outbound, a *asking, project id.Project, r ports.ModelRequest, read func(string) (T, error)) (T, error) {
	var nothing T
	text, err := a.complete(ctx, project, r)
	if err != nil {
		return nothing, err
	}
	answer, err := read(text)
	if err != nil {
		return nothing, fault.New(fault.Unavailable, "model_nonsense", "The language model's answer is of no use.").Because(err)
	}
	return answer, nil
}

// complete asks the model, if the project has tokens left and there is room.
func (a *asking) complete(ctx ports.Outbound, project id.Project, r ports.ModelRequest) (string, error) {
	leave, ok := a.asked.Enter(ctx, r.Provider+" "+r.Model)
	if !ok {
		return "", busy()
	}
	defer leave()
	asked := (len(r.System) + len(r.User)) / 3 // a cautious estimate
	if !a.reserve(project, asked+r.MaxTokens, tokensOf(ctx)) {
		return "", fault.New(fault.Unavailable, "model_budget", "The project has used its tokens of today.")
	}
	reply, err := a.model.Complete(ctx, r)
	cost := reply.InputTokens + reply.OutputTokens
	switch {
	case fault.Is(err, "model_timeout") || err != nil && ctx.Err() != nil:
		cost = asked // it may have been read
	case err == nil && cost == 0 || fault.Is(err, "model_nonsense"):
		cost = asked + r.MaxTokens // nobody told
	}
	a.settle(project, cost-asked-r.MaxTokens)
	return reply.Text, err
}

// reserve takes tokens of today's, if no more than limit are gone then.
func (a *asking) reserve(project id.Project, tokens, limit int) bool {
	today := a.clock.Now().UTC().Format(time.DateOnly)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.day != today {
		a.day, a.spent = today, map[id.Project]int{}
	}
	if a.spent[project]+tokens > limit {
		return false
	}
	a.spent[project] += tokens
	return true
}

// settle corrects a reservation by what it was off.
func (a *asking) settle(project id.Project, by int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent[project] = max(0, a.spent[project]+by)
}

// note tells what came of a use. What the model wrote is not in it.
func (a *asking) note(ctx context.Context, m agent.Model, p *project.Project, name string, err error) {
	if err == nil {
		return
	}
	code := "canceled"
	if failure, ok := errors.AsType[*fault.Error](err); ok {
		code = failure.Code
	}
	level := slog.LevelDebug
	if errors.Is(err, fault.ErrPanic) {
		level = slog.LevelError
	}
	a.log.Log(ctx, level, "a language model was of no use", "use", name, "project_id", p.ID.String(),
		"provider", m.Provider, "model", m.Name, "code", code, "error", err)
}

var errShape = errors.New("the answer is not of the form that was asked for")

// onlyJSON reads an answer that is one JSON object of known fields, which models like to fence in.
func onlyJSON(text string, into any) error {
	object := unfenced(text)
	if !json.Valid([]byte(object)) { // nothing may follow it either
		return errShape
	}
	d := json.NewDecoder(strings.NewReader(object))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil {
		return errShape
	}
	return nil
}

// unfenced is an answer without the fence that models like to put around JSON.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		if inner, ok = strings.CutSuffix(strings.TrimPrefix(inner, "json"), "```"); ok {
			return strings.TrimSpace(inner)
		}
	}
	return text
}
