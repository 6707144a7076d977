package porttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// Agents is the contract of ports.Agents, ports.ActiveAgents and ports.PolicyVersions.
func Agents(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
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
			test(openShop(t, stores))
		})
	}
}

func agentFirst(s *shop) {
	house := agent.Handler{Kind: agent.Builtin, Program: agent.House}
	name := s.project.ID.String()
	of, err := id.Parse[id.Agent]("agent_" + name[len(name)-26:])
	s.must(err)
	want := &agent.Agent{
		ID: of, Project: s.project.ID, Name: "Negotiator", Status: agent.Active,
		Handlers: agent.Handlers{Search: house, Quote: house, Checkout: house, Finalize: house},
		Model:    agent.Model{Temperature: -1}, Policy: negotiation.Builtin(), Latest: 1,
		CreatedAt: s.project.CreatedAt, UpdatedAt: s.project.CreatedAt,
	}
	same(s.t, "active agent", s.active(), want)
	same(s.t, "by id", s.agent(of), want)
	versions, total, err := s.Policies.Versions(s.ctx, s.project.ID, of, ports.Page{Limit: 10})
	s.must(err)
	same(s.t, "versions", versions, []agent.Version{{
		Agent: of, Project: s.project.ID, Policy: negotiation.Builtin(), Origin: agent.ByHouse,
		CreatedAt: s.project.CreatedAt, ActivatedAt: s.project.CreatedAt,
	}})
	same(s.t, "total", total, 1)
	same(s.t, "revision", s.revision(), int64(0))
}

func agentRoundTrip(s *shop) {
	want := s.draft()
	same(s.t, "by id", s.agent(want.ID), want)
	v, err := s.Policies.Version(s.ctx, s.project.ID, want.ID, 1)
	s.must(err)
	same(s.t, "first version", v, s.written(want, want.Policy))
	same(s.t, "the active one's name", s.active().Name, "Negotiator")
}

func agentUpdate(s *shop) {
	before, other := s.draft(), s.draft()
	want, _ := s.unstored()
	want.ID, want.CreatedAt, want.Name, want.UpdatedAt = before.ID, before.CreatedAt, "New", noon.Add(time.Hour)
	want.Handlers.Quote, want.Model, want.Secret = want.Handlers.Search, agent.Model{Temperature: -1, Strategy: true}, []byte("other")
	got, err := s.rework(before.ID, func(a *agent.Agent) {
		same(s.t, "to be changed", a, before)
		*a = *want
	})
	s.must(err)
	same(s.t, "returned", got, want)
	same(s.t, "stored", s.agent(before.ID), want)
	same(s.t, "the other one", s.agent(other.ID), other)
}

func agentFailedChange(s *shop) {
	before, revision := s.draft(), s.revision()
	_, err := s.Agents.Update(s.ctx, s.project.ID, before.ID, func(a *agent.Agent) (*agent.Version, error) {
		a.Name, a.Status = "changed", agent.Active
		return nil, errPlain
	})
	same(s.t, "error", err, errPlain)
	_, err = s.Agents.Update(s.ctx, s.project.ID, before.ID, func(a *agent.Agent) (*agent.Version, error) {
		a.Name, a.Status = "changed", agent.Active
		again := s.written(a, a.Policy)
		return &again, nil
	})
	if err == nil {
		s.t.Error("a version was stored twice")
	}
	if _, err := s.rework(before.ID, func(a *agent.Agent) { a.Policy.Version = 7 }); err == nil {
		s.t.Error("a policy is in force that there is not")
	}
	same(s.t, "stored", s.agent(before.ID), before)
	same(s.t, "revision", s.revision(), revision)
	same(s.t, "status of the active one", s.active().Status, agent.Active)
}

func agentNoAliasing(s *shop) {
	want := s.draft()
	got := s.agent(want.ID)
	got.Secret[0], got.Policy.Segments[0].Name, got.Policy.Leanings.Purchases[0].From = 9, "changed", 99
	same(s.t, "stored", s.agent(want.ID), want)
	first := s.agent(want.ID)
	want.Secret[0], want.Policy.Segments[0].Name = 9, "changed"
	same(s.t, "stored after the writer changed its own", s.agent(want.ID), first)
}

