package usecases

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// tuningFixture is a shop whose agent tunes itself, with half of the sessions held out.
type tuningFixture struct {
	*shopFixture
	product    *catalog.Product
	tuner      *agents.SelfTuner
	rolledBack []agents.Holdout
	extended   []agents.Holdout
	drifted    []tuning.Drift
}

// unyielding is a curve that makes no concession, so that any tuned curve earns more.
var unyielding = negotiation.Curve{Reach: 1000, Markup: 1500}

func newTuningFixture(m *shopFixture) *tuningFixture {
	s := &tuningFixture{shopFixture: m, product: m.product(100_00, 1_000_000)}
	st := m.store
	s.tuner = &agents.SelfTuner{
		Service: &agents.Service{
			Stores: &ports.Stores{
				Agents:   st.Agents(),
				Versions: st.Agents(),
				Record:   st.Decisions(),
			},
			Clock:   m.clock,
			Busy:    make(chan struct{}, 1),
			Reading: make(chan struct{}, 1),
		},
		Active: st.Agents(), Projects: st.ActiveProjects(),
		TookBack: func(_ *agent.Agent, h agents.Holdout) { s.rolledBack = append(s.rolledBack, h) },
		Extended: func(_ *agent.Agent, h agents.Holdout) { s.extended = append(s.extended, h) },
		Drifted:  func(_ *agent.Agent, d tuning.Drift) { s.drifted = append(s.drifted, d) },
	}
	m.haggling.Entropy = seededEntropy{rand.New(rand.NewPCG(1, 2))}
	s.adopt(unyielding, agent.ByMerchant)
	s.holdOut(500)
	return s
}

// seededEntropy generates the same session ids each time, so that the same sessions are held out.
type seededEntropy struct{ *rand.Rand }

func (d seededEntropy) Bits128() (bits [16]byte) {
	for i := range bits {
		bits[i] = byte(d.Uint32())
	}
	return bits
}

func (d seededEntropy) IDBits() [16]byte { return d.Bits128() }

func (seededEntropy) Secret(n int) string { return system.Entropy{}.Secret(n) }

// holdOut makes the policy in force the baseline for a share of the sessions.
func (s *tuningFixture) holdOut(share money.Percent) {
	s.t.Helper()
	s.change(func(a *agent.Agent) {
		held := a.Policy
		a.Tuning, a.Held = agent.Tuning{
			Automatic: true,
			Holdout:   share,
			Baseline:  held.Version,
		}, &held
	})
}

func (s *tuningFixture) active() *agent.Agent {
	s.t.Helper()
	a, err := s.store.Agents().Active(s.t.Context(), s.project.ID)
	s.must(err)
	return a
}

func (s *tuningFixture) change(change func(*agent.Agent)) {
	s.t.Helper()
	_, err := s.store.Agents().Update(s.t.Context(), s.project.ID, s.active().ID, func(a *agent.Agent) (*agent.Version, error) {
		change(a)
		return nil, nil
	})
	s.must(err)
}

// adopt puts a new policy version with a curve and other changes in force.
func (s *tuningFixture) adopt(c negotiation.Curve, by agent.Origin, others ...func(*negotiation.Policy)) {
	s.t.Helper()
	_, err := s.store.Agents().Update(s.t.Context(), s.project.ID, s.active().ID, func(a *agent.Agent) (*agent.Version, error) {
		p := a.Policy
		p.Curve = c
		for _, change := range others {
			change(&p)
		}
		v, err := a.WritePolicy(p, by, "", s.clock.Now())
		if err == nil {
			a.PutInForce(v, s.clock.Now())
		}
		return v, err
	})
	s.must(err)
}

// haggle has buyers negotiate, each in a new session. They would pay 80.00 to 105.00.
func (s *tuningFixture) haggle(buyers int) {
	s.t.Helper()
	s.haggleFrom(80_00, buyers)
}

// haggleFrom has buyers negotiate who would pay an amount to 25.00 more, and approach that in three offers.
func (s *tuningFixture) haggleFrom(lowest int64, buyers int) {
	s.t.Helper()
	var err error
	s.project, err = s.store.Storefronts().BySlug(s.t.Context(), s.project.Slug)
	s.must(err)
	for i := range buyers {
		most := lowest + int64(25_00*(i*37%buyers)/buyers)
		ask, counter := ports.HaggleAsk{Product: s.product.ID, Quantity: 1}, int64(1<<40)
		for _, share := range []int64{75, 88, 100} {
			offer := most * share / 100
			if counter <= offer || share == 100 && counter <= most {
				offer = counter
			}
			answer, err := s.offer(ask, offer)
			s.must(err)
			if answer.Decision.Outcome() == negotiation.OutcomeAccepted {
				break
			}
			ask, counter = followUp(answer), negotiation.PriceIn(answer.Decision).Minor()
		}
	}
}

