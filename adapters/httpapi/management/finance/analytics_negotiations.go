package finance

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

type negotiationsInput struct {
	Span
	operation.Paging
	Near string `query:"near_floor_percent" default:"5" example:"5" doc:"The largest distance of a lost deal's best offer below the floor, in percent of the floor: 0 to 50, at most one decimal. Offers at or above the floor count too."`
}

type negotiationsView struct {
	Cut
	Funnel    []stageView    `json:"funnel" doc:"How far the negotiations that began in the period have got by now."`
	Discounts discountsView  `json:"discounts"`
	Lost      lostView       `json:"lost_deals"`
	ByRule    []ruleView     `json:"by_rule" doc:"All decisions, most frequent rule first."`
	ByPolicy  []policyView   `json:"by_policy" doc:"By the policy of a negotiation's first decision."`
	ByHandler []handlerView  `json:"by_handler" doc:"By the handler of a negotiation's first decision."`
	Fallbacks []fallbackView `json:"fallbacks" doc:"Decisions that the built-in handler made instead of the agent's handler, by reason."`
	Series    []talkSpan     `json:"series"`
}

type stageView struct {
	Stage string        `json:"stage" enum:"quoted,offered,countered,rejected,accepted,checkout_opened,order_paid"`
	Count int64         `json:"count"`
	Share *wire.Decimal `json:"share" nullable:"true" doc:"As a share of the quoted negotiations."`
}

type discountsView struct {
	Deals  distributionView `json:"accepted_deals" doc:"Deals of the negotiations that began in the period."`
	Orders distributionView `json:"paid_orders" doc:"Orders of the period, over all their lines."`
}

type distributionView struct {
	Count     int64     `json:"count"`
	Mean      *string   `json:"mean" nullable:"true" example:"8.4%"`
	P10       *string   `json:"p10" nullable:"true"`
	P50       *string   `json:"p50" nullable:"true" example:"7.5%"`
	P90       *string   `json:"p90" nullable:"true"`
	Histogram []barView `json:"histogram" doc:"Buckets that are not empty."`
}

type barView struct {
	Percent int   `json:"percent" doc:"The discount from the list price: from this percentage, to below the next."`
	Count   int64 `json:"count"`
}

type lostView struct {
	NearFloorPercent wire.Decimal             `json:"near_floor_percent"`
	Count            int64                    `json:"count" doc:"Negotiations that began in the period, had an offer near the floor, and have no deal by now."`
	AboveFloor       int64                    `json:"above_floor" doc:"Those with a best offer at or above the floor."`
	BestOffers       wire.Money               `json:"best_offers" doc:"The revenue at their best offers."`
	List             wire.Money               `json:"list"`
	ShareOfList      *wire.Decimal            `json:"share_of_list" nullable:"true"`
	Examples         operation.List[lostDeal] `json:"examples" doc:"Newest first."`
}

type lostDeal struct {
	Negotiation  string     `json:"negotiation_id"`
	Product      string     `json:"product_id"`
	ProductName  string     `json:"product_name" doc:"The name in the catalog now, or at the product's deletion."`
	Variant      string     `json:"variant_id"`
	Quantity     int        `json:"quantity"`
	BestOffer    wire.Money `json:"best_offer" doc:"For one piece, like all prices here."`
	Floor        wire.Money `json:"floor"`
	CurrentPrice wire.Money `json:"standing_price" doc:"The shop's last price."`
	List         wire.Money `json:"list_price"`
	BeganAt      wire.Time  `json:"began_at"`
	LastAt       wire.Time  `json:"last_at"`
}

type ruleView struct {
	Rule      string `json:"rule"`
	Decisions int64  `json:"decisions"`
}

// OutcomesView is what became of some negotiations.
type OutcomesView struct {
	Negotiations int64         `json:"negotiations"`
	Offered      int64         `json:"offered"`
	Deals        int64         `json:"deals"`
	DealRate     *wire.Decimal `json:"deal_rate" nullable:"true" doc:"Deals ÷ negotiations with an offer."`
}

type policyView struct {
	Agent   string `json:"agent_id"`
	Version int    `json:"policy_version"`
	OutcomesView
}

type handlerView struct {
	Handler string `json:"handler"`
	OutcomesView
}

type fallbackView struct {
	Reason    string `json:"reason"`
	Decisions int64  `json:"decisions"`
}

type talkSpan struct {
	From   wire.Time `json:"from"`
	To     wire.Time `json:"to"`
	Offers int64     `json:"offers"`
	OutcomesView
	Paid     int64   `json:"paid"`
	Discount *string `json:"mean_discount" nullable:"true"`
}

