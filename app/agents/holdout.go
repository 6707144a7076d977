package agents

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Holdout is what the policy in force has agreed on since it was put in force, beside the one that the holdout keeps.
type Holdout struct {
	tuning.Comparison
	Baseline, InForce int // versions
	Since             time.Time
	learnt            bool // the policy in force
}

// mostCompared bounds the negotiations of both policies that are read, the newest ones.
const mostCompared = 20_000

var errNoHoldout = fault.New(fault.Conflict, "no_holdout", "There is no holdout, or its policy is the one in force.")

// Holdout compares the negotiations that began until then; zero is now. One that goes on is taken to have ended.
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
		learnt:   v.Origin == agent.ByTuning,
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
			r.Rounds, r.Bought = nil, n.Bought // of long ones there are many
			by := n.Entries[0].PolicyVersion
			arms[by] = append(arms[by], r)
		}
		return ctx.Err()
	})
	h.Comparison = tuning.Compare(arms[h.Baseline], arms[h.InForce])
	return h, err
}

// undecided is how long a learnt policy is kept while nobody can tell whether it earns more than the holdout's.
const undecided = 7 * 24 * time.Hour

// judge looks at the policy that was learnt last. Where the holdout earns more for sure its curve is put back in
// force, and the agent no longer tunes itself: what it would learn is what has failed. It reports whether tuning may go
// on. What the merchant has changed besides is not compared with what was before.
func (t *SelfTuner) judge(ctx context.Context, p *project.Project, a *agent.Agent) (goOn bool, err error) {
	now := t.Clock.Now()
	h, err := t.Holdout(ctx, p, a.ID, now.Add(-ended))
	switch {
	case fault.Is(err, errNoHoldout.Code):
		return true, nil
	case err != nil:
		return false, err
	case !h.learnt || h.Better(tuning.Near):
		return true, nil
	case !h.Worse(tuning.Sure):
		return now.Sub(h.Since) >= undecided, nil
	}
	_, err = t.Agents.Update(ctx, p.ID, a.ID, func(current *agent.Agent) (*agent.Version, error) {
		if !stillTunes(current) || current.Policy.Version != h.InForce || current.Tuning.Baseline != h.Baseline {
			return nil, errOvertaken
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

// stillTunes reports whether an agent tunes itself: since it was listed, another replica or its merchant may have ended
// that.
func stillTunes(a *agent.Agent) bool { return a.Tuning.Automatic && a.Status == agent.Active }
