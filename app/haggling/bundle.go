package haggling

import (
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// bundleTimeout is how long a quote waits for the index to look up a bundle.
const bundleTimeout = 250 * time.Millisecond

// maxDigitalSkipped is how many digital products bundle skips to find one that is shipped.
const maxDigitalSkipped = 10

// bundle returns a complement of the item that is not in the cart, or nil. A bundle is optional: without an index the quote
// has none. physical excludes digital products.
func (s *Service) bundle(
	ctx context.Context, p *project.Project, t *thread, physical bool, cart []session.CartItem, now time.Time,
) *negotiation.Bundle {
	if !p.Settings.BundleSuggestions || t.mandate.Policy.Bundles.Off || t.quote.Snapshot().Bundle != nil {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, bundleTimeout)
	defer cancel()
	if err := s.Fresh(waiting, p); err != nil {
		s.Log.WarnContext(ctx, "no index to suggest a bundle from", "error", err)
		return nil
	}
	limit := 1 + len(cart)
	if physical {
		limit += maxDigitalSkipped
	}
	complements := s.Index.Complements(p.ID, []id.Product{t.product.ID}, limit)
	complements = slices.DeleteFunc(complements, func(c ports.Complement) bool {
		return physical && c.Variant.Digital || slices.ContainsFunc(cart, func(item session.CartItem) bool { return item.Product == c.Product.ID })
	})
	if len(complements) == 0 {
		return nil
	}
	c := complements[0]
	regular := c.Product.PriceOf(c.Variant)
	price := t.mandate.Policy.BundlePrice(regular, c.Product.Cost, c.Product.Negotiable, c.Product.Category)
	if price.Minor() < regular.Minor() {
		return &negotiation.Bundle{
			Product:    c.Product.ID,
			Variant:    c.Variant.ID,
			Name:       c.Product.Name,
			Regular:    regular,
			Price:      price,
			ValidUntil: now.Add(negotiation.Validity),
			Digital:    c.Variant.Digital,
		}
	}
	return nil
}
