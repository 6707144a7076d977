// Package agents serves negotiator agents in the Management API: their settings, policies, decisions, trials and tuning. It
// also serves jobs: imports of product files, and market simulations. It decides nothing; the use cases are in app.
package agents

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// handlers has the operations as methods.
type handlers struct{ *operation.API }

// Register adds the operations on negotiator agents.
func Register(a *operation.API) {
	h := &handlers{a}
	h.registerAgents()
}

const oneAgent = "/v1/agents/{agent_id}"

func (h *handlers) registerAgents() {
	const allAgents = "/v1/agents"
	g := h.Group("Agents", "agents", operation.HeaderProject)
	operation.Register(g, "create-agent", "POST "+allAgents, "Create a draft of an agent; the secret that signs requests to its remote handlers is shown once",
		h.createAgent, operation.Created, operation.Errors(409))
	operation.Register(g, "list-agents", "GET "+allAgents, "List agents, the active one first", operation.HandleList(h.listAgents, wire.Identity))
	operation.Register(g, "get-agent", "GET "+oneAgent, "Get an agent", wire.HandleOne(h.getAgent, wire.Identity))
	operation.Register(g, "update-agent", "PATCH "+oneAgent, "Change an agent; a changed policy becomes a new version and is in force at once",
		operation.HandleUpdate(h.updateAgent, wire.Identity), operation.Errors(409))
	operation.Register(g, "delete-agent", "DELETE "+oneAgent, "Delete a draft", h.deleteAgent, operation.Errors(409))
	operation.Register(g, "activate-agent", "POST "+oneAgent+"/activate", "Activate an agent; the previously active one becomes a draft",
		operation.HandleUpdate(h.activateAgent, wire.Identity))
	operation.Register(g, "rotate-agent-secret", "POST "+oneAgent+"/rotate-secret", "Rotate the secret; the previous one stops signing at once",
		h.rotateAgentSecret)
	h.registerPolicies(g)
	h.registerDecisions(g)
	h.registerTrials(g)
	h.registerTuning(g)
	h.registerMarket(g)
	h.registerJobs()
	h.registerImports()
}

// AgentView is an agent as merchants read it.
type AgentView struct {
	ID            string         `json:"id" example:"agent_01h2xcejqtf2nbrexx3vqjhp41"`
	Name          string         `json:"name"`
	Status        string         `json:"status" enum:"draft,active" doc:"A project has exactly one active agent, which serves its buyers."`
	Handlers      agentHandlers  `json:"handlers"`
	PolicyVersion int            `json:"policy_version" doc:"The version of the policy in force."`
	Policy        policyDocument `json:"policy"`
	Model         modelView      `json:"model"`
	Tuning        tuningView     `json:"tuning"`
	CreatedAt     wire.Time      `json:"created_at"`
	UpdatedAt     wire.Time      `json:"updated_at"`
}

type agentHandlers struct {
	Search   agentHandler `json:"search"`
	Quote    agentHandler `json:"quote"`
	Checkout agentHandler `json:"checkout"`
	Finalize agentHandler `json:"finalize"`
}

type agentHandler struct {
	Type    string `json:"type" enum:"builtin,remote"`
	Program string `json:"program,omitempty" example:"haggle" doc:"The program of a builtin handler."`
	URL     string `json:"url,omitempty" doc:"The URL of a remote handler."`
}

type modelView struct {
	Provider    *string       `json:"provider" nullable:"true" doc:"Null: the project's default, as for name, max_tokens and temperature."`
	Name        *string       `json:"name" nullable:"true"`
	MaxTokens   *int          `json:"max_tokens" nullable:"true"`
	Temperature *wire.Decimal `json:"temperature" nullable:"true"`
	Wording     bool          `json:"wording" doc:"Whether the model chooses the template that words an answer after its decision."`
	Strategy    bool          `json:"strategy" doc:"Whether the model proposes prices, within the guardrails."`
	Reasons     bool          `json:"reasons" doc:"Whether the model chooses which reason for a match a search names first: brand, category or an attribute."`

	Templates []templateView `json:"templates" doc:"The sentences of answers. An answer without a template uses a built-in one in English."`
}

