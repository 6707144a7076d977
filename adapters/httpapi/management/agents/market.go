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
	operation.Register(g, "start-market", "POST "+oneAgent+"/market", "Compare two policies on simulated buyers, as a job",
		h.startMarket, operation.Accepted, operation.Errors(409))
}

type startMarketInput struct {
	OnAgent
	Body struct {
		OnTrial
		Against  int      `json:"against_version,omitempty" minimum:"1" maximum:"1000000000" doc:"The version to compare with. Default: the one in force."`
		Buyers   *int     `json:"buyers,omitempty" doc:"50 to 5,000 buyers of each population, for each product. Default: 1,000."`
		Products []string `json:"product_ids,omitempty" doc:"At most 10 products of the shop, sold by their first variant. Default: the products with the most negotiations in the last 30 days, or else the newest negotiable ones."`
		Seed     *uint64  `json:"seed,omitempty" doc:"0 to 9,007,199,254,740,991. The same seed creates the same buyers. Default: 1."`
	}
}

type startMarketOutput struct {
	Location string `header:"Location" doc:"The address of the job."`
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
	Policy   nullable[policyDocument] `json:"policy" doc:"The policy to test, as it would be stored. Null: policy_version is tested."`
	Version  *int                     `json:"policy_version" nullable:"true" doc:"Null: policy is tested, which is not a version yet."`
	Against  int                      `json:"against_version"`
	Buyers   int                      `json:"buyers" doc:"Of each population, for each product."`
	Products []string                 `json:"product_ids" doc:"Empty: chosen by the job; the result names them."`
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
	Currency    string                 `json:"currency" doc:"The currency of all amounts."`
	Buyers      int                    `json:"buyers" doc:"Of each population, for each product. Every buyer negotiates under both policies."`
	Seed        uint64                 `json:"seed"`
	Monthly     *int                   `json:"negotiations_per_month" nullable:"true" doc:"Recorded negotiations about these products in the last 30 days: one for each product in each session. Null: there were none, so there are no monthly figures."`
	Before      marketSide             `json:"before" doc:"The version to compare with."`
	After       marketSide             `json:"after" doc:"The policy under test."`
	Difference  nullable[marketGain]   `json:"difference" doc:"The difference of the margins. Null: no product has a known cost."`
	Populations []marketPopulation     `json:"populations" doc:"All have the same weight. They differ in the buyers' maximum prices."`
	Products    []marketProduct        `json:"products" doc:"Each is weighted by its negotiations per month, at least by one; if there are none, all have the same weight."`
	Uncosted    int                    `json:"products_without_cost" doc:"Products without a known cost. They count for deals, discount and revenue, but not for margins."`
	Posted      nullable[marketEarned] `json:"best_posted_price" doc:"A reference: the earnings of a shop that knows these buyers, does not negotiate, and sells each product at the single most profitable price. Products without cost are omitted. Null: no product has a known cost."`
}

// marketEarned is what a policy earns. The same amounts are shown of one product, of one population, and of all.
type marketEarned struct {
	Deals          wire.Decimal `json:"deals_share" doc:"The share of buyers with a deal: 0 to 1, four decimals."`
	Discount       wire.Decimal `json:"average_discount_percent" doc:"Weighted by value, of the list prices of the items sold."`
	Revenue        wire.Money   `json:"revenue_per_thousand" doc:"Per 1,000 buyers, including those who did not buy."`
	Margin         *wire.Money  `json:"margin_per_thousand" nullable:"true" doc:"Price − cost, per 1,000 buyers of products with a known cost. Null: there are none."`
	MonthlyRevenue *wire.Money  `json:"revenue_per_month" nullable:"true" doc:"For as many buyers as negotiations_per_month. Null if that is null."`
	MonthlyMargin  *wire.Money  `json:"margin_per_month" nullable:"true" doc:"The same for the margin, over products with a known cost. Null: there are none, or negotiations_per_month is null."`
}

// marketSide is one of the two policies.
type marketSide struct {
	Version        *int         `json:"policy_version" nullable:"true" doc:"Null: a policy that is not a version yet."`
	Deals          wire.Decimal `json:"deals_share" doc:"The share of buyers with a deal: 0 to 1, four decimals."`
	Discount       wire.Decimal `json:"average_discount_percent" doc:"Weighted by value, of the list prices of the items sold."`
	Revenue        wire.Money   `json:"revenue_per_thousand" doc:"Per 1,000 buyers, including those who did not buy."`
	Margin         *wire.Money  `json:"margin_per_thousand" nullable:"true" doc:"Price − cost, per 1,000 buyers of products with a known cost. Null: there are none."`
	MonthlyRevenue *wire.Money  `json:"revenue_per_month" nullable:"true" doc:"For as many buyers as negotiations_per_month. Null if that is null."`
	MonthlyMargin  *wire.Money  `json:"margin_per_month" nullable:"true" doc:"The same for the margin, over products with a known cost. Null: there are none, or negotiations_per_month is null."`
}

type marketGain struct {
	Margin  wire.Money  `json:"margin_per_thousand" doc:"The margin of after − before."`
	Low     wire.Money  `json:"low" doc:"Bounds of the 95 % interval of margin_per_thousand, from the differences of each buyer. It covers the randomness of the buyers, not whether the shop's own buyers resemble these populations."`
	High    wire.Money  `json:"high"`
	Monthly *wire.Money `json:"margin_per_month" nullable:"true" doc:"Null: the shop has no recorded negotiations."`
	MonthLo *wire.Money `json:"low_per_month" nullable:"true" doc:"Bounds of the same interval."`
	MonthHi *wire.Money `json:"high_per_month" nullable:"true"`
	Verdict string      `json:"verdict" enum:"better,worse,undecided" doc:"Undecided if the interval contains zero."`
}

type marketPopulation struct {
	Name   string       `json:"name" example:"normal-90" doc:"The name for haggle-sim market --population."`
	Title  string       `json:"title" example:"Most would pay about 90% of the list price" doc:"A description in plain words."`
	Before marketEarned `json:"before"`
	After  marketEarned `json:"after"`
}

type marketProduct struct {
	Product string                 `json:"product_id"`
	Name    string                 `json:"name"`
	List    wire.Money             `json:"list_price"`
	Cost    *wire.Money            `json:"cost" nullable:"true" doc:"Null: unknown."`
	Monthly int                    `json:"negotiations_per_month" doc:"In the last 30 days."`
	Before  marketEarned           `json:"before"`
	After   marketEarned           `json:"after"`
	Posted  nullable[marketPosted] `json:"best_posted_price" doc:"Null: the cost is unknown."`
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
