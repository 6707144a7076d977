package agents

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

type agentRow struct {
	ProjectID     string `db:"project_id"`
	ID            string
	Name          string
	Status        string
	Handlers      string
	Model         string
	Automatic     bool
	Holdout       int64
	Baseline      int
	PolicyVersion int `db:"policy_version"`
	Latest        int
	Secret        []byte
	CreatedAt     int64 `db:"created_at"`
	UpdatedAt     int64 `db:"updated_at"`
	Policy        string
	Held          *string
}

type handlerJSON struct {
	Kind    string `json:"kind"`
	Program string `json:"program,omitempty"`
	URL     string `json:"url,omitempty"`
}

type handlersJSON struct {
	Search   handlerJSON `json:"search"`
	Quote    handlerJSON `json:"quote"`
	Checkout handlerJSON `json:"checkout"`
	Finalize handlerJSON `json:"finalize"`
}

// modelJSON has the temperature in thousandths.
type modelJSON struct {
	Provider    string `json:"provider"`
	Name        string `json:"name"`
	MaxTokens   int    `json:"max_tokens"`
	Temperature int    `json:"temperature"`
	Wording     bool   `json:"wording"`
	Strategy    bool   `json:"strategy"`
	Reasons     bool   `json:"reasons"`

	Templates []templateJSON `json:"templates,omitempty"`
}

type templateJSON struct {
	ID        string `json:"id"`
	On        string `json:"answer"`
	Reasoning string `json:"reasoning,omitempty"`
	Message   string `json:"message,omitempty"`
}

func toModelJSON(m agent.Model) modelJSON {
	j := modelJSON{
		Provider:    m.Provider,
		Name:        m.Name,
		MaxTokens:   m.MaxTokens,
		Temperature: m.Temperature,
		Wording:     m.Wording,
		Strategy:    m.Strategy,
		Reasons:     m.Reasons,
	}
	for _, t := range m.Templates {
		j.Templates = append(j.Templates, templateJSON{t.ID, t.On.String(), t.Reasoning, t.Message})
	}
	return j
}

func (j modelJSON) model() agent.Model {
	m := agent.Model{
		Provider:    j.Provider,
		Name:        j.Name,
		MaxTokens:   j.MaxTokens,
		Temperature: j.Temperature,
		Wording:     j.Wording,
		Strategy:    j.Strategy,
		Reasons:     j.Reasons,
	}
	for _, t := range j.Templates {
		on, _ := agent.ParseOccasion(t.On)
		m.Templates = append(m.Templates, agent.Template{ID: t.ID, On: on, Reasoning: t.Reasoning, Message: t.Message})
	}
	return m
}

// FirstAgent is the agent that a project begins with, and its policy. Its id is made of the project's.
func FirstAgent(p *project.Project) (*agent.Agent, agent.Version) {
	name := p.ID.String()
	a := &agent.Agent{
		ID: id.Stored[id.Agent]("agent_" + name[max(len(name)-26, 0):]), Project: p.ID, Name: "Negotiator", Status: agent.Active,
		Handlers: agent.Handlers{Search: agent.InHouse, Quote: agent.InHouse, Checkout: agent.InHouse, Finalize: agent.InHouse},
		Model:    agent.Model{Temperature: -1}, Policy: negotiation.Builtin(), Latest: negotiation.Builtin().Version,
		CreatedAt: p.CreatedAt, UpdatedAt: p.CreatedAt,
	}
	return a, agent.Version{
		Agent: a.ID, Project: a.Project, Policy: a.Policy, Origin: agent.ByHouse, CreatedAt: p.CreatedAt, ActivatedAt: p.CreatedAt,
	}
}

// AgentArgs are the values of agentColumns. The last one never changes.
func AgentArgs(a *agent.Agent) ([]any, error) {
	handlers, err := db.ToJSON(toHandlersJSON(a.Handlers))
	if err != nil {
		return nil, err
	}
	model, err := db.ToJSON(toModelJSON(a.Model))
	var secret any // null where there is none
	if len(a.Secret) > 0 {
		secret = a.Secret
	}
	return []any{
		a.Project.String(), a.ID.String(), a.Name, a.Status.String(), handlers, model,
		a.Tuning.Automatic, int64(a.Tuning.Holdout), a.Tuning.Baseline, a.Policy.Version, a.Latest, secret,
		db.Millis(a.UpdatedAt), db.Millis(a.CreatedAt),
	}, err
}

