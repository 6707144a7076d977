package agents

import (
	"context"
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
)

func (h *handlers) registerMarket(g operation.Group) {
	operation.Register(g, "start-market", "POST "+oneAgent+"/market", "Let simulated buyers meet two policies, as a job",
		h.startMarket, operation.Accepted, operation.Errors(409))
}

type startMarketInput struct {
	OnAgent
	Body struct {
		OnTrial
		Against  int      `json:"against_version,omitempty" minimum:"1" maximum:"1000000000" doc:"The version to compare with. Left out: the one in force."`
		Buyers   *int     `json:"buyers,omitempty" doc:"50 to 5,000 buyers of each population, for each product. Left out: 1,000."`
		Products []string `json:"product_ids,omitempty" doc:"At most 10 products of the shop, on sale by their first variant. Left out: the products that buyers haggled over most in the last 30 days, else the newest that are negotiable."`
		Seed     *uint64  `json:"seed,omitempty" doc:"0 to 9,007,199,254,740,991. The same seed brings the same buyers. Left out: 1."`
	}
}

type startMarketOutput struct {
	Location string `header:"Location" doc:"Of the job."`
	Body     JobView
}

func (h *handlers) startMarket(ctx context.Context, rq operation.Request, in *startMarketInput) (*startMarketOutput, error) {
	p, check := rq.Caller.Project, fault.NewCheck()
	chosen := in.Body.chosen(p.Settings.Currency, check)
	r := job.MarketRequest{
		Policy:  chosen.Policy,
		Version: chosen.Version,
		Against: in.Body.Against,
		Buyers:  job.DefaultBuyers,
		Seed:    1,
	}
	if in.Body.Buyers != nil {
		r.Buyers = *in.Body.Buyers
	}
	if in.Body.Seed != nil {
		r.Seed = *in.Body.Seed
	}
	r.Products = fromAPIProducts(in.Body.Products, check)
	if err := check.Err(); err != nil {
		return nil, err
	}
	started, err := h.Markets.In(rq.Stores).Start(ctx, p, in.Agent.ID, r)
	if err != nil {
		return nil, err
	}
	out := &startMarketOutput{Location: allJobs + "/" + started.ID.String(), Body: toAPIJob(started)}
	operation.NoteCreated(rq, out.Body.ID, out.Body)
	return out, nil
}

// fromAPIProducts reads ids. If there are too many, it stops at the first one over the limit.
func fromAPIProducts(names []string, check fault.Check) []id.Product {
	list := make([]id.Product, min(len(names), job.MostProducts+1))
	for i := range list {
		parsed, err := id.Parse[id.Product](names[i])
		check.In("product_ids").That(err == nil, strconv.Itoa(i), "must be the id of a product")
		list[i] = parsed
	}
	return list
}

// marketRequest is a parsed request.
type marketRequest struct {
	Policy   nullable[policyDocument] `json:"policy" doc:"The policy to try, as it would be stored. Null: policy_version."`
	Version  *int                     `json:"policy_version" nullable:"true" doc:"Null: policy, which is no version yet."`
	Against  int                      `json:"against_version"`
	Buyers   int                      `json:"buyers" doc:"Of each population, for each product."`
	Products []string                 `json:"product_ids" doc:"Empty: the run chooses them; the result names them."`
	Seed     uint64                   `json:"seed"`
}

func toAPIMarketRequest(r *job.MarketRequest, c money.Currency) marketRequest {
	v := marketRequest{
		Version:  wire.ToOptional(r.Version),
		Against:  r.Against,
		Buyers:   r.Buyers,
		Products: wire.Each(r.Products, id.Product.String),
		Seed:     r.Seed,
	}
	if r.Policy != nil {
		v.Policy.object = new(toAPIPolicy(*r.Policy, c))
	}
	return v
}

