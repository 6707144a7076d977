package agents

import (
	"context"
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
	// Exploration is what the sessions of the policy in force may still lose against the baseline, by the comparison.
	Exploration Exploration
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
	h.Exploration = explorationOf(append(arms[h.Baseline], arms[h.InForce]...), money.Whole-a.Tuning.Kept(),
		tuning.Near*h.Error-h.Gain, to, p.Settings.Currency)
	return h, err
}

// inconclusiveFor is how long a learned policy stays in force while the comparison with the holdout is inconclusive.
const inconclusiveFor = 7 * 24 * time.Hour

// judgeHoldout compares the policy that was learned last with the holdout. If the holdout earns more with certainty, it puts
// the baseline's curve back in force and ends the agent's self-tuning, because the agent would learn the same curve again. If a
// policy on trial earns more, it serves twice as many sessions from then on. judgeHoldout reports whether tuning may go on, which
// it does once nothing is on trial or a week was inconclusive. It does not compare the merchant's own changes with what was in force
// before them.
func (t *SelfTuner) judgeHoldout(ctx context.Context, p *project.Project, a *agent.Agent) (goOn bool, err error) {
	now := t.Clock.Now()
	h, err := t.Holdout(ctx, p, a.ID, now.Add(-endedAge))
	switch {
	case fault.Is(err, errNoHoldout.Code):
		return true, nil
	case err != nil:
		return false, err
	case h.learned && h.Trial > 0 && h.Better(tuning.Near):
		return t.extend(ctx, p, a, h)
	case !h.learned || h.Better(tuning.Near):
		return true, nil
	case !h.Worse(tuning.Sure):
		return now.Sub(h.Since) >= inconclusiveFor, nil
	}
	_, err = t.Agents.Update(ctx, p.ID, a.ID, func(current *agent.Agent) (*agent.Version, error) {
		if !tunesItself(current) || current.Policy.Version != h.InForce || current.Tuning.Baseline != h.Baseline {
			return nil, errPolicyChanged
		}
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
	return false, err
}

// extend lets the policy on trial serve more sessions. It reports whether it is no longer on trial.
func (t *SelfTuner) extend(ctx context.Context, p *project.Project, a *agent.Agent, h Holdout) (proven bool, err error) {
	_, err = t.Agents.Update(ctx, p.ID, a.ID, func(current *agent.Agent) (*agent.Version, error) {
		if !tunesItself(current) || current.Policy.Version != h.InForce || current.Tuning.Trial != h.Trial {
			return nil, errPolicyChanged
		}
		current.Extend(t.Clock.Now())
		proven = current.Tuning.Trial == 0
		return nil, nil
	})
	if err == nil {
		t.Extended(a, h)
	}
	return proven && err == nil, err
}

// tunesItself reports whether an agent tunes itself. Another replica or the merchant may have ended that since the agent was
// listed.
func tunesItself(a *agent.Agent) bool { return a.Tuning.Automatic && a.Status == agent.Active }
