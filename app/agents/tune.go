package agents

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// MostTuned bounds the negotiations that one tuning reads. It reads the newest ones.
	MostTuned = 5000
	// mostOfSession bounds the negotiations of one session, because a buyer who negotiates about many products is still one buyer.
	mostOfSession = 5
	// mostOfClient bounds a client's sessions without an order, and mostTuningRead bounds the negotiations that are read, so
	// that one client does not crowd out the others.
	mostOfClient   = 500
	mostTuningRead = 4 * MostTuned
)

// TuneRequest selects the negotiations to learn from.
type TuneRequest struct {
	From, To time.Time // when the negotiations began; zero To means now. Open ones count as ended
	Limit    int       // newest negotiations; 0 means MostTuned
	Activate bool      // puts the proposal in force if it is better with near certainty
	Note     string

	selfTuning bool
	fromHeld   bool // the policy in force is not proven: tune the baseline, and keep it
}

// Tuned is the result of a tuning. Version is the proposal, in force or not; nil if the proposal is no better.
type Tuned struct {
	Proposal tuning.Proposal
	Replay   Replayed
	PerMonth *GainPerMonth // nil: the negotiations span less than a day
	Version  *agent.Version
	InForce  bool
	// Exploration is what the canary's share of the proposal costs at most.
	Exploration Exploration
}

// PreparedTuning is a tuning whose version is not stored yet.
type PreparedTuning struct {
	Tuned Tuned

	service *Service
	agent   *agent.Agent // as read before tuning
	request TuneRequest
}

// Tune proposes a policy for an agent. It stores the policy as a version, and puts it in force if the request says so. It
// stores nothing unless the proposal would earn more with near certainty.
func (s *Service) Tune(ctx context.Context, p *project.Project, of id.Agent, r TuneRequest) (Tuned, error) {
	prepared, err := s.PrepareTuning(ctx, p, of, r)
	if err != nil {
		return Tuned{}, err
	}
	err = prepared.Commit(ctx, s.Stores)
	return prepared.Tuned, err
}

// PrepareTuning learns from the record of an agent's project, which takes seconds. It stores nothing.
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
	policy := a.Policy
	if a.Held != nil && (r.fromHeld || a.Tuning.Trial > 0) {
		policy = *a.Held // which is proven
	}
	policy = policy.Under(p.Settings)
	records, negotiations, err := s.records(ctx, p, policy.RoundCap, r)
	if err != nil {
		return nil, err
	}
	if known := tuning.Sessions(records); known < tuning.Fewest {
		return nil, fault.New(fault.Conflict, "too_few_negotiations",
			fmt.Sprintf("There are negotiations from %d sessions to learn from; at least %d are required.", known, tuning.Fewest))
	}
	proposal, err := tuning.Propose(ctx, records, policy, tuning.Options{Seed: 1})
	if err != nil {
		return nil, err
	}
	out := Tuned{Proposal: proposal}
	unwritten := proposal.Policy
	unwritten.Version = 0 // not one of the recorded versions
	out.addReplay(negotiations, negotiation.NewReplayer(a.ID, unwritten, p.Settings.Currency), s.endOf(r))
	out.InForce = r.Activate && proposal.Better()
	share := a.Tuning.Canary
	if share <= 0 {
		share = money.Whole - a.Tuning.Holdout
	}
	out.Exploration = explorationOf(records, share, proposal.Risk, s.endOf(r), p.Settings.Currency)
	return &PreparedTuning{
		Tuned:   out,
		service: s,
		agent:   a,
		request: r,
	}, nil
}

// Commit stores the proposal as a version, if it is better. If the agent's policy has changed since it was read, Commit returns
// Conflict policy_changed.
func (p *PreparedTuning) Commit(ctx context.Context, stores *ports.Stores) error {
	proposal, a, r := p.Tuned.Proposal, p.agent, p.request
	if !proposal.Better() {
		return nil
	}
	next := a.Policy // without the project's settings, which proposal.Policy includes
	next.Curve, next.Segments = proposal.Policy.Curve, proposal.Policy.Segments
	if r.selfTuning && reflect.DeepEqual(next, a.Policy) {
		return nil // it is on trial already
	}
	_, err := stores.Agents.Update(ctx, a.Project, a.ID, func(current *agent.Agent) (*agent.Version, error) {
		if current.Policy.Version != a.Policy.Version || r.selfTuning && !tunesItself(current) {
			return nil, errPolicyChanged
		}
		now := p.service.Clock.Now()
		v, err := current.WritePolicy(next, agent.ByTuning, r.Note, now)
		switch {
		case err == nil && r.selfTuning:
			current.Try(v, !r.fromHeld, now)
		case err == nil && r.Activate:
			current.PutInForce(v, now)
		}
		p.Tuned.Version = v
		return v, err
	})
	return err
}