func agentList(s *shop) {
	openShop(s.t, s.Stores).draft()
	want := []id.Agent{s.active().ID}
	for i := range 4 {
		a, first := s.unstored()
		a.CreatedAt = noon.Add(time.Duration(i+1) * time.Second)
		s.must(s.Agents.Create(s.ctx, a, first))
		want = append(want[:1], append([]id.Agent{a.ID}, want[1:]...)...)
	}
	for _, page := range []ports.Page{{Limit: 10}, {Limit: 2}, {Limit: 2, Offset: 2}, {Limit: 2, Offset: 5}} {
		list, total, err := s.Agents.List(s.ctx, s.project.ID, page)
		s.must(err)
		got := []id.Agent{}
		for _, a := range list {
			same(s.t, "listed", a, s.agent(a.ID))
			got = append(got, a.ID)
		}
		same(s.t, "page", got, part(want, page))
		same(s.t, "total", total, len(want))
	}
}

func agentUnknown(s *shop) {
	theirs := openShop(s.t, s.Stores).draft()
	revision := s.revision()
	for _, unknown := range []id.Agent{random[id.Agent](), theirs.ID} {
		_, err := s.Agents.ByID(s.ctx, s.project.ID, unknown)
		wantFault(s.t, err, fault.NotFound, "agent_not_found")
		_, err = s.rework(unknown, func(*agent.Agent) { s.t.Error("a change was asked for") })
		wantFault(s.t, err, fault.NotFound, "agent_not_found")
		wantFault(s.t, s.Agents.Delete(s.ctx, s.project.ID, unknown), fault.NotFound, "agent_not_found")
		_, _, err = s.Policies.Versions(s.ctx, s.project.ID, unknown, ports.Page{Limit: 1})
		wantFault(s.t, err, fault.NotFound, "agent_not_found")
		_, err = s.Policies.Version(s.ctx, s.project.ID, unknown, 1)
		wantFault(s.t, err, fault.NotFound, "policy_not_found")
	}
	_, err := s.Policies.Version(s.ctx, s.project.ID, s.active().ID, 2)
	wantFault(s.t, err, fault.NotFound, "policy_not_found")
	_, err = s.Active.Active(s.ctx, random[id.Project]())
	wantFault(s.t, err, fault.NotFound, "project_not_found")
	orphan, first := s.unstored()
	orphan.Project = random[id.Project]()
	wantFault(s.t, s.Agents.Create(s.ctx, orphan, first), fault.NotFound, "project_not_found")
	same(s.t, "revision", s.revision(), revision)
}

func agentActivate(s *shop) {
	first, next := s.active(), s.draft()
	got, err := s.rework(next.ID, func(a *agent.Agent) { a.Status, a.UpdatedAt = agent.Active, noon.Add(time.Hour) })
	s.must(err)
	same(s.t, "active", s.active(), got)
	same(s.t, "who", got.ID, next.ID)
	want := *first
	want.Status, want.UpdatedAt = agent.Draft, noon.Add(time.Hour)
	same(s.t, "who was", s.agent(first.ID), &want)
	v, err := s.Policies.Version(s.ctx, s.project.ID, next.ID, 1)
	s.must(err)
	same(s.t, "in force since", v.ActivatedAt, noon.Add(time.Hour))
}

func agentActiveStays(s *shop) {
	first := s.active()
	revision := s.revision()
	wantFault(s.t, s.Agents.Delete(s.ctx, s.project.ID, first.ID), fault.Conflict, "agent_active")
	_, err := s.rework(first.ID, func(a *agent.Agent) { a.Status = agent.Draft })
	wantFault(s.t, err, fault.Conflict, "agent_active")
	same(s.t, "active", s.active(), first)
	same(s.t, "revision", s.revision(), revision)
}

