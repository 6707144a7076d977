package agents

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Holdout compares the deals of the policy in force, since it was put in force, with those of the holdout's baseline policy.
type Holdout struct {
	tuning.Comparison
	Baseline, InForce int // versions
	Since             time.Time
	Trial             money.Percent // as in agent.Tuning
	// Exploration is what the sessions of the policy in force may still lose against the baseline, by the comparison; nil: too few
	// sessions to say.
	Exploration *Exploration
	learned     bool // whether tuning wrote the policy in force
}

// mostCompared bounds the negotiations that a comparison reads, both policies together. It reads the newest ones.
const mostCompared = 20_000

var errNoHoldout = fault.New(fault.Conflict, "no_holdout", "There is no holdout, or its policy is the one in force.")

// Holdout compares the negotiations that began before to; zero means now. Open negotiations count as ended.
func (s *Service) Holdout(ctx context.Context, p *project.Project, of id.Agent, to time.Time) (Holdout, error) {
	a, err := s.Agents.ByID(ctx, p.ID, of)
	if err != nil {
		return Holdout{}, err
	}
	if a.Held == nil || a.Tuning.Baseline == a.Policy.Version || a.Status != agent.Active {
		return Holdout{}, errNoHoldout
	}
	select {
	case s.Reading <- struct{}{}:
		defer func() { <-s.Reading }()
	case <-ctx.Done():
		return Holdout{}, ctx.Err()
	}
	v, err := s.Versions.Version(ctx, p.ID, of, a.Policy.Version)
	if err != nil {
		return Holdout{}, err
	}
	h := Holdout{
		Baseline: a.Tuning.Baseline,
		InForce:  a.Policy.Version,
		Since:    v.ActivatedAt,
		Trial:    a.Tuning.Trial,
		learned:  v.Origin == agent.ByTuning,
	}
	if to.IsZero() {
		to = s.Clock.Now()
	}
	arms := map[int][]tuning.Record{}
	err = s.Record.Negotiations(ctx, p.ID, ports.NegotiationFilter{
		Agent: of,
		From:  h.Since,
		To:    to,
	}, mostCompared, func(n ports.Negotiation) error {
		if r, ok := tuning.FromEntries(n.Entries, a.Policy.RoundCap); ok {
			r.Rounds, r.Bought = nil, n.Bought // to save memory: a long negotiation has many rounds
			by := n.Entries[0].PolicyVersion
			arms[by] = append(arms[by], r)
		}
		return ctx.Err()
	})
	h.Comparison = tuning.Compare(arms[h.Baseline], arms[h.InForce])
	if h.Enough() {
		e := explorationOf(append(arms[h.Baseline], arms[h.InForce]...), money.Whole-a.Tuning.Kept(),
			tuning.Near*h.Error-h.Gain, to, p.Settings.Currency)
		h.Exploration = &e
	}
	return h, err
}

// inconclusiveFor is how long a learned policy stays in force while the comparison with the holdout is inconclusive.
const inconclusiveFor = 7 * 24 * time.Hour

// step is what the self-tuner does after a comparison.
type step int

const (
	wait         step = iota
	tuneInForce       // from the policy in force
	tuneBaseline      // from the baseline, because the policy in force is not proven
)

// judgeHoldout compares the policy that was learned last with the holdout. If the holdout earns more with certainty, it puts
// the baseline's curve back in force and ends the agent's self-tuning, because the agent would learn the same curve again. If a
// policy on trial earns more, it serves twice as many sessions from then on. Tuning goes on once nothing is on trial, or a week
// was inconclusive although both have enough sessions. judgeHoldout does not compare the merchant's own changes with what was in
// force before them.
func (t *SelfTuner) judgeHoldout(ctx context.Context, p *project.Project, a *agent.Agent) (step, error) {
	now := t.Clock.Now()
	h, err := t.Holdout(ctx, p, a.ID, now.Add(-endedAge))
	switch {
	case fault.Is(err, errNoHoldout.Code):
		return tuneInForce, nil
	case err != nil:
		return wait, err
	case h.learned && h.Trial > 0 && h.Better(tuning.Near):
		return wait, t.extend(ctx, p, a, h)
	case !h.learned || h.Better(tuning.Near):
		return tuneInForce, nil
	case h.Worse(tuning.Sure):
		return wait, t.takeBack(ctx, p, a, h)
	case now.Sub(h.Since) >= inconclusiveFor && (h.Trial <= 0 || h.Enough()):
		return tuneBaseline, nil
	}
	return wait, nil
}

func (t *SelfTuner) takeBack(ctx context.Context, p *project.Project, a *agent.Agent, h Holdout) error {
	err := t.change(ctx, p, a, h, func(current *agent.Agent, now time.Time) (*agent.Version, error) {
		next := current.Policy
		next.Curve, next.Segments = current.Held.Curve, current.Held.Segments
		v, err := current.WritePolicy(next, agent.ByTuning, "Taken back: the holdout earned more.", now)
		if err == nil {
			current.TakeBack(v, now)
		}
		return v, err
	})
	if err == nil {
		t.TookBack(a, h)
	}
	return err
}

// extend lets the policy on trial serve more sessions.
func (t *SelfTuner) extend(ctx context.Context, p *project.Project, a *agent.Agent, h Holdout) error {
	err := t.change(ctx, p, a, h, func(current *agent.Agent, now time.Time) (*agent.Version, error) {
		note := fmt.Sprintf("Version %d earned more than version %d: more sessions get it.", h.InForce, h.Baseline)
		v, err := current.WritePolicy(current.Policy, agent.ByTuning, note, now)
		if err == nil {
			current.Extend(v, now)
		}
		return v, err
	})
	if err == nil {
		t.Extended(a, h)
	}
	return err
}

// change changes an agent if it is still as it was compared. Another replica may have changed it, or the merchant.
func (t *SelfTuner) change(
	ctx context.Context, p *project.Project, a *agent.Agent, h Holdout, by func(*agent.Agent, time.Time) (*agent.Version, error),
) error {
	_, err := t.Agents.Update(ctx, p.ID, a.ID, func(current *agent.Agent) (*agent.Version, error) {
		if !tunesItself(current) || current.Held == nil || current.Policy.Version != h.InForce || current.Tuning.Baseline != h.Baseline || current.Tuning.Trial != h.Trial {
			return nil, errPolicyChanged
		}
		return by(current, t.Clock.Now())
	})
	return err
}

// tunesItself reports whether an agent tunes itself, or has a policy on trial, which is judged to its end. Another replica or the merchant may have ended that since the agent was
// listed.
func tunesItself(a *agent.Agent) bool {
	return (a.Tuning.Automatic || a.Tuning.Trial > 0) && a.Status == agent.Active
}
