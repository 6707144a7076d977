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

// The active agent is read when its revision rises, and never given up for an older one.
func TestTheActiveAgentIsKept(t *testing.T) {
	t.Parallel()
	x := newExchange(inHouse)
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
	first := x.employer.agent.ID
	next := *x.employer.agent
	next.ID = id.New[id.Agent]([16]byte{5})
	for _, step := range []struct {
		revision int64
		want     id.Agent
		reads    int
	}{{3, first, 1}, {3, first, 1}, {4, next.ID, 2}, {3, next.ID, 2}, {4, next.ID, 2}} {
		if got := serving(step.revision); got != step.want || x.employer.reads != step.reads {
			t.Errorf("at revision %d serves %s, read %d times; want %s, %d", step.revision, got, x.employer.reads, step.want, step.reads)
		}
		x.employer.agent = &next
	}
}

// A slow reading of an old revision ends after a newer one is known.
func TestASlowReadingDoesNotBringBackAnOldAgent(t *testing.T) {
	t.Parallel()
	x := newExchange(inHouse)
	p := func(revision int64) *project.Project {
		return &project.Project{ID: x.project.ID, AgentRevision: revision}
	}
	next := *x.employer.agent
	next.ID = id.New[id.Agent]([16]byte{5})
	x.employer.reading = func() {
		x.employer.reading, x.employer.agent = nil, &next
		if _, err := x.Mandate(t.Context(), p(2), id.Session{}); err != nil {
			t.Error(err)
		}
	}
	slow, err := x.Mandate(t.Context(), p(1), id.Session{})
	if err != nil || slow.Agent.ID != next.ID {
		t.Errorf("the slow one gets %+v, %v", slow.Agent, err)
	}
	again, err := x.Mandate(t.Context(), p(2), id.Session{})
	if err != nil || again.Agent.ID != next.ID || x.employer.reads != 2 {
		t.Errorf("%+v, %v, read %d times", again.Agent, err, x.employer.reads)
	}
}

func TestNoActiveAgent(t *testing.T) {
	t.Parallel()
	x := newExchange(inHouse)
	x.employer.err = errors.New("the database is gone")
	for range 2 {
		if _, err := x.Mandate(t.Context(), x.project, id.Session{}); !errors.Is(err, x.employer.err) {
			t.Errorf("got %v", err)
		}
	}
	x.employer.err = nil
	if m, err := x.Mandate(t.Context(), x.project, id.Session{}); err != nil || m.Agent != x.employer.agent {
		t.Errorf("%+v, %v: the failure is kept", m, err)
	}
}

// Sessions of the holdout stay with the baseline: always the same ones, about as many as the share says. Whoever has no
// session yet is not among them.
func TestHoldout(t *testing.T) {
	t.Parallel()
	const sessions = 10_000
	random := rand.New(rand.NewPCG(1, 2))
	for _, share := range []money.Percent{0, 1, 50, 200, 500} {
		x := newExchange(inHouse)
		a := x.employer.agent
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
			again, later := newExchangeOf(a).Mandate(t.Context(), x.project, visit)
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

// newExchangeOf is another server of the same agent.
func newExchangeOf(a *agent.Agent) *exchange {
	x := newExchange(inHouse)
	x.employer.agent = a
	return x
}

// A share without a baseline holds nobody, and a baseline without a share neither.
func TestNoHoldout(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*agent.Agent){
		"no baseline": func(a *agent.Agent) { a.Tuning.Holdout = 500 },
		"no share":    func(a *agent.Agent) { a.Held = new(negotiation.Builtin()) },
	} {
		x := newExchange(inHouse)
		x.employer.agent.Policy.Version = 9
		change(x.employer.agent)
		for n := range 50 {
			m, err := x.Mandate(t.Context(), x.project, id.New[id.Session]([16]byte{byte(n)}))
			if err != nil || m.Policy.Version != 9 {
				t.Errorf("%s: version %d, %v", name, m.Policy.Version, err)
			}
		}
	}
}