func agentActivateRace(s *shop) {
	drafts := make([]id.Agent, racers)
	for i := range drafts {
		drafts[i] = s.draft().ID
	}
	revision := s.revision()
	s.must(atOnce(racers, func(i int) error {
		_, err := s.rework(drafts[i], func(a *agent.Agent) { a.Status = agent.Active })
		return err
	}))
	list, _, err := s.Agents.List(s.ctx, s.project.ID, ports.Page{Limit: 2 * racers})
	s.must(err)
	for i, a := range list {
		if (a.Status == agent.Active) != (i == 0) {
			s.t.Errorf("the %d. of %d agents is %s", i+1, len(list), a.Status)
		}
	}
	same(s.t, "active", s.active(), list[0])
	same(s.t, "revisions", s.revision()-revision, int64(racers))
}

func agentLimit(s *shop) {
	const most = 20
	var last *agent.Agent
	for range most - 2 {
		last = s.draft()
	}
	winners := s.race("too_many_agents", func(int) error {
		a, first := s.unstored()
		return s.Agents.Create(s.ctx, a, first)
	})
	same(s.t, "winners", winners, 1)
	revision := s.revision()
	a, first := s.unstored()
	wantFault(s.t, s.Agents.Create(s.ctx, a, first), fault.Conflict, "too_many_agents")
	same(s.t, "revision", s.revision(), revision)
	s.must(s.Agents.Delete(s.ctx, s.project.ID, last.ID))
	s.draft()
}

func agentRevision(s *shop) {
	var made *agent.Agent
	for i, step := range []func() error{
		func() error { made = s.draft(); return nil },
		func() error { _, err := s.rework(made.ID, func(*agent.Agent) {}); return err },
		func() error { _, err := s.revise(made.ID, false); return err },
		func() error { return s.Agents.Delete(s.ctx, s.project.ID, made.ID) },
	} {
		s.must(step())
		want := int64(i + 1)
		same(s.t, "revision by id", s.revision(), want)
		list, _, err := s.Projects.List(s.ctx, s.project.Account, false, ports.Page{Limit: 1})
		s.must(err)
		bySlug, err := s.Storefronts.BySlug(s.ctx, s.project.Slug)
		s.must(err)
		byProject, err := s.Storefronts.ByProject(s.ctx, s.project.ID)
		s.must(err)
		same(s.t, "revisions", []int64{list[0].AgentRevision, bySlug.AgentRevision, byProject.AgentRevision}, []int64{want, want, want})
	}
}

func agentVersions(s *shop) {
	a := s.draft()
	want := []agent.Version{s.written(a, a.Policy)}
	for n := 2; n <= 5; n++ {
		got, err := s.revise(a.ID, false)
		s.must(err)
		same(s.t, "latest", got.Latest, n)
		same(s.t, "in force", got.Policy, a.Policy)
		want = append([]agent.Version{s.written(a, rich(n))}, want...)
	}
	for _, page := range []ports.Page{{Limit: 10}, {Limit: 2, Offset: 1}, {Limit: 2, Offset: 5}} {
		got, total, err := s.Policies.Versions(s.ctx, s.project.ID, a.ID, page)
		s.must(err)
		same(s.t, "page", got, part(want, page))
		same(s.t, "total", total, 5)
	}
	v, err := s.Policies.Version(s.ctx, s.project.ID, a.ID, 3)
	s.must(err)
	same(s.t, "third", v, s.written(a, rich(3)))
}

func agentInForce(s *shop) {
	first := s.active()
	got, err := s.revise(first.ID, true)
	s.must(err)
	same(s.t, "policy", got.Policy, rich(2))
	v, err := s.Policies.Version(s.ctx, s.project.ID, first.ID, 2)
	s.must(err)
	same(s.t, "in force since", v.ActivatedAt, noon.Add(time.Hour))
	_, err = s.rework(first.ID, func(a *agent.Agent) { a.Policy, a.UpdatedAt = negotiation.Builtin(), noon.Add(2*time.Hour) })
	s.must(err)
	v, err = s.Policies.Version(s.ctx, s.project.ID, first.ID, 1)
	s.must(err)
	same(s.t, "in force again since", v.ActivatedAt, noon.Add(2*time.Hour))
	same(s.t, "policy", s.active().Policy, negotiation.Builtin())
}

