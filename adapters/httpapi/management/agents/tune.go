package agents

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerTuning(g operation.Group) {
	operation.RegisterClaimed(g, "tune-agent", "POST "+oneAgent+"/tune", "Learn from an agent's recorded negotiations and propose a policy",
		h.tuneAgent, operation.Errors(409, 503))
	operation.Register(g, "get-agent-holdout", "GET "+oneAgent+"/holdout", "Compare the earnings of the policy in force with those of the holdout",
		h.getHoldout, operation.Errors(409))
}

type holdoutOutput struct {
	Body struct {
		Since       wire.Time             `json:"since" doc:"The time when the policy in force was activated. Negotiations that began earlier, or under other policies, do not count; at most the newest 20,000 do."`
		Baseline    heldArm               `json:"baseline" doc:"The policy of the holdout."`
		InForce     heldArm               `json:"in_force"`
		Gain        *learntGain           `json:"gain,omitempty" doc:"The gain of the policy in force over the baseline. Omitted if one of them has no sessions."`
		Trial       *wire.Decimal         `json:"trial_percent" nullable:"true" doc:"The share of sessions that the policy in force serves while it is on trial. Null: there is no trial."`
		Exploration nullable[exploration] `json:"exploration" doc:"What the sessions under the policy in force may lose against the baseline: to the bound of the gain's 95 % interval. Null: fewer than 100 sessions each."`
		Verdict     string                `json:"verdict" enum:"better,worse,undecided" doc:"On the policy in force, with near certainty, from 100 sessions each. Only sessions with an offer count, at the agreed price."`
	}
}

// heldArm has the results of one of the two policies that are compared.
type heldArm struct {
	Version      int      `json:"policy_version"`
	Negotiations int      `json:"negotiations"`
	Earned       earnings `json:"earned"`
}

func (h *handlers) getHoldout(ctx context.Context, rq operation.Request, in *OnAgent) (*holdoutOutput, error) {
	held, err := h.Agents.In(rq.Stores).Holdout(ctx, rq.Caller.Project, in.Agent.ID, time.Time{})
	if err != nil {
		return nil, err
	}
	out := &holdoutOutput{}
	b := &out.Body
	b.Since, b.Verdict = wire.ToTime(held.Since), "undecided"
	b.Baseline = heldArm{held.Baseline, held.Held.Negotiations, toAPIEarnings(held.Held.Result)}
	b.InForce = heldArm{held.InForce, held.Served.Negotiations, toAPIEarnings(held.Served.Result)}
	if held.Trial > 0 {
		b.Trial = new(wire.ToPercent(held.Trial))
	}
	if e := held.Exploration; e != nil {
		b.Exploration.object = new(toAPIExploration(*e))
	}
	if held.Known() {
		within := tuning.Near * held.Error
		b.Gain = new(toAPIGain(tuning.Interval{
			Mean: held.Gain,
			Low:  held.Gain - within,
			High: held.Gain + within,
		}))
	}
	switch {
	case held.Better(tuning.Near):
		b.Verdict = "better"
	case held.Worse(tuning.Near):
		b.Verdict = "worse"
	}
	return out, nil
}

type tuneAgentInput struct {
	OnAgent
	Body struct {
		From     wire.When `json:"from,omitzero" doc:"Only negotiations that began at or after this time. A date is the start of that day in the project's time zone."`
		To       wire.When `json:"to,omitzero" doc:"Only negotiations that began before this time; a date as in from."`
		Limit    int       `json:"limit,omitempty" default:"5000" minimum:"200" maximum:"5000" doc:"The maximum number of negotiations, newest first."`
		Activate bool      `json:"activate,omitempty" doc:"Activate the proposal if it is better with near certainty."`
		Note     string    `json:"note,omitempty" maxLength:"2000"`
	}
}

