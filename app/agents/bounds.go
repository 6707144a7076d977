package agents

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Bounds returns a function that computes the price bounds of one piece of an item under the policy of the project's active
// agent, for a buyer about whom nothing is known.
func (s *Service) Bounds(ctx context.Context, p *project.Project) (of func(*catalog.Product, catalog.Variant, map[id.Variant]int) negotiation.Bounds, err error) {
	list, _, err := s.Agents.List(ctx, p.ID, ports.Page{Limit: 1}) // the active one comes first
	if err != nil {
		return nil, err
	}
	policy := negotiation.Policy{} // without an agent every price is the list price
	if len(list) > 0 {
		policy = list[0].Policy.Under(p.Settings)
	}
	return func(product *catalog.Product, v catalog.Variant, stock map[id.Variant]int) negotiation.Bounds {
		return negotiation.Bound(policy, negotiation.SignalsOf(product, v, 1, stock[v.ID]))
	}, nil
}