func agentHoldout(s *shop) {
	first := s.active()
	_, err := s.revise(first.ID, true)
	s.must(err)
	tuning := agent.Tuning{Automatic: true, Holdout: 100, Baseline: 1}
	got, err := s.rework(first.ID, func(a *agent.Agent) { a.Tuning = tuning })
	s.must(err)
	same(s.t, "tuning", got.Tuning, tuning)
	same(s.t, "held", got.Held, pointer(negotiation.Builtin()))
	same(s.t, "active", s.active(), got)
	got, err = s.rework(first.ID, func(a *agent.Agent) { a.Tuning.Holdout = 0 })
	s.must(err)
	same(s.t, "held without a holdout", got.Held, (*negotiation.Policy)(nil))
}

func agentVersionRace(s *shop) {
	a := s.draft()
	s.must(atOnce(racers, func(int) error {
		_, err := s.revise(a.ID, true)
		return err
	}))
	_, total, err := s.Policies.Versions(s.ctx, s.project.ID, a.ID, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "versions", total, 1+racers)
	same(s.t, "in force", s.agent(a.ID).Policy, rich(1+racers))
}

func agentDelete(s *shop) {
	gone, kept := s.draft(), s.draft()
	s.must(s.Agents.Delete(s.ctx, s.project.ID, gone.ID))
	_, err := s.Agents.ByID(s.ctx, s.project.ID, gone.ID)
	wantFault(s.t, err, fault.NotFound, "agent_not_found")
	_, err = s.Policies.Version(s.ctx, s.project.ID, gone.ID, 1)
	wantFault(s.t, err, fault.NotFound, "policy_not_found")
	same(s.t, "the other one", s.agent(kept.ID), kept)
	_, err = s.Policies.Version(s.ctx, s.project.ID, kept.ID, 1)
	s.must(err)
}

func agentProjectDelete(s *shop) {
	made, first := s.draft(), s.active()
	s.deleteProject()
	_, err := s.Agents.ByID(s.ctx, s.project.ID, made.ID)
	wantFault(s.t, err, fault.NotFound, "agent_not_found")
	_, err = s.rework(first.ID, func(*agent.Agent) {})
	wantFault(s.t, err, fault.NotFound, "project_not_found")
	s.must(s.Projects.Create(s.ctx, s.project))
	list, total, err := s.Agents.List(s.ctx, s.project.ID, ports.Page{Limit: 10})
	s.must(err)
	same(s.t, fmt.Sprint(total, " agents"), list, []*agent.Agent{first})
}

func agentSelfTuning(s *shop) {
	mine := func(before time.Time) (found []id.Agent) {
		all, err := s.Active.SelfTuning(s.ctx, before, id.Agent{}, 1000)
		s.must(err)
		for _, a := range all {
			if a.Project == s.project.ID {
				found = append(found, a.ID)
			}
		}
		return found
	}
	active, later := s.active(), s.project.CreatedAt.Add(time.Hour)
	if found := mine(later); len(found) != 0 {
		s.t.Errorf("%v, but nobody wants that", found)
	}
	_, err := s.Agents.Update(s.ctx, s.project.ID, active.ID, func(a *agent.Agent) (*agent.Version, error) {
		a.Tuning.Automatic = true
		return nil, nil
	})
	s.must(err)
	if found := mine(later); len(found) != 1 || found[0] != active.ID {
		s.t.Errorf("%v, want %s", found, active.ID)
	}
	if found := mine(s.project.CreatedAt); len(found) != 0 {
		s.t.Errorf("%v, whose policy is younger", found)
	}
	after, err := s.Active.SelfTuning(s.ctx, later, active.ID, 1000)
	s.must(err)
	for _, a := range after {
		if a.ID.String() <= active.ID.String() {
			s.t.Errorf("%s is not after %s", a.ID, active.ID)
		}
	}
}