// templateView is a template, as it is read and written.
type templateView struct {
	ID        string `json:"id" example:"warm" doc:"1 to 40 characters of a-z, 0-9, - and _."`
	On        string `json:"answer" example:"counter_offer" doc:"The answer that it words: accept, counter_offer, final_offer (the last counteroffer), unmoved (a counteroffer to a buyer who has offered no more than before) or reject."`
	Reasoning string `json:"reasoning,omitempty" example:"We can come down to {price}." doc:"At most 240 characters, without numbers. {product}, {quantity}, {price}, {list_price}, {valid_until} and, in a rejection, {hint} are replaced by the values of the answer."`
	Message   string `json:"message,omitempty" doc:"As for reasoning."`
}

type tuningView struct {
	Automatic bool          `json:"automatic"`
	Holdout   wire.Decimal  `json:"holdout_percent" doc:"The share of sessions that keep the baseline."`
	Canary    wire.Decimal  `json:"canary_percent" doc:"The share of sessions that a policy serves first which the agent has learned automatically. It doubles each time that the policy has certainly earned more than the baseline since it last grew, once a day at most, as a new version of the same policy."`
	Trial     *wire.Decimal `json:"trial_percent" nullable:"true" doc:"The share of sessions that the policy in force serves while it is on trial; the others keep the baseline. Null: there is no trial."`
	Baseline  *int          `json:"baseline_version" nullable:"true" doc:"The version that was in force when the holdout began, or a later one: if a change goes beyond curve and segments, it applies to the holdout too. Null: there is no holdout and no trial."`
}

// toAPIAgent shows prices in the project's currency.
func toAPIAgent(a *agent.Agent, c money.Currency) AgentView {
	h, m := a.Handlers, a.Model
	v := AgentView{
		ID:            a.ID.String(),
		Name:          a.Name,
		Status:        a.Status.String(),
		Handlers:      agentHandlers{toAPIHandler(h.Search), toAPIHandler(h.Quote), toAPIHandler(h.Checkout), toAPIHandler(h.Finalize)},
		PolicyVersion: a.Policy.Version,
		Policy:        toAPIPolicy(a.Policy, c),
		Model: modelView{
			Provider:  wire.ToOptional(m.Provider),
			Name:      wire.ToOptional(m.Name),
			Wording:   m.Wording,
			Strategy:  m.Strategy,
			Reasons:   m.Reasons,
			MaxTokens: wire.ToOptional(m.MaxTokens),
			Templates: wire.Each(m.Templates, func(t agent.Template) templateView {
				return templateView{t.ID, commerce.Occasions[t.On], t.Reasoning, t.Message}
			}),
		},
		Tuning: tuningView{
			Automatic: a.Tuning.Automatic,
			Holdout:   wire.ToPercent(a.Tuning.Holdout),
			Canary:    wire.ToPercent(a.Tuning.Canary),
			Baseline:  wire.ToOptional(a.Tuning.Baseline),
		},
		CreatedAt: wire.ToTime(a.CreatedAt),
		UpdatedAt: wire.ToTime(a.UpdatedAt),
	}
	if a.Tuning.Trial > 0 {
		v.Tuning.Trial = new(wire.ToPercent(a.Tuning.Trial))
	}
	if m.Temperature >= 0 {
		v.Model.Temperature = new(wire.ToDecimal(int64(m.Temperature), operation.TemperatureDigits))
	}
	return v
}

func toAPIHandler(h agent.Handler) agentHandler {
	return agentHandler{h.Kind.String(), h.Program, h.URL}
}

// AgentPatch is an agent as merchants write it. A field that is left out keeps its value; null sets the value of a new agent.
type AgentPatch struct {
	Name     wire.Optional[string]        `json:"name,omitzero" doc:"1 to 200 characters."`
	Handlers wire.Optional[handlersPatch] `json:"handlers,omitzero" doc:"The handler of each event; the built-in handler for events without one."`
	Policy   wire.Optional[policyPatch]   `json:"policy,omitzero" doc:"In an update, omitted fields keep the value of the current policy; null is the built-in policy."`
	Model    wire.Optional[modelPatch]    `json:"model,omitzero" doc:"How a language model is used. Omitted: no model is used."`
	Tuning   wire.Optional[tuningPatch]   `json:"tuning,omitzero" doc:"How the agent learns automatically from its recorded negotiations."`
}

type handlersPatch struct {
	Search   wire.Optional[handlerPatch] `json:"search,omitzero"`
	Quote    wire.Optional[handlerPatch] `json:"quote,omitzero"`
	Checkout wire.Optional[handlerPatch] `json:"checkout,omitzero"`
	Finalize wire.Optional[handlerPatch] `json:"finalize,omitzero"`
}

