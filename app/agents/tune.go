package agents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// MostTuned bounds the negotiations that one tuning reads, the newest ones.
	MostTuned = 5000
	// mostOfOne bounds those of one session among them: one buyer who haggles over everything is still one.
	mostOfOne = 5
	// mostOfClient bounds a client's sessions without an order among them, and mostRead those that are looked at, so
	// that one client does not crowd the others out.
	mostOfClient = 500
	mostRead     = 4 * MostTuned
)

// TuneRequest says what to learn from.
type TuneRequest struct {
	From, To time.Time // of the negotiations' beginning; To zero is now. One that goes on is taken to have ended
	Limit    int       // newest negotiations; 0 is MostTuned
	Activate bool      // put the proposal in force, if it is better with near certainty
	Note     string

	byItself bool
}

// Tuned is what was learnt. Version is the proposal, in force or not; nil where it is no better.
type Tuned struct {
	Proposal tuning.Proposal
	Replay   negotiation.Replayed
	Version  *agent.Version
	InForce  bool
}

// PreparedTuning is what was learnt of an agent's record. Its version is not stored yet.
type PreparedTuning struct {
	Tuned Tuned

	service *Service
	learner *agent.Agent // as it was read
	request TuneRequest
}

// Tune proposes a policy for an agent, as a version that is not in force unless that is asked for. Nothing is
// written where the proposal would not earn more with near certainty.
func (s *Service) Tune(ctx context.Context, p *project.Project, of id.Agent, r TuneRequest) (Tuned, error) {
	prepared, err := s.PrepareTuning(ctx, p, of, r)
	if err != nil {
		return Tuned{}, err
	}
	err = prepared.Commit(ctx, s.Stores)
	return prepared.Tuned, err
}

// PrepareTuning learns from an agent's record, which takes seconds. It writes nothing.
func (s *Service) PrepareTuning(ctx context.Context, p *project.Project, of id.Agent, r TuneRequest) (*PreparedTuning, error) {
	a, err := s.Agents.ByID(ctx, p.ID, of)
	if err != nil {
		return nil, err
	}
	select {
	case s.Busy <- struct{}{}:
		defer func() { <-s.Busy }()
	default:
		return nil, fault.New(fault.Unavailable, "tuning_busy", "Another policy is being tuned. Try again soon.").After(5 * time.Second)
	}
	policy := a.Policy.Under(p.Settings)
	records, talks, err := s.records(ctx, p, policy.RoundCap, r)
	if err != nil {
		return nil, err
	}
	if known := tuning.Sessions(records); known < tuning.Fewest {
		return nil, fault.New(fault.Conflict, "too_few_negotiations",
			fmt.Sprintf("There are negotiations of %d buyers' sessions to learn from; it takes those of %d at least.", known, tuning.Fewest))
	}
	proposal, err := tuning.Propose(ctx, records, policy, 1)
	if err != nil {
		return nil, err
	}
	out := Tuned{Proposal: proposal}
	unwritten := proposal.Policy
	unwritten.Version = 0 // none of those on record
	out.Replay = replayed(talks, negotiation.NewReplayer(a.ID, unwritten, p.Settings.Currency))
	out.InForce = r.Activate && proposal.Better()
	return &PreparedTuning{
		Tuned:   out,
		service: s,
		learner: a,
		request: r,
	}, nil
}

// Commit stores the proposal as a version, if it is better. The agent has another policy by now: Conflict policy_changed.
func (p *PreparedTuning) Commit(ctx context.Context, stores *ports.Stores) error {
	proposal, a, r := p.Tuned.Proposal, p.learner, p.request
	if !proposal.Better() {
		return nil
	}
	next := a.Policy // but for what was learnt: the project's settings are none of the agent's
	next.Curve, next.Segments = proposal.Policy.Curve, proposal.Policy.Segments
	_, err := stores.Agents.Update(ctx, a.Project, a.ID, func(current *agent.Agent) (*agent.Version, error) {
		if current.Policy.Version != a.Policy.Version || r.byItself && !stillTunes(current) {
			return nil, errOvertaken
		}
		now := p.service.Clock.Now()
		v, err := current.WritePolicy(next, agent.ByTuning, r.Note, now)
		if err == nil && r.Activate {
			current.PutInForce(v, now)
		}
		p.Tuned.Version = v
		return v, err
	})
	return err
}

