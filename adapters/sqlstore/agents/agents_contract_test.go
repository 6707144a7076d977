package agents_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Agents is the contract of ports.Agents, ports.ActiveAgents and ports.PolicyVersions.
func Agents(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a project begins with the built-in agent":     agentFirst,
		"a draft comes back as it was stored":          agentRoundTrip,
		"update stores and returns the change":         agentUpdate,
		"a failed change leaves no trace":              agentFailedChange,
		"what was read belongs to the reader":          agentNoAliasing,
		"lists have the active one first":              agentList,
		"unknown and foreign agents":                   agentUnknown,
		"activation relieves the one that was":         agentActivate,
		"the active agent stays":                       agentActiveStays,
		"of sixteen activations one is in force":       agentActivateRace,
		"a project has so many and no more":            agentLimit,
		"every write is one revision":                  agentRevision,
		"versions are listed newest first":             agentVersions,
		"a version that was put in force says when":    agentInForce,
		"a holdout keeps the policy of its baseline":   agentHoldout,
		"sixteen versions are all kept":                agentVersionRace,
		"agents that tune themselves":                  agentSelfTuning,
		"a deleted draft is gone with its versions":    agentDelete,
		"a deleted project's are gone, and come again": agentProjectDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func agentFirst(s *porttest.Shop) {
	house := agent.Handler{Kind: agent.Builtin, Program: agent.House}
	name := s.Project.ID.String()
	of, err := id.Parse[id.Agent]("agent_" + name[len(name)-26:])
	s.Must(err)
	want := &agent.Agent{
		ID:      of,
		Project: s.Project.ID,
		Name:    "Negotiator",
		Status:  agent.Active,
		Handlers: agent.Handlers{
			Search:   house,
			Quote:    house,
			Checkout: house,
			Finalize: house,
		},
		Model:     agent.Model{Temperature: -1},
		Tuning:    agent.Tuning{Canary: agent.UsualCanary},
		Policy:    negotiation.Builtin(),
		Latest:    1,
		CreatedAt: s.Project.CreatedAt,
		UpdatedAt: s.Project.CreatedAt,
	}
	porttest.Same(s.T, "active agent", s.ActiveAgent(), want)
	porttest.Same(s.T, "by id", openAgent(s, of), want)
	versions, total, err := s.Policies.Versions(s.Ctx, s.Project.ID, of, ports.Page{Limit: 10})
	s.Must(err)
	porttest.Same(s.T, "versions", versions, []agent.Version{{
		Agent: of, Project: s.Project.ID, Policy: negotiation.Builtin(), Origin: agent.ByHouse,
		CreatedAt: s.Project.CreatedAt, ActivatedAt: s.Project.CreatedAt,
	}})
	porttest.Same(s.T, "total", total, 1)
	porttest.Same(s.T, "revision", revisionNow(s), int64(0))
}

func agentRoundTrip(s *porttest.Shop) {
	want := s.Draft()
	porttest.Same(s.T, "by id", openAgent(s, want.ID), want)
	v, err := s.Policies.Version(s.Ctx, s.Project.ID, want.ID, 1)
	s.Must(err)
	porttest.Same(s.T, "first version", v, s.Written(want, want.Policy))
	porttest.Same(s.T, "the active one's name", s.ActiveAgent().Name, "Negotiator")
}

func agentUpdate(s *porttest.Shop) {
	before, other := s.Draft(), s.Draft()
	want, _ := s.Unstored()
	want.ID, want.CreatedAt, want.Name, want.UpdatedAt = before.ID, before.CreatedAt, "New", porttest.Noon.Add(time.Hour)
	want.Handlers.Quote, want.Model, want.Secret = want.Handlers.Search, agent.Model{Temperature: -1, Strategy: true}, []byte("other")
	got, err := rework(s, before.ID, func(a *agent.Agent) {
		porttest.Same(s.T, "to be changed", a, before)
		*a = *want
	})
	s.Must(err)
	porttest.Same(s.T, "returned", got, want)
	porttest.Same(s.T, "stored", openAgent(s, before.ID), want)
	porttest.Same(s.T, "the other one", openAgent(s, other.ID), other)
}

func agentFailedChange(s *porttest.Shop) {
	before, revision := s.Draft(), revisionNow(s)
	_, err := s.Agents.Update(s.Ctx, s.Project.ID, before.ID, func(a *agent.Agent) (*agent.Version, error) {
		a.Name, a.Status = "changed", agent.Active
		return nil, porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	_, err = s.Agents.Update(s.Ctx, s.Project.ID, before.ID, func(a *agent.Agent) (*agent.Version, error) {
		a.Name, a.Status = "changed", agent.Active
		again := s.Written(a, a.Policy)
		return &again, nil
	})
	if err == nil {
		s.T.Error("a version was stored twice")
	}
	if _, err := rework(s, before.ID, func(a *agent.Agent) { a.Policy.Version = 7 }); err == nil {
		s.T.Error("a policy is in force that there is not")
	}
	porttest.Same(s.T, "stored", openAgent(s, before.ID), before)
	porttest.Same(s.T, "revision", revisionNow(s), revision)
	porttest.Same(s.T, "status of the active one", s.ActiveAgent().Status, agent.Active)
}

func agentNoAliasing(s *porttest.Shop) {
	want := s.Draft()
	got := openAgent(s, want.ID)
	got.Secret[0], got.Policy.Segments[0].Name, got.Policy.Leanings.Purchases[0].From = 9, "changed", 99
	porttest.Same(s.T, "stored", openAgent(s, want.ID), want)
	first := openAgent(s, want.ID)
	want.Secret[0], want.Policy.Segments[0].Name = 9, "changed"
	porttest.Same(s.T, "stored after the writer changed its own", openAgent(s, want.ID), first)
}

func agentList(s *porttest.Shop) {
	porttest.OpenShop(s.T, s.Stores).Draft()
	want := []id.Agent{s.ActiveAgent().ID}
	for i := range 4 {
		a, first := s.Unstored()
		a.CreatedAt = porttest.Noon.Add(time.Duration(i+1) * time.Second)
		s.Must(s.Agents.Create(s.Ctx, a, first))
		want = append(want[:1], append([]id.Agent{a.ID}, want[1:]...)...)
	}
	for _, page := range []ports.Page{{Limit: 10}, {Limit: 2}, {Limit: 2, Offset: 2}, {Limit: 2, Offset: 5}} {
		list, total, err := s.Agents.List(s.Ctx, s.Project.ID, page)
		s.Must(err)
		got := []id.Agent{}
		for _, a := range list {
			porttest.Same(s.T, "listed", a, openAgent(s, a.ID))
			got = append(got, a.ID)
		}
		porttest.Same(s.T, "page", got, porttest.Part(want, page))
		porttest.Same(s.T, "total", total, len(want))
	}
}

func agentUnknown(s *porttest.Shop) {
	theirs := porttest.OpenShop(s.T, s.Stores).Draft()
	revision := revisionNow(s)
	for _, unknown := range []id.Agent{porttest.Random[id.Agent](), theirs.ID} {
		_, err := s.Agents.ByID(s.Ctx, s.Project.ID, unknown)
		porttest.WantFault(s.T, err, fault.NotFound, "agent_not_found")
		_, err = rework(s, unknown, func(*agent.Agent) { s.T.Error("a change was asked for") })
		porttest.WantFault(s.T, err, fault.NotFound, "agent_not_found")
		porttest.WantFault(s.T, s.Agents.Delete(s.Ctx, s.Project.ID, unknown), fault.NotFound, "agent_not_found")
		_, _, err = s.Policies.Versions(s.Ctx, s.Project.ID, unknown, ports.Page{Limit: 1})
		porttest.WantFault(s.T, err, fault.NotFound, "agent_not_found")
		_, err = s.Policies.Version(s.Ctx, s.Project.ID, unknown, 1)
		porttest.WantFault(s.T, err, fault.NotFound, "policy_not_found")
	}
	_, err := s.Policies.Version(s.Ctx, s.Project.ID, s.ActiveAgent().ID, 2)
	porttest.WantFault(s.T, err, fault.NotFound, "policy_not_found")
	_, err = s.Active.Active(s.Ctx, porttest.Random[id.Project]())
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
	orphan, first := s.Unstored()
	orphan.Project = porttest.Random[id.Project]()
	porttest.WantFault(s.T, s.Agents.Create(s.Ctx, orphan, first), fault.NotFound, "project_not_found")
	porttest.Same(s.T, "revision", revisionNow(s), revision)
}

func agentActivate(s *porttest.Shop) {
	first, next := s.ActiveAgent(), s.Draft()
	got, err := rework(s, next.ID, func(a *agent.Agent) { a.Status, a.UpdatedAt = agent.Active, porttest.Noon.Add(time.Hour) })
	s.Must(err)
	porttest.Same(s.T, "active", s.ActiveAgent(), got)
	porttest.Same(s.T, "who", got.ID, next.ID)
	want := *first
	want.Status, want.UpdatedAt = agent.Draft, porttest.Noon.Add(time.Hour)
	porttest.Same(s.T, "who was", openAgent(s, first.ID), &want)
	v, err := s.Policies.Version(s.Ctx, s.Project.ID, next.ID, 1)
	s.Must(err)
	porttest.Same(s.T, "in force since", v.ActivatedAt, porttest.Noon.Add(time.Hour))
}

func agentActiveStays(s *porttest.Shop) {
	first := s.ActiveAgent()
	revision := revisionNow(s)
	porttest.WantFault(s.T, s.Agents.Delete(s.Ctx, s.Project.ID, first.ID), fault.Conflict, "agent_active")
	_, err := rework(s, first.ID, func(a *agent.Agent) { a.Status = agent.Draft })
	porttest.WantFault(s.T, err, fault.Conflict, "agent_active")
	porttest.Same(s.T, "active", s.ActiveAgent(), first)
	porttest.Same(s.T, "revision", revisionNow(s), revision)
}

func agentActivateRace(s *porttest.Shop) {
	drafts := make([]id.Agent, porttest.Racers)
	for i := range drafts {
		drafts[i] = s.Draft().ID
	}
	revision := revisionNow(s)
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		_, err := rework(s, drafts[i], func(a *agent.Agent) { a.Status = agent.Active })
		return err
	}))
	list, _, err := s.Agents.List(s.Ctx, s.Project.ID, ports.Page{Limit: 2 * porttest.Racers})
	s.Must(err)
	for i, a := range list {
		if (a.Status == agent.Active) != (i == 0) {
			s.T.Errorf("the %d. of %d agents is %s", i+1, len(list), a.Status)
		}
	}
	porttest.Same(s.T, "active", s.ActiveAgent(), list[0])
	porttest.Same(s.T, "revisions", revisionNow(s)-revision, int64(porttest.Racers))
}

