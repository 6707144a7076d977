package markets

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// month is the period in which negotiations are counted.
	month = 30 * 24 * time.Hour
	// maxCandidates is how many products a run chooses from.
	maxCandidates = 50
	// highestList, in minor units, keeps shares of a list price exact to the minor unit.
	highestList = 1_000_000_000_000
)

// titles describe the populations to merchants.
var titles = map[string]string{
	"uniform":   "Anything from 70% to 115% of the list price, equally likely",
	"normal-90": "Most would pay about 90% of the list price",
	"normal-95": "About 95% of the list price, and very different from each other",
	"normal-85": "Bargain hunters: about 85% of the list price, and much alike",
	"lognormal": "About 90% of the list price, and a few would pay far more",
}

// compute runs the simulation that a job asks for.
func (r *Runner) compute(ctx context.Context, j *job.Job, h *heldJob) (found job.Result, err error) {
	p, err := r.Projects.ByProject(ctx, j.Project)
	if err != nil {
		return found, err
	}
	asked := j.Request.Market
	before, after, err := r.policies(ctx, p, j)
	if err != nil {
		return found, err
	}
	sold, err := r.products(ctx, p, j)
	if err != nil {
		return found, err
	}
	t := simulating.Trial{
		Seed:     asked.Seed,
		Buyers:   asked.Buyers,
		Worths:   market.Distributions(),
		Before:   before.Under(p.Settings),
		After:    after.Under(p.Settings),
		Currency: j.Currency,
		Workers:  workers(),
		Progress: func(done int) { h.done.Store(int64(done)) },
	}
	out := &job.MarketResult{}
	for _, one := range sold {
		t.Products = append(t.Products, simulating.TrialProduct{
			Name:    one.product.ID.String(),
			Signals: one.signals,
			Monthly: one.monthly,
		})
		out.Products = append(out.Products, job.MarketProduct{
			ID:      one.product.ID,
			Name:    one.product.Name,
			List:    one.signals.List,
			Cost:    one.signals.Cost,
			Monthly: one.monthly,
		})
	}
	for _, w := range t.Worths {
		out.Populations = append(out.Populations, job.MarketPopulation{Name: w.Name, Title: titles[w.Name]})
	}
	h.total.Store(int64(t.Negotiations()))
	out.Comparison, err = t.Run(ctx)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", errBroken, err)
	}
	return job.Result{Market: out}, err
}

// policies returns the policy to compare with and the policy to try.
func (r *Runner) policies(ctx context.Context, p *project.Project, j *job.Job) (before, after negotiation.Policy, err error) {
	asked := j.Request.Market
	a, err := r.Agents.ByID(ctx, p.ID, j.Agent)
	if err != nil {
		return before, after, err
	}
	if before, err = r.version(ctx, a, asked.Against); err != nil {
		return before, after, err
	}
	if asked.Policy != nil {
		return before, *asked.Policy, nil
	}
	after, err = r.version(ctx, a, asked.Version)
	return before, after, err
}

func (r *Runner) version(ctx context.Context, a *agent.Agent, number int) (negotiation.Policy, error) {
	if number == a.Policy.Version {
		return a.Policy, nil
	}
	v, err := r.Versions.Version(ctx, a.Project, a.ID, number)
	return v.Policy, err
}

// sale is a product in a run, represented by its first variant.
type sale struct {
	product *catalog.Product
	signals negotiation.Signals
	monthly int
}

var errNoProducts = fault.New(fault.Conflict, "no_products", "The shop has no negotiable product. Add one, or send product_ids.")

// products returns the products that the job names, else the negotiable ones with the most negotiations in the last month, else
// the newest negotiable ones.
func (r *Runner) products(ctx context.Context, p *project.Project, j *job.Job) ([]sale, error) {
	named := j.Request.Market.Products
	haggled, err := r.Record.Haggled(ctx, p.ID, r.Clock.Now().Add(-month), named, maxCandidates)
	if err != nil {
		return nil, err
	}
	monthly, wanted := map[id.Product]int{}, named
	for _, h := range haggled {
		monthly[h.Product] = h.Negotiations
		if len(named) == 0 {
			wanted = append(wanted, h.Product)
		}
	}
	found, err := r.read(ctx, p, wanted, len(named) > 0)
	if err != nil {
		return nil, err
	}
	list, err := r.onSale(ctx, p, found, j, len(named) > 0)
	if err != nil || len(list) > 0 || len(named) > 0 {
		return withMonthly(list, monthly), err
	}
	newest, _, err := r.Products.List(ctx, p.ID, ports.ProductFilter{Status: catalog.Active.String()}, ports.Page{Limit: maxCandidates})
	if err != nil {
		return nil, err
	}
	if list, err = r.onSale(ctx, p, newest, j, false); err == nil && len(list) == 0 {
		err = errNoProducts
	}
	return withMonthly(list, monthly), err
}

func withMonthly(list []sale, monthly map[id.Product]int) []sale {
	for i := range list {
		list[i].monthly = monthly[list[i].product.ID]
	}
	return list
}

// read reads products. It leaves out deleted ones, unless they were named: then it returns the error.
func (r *Runner) read(ctx context.Context, p *project.Project, wanted []id.Product, named bool) (list []*catalog.Product, err error) {
	for _, one := range wanted {
		product, err := r.Products.Get(ctx, p.ID, one)
		if !named && fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, product)
	}
	return list, nil
}

// onSale returns the first job.MostProducts products that can be sold. If products are named, one that cannot be sold is an error.
func (r *Runner) onSale(ctx context.Context, p *project.Project, products []*catalog.Product, j *job.Job, named bool) (list []sale, err error) {
	stock, err := r.stock(ctx, p, products)
	if err != nil {
		return nil, err
	}
	for _, product := range products {
		signals, err := signalsOf(product, stock, j.Currency)
		suits := err == nil && product.Negotiable && product.Status == catalog.Active
		switch {
		case named && err != nil:
			return nil, err
		case !named && !suits:
			continue
		}
		if list = append(list, sale{product: product, signals: signals}); len(list) == job.MostProducts {
			break
		}
	}
	return list, nil
}

func (r *Runner) stock(ctx context.Context, p *project.Project, of []*catalog.Product) (map[id.Variant]int, error) {
	ids := make([]id.Product, len(of))
	for i, product := range of {
		ids[i] = product.ID
	}
	levels, err := r.Inventory.LevelsOf(ctx, p.ID, ids)
	return catalog.Totals(levels), err
}

// signalsOf returns the signals of one piece of the first variant and an unknown buyer.
func signalsOf(product *catalog.Product, stock map[id.Variant]int, c money.Currency) (s negotiation.Signals, err error) {
	refuse := func(why string) error {
		return fault.New(fault.Conflict, "product_unsuitable", fmt.Sprintf("The product %q %s.", product.Name, why))
	}
	if len(product.Variants) == 0 {
		return s, refuse("has no variant")
	}
	v := product.Variants[0]
	s = negotiation.SignalsOf(product, v, 1, stock[v.ID])
	switch {
	case s.List.Currency() != c:
		return s, refuse("is priced in " + s.List.Currency().Code() + ", but the simulation is in " + c.Code())
	case !s.List.IsPositive() || s.List.Minor() >= highestList:
		return s, refuse("has a list price that is too high or too low")
	}
	return s, nil
}
