package finance

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// mostCompared is how many negotiations a dispersion report reads.
const mostCompared = 5000

type dispersionInput struct {
	From string `query:"from" example:"2026-03-01" doc:"An RFC 3339 time, or a date: the start of that day in the project's time zone. Default: 30 days before the end."`
	To   string `query:"to" example:"2026-04-01" doc:"As from, exclusive. Default: the end of today."`
}

type dispersionView struct {
	From         wire.Time       `json:"from"`
	To           wire.Time       `json:"to" doc:"Exclusive."`
	Currency     string          `json:"currency" example:"USD" doc:"The currency of all amounts. Negotiations in another one are not counted."`
	Negotiations int             `json:"negotiations" doc:"Negotiations that began in the period, the newest 5,000 at most."`
	Complete     bool            `json:"complete" doc:"Whether these are all of the period."`
	Compared     int             `json:"compared" doc:"Negotiations that share at least their first step with another one."`
	Groups       int             `json:"groups" doc:"Groups of at least two. In a group, buyers made the same offers in the same order so far, about the same quantity of the same variant, to the same agent and versions of its policy. There is a group for each sequence of first steps, so a negotiation of three steps is in up to three groups."`
	Unexplained  int             `json:"unexplained" doc:"Answers that differ although all recorded inputs are the same. 0 unless a price followed from something that is not recorded."`
	Items        []dispersedView `json:"items" doc:"Groups: those with unexplained answers first, then those with the widest range of prices, at most 100."`
}

type dispersedView struct {
	Product      string          `json:"product_id"`
	Variant      string          `json:"variant_id"`
	Quantity     int             `json:"quantity"`
	Agent        string          `json:"agent_id" doc:"The agent that answered the last step."`
	Steps        []dispersedStep `json:"steps" doc:"The steps that the negotiations of the group have in common. A negotiation is compared up to its first deal, and up to its 20th step."`
	Negotiations int             `json:"negotiations" doc:"Negotiations that had these first steps, whatever followed."`
	Deals        int             `json:"deals" doc:"Negotiations whose last of these steps was accepted."`
	Lowest       wire.Money      `json:"lowest_price" doc:"Of the prices of one piece after the last of these steps, like highest_price and mean_price: the price quoted, the counter, the agreed price, or the current price of a rejection. In units of the currency."`
	Highest      wire.Money      `json:"highest_price"`
	Mean         wire.Money      `json:"mean_price" doc:"Rounded half up."`
	ExplainedBy  []string        `json:"explained_by" enum:"stock,cost,list_price,competitor_price,cart,loyalty,purchases,urgency,probing,agent,expiry,limits" doc:"Recorded inputs in which the negotiations with the lowest and the highest price differ, at any of these steps. Empty if the prices are equal. probing: a limit on probing decided only one of them. agent: an agent proposed another price. expiry: the price before was still valid in only one of them. limits: nothing else differs, and the shop's settings or the product's category changed."`
	Unexplained  int             `json:"unexplained" doc:"Answers to the last of these steps that differ although all recorded inputs are the same."`
}

type dispersedStep struct {
	Offer   *wire.Money `json:"offer_price" nullable:"true" doc:"For one piece; null: a question for the price."`
	Version int         `json:"policy_version"`
}

func (h *handlers) analyticsDispersion(ctx context.Context, rq operation.Request, in *dispersionInput) (body dispersionView, err error) {
	settings := rq.Caller.Project.Settings
	from, to, err := analytics.Period(in.From, in.To, h.Clock.Now(), settings.Location())
	if err != nil {
		return body, err
	}
	d, read := negotiation.NewDispersion(settings.Currency), 0
	filter := ports.NegotiationFilter{From: from, To: to}
	err = rq.Stores.Record.Negotiations(ctx, rq.Caller.Project.ID, filter, mostCompared+1, func(n ports.Negotiation) error {
		if read++; read <= mostCompared {
			d.Add(n.Entries)
		}
		return nil
	})
	report := d.Report()
	return dispersionView{
		From:         wire.ToTime(from),
		To:           wire.ToTime(to),
		Currency:     settings.Currency.Code(),
		Negotiations: report.Negotiations,
		Complete:     read <= mostCompared,
		Compared:     report.Compared,
		Groups:       report.Groups,
		Unexplained:  report.Unexplained,
		Items:        wire.Each(report.Dispersed, toAPIDispersed),
	}, err
}

func toAPIDispersed(g negotiation.Dispersed) dispersedView {
	view := dispersedView{
		Product:      g.Item.Product.String(),
		Variant:      g.Item.Variant.String(),
		Quantity:     g.Item.Quantity,
		Agent:        g.Agent.String(),
		Steps:        []dispersedStep{},
		Negotiations: g.Negotiations,
		Deals:        g.Deals,
		Lowest:       wire.ToMoney(g.Lowest.Price),
		Highest:      wire.ToMoney(g.Highest.Price),
		Mean:         wire.ToMoney(g.Mean()),
		ExplainedBy:  wire.Each(g.ExplainedBy(), wire.Identity),
		Unexplained:  g.Unexplained,
	}
	for i, offer := range g.Offers {
		view.Steps = append(view.Steps, dispersedStep{wire.ToOptionalMoney(offer), g.Versions[i]})
	}
	return view
}