func agentLimit(s *porttest.Shop) {
	const most = 20
	var last *agent.Agent
	for range most - 2 {
		last = s.Draft()
	}
	winners := s.Race("too_many_agents", func(int) error {
		a, first := s.Unstored()
		return s.Agents.Create(s.Ctx, a, first)
	})
	porttest.Same(s.T, "winners", winners, 1)
	revision := revisionNow(s)
	a, first := s.Unstored()
	porttest.WantFault(s.T, s.Agents.Create(s.Ctx, a, first), fault.Conflict, "too_many_agents")
	porttest.Same(s.T, "revision", revisionNow(s), revision)
	s.Must(s.Agents.Delete(s.Ctx, s.Project.ID, last.ID))
	s.Draft()
}

func agentRevision(s *porttest.Shop) {
	var made *agent.Agent
	for i, step := range []func() error{
		func() error { made = s.Draft(); return nil },
		func() error { _, err := rework(s, made.ID, func(*agent.Agent) {}); return err },
		func() error { _, err := revise(s, made.ID, false); return err },
		func() error { return s.Agents.Delete(s.Ctx, s.Project.ID, made.ID) },
	} {
		s.Must(step())
		want := int64(i + 1)
		porttest.Same(s.T, "revision by id", revisionNow(s), want)
		list, _, err := s.Projects.List(s.Ctx, s.Project.Account, false, ports.Page{Limit: 1})
		s.Must(err)
		bySlug, err := s.Storefronts.BySlug(s.Ctx, s.Project.Slug)
		s.Must(err)
		byProject, err := s.Storefronts.ByProject(s.Ctx, s.Project.ID)
		s.Must(err)
		porttest.Same(s.T, "revisions", []int64{list[0].AgentRevision, bySlug.AgentRevision, byProject.AgentRevision}, []int64{want, want, want})
	}
}

