package discovery

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Capabilities of a shop, from its settings and the policy that its agent keeps (spec 2.7).
func Capabilities(p *project.Project, policy negotiation.Policy) []string {
	list := []string{"recommend"}
	if policy.Enabled {
		list = append(list, "negotiate")
	}
	if p.Settings.BundleSuggestions && !policy.Bundles.Off {
		list = append(list, "bundle")
	}
	if p.Settings.SubscriptionEnabled {
		list = append(list, "subscribe")
	}
	return list
}

// Categories are the shop's top two levels of categories. They are counted anew when the catalogue has
// changed, for counting reads every product and every buyer asks.
func (s *Service) Categories(ctx context.Context, p *project.Project) ([]catalog.Category, error) {
	if kept, ok := s.categories.Load(p.ID); ok && kept.(counted).version == p.CatalogVersion {
		return kept.(counted).categories, nil
	}
	all, err := s.Catalog.Categories(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	var shown []catalog.Category
	for _, c := range all {
		if strings.Count(c.Path, "/") <= 1 {
			shown = append(shown, c)
		}
	}
	s.categories.Store(p.ID, counted{p.CatalogVersion, shown})
	return shown, nil
}

// counted are the categories at a version of the catalogue, or at a later one.
type counted struct {
	version    int64
	categories []catalog.Category
}