func replayed(talks []ports.Negotiation, by *negotiation.Replayer) negotiation.Replayed {
	for _, talk := range talks {
		by.Add(talk.Entries, talk.Bought)
	}
	return by.Report()
}

var errOvertaken = fault.New(fault.Conflict, "policy_changed", "Another policy was put in force meanwhile. Tune it anew.")

// errEnough ends a reading.
var errEnough = errors.New("enough was read")

// records turns the project's record into what can be learnt from, and what can be replayed. Whichever agent answered,
// it were the same buyers.
func (s *Service) records(ctx context.Context, p *project.Project, roundCap int, r TuneRequest) (records []tuning.Record, talks []ports.Negotiation, err error) {
	to, limit := r.To, r.Limit
	if to.IsZero() {
		to = s.Clock.Now()
	}
	if limit <= 0 || limit > MostTuned {
		limit = MostTuned
	}
	of, free := map[id.Session]int{}, map[string]map[id.Session]bool{}
	crowded := func(r *tuning.Record) bool {
		if r.Client == "" || r.Bought || free[r.Client][r.Session] {
			return false
		}
		if free[r.Client] == nil {
			free[r.Client] = map[id.Session]bool{}
		}
		if len(free[r.Client]) == mostOfClient {
			return true
		}
		free[r.Client][r.Session] = true
		return false
	}
	err = s.Record.Negotiations(ctx, p.ID, ports.NegotiationFilter{From: r.From, To: to}, mostRead, func(n ports.Negotiation) error {
		record, ok := tuning.FromEntries(n.Entries, roundCap)
		record.Bought = n.Bought
		if ok && record.Explicable() && of[record.Session] < mostOfOne && !crowded(&record) {
			of[record.Session]++
			for i := range n.Entries {
				n.Entries[i].Message = "" // nothing is learnt of it, and it may be long
			}
			records, talks = append(records, record), append(talks, n)
		}
		if len(records) == limit {
			return errEnough
		}
		return ctx.Err()
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return records, talks, err
}

const (
	// between is how long an agent that tunes itself keeps a policy at least.
	between = 24 * time.Hour
	// ended is how long ago a negotiation began that has ended, but for those that are kept alive.
	ended = 4 * negotiation.Validity
)

// SelfTuner tunes the agents whose merchants want that, each at most once a day, and takes back what earned less than
// the holdout.
type SelfTuner struct {
	*Service
	Active   ports.ActiveAgents
	Projects interface { // active ones
		ByProject(ctx context.Context, project id.Project) (*project.Project, error)
	}
	// TookBack hears of each policy that was taken back.
	TookBack func(*agent.Agent, Holdout)

	tried map[id.Agent]time.Time
}

// Run tunes the agents that are due. What fails for one, or finds nothing better, is tried again the next day.
func (t *SelfTuner) Run(ctx context.Context) error {
	now := t.Clock.Now()
	kept := make(map[id.Agent]time.Time)
	var failed error
	for last := (id.Agent{}); ; {
		due, err := t.Active.SelfTuning(ctx, now.Add(-between), last, selfTuned)
		failed = errors.Join(failed, err)
		if len(due) == 0 {
			t.tried = kept
			return failed
		}
		for _, a := range due {
			last = a.ID
			if tried, ok := t.tried[a.ID]; ok && now.Before(tried.Add(between)) {
				kept[a.ID] = tried
			} else if err := fault.Survive(func() error { return t.tune(ctx, a) }); !fault.Is(err, "tuning_busy") { // else it comes again with the next run
				kept[a.ID], failed = now, errors.Join(failed, err)
			}
		}
	}
}

// selfTuned is how many agents are read at a time.
const selfTuned = 100

func (t *SelfTuner) tune(ctx context.Context, a *agent.Agent) error {
	p, err := t.Projects.ByProject(ctx, a.Project)
	if err != nil {
		return err
	}
	goOn, err := t.judge(ctx, p, a)
	if goOn {
		_, err = t.Tune(ctx, p, a.ID, TuneRequest{
			To:       t.Clock.Now().Add(-ended),
			Activate: true,
			Note:     "Tuned by itself.",
			byItself: true,
		})
	}
	if fault.Is(err, "too_few_negotiations") || fault.Is(err, "policy_changed") {
		return nil
	}
	return err
}
