package agents

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// MostReplayed is how many negotiations one replay reads at most.
	MostReplayed = 10_000

	dryRunNegotiations = 1_000
	dryRunProducts     = 10
)

// Chosen selects the policy to try: an unwritten one, a stored version, or, if both fields are zero, the one in force.
type Chosen struct {
	Policy  *negotiation.Policy
	Version int
}

// policyOf returns the selected policy of an agent. An unwritten policy has version 0.
func (s *Service) policyOf(ctx context.Context, p *project.Project, a *agent.Agent, c Chosen) (negotiation.Policy, error) {
	switch {
	case c.Policy != nil && c.Version != 0:
		return negotiation.Policy{}, fault.Field("policy_version", "must be omitted if policy is sent")
	case c.Policy != nil:
		check, policy := fault.NewCheck(), *c.Policy
		policy.Version = 0
		policy.Check(check.In("policy"))
		return policy, check.Err()
	case c.Version != 0:
		v, err := s.Versions.Version(ctx, p.ID, a.ID, c.Version)
		return v.Policy, err
	}
	return a.Policy, nil
}

// Rerun selects the negotiations to replay: the newest of those that began in a period. A zero time leaves that end open.
type Rerun struct {
	Chosen
	From, To time.Time
	Limit    int              // 0: MostReplayed
	Sessions []id.Negotiation // only these; empty: all
}

// Replay replays negotiations of the project under a policy, including those of other agents.
func (s *Service) Replay(ctx context.Context, p *project.Project, of id.Agent, r Rerun) (negotiation.Policy, Replayed, error) {
	if r.Limit == 0 {
		r.Limit = MostReplayed
	}
	if err := checkPeriod(r.From, r.To); err != nil {
		return negotiation.Policy{}, Replayed{}, err
	}
	if len(r.Sessions) > ports.MostNamed {
		return negotiation.Policy{}, Replayed{}, fault.Field("negotiation_ids", "must name at most 100 negotiations")
	}
	a, err := s.Agents.ByID(ctx, p.ID, of)
	if err != nil {
		return negotiation.Policy{}, Replayed{}, err
	}
	policy, err := s.policyOf(ctx, p, a, r.Chosen)
	if err != nil {
		return negotiation.Policy{}, Replayed{}, err
	}
	report, err := s.replay(ctx, p, a, policy, r)
	return policy, report, err
}

func (s *Service) replay(ctx context.Context, p *project.Project, a *agent.Agent, policy negotiation.Policy, r Rerun) (Replayed, error) {
	if now := s.Clock.Now().Add(time.Millisecond); r.To.IsZero() || r.To.After(now) {
		r.To = now
	}
	var read volume
	replay := negotiation.NewReplayer(a.ID, policy.Under(p.Settings), p.Settings.Currency)
	err := s.Record.Negotiations(ctx, p.ID, ports.NegotiationFilter{
		From:     r.From,
		To:       r.To,
		Sessions: r.Sessions,
	}, r.Limit, func(n ports.Negotiation) error {
		replay.Add(n.Entries, n.Bought)
		read.add(n.Entries)
		return nil
	})
	if len(r.Sessions) > 0 {
		return Replayed{Replayed: replay.Report()}, err
	}
	return read.replayed(replay.Report(), r.To), err
}

// Effect is what a policy changes about one piece of a product for a buyer about whom nothing is known.
type Effect struct {
	Product       *catalog.Product
	Before, After negotiation.Bounds
}

// DryRun reports what a policy would change for products and in the newest negotiations. Without products it takes the
// newest ones of the catalog. It stores nothing.
func (s *Service) DryRun(ctx context.Context, p *project.Project, of id.Agent, policy negotiation.Policy, products []id.Product) ([]Effect, Replayed, error) {
	a, err := s.Agents.ByID(ctx, p.ID, of)
	if err != nil {
		return nil, Replayed{}, err
	}
	if policy, err = s.policyOf(ctx, p, a, Chosen{Policy: &policy}); err != nil {
		return nil, Replayed{}, err
	}
	sample, stock, err := s.sample(ctx, p, products)
	if err != nil {
		return nil, Replayed{}, err
	}
	effects := make([]Effect, len(sample))
	for i, product := range sample {
		v := product.Variants[0]
		signals := negotiation.SignalsOf(product, v, 1, stock[v.ID])
		effects[i] = Effect{product, negotiation.Bound(a.Policy.Under(p.Settings), signals), negotiation.Bound(policy.Under(p.Settings), signals)}
	}
	report, err := s.replay(ctx, p, a, policy, Rerun{Limit: dryRunNegotiations})
	return effects, report, err
}

// sample reads products and the stock of their variants.
func (s *Service) sample(ctx context.Context, p *project.Project, wanted []id.Product) (sample []*catalog.Product, stock map[id.Variant]int, err error) {
	if len(wanted) > dryRunProducts {
		return nil, nil, fault.Field("product_ids", "must name at most 10 products")
	}
	if len(wanted) == 0 {
		sample, _, err = s.Products.List(ctx, p.ID, ports.ProductFilter{Status: catalog.Active.String()}, ports.Page{Limit: dryRunProducts})
	}
	for _, one := range wanted {
		product, err := s.Products.Get(ctx, p.ID, one)
		if err != nil {
			return nil, nil, err
		}
		sample = append(sample, product)
	}
	if err != nil {
		return nil, nil, err
	}
	stock, err = s.stock(ctx, p, sample...)
	return sample, stock, err
}

func (s *Service) stock(ctx context.Context, p *project.Project, of ...*catalog.Product) (map[id.Variant]int, error) {
	ids := make([]id.Product, len(of))
	for i, product := range of {
		ids[i] = product.ID
	}
	levels, err := s.Inventory.LevelsOf(ctx, p.ID, ids)
	return catalog.Totals(levels), err
}
