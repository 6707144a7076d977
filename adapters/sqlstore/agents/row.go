package agents

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
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

var (
	policies = stored.JSON[negotiation.Policy](stored.Tags{
		"Policy.Version":     "-", // a column
		"Policy.Segments":    ",omitempty",
		"Segment.Category":   ",omitempty",
		"Segment.CostFrom":   ",omitempty",
		"Segment.CostTo":     ",omitempty",
		"Segment.PriceMin":   ",omitempty",
		"Segment.PriceMax":   ",omitempty",
		"Leanings.Purchases": ",omitempty",
		"Leanings.Volume":    ",omitempty",
	})
	handlers = stored.JSON[agent.Handlers](stored.Tags{
		"Handler.Program": ",omitempty",
		"Handler.URL":     ",omitempty",
	})
	models = stored.JSON[agent.Model](stored.Tags{
		"Model.Templates":    ",omitempty",
		"Template.On":        "answer",
		"Template.Reasoning": ",omitempty",
		"Template.Message":   ",omitempty",
	})
)

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
	handling, err := handlers.Text(a.Handlers)
	if err != nil {
		return nil, err
	}
	model, err := models.Text(a.Model)
	var secret any // null where there is none
	if len(a.Secret) > 0 {
		secret = a.Secret
	}
	return []any{
		a.Project.String(), a.ID.String(), a.Name, a.Status.String(), handling, model,
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
	if err := handlers.Read(r.Handlers, &a.Handlers, money.Currency{}); err != nil {
		return nil, err
	}
	if err := models.Read(r.Model, &a.Model, money.Currency{}); err != nil {
		return nil, err
	}
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
	p := negotiation.Policy{Version: version}
	err := policies.Read(text, &p, money.Currency{})
	return p, err
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
	text, err := policies.Text(v.Policy)
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
