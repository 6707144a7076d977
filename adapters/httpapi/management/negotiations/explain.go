package negotiations

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

type explanationsView struct {
	Data []explanationView `json:"data" doc:"One for each decision, oldest first, at most 200."`
}

type explanationView struct {
	Decision string            `json:"decision_id"`
	Seq      int               `json:"seq" doc:"The decision's number in its session, from 1."`
	Text     string            `json:"explanation" doc:"A paragraph in English, with the bounds of the price. It is for the merchant only."`
	Inputs   []explainedInput  `json:"inputs" doc:"The known inputs."`
	Rule     string            `json:"rule" example:"concession"`
	Others   []otherAnswerView `json:"others" doc:"The answers that the presets and the policy in force would have given at the same point, after the same offers. The buyer's reaction to other prices is not known."`
}

type explainedInput struct {
	Name  string `json:"name" example:"list_price" doc:"As in the inputs of a decision."`
	Value string `json:"value" example:"100.00 USD"`
}

type otherAnswerView struct {
	Policy   string      `json:"policy" enum:"keep_margin,balanced,clear_stock,in_force" doc:"A preset, or in_force."`
	Version  *int        `json:"policy_version" nullable:"true" doc:"Of the policy in force. Null: a preset."`
	Response *string     `json:"response" nullable:"true" enum:"quote,accept,counter_offer,reject" doc:"Null: the buyer's deal would have come earlier."`
	Price    *wire.Money `json:"price" nullable:"true"`
	Rule     *string     `json:"rule" nullable:"true"`
}

func (h *handlers) explain(ctx context.Context, rq operation.Request, in *getInput) (*wire.Output[explanationsView], error) {
	found, err := h.Agents.In(rq.Stores).Explain(ctx, rq.Caller.Project, in.Negotiation.ID)
	if err != nil {
		return nil, err
	}
	return &wire.Output[explanationsView]{Body: explanationsView{wire.Each(found, toAPIExplanation)}}, nil
}

func toAPIExplanation(x agents.Explanation) explanationView {
	return explanationView{
		Decision: x.Entry.ID.String(),
		Seq:      x.Entry.Seq,
		Text:     x.Text,
		Inputs:   wire.Each(x.Inputs, func(i agents.Input) explainedInput { return explainedInput(i) }),
		Rule:     x.Entry.Rule.String(),
		Others:   wire.Each(x.Others, toAPIOther),
	}
}

func toAPIOther(o agents.OtherAnswer) otherAnswerView {
	v := otherAnswerView{Policy: o.Preset, Version: wire.ToOptional(o.Version)}
	if o.Preset == "" {
		v.Policy = "in_force"
	}
	if o.Answer != nil {
		v.Response = new(commerce.Responses[o.Answer.Outcome()])
		v.Price = wire.ToOptionalMoney(negotiation.PriceIn(o.Answer))
		v.Rule = new(o.Answer.Rule().String())
	}
	return v
}