func agentVersions(s *porttest.Shop) {
	a := s.Draft()
	want := []agent.Version{s.Written(a, a.Policy)}
	for n := 2; n <= 5; n++ {
		got, err := revise(s, a.ID, false)
		s.Must(err)
		porttest.Same(s.T, "latest", got.Latest, n)
		porttest.Same(s.T, "in force", got.Policy, a.Policy)
		want = append([]agent.Version{s.Written(a, porttest.Rich(n))}, want...)
	}
	for _, page := range []ports.Page{{Limit: 10}, {Limit: 2, Offset: 1}, {Limit: 2, Offset: 5}} {
		got, total, err := s.Policies.Versions(s.Ctx, s.Project.ID, a.ID, page)
		s.Must(err)
		porttest.Same(s.T, "page", got, porttest.Part(want, page))
		porttest.Same(s.T, "total", total, 5)
	}
	v, err := s.Policies.Version(s.Ctx, s.Project.ID, a.ID, 3)
	s.Must(err)
	porttest.Same(s.T, "third", v, s.Written(a, porttest.Rich(3)))
}

func agentInForce(s *porttest.Shop) {
	first := s.ActiveAgent()
	got, err := revise(s, first.ID, true)
	s.Must(err)
	porttest.Same(s.T, "policy", got.Policy, porttest.Rich(2))
	v, err := s.Policies.Version(s.Ctx, s.Project.ID, first.ID, 2)
	s.Must(err)
	porttest.Same(s.T, "in force since", v.ActivatedAt, porttest.Noon.Add(time.Hour))
	_, err = rework(s, first.ID, func(a *agent.Agent) { a.Policy, a.UpdatedAt = negotiation.Builtin(), porttest.Noon.Add(2*time.Hour) })
	s.Must(err)
	v, err = s.Policies.Version(s.Ctx, s.Project.ID, first.ID, 1)
	s.Must(err)
	porttest.Same(s.T, "in force again since", v.ActivatedAt, porttest.Noon.Add(2*time.Hour))
	porttest.Same(s.T, "policy", s.ActiveAgent().Policy, negotiation.Builtin())
}

