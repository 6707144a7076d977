package agents

import (
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerTrials(g operation.Group) {
	operation.RegisterPhased(g, "simulate-agent", "POST "+oneAgent+"/simulate", "Simulate a negotiation without side effects",
		h.simulateAgent, operation.Errors(503), operation.Scope("agents:read"))
	operation.RegisterPhased(g, "replay-agent", "POST "+oneAgent+"/replay", "Replay recorded negotiations under a policy",
		h.replayAgent, operation.Scope("agents:read"))
}

// OnTrial is which policy to try.
type OnTrial struct {
	Policy  wire.Optional[policyPatch] `json:"policy,omitzero" doc:"A policy that need not be stored. Omitted fields take the value of the built-in policy. Without policy and policy_version, the current policy is used."`
	Version int                        `json:"policy_version,omitempty" minimum:"1" maximum:"1000000000" doc:"A version of the agent's policy."`
}

// chosen reads it.
func (o OnTrial) chosen(c money.Currency, check fault.Check) agents.Chosen {
	chosen := agents.Chosen{Version: o.Version}
	if o.Policy.Given() {
		doc, _ := o.Policy.Value()
		policy := doc.over(negotiation.Builtin(), c, check.In("policy"))
		chosen.Policy = &policy
	}
	return chosen
}

type simulateInput struct {
	OnAgent
	Body simulation
}

type simulation struct {
	OnTrial
	Product    string                        `json:"product_id,omitempty" doc:"A product of the shop. Omit it to use a fictitious product of the five fields below."`
	Variant    string                        `json:"variant_id,omitempty"`
	List       wire.Optional[wire.Decimal]   `json:"list_price,omitzero"`
	Cost       wire.Optional[wire.Decimal]   `json:"cost,omitzero"`
	Competitor wire.Optional[wire.Decimal]   `json:"competitor_price,omitzero"`
	Stock      *int                          `json:"stock,omitempty" doc:"Default: ten pieces more than requested."`
	Category   string                        `json:"category,omitempty" maxLength:"200"`
	Quantity   *int                          `json:"quantity,omitempty" doc:"1 to 1,000. Default: 1."`
	Buyer      simulatedBuyer                `json:"buyer_context,omitempty" doc:"Counts as the storefront's personalization has it for the location."`
	Offers     []wire.Optional[wire.Decimal] `json:"offers" doc:"1 to 50, in order, up to the one that is accepted. Null asks for the price."`
	Remote     bool                          `json:"remote,omitempty" doc:"True: call remote handlers and language models too, as for buyers. Half of a day's language model tokens are reserved for buyers; after that, steps have the fallback model_budget. False: only programs of this server answer."`
}

// simulatedBuyer is what the buyer claims.
type simulatedBuyer struct {
	Tier      string `json:"loyalty_tier,omitempty" maxLength:"200"`
	Location  string `json:"location,omitempty" maxLength:"200"`
	Purchases int    `json:"purchase_history,omitempty"`
	Urgency   string `json:"urgency,omitempty" maxLength:"200"`
}

type simulateOutput struct {
	Body struct {
		PolicyVersion *int        `json:"policy_version" nullable:"true" doc:"Null: the policy of the request."`
		Bounds        boundsView  `json:"bounds"`
		Steps         []stepView  `json:"steps"`
		Deal          *wire.Money `json:"deal" nullable:"true" doc:"The agreed price per unit. Null: no deal."`
	}
}

type stepView struct {
	Offer    *wire.Money  `json:"offer" nullable:"true"`
	Answer   stepAnswer   `json:"answer"`
	Rule     string       `json:"rule"`
	Handler  string       `json:"handler"`
	Fallback *string      `json:"fallback" nullable:"true"`
	Proposal *wire.Money  `json:"proposal" nullable:"true"`
	Progress progressView `json:"progress" doc:"The state of the negotiation before the offer."`
}

type stepAnswer struct {
	Response string      `json:"response" enum:"quote,accept,counter_offer,reject"`
	Price    wire.Money  `json:"price"`
	Hint     *wire.Money `json:"floor_hint" nullable:"true" doc:"The floor_hint of a rejection."`
	Final    bool        `json:"final" doc:"Whether no lower price follows."`
}

func (h *handlers) simulateAgent(ctx ports.Outbound, rq operation.Request, in *simulateInput) (*simulateOutput, error) {
	p := rq.Caller.Project
	sim, err := fromAPISimulation(in.Body, p.Settings.Currency)
	if err != nil {
		return nil, err
	}
	played, err := h.Agents.In(rq.Stores).Simulate(ctx, p, in.Agent.ID, sim)
	if err != nil {
		return nil, err
	}
	out := &simulateOutput{}
	out.Body.PolicyVersion = wire.ToOptional(played.Policy.Version)
	out.Body.Steps = wire.Each(played.Steps, toAPIStep)
	out.Body.Bounds = toAPIBounds(played.Steps[0].Table.Bounds)
	if deal, agreed := played.Steps[len(played.Steps)-1].Decision.(negotiation.Accepted); agreed {
		out.Body.Deal = wire.ToOptionalMoney(&deal.Price)
	}
	return out, nil
}

func fromAPISimulation(in simulation, c money.Currency) (sim agents.Simulation, err error) {
	if sim.Product, err = wire.OptionalID[id.Product](in.Product, "product"); err != nil {
		return sim, err
	}
	if sim.Variant, err = wire.OptionalID[id.Variant](in.Variant, "variant"); err != nil {
		return sim, err
	}
	check := fault.NewCheck()
	amount := func(o wire.Optional[wire.Decimal], field string) *money.Amount {
		number, given := o.Value()
		if !given {
			return nil
		}
		a := number.Amount(c, field, check)
		return &a
	}
	sim.Chosen, sim.Remote, sim.Quantity = in.chosen(c, check), in.Remote, 1
	if in.Quantity != nil {
		sim.Quantity = *in.Quantity
	}
	sim.MadeUp = agents.MadeUp{
		List:       amount(in.List, "list_price"),
		Cost:       amount(in.Cost, "cost"),
		Competitor: amount(in.Competitor, "competitor_price"),
		Stock:      in.Stock,
		Category:   in.Category,
	}
	sim.Claims = session.Claims{
		LoyaltyTier:     in.Buyer.Tier,
		Location:        in.Buyer.Location,
		PurchaseHistory: in.Buyer.Purchases,
		Urgency:         in.Buyer.Urgency,
	}
	for i, o := range in.Offers[:min(len(in.Offers), agents.MostSimulated+1)] {
		sim.Offers = append(sim.Offers, amount(o, "offers."+strconv.Itoa(i)))
	}
	return sim, check.Err()
}

func toAPIStep(s agents.Step) stepView {
	v := stepView{
		Offer:    wire.ToOptionalMoney(s.Table.Offer),
		Rule:     s.Decision.Rule().String(),
		Handler:  s.Answered.Handler,
		Fallback: wire.ToOptional(s.Answered.Fallback),
		Proposal: wire.ToOptionalMoney(s.Proposal),
		Progress: toAPIProgress(s.Table.Progress),
	}
	v.Answer = stepAnswer{Response: commerce.Responses[s.Decision.Outcome()], Price: wire.ToMoney(*negotiation.PriceIn(s.Decision))}
	switch d := s.Decision.(type) {
	case negotiation.Rejected:
		v.Answer.Hint = wire.ToOptionalMoney(&d.Hint)
	case negotiation.Countered:
		v.Answer.Final = d.Final
	}
	return v
}

type replayInput struct {
	OnAgent
	Body struct {
		OnTrial
		From         wire.When `json:"from,omitzero" doc:"Negotiations that began at or after this time. A date is the start of that day in the project's time zone. Default: all."`
		To           wire.When `json:"to,omitzero" doc:"Negotiations that began before this time; a date as in from."`
		Limit        int       `json:"limit,omitempty" minimum:"1" maximum:"10000" default:"1000" doc:"The maximum number of negotiations, newest first."`
		Negotiations []string  `json:"negotiation_ids,omitempty" doc:"Only negotiations with these ids, as lost deals, orders and negotiations show them; at most 100. Unknown ids are ignored. Default: all."`
	}
}

type replayOutput = wire.Output[replayView]

func (h *handlers) replayAgent(ctx ports.Outbound, rq operation.Request, in *replayInput) (*replayOutput, error) {
	p, check := rq.Caller.Project, fault.NewCheck()
	zone := p.Settings.Location()
	rerun := agents.Rerun{
		Chosen: in.Body.chosen(p.Settings.Currency, check),
		From:   in.Body.From.In(zone),
		To:     in.Body.To.In(zone),
		Limit:  in.Body.Limit,
	}
	rerun.Sessions = fromAPINegotiations(in.Body.Negotiations, check)
	if err := check.Err(); err != nil {
		return nil, err
	}
	policy, report, err := h.Agents.In(rq.Stores).Replay(ctx, p, in.Agent.ID, rerun)
	if err != nil {
		return nil, err
	}
	out := &replayOutput{Body: toAPIReplay(report)}
	out.Body.PolicyVersion = wire.ToOptional(policy.Version)
	out.Body.KeptSince, err = h.keptSince(ctx, rq)
	return out, err
}

// fromAPINegotiations reads the names of sessions. If there are too many, it stops at the first one over the limit.
func fromAPINegotiations(names []string, check fault.Check) []id.Negotiation {
	list := make([]id.Negotiation, min(len(names), ports.MostNamed+1))
	for i := range list {
		parsed, err := id.Parse[id.Negotiation](names[i])
		check.In("negotiation_ids").That(err == nil, strconv.Itoa(i), "must be the id of a negotiation")
		list[i] = parsed
	}
	return list
}

// replayView is the result of a replay. Before has the recorded deals; certain and possible are explained at
// negotiation.Replayer.
type replayView struct {
	PolicyVersion *int       `json:"policy_version" nullable:"true" doc:"Null: a policy that is not a version yet."`
	KeptSince     *wire.Time `json:"kept_since" nullable:"true" doc:"Decisions up to this time were deleted (setting retention.decisions) and not replayed. Null: all are kept."`
	Negotiations  int        `json:"negotiations"`
	Skipped       int        `json:"skipped" doc:"Negotiations in a currency other than the project's, or with sums too large to add up."`
	Decisions     int        `json:"decisions"`
	Identical     int        `json:"identical" doc:"Decisions that do not change."`
	Changed       int        `json:"changed" doc:"All other decisions, including those that would no longer be asked for. 0 if all were decided under this version."`
	Deals         struct {
		Before   int `json:"before"`
		Bought   int `json:"bought" doc:"Deals in before that were paid."`
		Certain  int `json:"after_certain" doc:"Deals in which an offer that the buyer made is accepted, or reaches a price named earlier."`
		Possible int `json:"after_possible" doc:"The certain deals, and those that the record does not rule out: the buyer once agreed to a lower price, or left at a higher one."`
	} `json:"deals"`
	Before   takingsView           `json:"before" doc:"The recorded deals."`
	After    takingsView           `json:"after" doc:"The certain deals."`
	Possible takingsView           `json:"after_possible" doc:"The possible deals; those that are not certain at the policy's final price."`
	PerMonth nullable[replayMonth] `json:"per_month" doc:"The change of the deals in 30 days at the rate of these negotiations, from the oldest one to the end of the period or now. Null: negotiation_ids selected them, or they span less than a day."`
	Examples []changedDecision     `json:"examples" doc:"The first changed decision of up to 20 negotiations."`
}

// replayMonth has no expected value: see agents.ReplayPerMonth.
type replayMonth struct {
	Of           string     `json:"of" enum:"margin,revenue" doc:"revenue: no cost is known."`
	Certain      wire.Money `json:"certain" doc:"What the certain deals add to the recorded ones. Certain and possible are bounds from the record, not a forecast, and not comparable with per_month of a tuning: the buyers did not see the other prices."`
	Possible     wire.Money `json:"possible" doc:"What the possible deals add."`
	Currency     string     `json:"currency" example:"USD"`
	Negotiations int        `json:"negotiations" doc:"In 30 days."`
}

func toAPIReplayMonth(m *agents.ReplayPerMonth) (v nullable[replayMonth]) {
	if m == nil {
		return v
	}
	v.object = &replayMonth{
		Of:           "revenue",
		Certain:      wire.ToMoney(m.Certain),
		Possible:     wire.ToMoney(m.Possible),
		Currency:     m.Certain.Currency().Code(),
		Negotiations: m.Negotiations,
	}
	if m.Margin {
		v.object.Of = "margin"
	}
	return v
}

type takingsView struct {
	Revenue  wire.Money   `json:"revenue"`
	Margin   wire.Money   `json:"margin" doc:"Price − cost, of deals with a known cost."`
	Costed   int          `json:"deals_of_known_cost"`
	Discount wire.Decimal `json:"average_discount_percent" doc:"Weighted by value, of list prices."`
}

type changedDecision struct {
	Decision  string               `json:"decision_id"`
	Session   string               `json:"session_id"`
	Thread    string               `json:"negotiation_id"`
	Product   string               `json:"product_id"`
	Offer     *wire.Money          `json:"offer" nullable:"true"`
	Before    answerView           `json:"before"`
	After     nullable[answerView] `json:"after" doc:"Null: the buyer's deal came earlier."`
	Rule      string               `json:"rule"`
	RuleAfter *string              `json:"rule_after" nullable:"true"`
}

func toAPIReplay(r agents.Replayed) replayView {
	v := replayView{
		Negotiations: r.Negotiations,
		Skipped:      r.Skipped,
		Decisions:    r.Decisions,
		Identical:    r.Identical,
		Changed:      r.Changed(),
		Before:       toAPIRevenue(r.Before),
		After:        toAPIRevenue(r.Certain),
		Possible:     toAPIRevenue(r.Possible),
		PerMonth:     toAPIReplayMonth(r.PerMonth),
		Examples:     wire.Each(r.Examples, toAPIChanged),
	}
	v.Deals.Before, v.Deals.Bought, v.Deals.Certain, v.Deals.Possible = r.Before.Deals, r.Bought, r.Certain.Deals, r.Possible.Deals
	return v
}

func toAPIRevenue(t negotiation.Revenue) takingsView {
	return takingsView{wire.ToMoney(t.Revenue), wire.ToMoney(t.Margin), t.Costed, wire.ToPercent(t.Discount())}
}

func toAPIChanged(d negotiation.Difference) changedDecision {
	e := d.Entry
	v := changedDecision{
		Decision: e.ID.String(),
		Session:  e.Session.String(),
		Thread:   id.NegotiationOf(e.Session).String(),
		Product:  e.Item.Product.String(),
		Offer:    wire.ToOptionalMoney(e.Offer),
		Before:   answerView{commerce.Responses[e.Outcome], wire.ToOptionalMoney(e.Price)},
		Rule:     e.Rule.String(),
	}
	if d.Answer != nil {
		v.After.object = &answerView{commerce.Responses[d.Answer.Outcome()], wire.ToOptionalMoney(negotiation.PriceIn(d.Answer))}
		v.RuleAfter = new(d.Answer.Rule().String())
	}
	return v
}