func (h *handlers) analyticsNegotiations(ctx context.Context, rq operation.Request, in *negotiationsInput) (body negotiationsView, err error) {
	s, err := h.span(rq, in.Span)
	if err != nil {
		return body, err
	}
	near, err := money.ParseDecimal(in.Near, 1)
	if err != nil || near < 0 || near > analytics.KeptWithin*10 {
		return body, fault.Field("near_floor_percent", "must be from 0 to 50, with at most one decimal")
	}
	project := rq.Caller.Project.ID
	spans, err := rq.Stores.Analytics.Figures(ctx, project, ports.Period{Bounds: s.bounds})
	if err != nil {
		return body, err
	}
	filter := ports.LostFilter{
		From:     s.From.Time,
		To:       s.To.Time,
		Currency: s.Currency,
		Near:     near,
	}
	lost, err := rq.Stores.Analytics.Lost(ctx, project, filter, in.Page())
	if err != nil {
		return body, err
	}
	products := wire.Each(lost.Examples, func(l analytics.Lost) id.Product { return l.Item.Product })
	names, err := rq.Stores.Analytics.ProductNames(ctx, project, products)
	if err != nil {
		return body, err
	}
	body = toAPINegotiations(s, all(spans))
	body.Lost = toAPILost(s, lost, names, near, in.Page())
	for i, of := range spans {
		body.Series = append(body.Series, talkSpan{
			From:   wire.ToTime(s.bounds[i]),
			To:     wire.ToTime(s.bounds[i+1]),
			Offers: of.Offers,
			Paid:   of.Paid,
			OutcomesView: toAPIOutcomes(analytics.Outcomes{
				Negotiations: of.Negotiations,
				Offered:      of.Offered,
				Deals:        of.Deals,
			}),
			Discount: mean(of.DealDiscount, of.Deals),
		})
	}
	return body, nil
}

func toAPINegotiations(s span, of ports.Span) negotiationsView {
	return negotiationsView{
		Cut: s.Cut, Funnel: toAPIFunnel(of),
		Discounts: discountsView{
			toAPIDistribution(of.DealDiscounts, of.DealDiscount, of.Deals), toAPIDistribution(of.PaidDiscounts, of.PaidDiscount, of.Orders),
		},
		ByRule:    wire.Each(frequent(of.Rules), func(c count) ruleView { return ruleView{c.name, c.n} }),
		Fallbacks: wire.Each(frequent(of.Fallbacks), func(c count) fallbackView { return fallbackView{c.name, c.n} }),
		ByPolicy: wire.Each(slices.Sorted(maps.Keys(of.Policies)), func(key string) policyView {
			agent, version, _ := strings.Cut(key, "/")
			n, _ := strconv.Atoi(version)
			return policyView{agent, n, toAPIOutcomes(of.Policies[key])}
		}),
		ByHandler: wire.Each(slices.Sorted(maps.Keys(of.Handlers)), func(key string) handlerView {
			return handlerView{key, toAPIOutcomes(of.Handlers[key])}
		}),
	}
}

func toAPIFunnel(of ports.Span) []stageView {
	var funnel []stageView
	for _, stage := range []struct {
		name string
		n    int64
	}{
		{"quoted", of.Negotiations}, {"offered", of.Offered}, {"countered", of.Countered}, {"rejected", of.Rejected},
		{"accepted", of.Deals}, {"checkout_opened", of.Opened}, {"order_paid", of.Paid},
	} {
		funnel = append(funnel, stageView{stage.name, stage.n, ratio(stage.n, of.Negotiations)})
	}
	return funnel
}

// toAPIDistribution reads a histogram by thousandths.
func toAPIDistribution(counts map[int]int64, sum, of int64) distributionView {
	view := distributionView{
		Count:     of,
		Mean:      mean(sum, of),
		P10:       quantile(counts, 10),
		P50:       quantile(counts, 50),
		P90:       quantile(counts, 90),
		Histogram: []barView{},
	}
	percents := analytics.Coarser(counts, 10)
	for _, percent := range slices.Sorted(maps.Keys(percents)) {
		view.Histogram = append(view.Histogram, barView{percent, percents[percent]})
	}
	return view
}

func toAPILost(s span, deals ports.LostDeals, names map[id.Product]string, near int64, p ports.Page) lostView {
	examples := operation.ToAPIList(deals.Examples, func(l analytics.Lost) lostDeal {
		return lostDeal{
			Negotiation:  id.NegotiationOf(l.Item.Session).String(),
			Product:      l.Item.Product.String(),
			ProductName:  names[l.Item.Product],
			Variant:      l.Item.Variant.String(),
			Quantity:     l.Item.Quantity,
			BestOffer:    s.money(l.Best),
			Floor:        s.money(l.Floor),
			CurrentPrice: s.money(l.Standing),
			List:         s.money(l.List),
			BeganAt:      wire.ToTime(l.Began),
			LastAt:       wire.ToTime(l.Last),
		}
	}, p, int(deals.Count))
	return lostView{
		NearFloorPercent: wire.ToDecimal(near, 1),
		Count:            deals.Count,
		AboveFloor:       deals.AboveFloor,
		BestOffers:       s.money(deals.Offered),
		List:             s.money(deals.List),
		ShareOfList:      ratio(deals.Offered, deals.List),
		Examples:         examples.Body,
	}
}

func toAPIOutcomes(o analytics.Outcomes) OutcomesView {
	return OutcomesView{o.Negotiations, o.Offered, o.Deals, ratio(o.Deals, o.Offered)}
}

// count is how often something was.
type count struct {
	name string
	n    int64
}

// frequent puts the most frequent first.
func frequent(counts map[string]int64) []count {
	var all []count
	for name, n := range counts {
		all = append(all, count{name, n})
	}
	slices.SortFunc(all, func(a, b count) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name)) })
	return all
}