func agentHoldout(s *porttest.Shop) {
	first := s.ActiveAgent()
	_, err := revise(s, first.ID, true)
	s.Must(err)
	tuning := agent.Tuning{
		Automatic: true,
		Holdout:   100,
		Baseline:  1,
	}
	got, err := rework(s, first.ID, func(a *agent.Agent) { a.Tuning = tuning })
	s.Must(err)
	porttest.Same(s.T, "tuning", got.Tuning, tuning)
	porttest.Same(s.T, "held", got.Held, porttest.Pointer(negotiation.Builtin()))
	porttest.Same(s.T, "active", s.ActiveAgent(), got)
	got, err = rework(s, first.ID, func(a *agent.Agent) { a.Tuning.Holdout = 0 })
	s.Must(err)
	porttest.Same(s.T, "held without a holdout", got.Held, (*negotiation.Policy)(nil))
}

func agentVersionRace(s *porttest.Shop) {
	a := s.Draft()
	s.Must(porttest.AtOnce(porttest.Racers, func(int) error {
		_, err := revise(s, a.ID, true)
		return err
	}))
	_, total, err := s.Policies.Versions(s.Ctx, s.Project.ID, a.ID, ports.Page{Limit: 1})
	s.Must(err)
	porttest.Same(s.T, "versions", total, 1+porttest.Racers)
	porttest.Same(s.T, "in force", openAgent(s, a.ID).Policy, porttest.Rich(1+porttest.Racers))
}

