package agents_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// The active agent is read when its revision rises, and an older revision does not replace it.
func TestRouter_Mandate_cachedByRevision(t *testing.T) {
	t.Parallel()
	x := newRouterFixture(builtinHandler)
	serving := func(revision int64) id.Agent {
		t.Helper()
		m, err := x.Mandate(t.Context(), &project.Project{
			ID:            x.project.ID,
			Settings:      x.project.Settings,
			AgentRevision: revision,
		}, id.Session{})
		if err != nil {
			t.Fatal(err)
		}
		return m.Agent.ID
	}
	first := x.active.agent.ID
	next := *x.active.agent
	next.ID = id.New[id.Agent]([16]byte{5})
	for _, step := range []struct {
		revision int64
		want     id.Agent
		reads    int
	}{{3, first, 1}, {3, first, 1}, {4, next.ID, 2}, {3, next.ID, 2}, {4, next.ID, 2}} {
		if got := serving(step.revision); got != step.want || x.active.reads != step.reads {
			t.Errorf("at revision %d serves %s, read %d times; want %s, %d", step.revision, got, x.active.reads, step.want, step.reads)
		}
		x.active.agent = &next
	}
}

// A slow read at an old revision that ends after a newer one does not bring back the old agent.
func TestRouter_Mandate_slowRead(t *testing.T) {
	t.Parallel()
	x := newRouterFixture(builtinHandler)
	p := func(revision int64) *project.Project {
		return &project.Project{ID: x.project.ID, AgentRevision: revision}
	}
	next := *x.active.agent
	next.ID = id.New[id.Agent]([16]byte{5})
	x.active.reading = func() {
		x.active.reading, x.active.agent = nil, &next
		if _, err := x.Mandate(t.Context(), p(2), id.Session{}); err != nil {
			t.Error(err)
		}
	}
	slow, err := x.Mandate(t.Context(), p(1), id.Session{})
	if err != nil || slow.Agent.ID != next.ID {
		t.Errorf("the slow one gets %+v, %v", slow.Agent, err)
	}
	again, err := x.Mandate(t.Context(), p(2), id.Session{})
	if err != nil || again.Agent.ID != next.ID || x.active.reads != 2 {
		t.Errorf("%+v, %v, read %d times", again.Agent, err, x.active.reads)
	}
}

func TestRouter_Mandate_readFails(t *testing.T) {
	t.Parallel()
	x := newRouterFixture(builtinHandler)
	x.active.err = errors.New("the database is gone")
	for range 2 {
		if _, err := x.Mandate(t.Context(), x.project, id.Session{}); !errors.Is(err, x.active.err) {
			t.Errorf("got %v", err)
		}
	}
	x.active.err = nil
	if m, err := x.Mandate(t.Context(), x.project, id.Session{}); err != nil || m.Agent != x.active.agent {
		t.Errorf("%+v, %v: the failure is kept", m, err)
	}
}

// Sessions of the holdout keep the baseline policy. They are always the same sessions, about as many as the share says. A
// request without a session is not among them.
func TestRouter_Mandate_holdout(t *testing.T) {
	t.Parallel()
	const sessions = 10_000
	random := rand.New(rand.NewPCG(1, 2))
	for _, share := range []money.Percent{0, 1, 50, 200, 500} {
		x := newRouterFixture(builtinHandler)
		a := x.active.agent
		baseline := negotiation.Builtin()
		a.Policy.Version, a.Policy.MaxDiscount, baseline.Version, baseline.MaxDiscount = 9, 900, 2, 900
		a.Held, a.Tuning.Holdout, a.Tuning.Baseline = &baseline, share, 2
		held := 0
		for range sessions {
			var bits [16]byte
			for i := range bits {
				bits[i] = byte(random.Uint32())
			}
			visit := id.New[id.Session](bits)
			m, err := x.Mandate(t.Context(), x.project, visit)
			again, later := newRouterFixtureOf(a).Mandate(t.Context(), x.project, visit)
			if err := errors.Join(err, later); err != nil || m.Policy.Version != again.Policy.Version {
				t.Fatalf("version %d, then %d, %v", m.Policy.Version, again.Policy.Version, err)
			}
			if m.Policy.MaxDiscount != x.project.Settings.MaxDiscount {
				t.Fatalf("version %d is not held to the project's settings: %s off", m.Policy.Version, m.Policy.MaxDiscount)
			}
			if m.Policy.Version == 2 {
				held++
			}
		}
		want := int(share) * sessions / int(money.Whole)
		if off := held - want; off*off > 16*want { // four standard deviations at least
			t.Errorf("%d of %d are held, want about %d", held, sessions, want)
		}
		if m, err := x.Mandate(t.Context(), x.project, id.Session{}); err != nil || m.Policy.Version != 9 {
			t.Errorf("without a session version %d, %v", m.Policy.Version, err)
		}
	}
}

// newRouterFixtureOf is another replica that serves the same agent.
func newRouterFixtureOf(a *agent.Agent) *routerFixture {
	x := newRouterFixture(builtinHandler)
	x.active.agent = a
	return x
}

// A share without a baseline, or a baseline without a share, makes no holdout.
func TestRouter_Mandate_noHoldout(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*agent.Agent){
		"no baseline": func(a *agent.Agent) { a.Tuning.Holdout = 500 },
		"no share":    func(a *agent.Agent) { a.Held = new(negotiation.Builtin()) },
	} {
		x := newRouterFixture(builtinHandler)
		x.active.agent.Policy.Version = 9
		change(x.active.agent)
		for n := range 50 {
			m, err := x.Mandate(t.Context(), x.project, id.New[id.Session]([16]byte{byte(n)}))
			if err != nil || m.Policy.Version != 9 {
				t.Errorf("%s: version %d, %v", name, m.Policy.Version, err)
			}
		}
	}
}
