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

// DailyTokens is how many tokens a project's agents may use per day (UTC), prompts and answers together. Simulations leave half
// of them to buyers. Each replica counts on its own, starting at zero.
const DailyTokens = 200_000

const (
	wordTimeout   = 1200 * time.Millisecond // for a decision's texts, and for a proposed price
	reasonTimeout = 600 * time.Millisecond  // for the reasons of a search
	mostAnswers   = 4096                    // cached answers
	mostInFlight  = 64                      // concurrent requests to models
)

// Limits for language models: waitShares counts the callers that wait for an answer, including those that wait for the same one,
// and flightShares the requests in flight. Beyond them the built-in texts are used.
var (
	waitShares = bulkhead.Shares{
		Places: 256,
		Tenant: 64,
		Target: 128,
	}
	flightShares = bulkhead.Shares{
		Places: mostInFlight,
		Tenant: mostInFlight / 4,
		Target: mostInFlight / 2,
	}
)

// modelClient is the client that all uses of language models share, with one cache and one budget.
type modelClient struct {
	model    ports.LanguageModel
	clock    ports.Clock
	log      *slog.Logger
	answers  *lru.Cache[string, any]
	flights  singleflight.Group
	waiting  *bulkhead.Room
	inFlight *bulkhead.Room

	mu    sync.Mutex
	day   string
	spent map[id.Project]int
}

func newModelClient(model ports.LanguageModel, clock ports.Clock, log *slog.Logger) *modelClient {
	answers, _ := lru.New[string, any](mostAnswers) // fails only for a size of 0
	return &modelClient{
		model:    model,
		clock:    clock,
		log:      log,
		answers:  answers,
		waiting:  bulkhead.NewRoom(waitShares),
		inFlight: bulkhead.NewRoom(flightShares),
	}
}

// Room returns the bulkhead in which callers wait for answers.
func (a *modelClient) Room() *bulkhead.Room { return a.waiting }

func errModelBusy() error {
	return fault.New(fault.Unavailable, "model_busy", "Too many requests to language models at once.")
}

// simulationKey is the context key of simulations.
type simulationKey struct{}

func asSimulation(ctx ports.Outbound) ports.Outbound { return ctx.WithValue(simulationKey{}, true) }

// tokenLimit returns how many of a day's tokens may be used after a request.
func tokenLimit(ctx context.Context) int {
	if ctx.Value(simulationKey{}) != nil {
		return DailyTokens / 2
	}
	return DailyTokens
}

// modelOf returns the model settings of a scene's agent, with the project's defaults for what is unset. The default name
// belongs to the default provider and is not used with another one.
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

// hasModel reports whether the settings name a model.
func hasModel(m agent.Model) bool { return m.Provider != "" && m.Name != "" }

// question is a request to a model.
type question struct {
	name    string // of the use, for logs
	system  string
	facts   any // sent as JSON
	tokens  int // upper limit of the answer
	timeout time.Duration
}

// ask answers a question from the cache or by the model. It caches an answer if read accepts it.
func ask[T any](ctx ports.Outbound, a *modelClient, m agent.Model, p *project.Project, q question, read func(string) (T, error)) (T, error) {
	var zero T
	facts, err := json.Marshal(q.facts)
	if err != nil {
		return zero, err
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
	if ctx.Err() != nil { // the caller is gone, so a request would be wasted
		return zero, ctx.Err()
	}
	leave, ok := a.waiting.Enter(ctx, r.Provider+" "+r.Model)
	if !ok {
		return zero, errModelBusy()
	}
	defer leave()
	// A buyer does not share a simulation's request, which may lack tokens.
	flight := a.flights.DoChan(fmt.Sprintf("%d\x00%s", tokenLimit(ctx), key), func() (answer any, err error) {
		ctx, cancel := ctx.WithoutCancel().WithTimeout(q.timeout)
		defer cancel()
		err = fault.Survive(func() error { // no caller could recover from a panic here
			answer, err = completeAndRead(ctx, a, p.ID, r, read)
			return err
		})
		if err == nil {
			a.answers.Add(key, answer)
		}
		return answer, err
	})
	var result singleflight.Result
	bulkhead.Outside(ctx, func() {
		select {
		case result = <-flight:
		case <-ctx.Done():
			result.Err = ctx.Err()
		}
	})
	if result.Err != nil {
		a.logFailure(ctx, m, p, q.name, result.Err)
		return zero, result.Err
	}
	return result.Val.(T), nil
}

// completeAndRead asks the model and reads its answer.
func completeAndRead[T any](ctx ports.Outbound, a *modelClient, project id.Project, r ports.ModelRequest, read func(string) (T, error)) (T, error) {
	var zero T
	text, err := a.complete(ctx, project, r)
	if err != nil {
		return zero, err
	}
	answer, err := read(text)
	if err != nil {
		return zero, fault.New(fault.Unavailable, "model_nonsense", "The language model's response is not usable.").Because(err)
	}
	return answer, nil
}

// complete asks the model, if the project has tokens left and the limits allow it.
func (a *modelClient) complete(ctx ports.Outbound, project id.Project, r ports.ModelRequest) (string, error) {
	leave, ok := a.inFlight.Enter(ctx, r.Provider+" "+r.Model)
	if !ok {
		return "", errModelBusy()
	}
	defer leave()
	asked := (len(r.System) + len(r.User)) / 3 // a high estimate
	if !a.reserve(project, asked+r.MaxTokens, tokenLimit(ctx)) {
		return "", fault.New(fault.Unavailable, "model_budget", "The project has used its language model tokens of today.")
	}
	reply, err := a.model.Complete(ctx, r)
	cost := reply.InputTokens + reply.OutputTokens
	switch {
	case fault.Is(err, "model_timeout") || err != nil && ctx.Err() != nil:
		cost = asked // the model may have read the prompt
	case err == nil && cost == 0 || fault.Is(err, "model_nonsense"):
		cost = asked + r.MaxTokens // the provider did not report the usage
	}
	a.settle(project, cost-asked-r.MaxTokens)
	return reply.Text, err
}

// reserve counts tokens for today, unless that exceeds limit.
func (a *modelClient) reserve(project id.Project, tokens, limit int) bool {
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

// settle adjusts a reservation by the difference to the actual cost.
func (a *modelClient) settle(project id.Project, by int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent[project] = max(0, a.spent[project]+by)
}

// logFailure logs the failure of a request, without the model's text.
func (a *modelClient) logFailure(ctx context.Context, m agent.Model, p *project.Project, name string, err error) {
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

// onlyJSON decodes an answer that must be one JSON object of known fields, optionally in a code fence.
func onlyJSON(text string, into any) error {
	object := unfenced(text)
	if !json.Valid([]byte(object)) { // also rejects trailing text
		return errShape
	}
	d := json.NewDecoder(strings.NewReader(object))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil {
		return errShape
	}
	return nil
}

// unfenced removes the code fence that models like to put around JSON.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		if inner, ok = strings.CutSuffix(strings.TrimPrefix(inner, "json"), "```"); ok {
			return strings.TrimSpace(inner)
		}
	}
	return text
}
