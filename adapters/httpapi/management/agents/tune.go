package agents

import (
	"context"
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
	operation.RegisterClaimed(g, "tune-agent", "POST "+oneAgent+"/tune", "Have an agent learn from its recorded negotiations, and propose a policy",
		h.tuneAgent, operation.Errors(409, 503))
	operation.Register(g, "get-agent-holdout", "GET "+oneAgent+"/holdout", "Compare what the policy in force has earned since it was put in force with the holdout's",
		h.getHoldout, operation.Errors(409))
}

type holdoutOutput struct {
	Body struct {
		Since    wire.Time   `json:"since" doc:"When the policy in force was put in force. Negotiations that began earlier, or by other policies, do not count; of busy shops, the newest 20,000 do."`
		Baseline heldArm     `json:"baseline" doc:"The policy that the holdout keeps."`
		InForce  heldArm     `json:"in_force"`
		Gain     *learntGain `json:"gain,omitempty" doc:"Of the policy in force over the baseline. Left out where one of them met nobody."`
		Verdict  string      `json:"verdict" enum:"better,worse,undecided" doc:"Of the policy in force, with near certainty, from 100 sessions with each on. Only those in which an offer was made count, at what was agreed."`
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
	if held.Known() {
		within := tuning.Near * held.Error
		b.Gain = new(toAPIGain(held.Gain, held.Gain-within, held.Gain+within))
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
		From     wire.When `json:"from,omitzero" doc:"Only negotiations that began then or later. A date is where that day begins in the project's time zone."`
		To       wire.When `json:"to,omitzero" doc:"Only negotiations that began before; a date as in from."`
		Limit    int       `json:"limit,omitempty" default:"5000" minimum:"200" maximum:"5000" doc:"The newest so many negotiations."`
		Activate bool      `json:"activate,omitempty" doc:"Put the proposal in force if it is better with near certainty."`
		Note     string    `json:"note,omitempty" maxLength:"2000"`
	}
}

type tuneAgentOutput struct {
	Body struct {
		Negotiations int            `json:"negotiations" doc:"That were learnt from."`
		Buyers       []learntBuyers `json:"buyers" doc:"What the buyers are like, the most frequent first."`
		Before       earnings       `json:"before" doc:"What the policy in force earns from buyers like these."`
		After        earnings       `json:"after" doc:"What the proposed one would."`
		Gain         learntGain     `json:"gain"`
		Replay       replayView     `json:"replay" doc:"The very negotiations under the proposed policy."`
		Curve        curveView      `json:"proposed_curve"`
		Segments     []segmentView  `json:"proposed_segments"`
		Better       bool           `json:"better" doc:"With near certainty."`
		Version      *int           `json:"policy_version" nullable:"true" doc:"The proposal as a version of the policy; null: it is no better."`
		InForce      bool           `json:"in_force"`
	}
}

// learntBuyers has what was learned about the buyers who haggle in one manner.
type learntBuyers struct {
	Manner string   `json:"manner" enum:"timed,firm,reactive,probing,splitting,erratic"`
	Beta   *float64 `json:"beta" nullable:"true" doc:"Of timed buyers: below 1 they hold out, above it they give way early."`
	Share  float64  `json:"share"`
}

// earnings are per negotiation, prices as shares of list.
type earnings struct {
	DealRate  float64 `json:"deal_rate"`
	MeanPrice float64 `json:"mean_price" doc:"Of a deal, as a share of the list price."`
	Margin    float64 `json:"margin" doc:"Price less cost, as a share of the list price, per negotiation; the price alone where no cost is known."`
}

type learntGain struct {
	Mean float64 `json:"mean" doc:"Of margin per negotiation."`
	Low  float64 `json:"low" doc:"Bounds of its 95 % interval."`
	High float64 `json:"high"`
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
	prepared, err := h.Agents.In(rq.Stores).PrepareTuning(ctx, rq.Caller.Project, in.Agent.ID, r)
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

func toAPITuned(t agents.Tuned, c money.Currency) *tuneAgentOutput {
	out, p := &tuneAgentOutput{}, t.Proposal
	b := &out.Body
	b.Negotiations, b.Before, b.After, b.Better, b.InForce = p.Records, toAPIEarnings(p.Before), toAPIEarnings(p.After), p.Better(), t.InForce && t.Version != nil
	b.Gain = toAPIGain(p.Gain, p.GainLow, p.GainHigh)
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

func toAPIGain(mean, low, high float64) learntGain {
	return learntGain{rounded(mean), rounded(low), rounded(high)}
}

func toAPIEarnings(r tuning.Result) earnings {
	return earnings{rounded(r.Deals), rounded(r.Price), rounded(r.Margin)}
}