type tuneAgentOutput struct {
	Body struct {
		Negotiations int                  `json:"negotiations" doc:"The number of negotiations used for learning."`
		Buyers       []learntBuyers       `json:"buyers" doc:"The types of buyers, most frequent first."`
		Before       earnings             `json:"before" doc:"The earnings of the policy in force with such buyers."`
		After        earnings             `json:"after" doc:"The earnings of the proposed policy with such buyers."`
		Gain         learntGain           `json:"gain"`
		PerMonth     nullable[tunedMonth] `json:"per_month" doc:"The gain in 30 days, for the number and the mean list price of the negotiations that were used. Null: they span less than a day."`
		Manners      []mannerGain         `json:"gain_by_manner" doc:"The gain from each type of buyers."`
		Tried        []triedSegment       `json:"tried" doc:"What was learned for the whole catalog and for segments of it. A part without a certain gain keeps its curve."`
		Drift        []learntDrift        `json:"drift" doc:"Changes of what buyers pay. Earlier negotiations count a quarter."`
		Exploration  exploration          `json:"exploration" doc:"The cost of letting the proposal serve the canary's share of the sessions."`
		Replay       replayView           `json:"replay" doc:"The recorded negotiations replayed under the proposed policy."`
		Curve        curveView            `json:"proposed_curve"`
		Segments     []segmentView        `json:"proposed_segments"`
		Better       bool                 `json:"better" doc:"Whether it is better with near certainty."`
		Version      *int                 `json:"policy_version" nullable:"true" doc:"The proposal as a version of the policy. Null: it is not better."`
		InForce      bool                 `json:"in_force"`
	}
}

// tunedMonth is a gain in money.
type tunedMonth struct {
	Low          wire.Money `json:"low" doc:"Bounds of the 95 % interval."`
	Expected     wire.Money `json:"expected" doc:"An estimate by simulated buyers like those of the record."`
	High         wire.Money `json:"high"`
	Currency     string     `json:"currency" example:"USD"`
	Negotiations int        `json:"negotiations" doc:"In 30 days."`
}

func toAPITunedMonth(m *agents.GainPerMonth) (v nullable[tunedMonth]) {
	if m == nil {
		return v
	}
	v.object = &tunedMonth{
		Low:          wire.ToMoney(m.Low),
		Expected:     wire.ToMoney(m.Expected),
		High:         wire.ToMoney(m.High),
		Currency:     m.Expected.Currency().Code(),
		Negotiations: m.Negotiations,
	}
	return v
}

// learntBuyers has what was learned about the buyers who haggle in one manner.
type learntBuyers struct {
	Manner string   `json:"manner" enum:"timed,firm,reactive,probing,splitting,erratic"`
	Beta   *float64 `json:"beta" nullable:"true" doc:"For time-dependent buyers: below 1 they hold out, above 1 they concede early."`
	Share  float64  `json:"share"`
}

// earnings are per negotiation, prices as shares of list.
type earnings struct {
	DealRate  float64 `json:"deal_rate"`
	MeanPrice float64 `json:"mean_price" doc:"The average price of a deal, as a share of the list price."`
	Margin    float64 `json:"margin" doc:"Price − cost, as a share of the list price, per negotiation; the price alone if no cost is known."`
}

type learntGain struct {
	Mean float64 `json:"mean" doc:"The mean margin per negotiation."`
	Low  float64 `json:"low" doc:"Bounds of the 95 % interval."`
	High float64 `json:"high"`
}

type mannerGain struct {
	Manner string     `json:"manner" enum:"timed,firm,reactive,probing,splitting,erratic"`
	Gain   learntGain `json:"gain"`
}

// triedSegment is a part of the catalog for which a curve was searched.
type triedSegment struct {
	Segment  string     `json:"segment" example:"learnt: outdoor" doc:"Empty: all products without a segment."`
	Sessions int        `json:"sessions" doc:"The number of sessions, weighted: as many of equal weight have as much information."`
	Gain     learntGain `json:"gain" doc:"Over the curve that these products have otherwise. The interval allows for the number of parts tried."`
	Kept     bool       `json:"kept" doc:"Whether the proposal has the curve: the interval is above zero, and no buyers pay much less."`
	Loses    *string    `json:"loses_with" nullable:"true" example:"one-shot" doc:"The buyers that rule the curve out, because the shop would earn less with them, by over 2 % of its margin from all: a manner, a family of simulated buyers, or the buyers of a part of the catalog."`
}

type learntDrift struct {
	Segment string    `json:"segment" doc:"Empty: the whole catalog."`
	Since   wire.Time `json:"since"`
	Before  float64   `json:"margin_before" doc:"Price − cost, as a share of the list price, per negotiation."`
	After   float64   `json:"margin_after"`
}

// exploration is the cost of trying a policy.
type exploration struct {
	Share        wire.Decimal `json:"share_percent" doc:"Of the sessions."`
	Negotiations int          `json:"negotiations_per_30_days"`
	Cost         wire.Money   `json:"max_cost_per_30_days" doc:"Share × negotiations × the largest loss per negotiation with any type of buyers × the average money at stake."`
}