var errPolicyChanged = fault.New(fault.Conflict, "policy_changed", "Another policy was activated in the meantime. Tune again.")

// errLimitReached ends the reading of negotiations at the limit.
var errLimitReached = errors.New("enough was read")

// records converts the project's negotiations to those that can be learned from and those that can be replayed. It includes
// the negotiations of other agents, because the buyers are the same.
func (s *Service) records(ctx context.Context, p *project.Project, roundCap int, r TuneRequest) (records []tuning.Record, negotiations []ports.Negotiation, err error) {
	to, limit := r.To, r.Limit
	if to.IsZero() {
		to = s.Clock.Now()
	}
	if limit <= 0 || limit > MostTuned {
		limit = MostTuned
	}
	of, withoutOrder := map[id.Session]int{}, map[string]map[id.Session]bool{}
	overClientLimit := func(r *tuning.Record) bool {
		if r.Client == "" || r.Bought || withoutOrder[r.Client][r.Session] {
			return false
		}
		if withoutOrder[r.Client] == nil {
			withoutOrder[r.Client] = map[id.Session]bool{}
		}
		if len(withoutOrder[r.Client]) == mostOfClient {
			return true
		}
		withoutOrder[r.Client][r.Session] = true
		return false
	}
	err = s.Record.Negotiations(ctx, p.ID, ports.NegotiationFilter{From: r.From, To: to}, mostTuningRead, func(n ports.Negotiation) error {
		record, ok := tuning.FromEntries(n.Entries, roundCap)
		record.Bought = n.Bought
		if ok && record.Explicable() && of[record.Session] < mostOfSession && !overClientLimit(&record) {
			of[record.Session]++
			for i := range n.Entries {
				n.Entries[i].Message = "" // tuning ignores it, and it may be long
			}
			records, negotiations = append(records, record), append(negotiations, n)
		}
		if len(records) == limit {
			return errLimitReached
		}
		return ctx.Err()
	})
	if errors.Is(err, errLimitReached) {
		err = nil
	}
	return records, negotiations, err
}

const (
	// tuningInterval is how long an agent that tunes itself keeps a policy at least.
	tuningInterval = 24 * time.Hour
	// endedAge is the age at which a negotiation counts as ended. Only those that buyers keep alive last longer.
	endedAge = 4 * negotiation.Validity
)

// SelfTuner tunes the agents whose merchants have turned that on, each at most once a day, and rolls back policies that
// earned less than the holdout.
type SelfTuner struct {
	*Service
	Active   ports.ActiveAgents
	Projects interface { // active ones
		ByProject(ctx context.Context, project id.Project) (*project.Project, error)
	}
	// TookBack is called for each policy that was rolled back, and Extended for each that serves more sessions than before.
	TookBack, Extended func(*agent.Agent, Holdout)
	// Drifted is called for each change of what buyers pay that a tuning found.
	Drifted func(*agent.Agent, tuning.Drift)

	tried map[id.Agent]time.Time
}

// Run judges and tunes the agents that are due. If an agent's tuning fails or finds nothing better, Run tries it again the next day.
func (t *SelfTuner) Run(ctx context.Context) error {
	now := t.Clock.Now()
	kept := make(map[id.Agent]time.Time)
	var failed error
	for last := (id.Agent{}); ; {
		due, err := t.Active.SelfTuning(ctx, now.Add(-tuningInterval), last, selfTuningPage)
		failed = errors.Join(failed, err)
		if len(due) == 0 {
			t.tried = kept
			return failed
		}
		for _, a := range due {
			last = a.ID
			if tried, ok := t.tried[a.ID]; ok && now.Before(tried.Add(tuningInterval)) {
				kept[a.ID] = tried
			} else if err := fault.Survive(func() error { return t.tune(ctx, a) }); !fault.Is(err, "tuning_busy") { // a busy one is tried again in the next run
				kept[a.ID], failed = now, errors.Join(failed, err)
			}
		}
	}
}

// selfTuningPage is how many agents are read at a time.
const selfTuningPage = 100

func (t *SelfTuner) tune(ctx context.Context, a *agent.Agent) error {
	p, err := t.Projects.ByProject(ctx, a.Project)
	if err != nil {
		return err
	}
	next, err := t.judgeHoldout(ctx, p, a)
	if next != wait && a.Tuning.Automatic {
		var tuned Tuned
		tuned, err = t.Tune(ctx, p, a.ID, TuneRequest{
			To:         t.Clock.Now().Add(-endedAge),
			Activate:   true,
			Note:       "Tuned by itself.",
			selfTuning: true,
			fromHeld:   next == tuneBaseline,
		})
		for _, d := range tuned.Proposal.Drifts {
			t.Drifted(a, d)
		}
	}
	if fault.Is(err, "too_few_negotiations") || fault.Is(err, "policy_changed") {
		return nil
	}
	return err
}
