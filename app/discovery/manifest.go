package discovery

import (
	"context"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Capabilities returns the capabilities of a shop by its settings and its agent's policy (features/PROTOCOL.md#manifest).
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

// Categories returns all categories of the shop. They are cached until the catalogue changes, because counting reads every
// product and every buyer asks for them.
func (s *Service) Categories(ctx context.Context, p *project.Project) ([]catalog.Category, error) {
	c, err := s.count(ctx, p)
	return slices.Clone(c.all), err
}

// TopCategories returns the top two levels of the categories.
func (s *Service) TopCategories(ctx context.Context, p *project.Project) ([]catalog.Category, error) {
	c, err := s.count(ctx, p)
	return slices.Clone(c.top), err
}

// maxCounted is how many projects' categories are cached.
const maxCounted = 200

// counted are cached categories. They were read at the version of the catalogue, or at a later one.
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