func toAPIExploration(e agents.Exploration) exploration {
	return exploration{wire.ToPercent(e.Share), e.Negotiations, wire.ToMoney(e.Cost)}
}

func toAPITried(t tuning.Trial) triedSegment {
	v := triedSegment{
		Segment:  t.Segment,
		Sessions: t.Sessions,
		Gain:     toAPIGain(t.Gain),
		Kept:     t.Kept,
	}
	if t.Loss != nil {
		v.Loses = &t.Loss.Buyers
	}
	return v
}

func (h *handlers) tuneAgent(ctx ports.Outbound, rq operation.Request, in *tuneAgentInput) (made operation.Plan[tuneAgentOutput], err error) {
	zone := rq.Caller.Project.Settings.Location()
	r := agents.TuneRequest{
		From:     in.Body.From.In(zone),
		To:       in.Body.To.In(zone),
		Limit:    in.Body.Limit,
		Activate: in.Body.Activate,
		Note:     in.Body.Note,
	}
	if !r.To.IsZero() && !r.From.Before(r.To) {
		return made, fault.Field("to", "must be after from")
	}
	var prepared *agents.PreparedTuning
	err = inTime(ctx, tuningTime, func(ctx ports.Outbound) (err error) {
		prepared, err = h.Agents.In(rq.Stores).PrepareTuning(ctx, rq.Caller.Project, in.Agent.ID, r)
		return err
	})
	if err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*tuneAgentOutput, error) {
		if err := prepared.Commit(ctx, st); err != nil {
			return nil, err
		}
		out := toAPITuned(prepared.Tuned, rq.Caller.Project.Settings.Currency)
		if out.Body.Version != nil {
			operation.NoteChange(rq, nil, out.Body)
		}
		return out, nil
	}
	return made, nil
}

// tuningTime is how long learning may take. An answer must be written within 30 s.
const tuningTime = 25 * time.Second

// inTime stops learning after a time, with the error of a busy server: the client can try again.
func inTime(ctx ports.Outbound, most time.Duration, work func(ports.Outbound) error) error {
	limited, cancel := ctx.WithTimeout(most)
	defer cancel()
	err := work(limited)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fault.New(fault.Unavailable, "overloaded", "Learning took too long. Try again, or set a smaller limit.").After(time.Second).Because(err)
	}
	return err
}

func toAPITuned(t agents.Tuned, c money.Currency) *tuneAgentOutput {
	out, p := &tuneAgentOutput{}, t.Proposal
	b := &out.Body
	b.Negotiations, b.Before, b.After, b.Better, b.InForce = p.Records, toAPIEarnings(p.Before), toAPIEarnings(p.After), p.Better(), t.InForce && t.Version != nil
	b.Gain, b.PerMonth, b.Exploration = toAPIGain(p.Gain), toAPITunedMonth(t.PerMonth), toAPIExploration(t.Exploration)
	b.Manners = wire.Each(p.Manners, func(g tuning.MannerGain) mannerGain { return mannerGain{g.Manner.String(), toAPIGain(g.Gain)} })
	b.Tried = wire.Each(p.Tried, toAPITried)
	b.Drift = wire.Each(p.Drifts, func(d tuning.Drift) learntDrift {
		return learntDrift{d.Segment, wire.ToTime(d.Since), rounded(d.Before), rounded(d.After)}
	})
	b.Buyers = wire.Each(p.Buyers, func(s tuning.Share) learntBuyers {
		view := learntBuyers{Manner: s.Manner.String(), Share: rounded(s.Share)}
		if s.Manner == tuning.Timed {
			view.Beta = &s.Beta
		}
		return view
	})
	b.Replay, b.Curve = toAPIReplay(t.Replay), toAPICurve(p.Policy.Curve)
	b.Segments = wire.Each(p.Policy.Segments, func(s negotiation.Segment) segmentView { return toAPISegment(s, c) })
	if t.Version != nil {
		b.Version = &t.Version.Policy.Version
	}
	return out
}

// rounded keeps four decimals, because more would suggest a precision that the estimate does not have.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func toAPIGain(g tuning.Interval) learntGain {
	return learntGain{rounded(g.Mean), rounded(g.Low), rounded(g.High)}
}

func toAPIEarnings(r tuning.Result) earnings {
	return earnings{rounded(r.Deals), rounded(r.Price), rounded(r.Margin)}
}
