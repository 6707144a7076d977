package agents

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

var (
	agents = db.NewTable[agentRow]("agents", db.Columns{
		"Agent.Handlers": ",json",
		"Agent.Model":    ",json",
		"Agent.Policy":   "-",
		"Agent.Held":     "-",
	})
	versions = db.NewTable[versionRow]("agent_policies", db.Columns{
		"Version.Policy":      ",json",
		"Version.ActivatedAt": ",null",
	})

	agentColumns = agents.ColumnsOf("a") + ", p.policy, h.policy AS held"

	updateAgent = agents.Update([]string{"project_id", "id"}, "name", "status", "handlers", "model", "automatic", "holdout",
		"baseline", "canary", "trial", "policy_version", "latest", "secret", "updated_at")
)

// agentRow is an agent with the policies of its versions, whose numbers are columns.
type agentRow struct {
	Agent         agent.Agent
	PolicyVersion int
	Policy        negotiation.Policy  `db:",json,read"`
	Held          *negotiation.Policy `db:",json,read"`
}

// versionRow is a policy as it was written.
type versionRow struct {
	Number  int `db:"version"`
	Version agent.Version
}

var (
	_ = stored.JSON[negotiation.Policy](stored.Tags{
		"Policy.Version":          "-", // a column
		"Policy.Segments":         ",omitempty",
		"Segment.Category":        ",omitempty",
		"Segment.CostFrom":        ",omitempty",
		"Segment.CostTo":          ",omitempty",
		"Segment.PriceMin":        ",omitempty",
		"Segment.PriceMax":        ",omitempty",
		"Segment.QuantityMin":     ",omitempty",
		"Segment.QuantityMax":     ",omitempty",
		"Leanings.Purchases":      ",omitempty",
		"Leanings.Volume":         ",omitempty",
		"Leanings.HighMargin":     ",omitempty",
		"Leanings.HighMarginFrom": ",omitempty",
	})
	_ = stored.JSON[agent.Handlers](stored.Tags{
		"Handler.Program": ",omitempty",
		"Handler.URL":     ",omitempty",
	})
	_ = stored.JSON[agent.Model](stored.Tags{
		"Model.Templates":    ",omitempty",
		"Template.On":        "answer",
		"Template.Reasoning": ",omitempty",
		"Template.Message":   ",omitempty",
	})
)

// FirstAgent returns the agent that a project begins with, and its policy. Its id is derived from the project's.
func FirstAgent(p *project.Project) (*agent.Agent, agent.Version) {
	name := p.ID.String()
	a := &agent.Agent{
		ID:      id.Stored[id.Agent]("agent_" + name[max(len(name)-26, 0):]),
		Project: p.ID,
		Name:    "Negotiator",
		Status:  agent.Active,
		Handlers: agent.Handlers{
			Search:   agent.InHouse,
			Quote:    agent.InHouse,
			Checkout: agent.InHouse,
			Finalize: agent.InHouse,
		},
		Model:     agent.Model{Temperature: -1},
		Tuning:    agent.Tuning{Canary: agent.UsualCanary},
		Policy:    negotiation.Builtin(),
		Latest:    negotiation.Builtin().Version,
		CreatedAt: p.CreatedAt,
		UpdatedAt: p.CreatedAt,
	}
	return a, agent.Version{
		Agent:       a.ID,
		Project:     a.Project,
		Policy:      a.Policy,
		Origin:      agent.ByHouse,
		CreatedAt:   p.CreatedAt,
		ActivatedAt: p.CreatedAt,
	}
}

func toAgentRow(a *agent.Agent) agentRow { return agentRow{Agent: *a, PolicyVersion: a.Policy.Version} }

func fromAgentRow(r agentRow) *agent.Agent {
	a := r.Agent
	a.Policy, a.Held = r.Policy, r.Held
	a.Policy.Version = r.PolicyVersion
	if a.Held != nil {
		a.Held.Version = a.Tuning.Baseline
	} else {
		a.Tuning.Trial = 0 // a program of an earlier release ended the baseline, and does not know of trials
	}
	return &a
}

func toVersionRow(of *agent.Agent, v agent.Version) versionRow {
	v.Project, v.Agent = of.Project, of.ID
	return versionRow{v.Policy.Version, v}
}

func fromVersionRow(r versionRow) agent.Version {
	r.Version.Policy.Version = r.Number
	return r.Version
}