// runDayLater runs the tuner after 25 hours, when all negotiations have ended, and returns the active agent.
func (s *tuningFixture) runDayLater() *agent.Agent {
	s.t.Helper()
	s.clock.advance(25 * time.Hour)
	s.must(s.tuner.Run(s.t.Context()))
	return s.active()
}

// 250 offers of one buyer count as one negotiation, so there are too few to tune.
func TestSelfTuner_Tune_oneBuyer(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		s, visit := newTuningFixture(m), id.Session{}
		for quantity := range 250 {
			answer, err := s.offer(ports.HaggleAsk{
				Session:  visit,
				Product:  s.product.ID,
				Quantity: 1 + quantity,
			}, 85_00)
			s.must(err)
			visit = followUp(answer).Session
		}
		s.clock.advance(time.Minute)
		if _, err := s.tuner.Tune(t.Context(), s.project, s.active().ID, agents.TuneRequest{}); !fault.Is(err, "too_few_negotiations") {
			t.Errorf("%v", err)
		}
	})
}

// The tuner learns a curve when there are enough negotiations, keeps it while the holdout is inconclusive, and does not roll it
// back when it earns more.
func TestSelfTuner_Run(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		s := newTuningFixture(m)
		s.haggle(150)
		if a := s.runDayLater(); a.Policy.Version != 2 || !a.Tuning.Automatic {
			t.Fatalf("of too little it learnt %+v", a)
		}
		s.haggle(100)
		learnt := s.runDayLater()
		if learnt.Policy.Version != 3 || learnt.Policy.Curve == unyielding || learnt.Held == nil || learnt.Held.Version != 2 {
			t.Fatalf("it learnt %+v", learnt)
		}
		s.haggle(20)
		if a := s.runDayLater(); a.Policy.Version != 3 {
			t.Errorf("version %d, while nobody knows of 3", a.Policy.Version)
		}
		s.haggle(400) // half of them get the baseline
		s.clock.advance(time.Minute)
		h, err := s.tuner.Holdout(t.Context(), s.project, learnt.ID, time.Time{})
		s.must(err)
		if n := h.Held.Negotiations + h.Served.Negotiations; n != 420 || h.Baseline != 2 || h.InForce != 3 || !h.Better(tuning.Near) {
			t.Errorf("%d negotiations, %+v", n, h)
		}
		if a := s.runDayLater(); a.Policy.Version < 3 || !a.Tuning.Automatic || len(s.rolledBack) != 0 {
			t.Errorf("what does better was taken back: %+v", a)
		}
	})
}

// The tuner reports that buyers pay less than before.
func TestSelfTuner_Run_drift(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		s := newTuningFixture(m)
		s.haggle(150)
		s.clock.advance(48 * time.Hour)
		since := s.clock.Now()
		s.haggleFrom(50_00, 150)
		s.runDayLater()
		if len(s.drifted) != 2 || s.drifted[0].Segment != "" || s.drifted[1].Segment != "learnt: outdoor" { // the shop and its category
			t.Fatalf("heard of %+v", s.drifted)
		}
		for _, d := range s.drifted {
			if d.Since.Before(since) || d.After >= d.Before {
				t.Errorf("heard of %+v", d)
			}
		}
	})
}

// A learned curve that earns less than the holdout is rolled back once, and self-tuning stops. The merchant's other settings stay.
func TestSelfTuner_Run_rollback(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		s := newTuningFixture(m)
		s.adopt(negotiation.Builtin().Curve, agent.ByMerchant)
		s.holdOut(500)
		s.adopt(unyielding, agent.ByTuning)
		s.haggle(420)
		listed := s.active() // by another replica, before this one acts
		a := s.runDayLater()
		if a.Policy.Version != 5 || a.Policy.Curve != negotiation.Builtin().Curve || a.Tuning.Automatic || a.Tuning.Holdout != 500 {
			t.Errorf("in force is %+v", a)
		}
		if len(s.rolledBack) != 1 || s.rolledBack[0].InForce != 4 || !s.rolledBack[0].Worse(tuning.Sure) {
			t.Errorf("heard of %+v", s.rolledBack)
		}
		s.tuner.Active = staleAgents{s.tuner.Active, listed}
		if again := s.runDayLater(); again.Policy.Version != 5 || len(s.rolledBack) != 1 {
			t.Errorf("another replica then made it %+v", again)
		}
	})
}

