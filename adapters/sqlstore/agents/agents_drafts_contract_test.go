package agents_test

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func openAgent(s *porttest.Shop, wanted id.Agent) *agent.Agent {
	s.T.Helper()
	a, err := s.Agents.ByID(s.Ctx, s.Project.ID, wanted)
	s.Must(err)
	return a
}

func revisionNow(s *porttest.Shop) int64 { return s.ByID(s.Project.ID).AgentRevision }

// rework changes an agent, without a new version of its policy.
func rework(s *porttest.Shop, wanted id.Agent, change func(*agent.Agent)) (*agent.Agent, error) {
	return s.Agents.Update(s.Ctx, s.Project.ID, wanted, func(a *agent.Agent) (*agent.Version, error) {
		change(a)
		return nil, nil
	})
}

// revise gives an agent a new version of its policy.
func revise(s *porttest.Shop, wanted id.Agent, inForce bool) (*agent.Agent, error) {
	return s.Agents.Update(s.Ctx, s.Project.ID, wanted, func(a *agent.Agent) (*agent.Version, error) {
		v := s.Written(a, porttest.Rich(a.Latest+1))
		if a.Latest = v.Policy.Version; inForce {
			a.Policy, a.UpdatedAt = v.Policy, porttest.Noon.Add(time.Hour)
		}
		return &v, nil
	})
}