var agentStatuses = map[string]agent.Status{agent.Draft.String(): agent.Draft, agent.Active.String(): agent.Active}

func fromAgentRow(r agentRow) (*agent.Agent, error) {
	a := &agent.Agent{
		ID: id.Stored[id.Agent](r.ID), Project: id.Stored[id.Project](r.ProjectID), Name: r.Name, Status: agentStatuses[r.Status],
		Tuning: agent.Tuning{Automatic: r.Automatic, Holdout: money.Percent(r.Holdout), Baseline: r.Baseline},
		Latest: r.Latest, Secret: r.Secret, CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt),
	}
	var handlers handlersJSON
	if err := db.FromJSON(r.Handlers, &handlers); err != nil {
		return nil, err
	}
	var model modelJSON
	if err := db.FromJSON(r.Model, &model); err != nil {
		return nil, err
	}
	a.Handlers, a.Model = handlers.handlers(), model.model()
	var err error
	if a.Policy, err = fromPolicyText(r.Policy, r.PolicyVersion); err != nil || r.Held == nil {
		return a, err
	}
	held, err := fromPolicyText(*r.Held, r.Baseline)
	a.Held = &held
	return a, err
}

func fromAgentRows(rows []agentRow) ([]*agent.Agent, error) {
	list := make([]*agent.Agent, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromAgentRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func fromPolicyText(text string, version int) (negotiation.Policy, error) {
	var j policyJSON
	if err := db.FromJSON(text, &j); err != nil {
		return negotiation.Policy{}, err
	}
	return j.policy(version), nil
}

func toHandlersJSON(h agent.Handlers) handlersJSON {
	return handlersJSON{toHandlerJSON(h.Search), toHandlerJSON(h.Quote), toHandlerJSON(h.Checkout), toHandlerJSON(h.Finalize)}
}

func toHandlerJSON(h agent.Handler) handlerJSON {
	return handlerJSON{h.Kind.String(), h.Program, h.URL}
}

func (j handlersJSON) handlers() agent.Handlers {
	return agent.Handlers{
		Search: j.Search.handler(), Quote: j.Quote.handler(), Checkout: j.Checkout.handler(), Finalize: j.Finalize.handler(),
	}
}

var handlerKinds = map[string]agent.Kind{agent.Builtin.String(): agent.Builtin, agent.Remote.String(): agent.Remote}

func (j handlerJSON) handler() agent.Handler {
	return agent.Handler{Kind: handlerKinds[j.Kind], Program: j.Program, URL: j.URL}
}

// versionRow is a policy as it was written.
type versionRow struct {
	ProjectID   string `db:"project_id"`
	AgentID     string `db:"agent_id"`
	Version     int
	Policy      string
	Origin      string
	Note        string
	CreatedAt   int64  `db:"created_at"`
	ActivatedAt *int64 `db:"activated_at"`
}

// VersionArgs are the values of versionColumns.
func VersionArgs(of *agent.Agent, v agent.Version) ([]any, error) {
	text, err := db.ToJSON(toPolicyJSON(v.Policy))
	var activated *int64
	if !v.ActivatedAt.IsZero() {
		n := db.Millis(v.ActivatedAt)
		activated = &n
	}
	return []any{
		of.Project.String(), of.ID.String(), v.Policy.Version, text, v.Origin.String(), v.Note, db.Millis(v.CreatedAt), activated,
	}, err
}

var origins = map[string]agent.Origin{
	agent.ByHouse.String():    agent.ByHouse,
	agent.ByMerchant.String(): agent.ByMerchant,
	agent.ByTuning.String():   agent.ByTuning,
}

func fromVersionRow(r versionRow) (agent.Version, error) {
	policy, err := fromPolicyText(r.Policy, r.Version)
	v := agent.Version{
		Agent: id.Stored[id.Agent](r.AgentID), Project: id.Stored[id.Project](r.ProjectID), Policy: policy,
		Origin: origins[r.Origin], Note: r.Note, CreatedAt: db.Time(r.CreatedAt),
	}
	if r.ActivatedAt != nil {
		v.ActivatedAt = db.Time(*r.ActivatedAt)
	}
	return v, err
}