// marketResult is what a run found.
type marketResult struct {
	Currency    string                 `json:"currency" doc:"Of all amounts."`
	Buyers      int                    `json:"buyers" doc:"Of each population, for each product. Every buyer meets both policies."`
	Seed        uint64                 `json:"seed"`
	Monthly     *int                   `json:"negotiations_per_month" nullable:"true" doc:"Negotiations about these products in the last 30 days, by the shop's own record: one for each product in each session. Null: there were none, and nothing can be said per month."`
	Before      marketSide             `json:"before" doc:"The version that is compared with."`
	After       marketSide             `json:"after" doc:"The policy on trial."`
	Difference  nullable[marketGain]   `json:"difference" doc:"Of the margins. Null: no product has a known cost."`
	Populations []marketPopulation     `json:"populations" doc:"Each counts the same. They differ in what buyers would pay at most."`
	Products    []marketProduct        `json:"products" doc:"They count by their negotiations per month, but each as at least one; where there are none, all count the same."`
	Uncosted    int                    `json:"products_without_cost" doc:"Products of which no cost is known. They count for deals, discount and revenue, and not for any margin."`
	Posted      nullable[marketEarned] `json:"best_posted_price" doc:"A bound to compare with: a shop that knew these very buyers, did not haggle, and sold each product at the one price that earns most. Products without cost are left out. Null: no product has a known cost."`
}

// marketEarned is what a policy earns. The same amounts are shown of one product, of one population, and of all.
type marketEarned struct {
	Deals          wire.Decimal `json:"deals_share" doc:"Of the buyers: 0 to 1, with four decimals."`
	Discount       wire.Decimal `json:"average_discount_percent" doc:"By value, of the list prices of what was sold."`
	Revenue        wire.Money   `json:"revenue_per_thousand" doc:"From 1,000 buyers, whether they bought or not."`
	Margin         *wire.Money  `json:"margin_per_thousand" nullable:"true" doc:"Price less cost, from 1,000 buyers of products of known cost. Null: there are none."`
	MonthlyRevenue *wire.Money  `json:"revenue_per_month" nullable:"true" doc:"From as many buyers as negotiations_per_month. Null: that is."`
	MonthlyMargin  *wire.Money  `json:"margin_per_month" nullable:"true" doc:"The same of the margin, over products of known cost. Null: there are none, or no record."`
}

// marketSide is one of the two policies.
type marketSide struct {
	Version        *int         `json:"policy_version" nullable:"true" doc:"Null: a policy that is no version yet."`
	Deals          wire.Decimal `json:"deals_share" doc:"Of the buyers: 0 to 1, with four decimals."`
	Discount       wire.Decimal `json:"average_discount_percent" doc:"By value, of the list prices of what was sold."`
	Revenue        wire.Money   `json:"revenue_per_thousand" doc:"From 1,000 buyers, whether they bought or not."`
	Margin         *wire.Money  `json:"margin_per_thousand" nullable:"true" doc:"Price less cost, from 1,000 buyers of products of known cost. Null: there are none."`
	MonthlyRevenue *wire.Money  `json:"revenue_per_month" nullable:"true" doc:"From as many buyers as negotiations_per_month. Null: that is."`
	MonthlyMargin  *wire.Money  `json:"margin_per_month" nullable:"true" doc:"The same of the margin, over products of known cost. Null: there are none, or no record."`
}

type marketGain struct {
	Margin  wire.Money  `json:"margin_per_thousand" doc:"After less before."`
	Low     wire.Money  `json:"low" doc:"Bounds of its 95 % interval, by the differences of each buyer. It covers the chance in who comes, and not whether the shop's own buyers are like these populations."`
	High    wire.Money  `json:"high"`
	Monthly *wire.Money `json:"margin_per_month" nullable:"true" doc:"Null: the shop has no record."`
	MonthLo *wire.Money `json:"low_per_month" nullable:"true" doc:"Bounds of the same interval."`
	MonthHi *wire.Money `json:"high_per_month" nullable:"true"`
	Verdict string      `json:"verdict" enum:"better,worse,undecided" doc:"Undecided where the interval contains zero."`
}

type marketPopulation struct {
	Name   string       `json:"name" example:"normal-90" doc:"As haggle-sim market --population knows it."`
	Title  string       `json:"title" example:"Most would pay about 90% of the list price" doc:"In plain words."`
	Before marketEarned `json:"before"`
	After  marketEarned `json:"after"`
}

