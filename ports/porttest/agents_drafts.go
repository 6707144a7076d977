package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// draft stores an agent with a value in every field.
func (s *shop) draft() *agent.Agent {
	s.t.Helper()
	a, first := s.unstored()
	s.must(s.Agents.Create(s.ctx, a, first))
	return a
}

func (s *shop) unstored() (*agent.Agent, agent.Version) {
	policy := rich(1)
	a := &agent.Agent{
		ID: random[id.Agent](), Project: s.project.ID, Name: `Ægir's "agent"`, Status: agent.Draft,
		Handlers: agent.Handlers{
			Search:   agent.Handler{Kind: agent.Builtin, Program: "own"},
			Quote:    agent.Handler{Kind: agent.Remote, URL: "https://agent.example.com/quote?a=1"},
			Checkout: agent.Handler{Kind: agent.Builtin, Program: agent.House},
			Finalize: agent.Handler{Kind: agent.Remote, URL: "https://agent.example.com/finalize"},
		},
		Model: agent.Model{Provider: "openai", Name: "small", MaxTokens: 77, Temperature: 250, Wording: true, Reasons: true,
			Templates: []agent.Template{{ID: "warm", On: agent.OnCounter, Reasoning: "A fair price: {price}.", Message: "Deal?"}, {ID: "no", On: agent.OnReject, Message: "Sorry."}}},
		Policy: policy, Latest: 1, Secret: []byte{0, 1, 255}, CreatedAt: noon, UpdatedAt: noon.Add(7 * time.Millisecond),
	}
	return a, s.written(a, policy)
}

func (s *shop) written(of *agent.Agent, p negotiation.Policy) agent.Version {
	return agent.Version{
		Agent: of.ID, Project: s.project.ID, Policy: p, Origin: agent.ByMerchant, Note: "as told", CreatedAt: noon.Add(time.Minute),
	}
}

// rich is a policy unlike any other, with segments.
func rich(version int) negotiation.Policy {
	p := negotiation.Builtin()
	p.Version, p.MinMargin, p.Anchor = version, 155, 20
	p.Segments = []negotiation.Segment{
		{Name: "tents", Category: "outdoor/tents", PriceMin: 100, PriceMax: 200_00, Curve: p.Curve},
		{Name: "dear", CostFrom: 600, CostTo: 900, Curve: p.Curve},
	}
	p.Segments[1].Curve.Give[7] = 999
	p.Leanings.Volume = nil
	return p
}

func (s *shop) agent(wanted id.Agent) *agent.Agent {
	s.t.Helper()
	a, err := s.Agents.ByID(s.ctx, s.project.ID, wanted)
	s.must(err)
	return a
}

func (s *shop) active() *agent.Agent {
	s.t.Helper()
	a, err := s.Active.Active(s.ctx, s.project.ID)
	s.must(err)
	return a
}

func (s *shop) revision() int64 { return s.byID(s.project.ID).AgentRevision }

// rework changes an agent, without a new version of its policy.
func (s *shop) rework(wanted id.Agent, change func(*agent.Agent)) (*agent.Agent, error) {
	return s.Agents.Update(s.ctx, s.project.ID, wanted, func(a *agent.Agent) (*agent.Version, error) {
		change(a)
		return nil, nil
	})
}

// revise gives an agent a new version of its policy.
func (s *shop) revise(wanted id.Agent, inForce bool) (*agent.Agent, error) {
	return s.Agents.Update(s.ctx, s.project.ID, wanted, func(a *agent.Agent) (*agent.Version, error) {
		v := s.written(a, rich(a.Latest+1))
		if a.Latest = v.Policy.Version; inForce {
			a.Policy, a.UpdatedAt = v.Policy, noon.Add(time.Hour)
		}
		return &v, nil
	})
}
