package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Draft stores an agent with a value in every field.
func (s *Shop) Draft() *agent.Agent {
	s.T.Helper()
	a, first := s.Unstored()
	s.Must(s.Agents.Create(s.Ctx, a, first))
	s.Reread()
	return a
}

func (s *Shop) Unstored() (*agent.Agent, agent.Version) {
	policy := Rich(1)
	a := &agent.Agent{
		ID:      Random[id.Agent](),
		Project: s.Project.ID,
		Name:    `Ægir's "agent"`,
		Status:  agent.Draft,
		Handlers: agent.Handlers{
			Search:   agent.Handler{Kind: agent.Builtin, Program: "own"},
			Quote:    agent.Handler{Kind: agent.Remote, URL: "https://agent.example.com/quote?a=1"},
			Checkout: agent.Handler{Kind: agent.Builtin, Program: agent.House},
			Finalize: agent.Handler{Kind: agent.Remote, URL: "https://agent.example.com/finalize"},
		},
		Model: agent.Model{
			Provider:    "openai",
			Name:        "small",
			MaxTokens:   77,
			Temperature: 250,
			Wording:     true,
			Reasons:     true,
			Templates: []agent.Template{{
				ID:        "warm",
				On:        agent.OnCounter,
				Reasoning: "A fair price: {price}.",
				Message:   "Deal?",
			}, {
				ID:      "no",
				On:      agent.OnReject,
				Message: "Sorry.",
			}},
		},
		Policy:    policy,
		Latest:    1,
		Secret:    []byte{0, 1, 255},
		CreatedAt: Noon,
		UpdatedAt: Noon.Add(7 * time.Millisecond),
	}
	return a, s.Written(a, policy)
}

func (s *Shop) Written(of *agent.Agent, p negotiation.Policy) agent.Version {
	return agent.Version{
		Agent:     of.ID,
		Project:   s.Project.ID,
		Policy:    p,
		Origin:    agent.ByMerchant,
		Note:      "as told",
		CreatedAt: Noon.Add(time.Minute),
	}
}

// Rich is a policy unlike any other, with segments.
func Rich(version int) negotiation.Policy {
	p := negotiation.Builtin()
	p.Version, p.MinMargin, p.Anchor = version, 155, 20
	p.Segments = []negotiation.Segment{
		{
			Name:     "tents",
			Category: "outdoor/tents",
			PriceMin: 100,
			PriceMax: 200_00,

			QuantityMin: 2,
			QuantityMax: 9,

			Curve: p.Curve,
		},
		{
			Name:     "dear",
			CostFrom: 600,
			CostTo:   900,
			Curve:    p.Curve,
		},
	}
	p.Segments[1].Curve.Give[7] = 999
	p.Leanings.Volume = nil
	return p
}

func (s *Shop) ActiveAgent() *agent.Agent {
	s.T.Helper()
	a, err := s.Active.Active(s.Ctx, s.Project.ID)
	s.Must(err)
	return a
}