func agentDelete(s *porttest.Shop) {
	gone, kept := s.Draft(), s.Draft()
	s.Must(s.Agents.Delete(s.Ctx, s.Project.ID, gone.ID))
	_, err := s.Agents.ByID(s.Ctx, s.Project.ID, gone.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "agent_not_found")
	_, err = s.Policies.Version(s.Ctx, s.Project.ID, gone.ID, 1)
	porttest.WantFault(s.T, err, fault.NotFound, "policy_not_found")
	porttest.Same(s.T, "the other one", openAgent(s, kept.ID), kept)
	_, err = s.Policies.Version(s.Ctx, s.Project.ID, kept.ID, 1)
	s.Must(err)
}

func agentProjectDelete(s *porttest.Shop) {
	made, first := s.Draft(), s.ActiveAgent()
	s.DeleteProject()
	_, err := s.Agents.ByID(s.Ctx, s.Project.ID, made.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "agent_not_found")
	_, err = rework(s, first.ID, func(*agent.Agent) {})
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
	s.Must(s.Projects.Create(s.Ctx, s.Project))
	list, total, err := s.Agents.List(s.Ctx, s.Project.ID, ports.Page{Limit: 10})
	s.Must(err)
	porttest.Same(s.T, fmt.Sprint(total, " agents"), list, []*agent.Agent{first})
}

func agentSelfTuning(s *porttest.Shop) {
	mine := func(before time.Time) (found []id.Agent) {
		all, err := s.Active.SelfTuning(s.Ctx, before, id.Agent{}, 1000)
		s.Must(err)
		for _, a := range all {
			if a.Project == s.Project.ID {
				found = append(found, a.ID)
			}
		}
		return found
	}
	active, later := s.ActiveAgent(), s.Project.CreatedAt.Add(time.Hour)
	if found := mine(later); len(found) != 0 {
		s.T.Errorf("%v, but nobody wants that", found)
	}
	_, err := s.Agents.Update(s.Ctx, s.Project.ID, active.ID, func(a *agent.Agent) (*agent.Version, error) {
		a.Tuning.Automatic = true
		return nil, nil
	})
	s.Must(err)
	if found := mine(later); len(found) != 1 || found[0] != active.ID {
		s.T.Errorf("%v, want %s", found, active.ID)
	}
	if found := mine(s.Project.CreatedAt); len(found) != 0 {
		s.T.Errorf("%v, whose policy is younger", found)
	}
	write := func(inForce bool) {
		_, err := s.Agents.Update(s.Ctx, s.Project.ID, active.ID, func(a *agent.Agent) (*agent.Version, error) {
			v, err := a.WritePolicy(a.Policy, agent.ByMerchant, "", later)
			if err == nil && inForce {
				a.PutInForce(v, later)
			}
			return v, err
		})
		s.Must(err)
	}
	if write(false); len(mine(later)) != 1 {
		s.T.Error("a version that is not in force hides the agent")
	}
	if write(true); len(mine(later)) != 0 || len(mine(later.Add(time.Second))) != 1 {
		s.T.Errorf("%v, then %v, with a version in force since %v", mine(later), mine(later.Add(time.Second)), later)
	}
	after, err := s.Active.SelfTuning(s.Ctx, later, active.ID, 1000)
	s.Must(err)
	for _, a := range after {
		if a.ID.String() <= active.ID.String() {
			s.T.Errorf("%s is not after %s", a.ID, active.ID)
		}
	}
}
