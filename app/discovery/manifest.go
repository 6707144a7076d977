package discovery

import (
	"context"
	"slices"
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

// Categories are all of the shop's. They are counted anew when the catalogue has changed, for counting reads every
// product and every buyer asks.
func (s *Service) Categories(ctx context.Context, p *project.Project) ([]catalog.Category, error) {
	c, err := s.count(ctx, p)
	return slices.Clone(c.all), err
}

// TopCategories are the top two levels of them.
func (s *Service) TopCategories(ctx context.Context, p *project.Project) ([]catalog.Category, error) {
	c, err := s.count(ctx, p)
	return slices.Clone(c.top), err
}

// mostCounted is how many projects' categories are remembered.
const mostCounted = 200

// counted are the categories at a version of the catalogue, or at a later one.
type counted struct {
	version  int64
	all, top []catalog.Category
}

func (s *Service) count(ctx context.Context, p *project.Project) (counted, error) {
	if kept, ok := s.categories.Get(p.ID); ok && kept.version == p.CatalogVersion {
		return kept, nil
	}
	all, err := s.Catalog.Categories(ctx, p.ID)
	if err != nil {
		return counted{}, err
	}
	c := counted{version: p.CatalogVersion, all: all}
	for _, one := range all {
		if strings.Count(one.Path, "/") <= 1 {
			c.top = append(c.top, one)
		}
	}
	s.categories.Add(p.ID, c)
	return c, nil
}