type marketProduct struct {
	Product string                 `json:"product_id"`
	Name    string                 `json:"name"`
	List    wire.Money             `json:"list_price"`
	Cost    *wire.Money            `json:"cost" nullable:"true" doc:"Null: it is not known."`
	Monthly int                    `json:"negotiations_per_month" doc:"In the last 30 days."`
	Before  marketEarned           `json:"before"`
	After   marketEarned           `json:"after"`
	Posted  nullable[marketPosted] `json:"best_posted_price" doc:"Null: the cost is not known."`
}

type marketPosted struct {
	Price  wire.Money   `json:"price"`
	Earned marketEarned `json:"earned"`
}

func toAPIMarketResult(j *job.Job) *marketResult {
	found, asked := j.Result.Market, j.Request.Market
	if found == nil {
		return nil
	}
	c := found.Comparison
	v := &marketResult{
		Currency: j.Currency.Code(),
		Buyers:   asked.Buyers,
		Seed:     asked.Seed,
		Monthly:  wire.ToOptional(c.Monthly),
		Before:   toAPISide(c.Before, asked.Against),
		After:    toAPISide(c.After, asked.Version),
		Uncosted: c.Uncosted,
	}
	v.Difference.object = toAPIMarketGain(c.Gain, c.MonthlyGain)
	if c.Posted != nil {
		v.Posted.object = new(toAPIEarned(*c.Posted))
	}
	for i, p := range found.Populations {
		v.Populations = append(v.Populations, marketPopulation{
			Name:   p.Name,
			Title:  p.Title,
			Before: toAPIEarned(c.Populations[i].Before),
			After:  toAPIEarned(c.Populations[i].After),
		})
	}
	for i, p := range found.Products {
		v.Products = append(v.Products, toAPIMarketProduct(p, c.Lots[i]))
	}
	return v
}

func toAPIMarketProduct(p job.MarketProduct, c market.LotContrast) marketProduct {
	v := marketProduct{
		Product: p.ID.String(),
		Name:    p.Name,
		List:    wire.ToMoney(p.List),
		Cost:    wire.ToOptionalMoney(p.Cost),
		Monthly: p.Monthly,
		Before:  toAPIEarned(c.Before),
		After:   toAPIEarned(c.After),
	}
	if c.Posted != nil {
		v.Posted.object = &marketPosted{wire.ToMoney(c.Posted.Price), toAPIEarned(c.Posted.Earned)}
	}
	return v
}

func toAPIEarned(e market.Earned) marketEarned {
	v := marketEarned{
		Deals:    wire.ToDecimal(int64(e.Deals), 4),
		Discount: wire.ToPercent(e.Discount),
		Revenue:  wire.ToMoney(e.Revenue),
		Margin:   wire.ToOptionalMoney(e.Margin),
	}
	if e.Monthly != nil {
		v.MonthlyRevenue, v.MonthlyMargin = wire.ToOptionalMoney(&e.Monthly.Revenue), wire.ToOptionalMoney(e.Monthly.Margin)
	}
	return v
}

func toAPISide(e market.Earned, version int) marketSide {
	v := toAPIEarned(e)
	return marketSide{
		Version:        wire.ToOptional(version),
		Deals:          v.Deals,
		Discount:       v.Discount,
		Revenue:        v.Revenue,
		Margin:         v.Margin,
		MonthlyRevenue: v.MonthlyRevenue,
		MonthlyMargin:  v.MonthlyMargin,
	}
}

func toAPIMarketGain(g, monthly *market.Gain) *marketGain {
	if g == nil {
		return nil
	}
	v := &marketGain{
		Margin:  wire.ToMoney(g.Margin),
		Low:     wire.ToMoney(g.Low),
		High:    wire.ToMoney(g.High),
		Verdict: "undecided",
	}
	switch {
	case g.Low.IsPositive():
		v.Verdict = "better"
	case g.High.IsNegative():
		v.Verdict = "worse"
	}
	if monthly != nil {
		v.Monthly, v.MonthLo, v.MonthHi = wire.ToOptionalMoney(&monthly.Margin), wire.ToOptionalMoney(&monthly.Low), wire.ToOptionalMoney(&monthly.High)
	}
	return v
}