type handlerPatch struct {
	Type    string `json:"type" example:"remote" doc:"builtin or remote."`
	Program string `json:"program,omitempty" doc:"Of a builtin handler: a program of this server. Default: haggle, the built-in one."`
	URL     string `json:"url,omitempty" example:"https://example.com/haggle/quote" doc:"Of a remote handler: an https URL of at most 2,048 characters that does not lead to a private address."`
}

type modelPatch struct {
	Provider    wire.Optional[string]       `json:"provider,omitzero" doc:"Null: the project's default_llm_provider."`
	Name        wire.Optional[string]       `json:"name,omitzero" doc:"Null: the project's default_llm_model."`
	MaxTokens   wire.Optional[int]          `json:"max_tokens,omitzero" doc:"1 to 1,000,000 for each request. Null: the project's max_tokens_per_request."`
	Temperature wire.Optional[wire.Decimal] `json:"temperature,omitzero" doc:"0 to 2, at most three decimals. Null: the project's temperature."`
	Wording     wire.Optional[bool]         `json:"wording,omitzero"`
	Strategy    wire.Optional[bool]         `json:"strategy,omitzero"`
	Reasons     wire.Optional[bool]         `json:"reasons,omitzero"`

	Templates wire.Optional[[]templateView] `json:"templates,omitzero" doc:"At most 40. They replace the existing ones."`
}

type tuningPatch struct {
	Automatic wire.Optional[bool]         `json:"automatic,omitzero"`
	Holdout   wire.Optional[wire.Decimal] `json:"holdout_percent,omitzero" doc:"0 to 50. These sessions keep the curve and segments in force when the holdout begins, as a baseline to compare with; other changes of the policy apply to them too."`
	Canary    wire.Optional[wire.Decimal] `json:"canary_percent,omitzero" doc:"0 to 50. This limits what trying a learned policy costs: exploration in the answer of POST /v1/agents/{agent_id}/tune shows it as money. 0: a learned policy serves all sessions but the holdout at once. A policy that is on trial already is judged to its end, as it is after automatic is switched off: activate another version to end it. Null: 10."`
}

// newAgent is an AgentPatch whose required fields are documented.
type newAgent struct{ AgentPatch }

func (newAgent) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "name")
}

// fromAPIAgent reads all but the policy.
func fromAPIAgent(in AgentPatch, check fault.Check) agent.Change {
	handlers, tuning := in.Handlers.Group(), in.Tuning.Group()
	return agent.Change{
		Name: in.Name.Field(),
		Handlers: agent.HandlersChange{
			Search: fromAPIHandler(handlers.Search), Quote: fromAPIHandler(handlers.Quote),
			Checkout: fromAPIHandler(handlers.Checkout), Finalize: fromAPIHandler(handlers.Finalize),
		},
		Model: fromAPIModel(in.Model.Group(), check.In("model")),
		Tuning: agent.TuningChange{
			Automatic: tuning.Automatic.Field(),
			Holdout:   operation.FromAPIPercent(tuning.Holdout, "holdout_percent", check.In("tuning")),
			Canary:    operation.FromAPIPercent(tuning.Canary, "canary_percent", check.In("tuning")),
		},
	}
}

func fromAPIHandler(o wire.Optional[handlerPatch]) patch.Field[agent.HandlerDraft] {
	return wire.MapField(o, func(h handlerPatch) agent.HandlerDraft { return agent.HandlerDraft(h) })
}

func fromAPIModel(m modelPatch, check fault.Check) agent.ModelChange {
	return agent.ModelChange{
		Provider:    m.Provider.Field(),
		Name:        m.Name.Field(),
		MaxTokens:   m.MaxTokens.Field(),
		Temperature: operation.FromAPITemperature(m.Temperature, check),
		Wording:     m.Wording.Field(),
		Strategy:    m.Strategy.Field(),
		Reasons:     m.Reasons.Field(),
		Templates: wire.MapField(m.Templates, func(list []templateView) []agent.Template {
			return fromAPITemplates(list, check.In("templates"))
		}),
	}
}

