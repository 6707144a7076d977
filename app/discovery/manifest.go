package discovery

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Capabilities of a shop, from its settings (spec 2.7).
func Capabilities(p *project.Project) []string {
	list := []string{"recommend"}
	if p.Settings.NegotiationEnabled {
		list = append(list, "negotiate")
	}
	if p.Settings.BundleSuggestions {
		list = append(list, "bundle")
	}
	if p.Settings.SubscriptionEnabled {
		list = append(list, "subscribe")
	}
	return list
}

// Categories are the shop's top two levels of categories.
func (s *Service) Categories(ctx context.Context, p *project.Project) ([]catalog.Category, error) {
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
	return shown, nil
}
