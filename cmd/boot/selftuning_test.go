package boot_test

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

// trainee is the agent of a market that tunes itself, with half of the sessions held out.
type trainee struct {
	*market
	product   *catalog.Product
	tuner     *agents.SelfTuner
	takenBack []agents.Holdout
}

// unyielding never gives way: whoever learns does better.
var unyielding = negotiation.Curve{Reach: 1000, Markup: 1500}

func newTrainee(m *market) *trainee {
	s := &trainee{market: m, product: m.product(100_00, 1_000_000)}
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
		TookBack: func(_ *agent.Agent, h agents.Holdout) { s.takenBack = append(s.takenBack, h) },
	}
	m.haggling.Entropy = drawn{rand.New(rand.NewPCG(1, 2))}
	s.adopt(unyielding, agent.ByMerchant)
	s.holdOut(500)
	return s
}

// drawn draws the same sessions each time: which of them are held out is no chance.
type drawn struct{ *rand.Rand }

func (d drawn) Bits128() (bits [16]byte) {
	for i := range bits {
		bits[i] = byte(d.Uint32())
	}
	return bits
}

func (d drawn) IDBits() [16]byte { return d.Bits128() }

func (drawn) Secret(n int) string { return system.Entropy{}.Secret(n) }

// holdOut makes the policy in force the baseline.
func (s *trainee) holdOut(share money.Percent) {
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

func (s *trainee) active() *agent.Agent {
	s.t.Helper()
	a, err := s.store.Agents().Active(s.t.Context(), s.project.ID)
	s.must(err)
	return a
}

func (s *trainee) change(change func(*agent.Agent)) {
	s.t.Helper()
	_, err := s.store.Agents().Update(s.t.Context(), s.project.ID, s.active().ID, func(a *agent.Agent) (*agent.Version, error) {
		change(a)
		return nil, nil
	})
	s.must(err)
}

// adopt puts a version with a curve in force, and other changes.
func (s *trainee) adopt(c negotiation.Curve, by agent.Origin, others ...func(*negotiation.Policy)) {
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

// haggle has buyers come, each in a session of its own, who would pay 80.00 to 105.00, and come up to that in three steps.
func (s *trainee) haggle(buyers int) {
	s.t.Helper()
	var err error
	s.project, err = s.store.Storefronts().BySlug(s.t.Context(), s.project.Slug)
	s.must(err)
	for i := range buyers {
		most := int64(80_00 + 25_00*(i*37%buyers)/buyers)
		ask, standing := ports.HaggleAsk{Product: s.product.ID, Quantity: 1}, int64(1<<40)
		for _, share := range []int64{75, 88, 100} {
			offer := most * share / 100
			if standing <= offer || share == 100 && standing <= most {
				offer = standing
			}
			answer, err := s.offer(ask, offer)
			s.must(err)
			if answer.Decision.Outcome() == negotiation.OutcomeAccepted {
				break
			}
			ask, standing = followUp(answer), negotiation.PriceIn(answer.Decision).Minor()
		}
	}
}

// aDayLater is when the agent is looked at next, and has all ended.
func (s *trainee) aDayLater() *agent.Agent {
	s.t.Helper()
	s.clock.advance(25 * time.Hour)
	s.must(s.tuner.Run(s.t.Context()))
	return s.active()
}

// One buyer who haggles over all there is teaches no more than one.
func TestNothingIsLearntFromOneBuyer(t *testing.T) {
	onMarkets(t, func(m *market) {
		s, visit := newTrainee(m), id.Session{}
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

func TestAnAgentTunesItself(t *testing.T) {
	onMarkets(t, func(m *market) {
		s := newTrainee(m)
		s.haggle(150)
		if a := s.aDayLater(); a.Policy.Version != 2 || !a.Tuning.Automatic {
			t.Fatalf("of too little it learnt %+v", a)
		}
		s.haggle(100)
		learnt := s.aDayLater()
		if learnt.Policy.Version != 3 || learnt.Policy.Curve == unyielding || learnt.Held == nil || learnt.Held.Version != 2 {
			t.Fatalf("it learnt %+v", learnt)
		}
		s.haggle(20)
		if a := s.aDayLater(); a.Policy.Version != 3 {
			t.Errorf("version %d, while nobody knows of 3", a.Policy.Version)
		}
		s.haggle(400) // half of them meet the baseline
		s.clock.advance(time.Minute)
		h, err := s.tuner.Holdout(t.Context(), s.project, learnt.ID, time.Time{})
		s.must(err)
		if n := h.Held.Negotiations + h.Served.Negotiations; n != 420 || h.Baseline != 2 || h.InForce != 3 || !h.Better(tuning.Near) {
			t.Errorf("%d negotiations, %+v", n, h)
		}
		if a := s.aDayLater(); a.Policy.Version < 3 || !a.Tuning.Automatic || len(s.takenBack) != 0 {
			t.Errorf("what does better was taken back: %+v", a)
		}
	})
}

// The curve of the holdout comes back, and what the merchant has set besides stays.
func TestWhatEarnsLessIsTakenBack(t *testing.T) {
	onMarkets(t, func(m *market) {
		s := newTrainee(m)
		s.adopt(negotiation.Builtin().Curve, agent.ByMerchant)
		s.holdOut(500)
		s.adopt(unyielding, agent.ByTuning)
		s.haggle(420)
		listed := s.active() // by another replica, before this one acts
		a := s.aDayLater()
		if a.Policy.Version != 5 || a.Policy.Curve != negotiation.Builtin().Curve || a.Tuning.Automatic || a.Tuning.Holdout != 500 {
			t.Errorf("in force is %+v", a)
		}
		if len(s.takenBack) != 1 || s.takenBack[0].InForce != 4 || !s.takenBack[0].Worse(tuning.Sure) {
			t.Errorf("heard of %+v", s.takenBack)
		}
		s.tuner.Active = stale{s.tuner.Active, listed}
		if again := s.aDayLater(); again.Policy.Version != 5 || len(s.takenBack) != 1 {
			t.Errorf("another replica then made it %+v", again)
		}
	})
}

// stale lists an agent as it was.
type stale struct {
	ports.ActiveAgents
	was *agent.Agent
}

func (s stale) SelfTuning(_ context.Context, _ time.Time, after id.Agent, _ int) ([]*agent.Agent, error) {
	if after == s.was.ID {
		return nil, nil
	}
	return []*agent.Agent{s.was}, nil
}

// A merchant's own policy is never taken back, and one of which nobody can tell is replaced after a week.
func TestWhatIsNotTakenBack(t *testing.T) {
	onMarkets(t, func(m *market) {
		s := newTrainee(m)
		s.adopt(negotiation.Builtin().Curve, agent.ByTuning)
		s.change(func(a *agent.Agent) { a.Tuning.Holdout = 1 }) // nobody meets the baseline
		s.adopt(unyielding, agent.ByTuning)
		s.haggle(220)
		for day := range 6 {
			if a := s.aDayLater(); a.Policy.Version != 4 {
				t.Fatalf("version %d after %d days", a.Policy.Version, day+1)
			}
		}
		if a := s.aDayLater(); a.Policy.Version != 5 || a.Policy.Curve == unyielding {
			t.Errorf("version %d after a week", a.Policy.Version)
		}
		s.adopt(unyielding, agent.ByMerchant)
		s.change(func(a *agent.Agent) { a.Tuning.Holdout = 500 })
		s.haggle(420)
		if a := s.aDayLater(); len(s.takenBack) != 0 || a.Policy.Version < 6 || !a.Tuning.Automatic {
			t.Errorf("the merchant's own: %+v of %+v", a.Policy, s.takenBack)
		}
	})
}

// A learnt curve within bounds that the merchant has changed since is not held against the old ones.
func TestOtherBoundsAreNotCompared(t *testing.T) {
	onMarkets(t, func(m *market) {
		s := newTrainee(m)
		s.adopt(negotiation.Builtin().Curve, agent.ByMerchant)
		s.holdOut(500)
		s.adopt(unyielding, agent.ByTuning)
		s.adopt(unyielding, agent.ByMerchant, func(p *negotiation.Policy) { p.RoundCap = 4 })
		s.haggle(420)
		if a := s.aDayLater(); len(s.takenBack) != 0 || a.Policy.RoundCap != 4 || !a.Tuning.Automatic || a.Policy.Version < 6 {
			t.Errorf("%+v of %+v", a.Policy, s.takenBack)
		}
	})
}