func fromAPITemplates(views []templateView, check fault.Check) []agent.Template {
	list := make([]agent.Template, len(views))
	for i, v := range views {
		on := commerce.ValueOf(v.On, commerce.Occasions)
		check.At(i).That(on != agent.Occasion{}, "answer", "must be accept, counter_offer, final_offer, unmoved or reject")
		list[i] = agent.Template{
			ID:        v.ID,
			On:        on,
			Reasoning: v.Reasoning,
			Message:   v.Message,
		}
	}
	return list
}

type agentSecretOutput = wire.Output[agentSecret]

type agentSecret struct {
	AgentView
	Secret string `json:"secret" example:"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" doc:"Signs each request to a remote handler by Standard Webhooks. Shown only in this response."`
}

func (h *handlers) createAgent(ctx context.Context, rq operation.Request, in *wire.Input[newAgent]) (*agentSecretOutput, error) {
	p, check := rq.Caller.Project, fault.NewCheck()
	change := fromAPIAgent(in.Body.AgentPatch, check)
	doc, _ := in.Body.Policy.Value()
	policy := doc.over(negotiation.Builtin(), p.Settings.Currency, check.In("policy"))
	if err := check.Err(); err != nil {
		return nil, err
	}
	made, secret, err := h.Agents.In(rq.Stores).Create(ctx, p, change, policy)
	if err != nil {
		return nil, err
	}
	v := toAPIAgent(made, p.Settings.Currency)
	operation.NoteCreated(rq, v.ID, v)
	return &agentSecretOutput{Body: agentSecret{v, secret}}, nil
}

func (h *handlers) listAgents(ctx context.Context, rq operation.Request, in *operation.Paging) ([]AgentView, int, error) {
	found, total, err := rq.Stores.Agents.List(ctx, rq.Caller.Project.ID, in.Page())
	return wire.Each(found, func(a *agent.Agent) AgentView { return view(rq, a) }), total, err
}

type OnAgent struct {
	Agent wire.Ref[id.Agent] `path:"agent_id"`
}

func (h *handlers) getAgent(ctx context.Context, rq operation.Request, in *OnAgent) (v AgentView, err error) {
	a, err := h.findAgent(ctx, rq, *in)
	if err != nil {
		return v, err
	}
	return view(rq, a), nil
}

// view is an agent with prices in the currency of the request's project.
func view(rq operation.Request, a *agent.Agent) AgentView {
	return toAPIAgent(a, rq.Caller.Project.Settings.Currency)
}

type updateAgentInput struct {
	OnAgent
	Body AgentPatch
}

func (h *handlers) updateAgent(ctx context.Context, rq operation.Request, in *updateAgentInput) (before, after AgentView, err error) {
	p, check := rq.Caller.Project, fault.NewCheck()
	change := agents.Change{Change: fromAPIAgent(in.Body, check), Policy: fromAPIPolicy(in.Body.Policy, p.Settings.Currency, check.In("policy"))}
	if err := check.Err(); err != nil {
		return before, after, err
	}
	return views(rq)(h.Agents.In(rq.Stores).Change(ctx, p, in.Agent.ID, change))
}

// changedAgent answers with the agent, and notes the change for the audit log. views shows an agent before and after a change.
func views(rq operation.Request) func(before, after *agent.Agent, err error) (AgentView, AgentView, error) {
	return func(before, after *agent.Agent, err error) (AgentView, AgentView, error) {
		if err != nil {
			return AgentView{}, AgentView{}, err
		}
		return view(rq, before), view(rq, after), nil
	}
}

func (h *handlers) deleteAgent(ctx context.Context, rq operation.Request, in *OnAgent) (*struct{}, error) {
	gone, err := h.getAgent(ctx, rq, in)
	if err != nil {
		return nil, err
	}
	operation.NoteChange(rq, gone, nil)
	return nil, rq.Stores.Agents.Delete(ctx, rq.Caller.Project.ID, in.Agent.ID)
}

func (h *handlers) activateAgent(ctx context.Context, rq operation.Request, in *OnAgent) (before, after AgentView, err error) {
	return views(rq)(h.Agents.In(rq.Stores).Activate(ctx, rq.Caller.Project, in.Agent.ID))
}

func (h *handlers) rotateAgentSecret(ctx context.Context, rq operation.Request, in *OnAgent) (*agentSecretOutput, error) {
	a, secret, err := h.Agents.In(rq.Stores).Rotate(ctx, rq.Caller.Project, in.Agent.ID)
	if err != nil {
		return nil, err
	}
	return &agentSecretOutput{Body: agentSecret{view(rq, a), secret}}, nil
}