// A learned policy serves the canary's share of the sessions until it has earned more, then twice as many, which are all here. Nothing
// else is learned meanwhile.
func TestSelfTuner_Run_canary(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		s := newTuningFixture(m)
		s.change(func(a *agent.Agent) { a.Tuning, a.Held = agent.Tuning{Automatic: true, Canary: 500}, nil })
		s.haggle(250)
		a := s.runDayLater()
		if a.Policy.Version != 3 || a.Held == nil || a.Held.Version != 2 || a.Tuning.Trial != 500 || a.Tuning.Kept() != 500 {
			t.Fatalf("on trial is version %d: %+v", a.Policy.Version, a.Tuning)
		}
		s.haggle(20)
		if a := s.runDayLater(); a.Policy.Version != 3 || a.Tuning.Trial != 500 {
			t.Errorf("while nobody knows of it, version %d: %+v", a.Policy.Version, a.Tuning)
		}
		s.haggle(600)
		a = s.runDayLater()
		if len(s.extended) != 1 || s.extended[0].Trial != 500 || s.extended[0].InForce != 3 {
			t.Errorf("extended %+v", s.extended)
		}
		// It is proven as version 4, so that the next one is tried against it.
		if a.Policy.Version != 4 || a.Held != nil || a.Tuning.Trial != 0 {
			t.Errorf("proven is version %d: %+v", a.Policy.Version, a.Tuning)
		}
		if a := s.runDayLater(); a.Policy.Version != 5 || a.Held == nil || a.Held.Version != 4 || a.Tuning.Trial != 500 {
			t.Errorf("on trial is version %d: %+v", a.Policy.Version, a.Tuning)
		}
	})
}

// staleAgents lists an agent in an older state.
type staleAgents struct {
	ports.ActiveAgents
	was *agent.Agent
}

func (s staleAgents) SelfTuning(_ context.Context, _ time.Time, after id.Agent, _ int) ([]*agent.Agent, error) {
	if after == s.was.ID {
		return nil, nil
	}
	return []*agent.Agent{s.was}, nil
}

// A merchant's own policy is never rolled back. A learned one whose effect stays inconclusive is replaced after a week.
func TestSelfTuner_Run_noRollback(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		s := newTuningFixture(m)
		s.adopt(negotiation.Builtin().Curve, agent.ByTuning)
		s.change(func(a *agent.Agent) { a.Tuning.Holdout = 1 }) // almost no session gets the baseline
		s.adopt(unyielding, agent.ByTuning)
		s.haggle(220)
		for day := range 6 {
			if a := s.runDayLater(); a.Policy.Version != 4 {
				t.Fatalf("version %d after %d days", a.Policy.Version, day+1)
			}
		}
		if a := s.runDayLater(); a.Policy.Version != 5 || a.Policy.Curve == unyielding {
			t.Errorf("version %d after a week", a.Policy.Version)
		}
		s.adopt(unyielding, agent.ByMerchant)
		s.change(func(a *agent.Agent) { a.Tuning.Holdout = 500 })
		s.haggle(420)
		if a := s.runDayLater(); len(s.rolledBack) != 0 || a.Policy.Version < 6 || !a.Tuning.Automatic {
			t.Errorf("the merchant's own: %+v of %+v", a.Policy, s.rolledBack)
		}
	})
}

// If the merchant has changed the bounds since a curve was learned, it is not compared with the holdout under the old bounds.
func TestSelfTuner_Run_changedBounds(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		s := newTuningFixture(m)
		s.adopt(negotiation.Builtin().Curve, agent.ByMerchant)
		s.holdOut(500)
		s.adopt(unyielding, agent.ByTuning)
		s.adopt(unyielding, agent.ByMerchant, func(p *negotiation.Policy) { p.RoundCap = 4 })
		s.haggle(420)
		if a := s.runDayLater(); len(s.rolledBack) != 0 || a.Policy.RoundCap != 4 || !a.Tuning.Automatic || a.Policy.Version < 6 {
			t.Errorf("%+v of %+v", a.Policy, s.rolledBack)
		}
	})
}
