package catalogs

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// SetStock sets levels, all of them or none. A level without a location is at the default one.
func (s *Service) SetStock(ctx context.Context, p *project.Project, levels []ports.StockSet) ([]catalog.Shelf, error) {
	check := fault.NewCheck()
	seen := make(map[[2]string]bool, len(levels))
	for i := range levels {
		l, at := &levels[i], check.In("levels").At(i)
		checkPlace(at, l.SKU, &l.Location)
		at.That(l.Quantity >= 0 && l.Quantity <= catalog.MaxStock, "quantity", "must be between 0 and 1,000,000,000")
		place := [2]string{l.SKU, l.Location}
		at.That(!seen[place], "sku", "must not be repeated for a location")
		seen[place] = true
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	written, err := s.Inventory.Set(ctx, p.ID, levels)
	if err != nil {
		return nil, err
	}
	s.restock(ctx, p.ID, written)
	return written, nil
}

// AdjustStock changes levels by their deltas, all of them or none, and none below zero.
func (s *Service) AdjustStock(ctx context.Context, p *project.Project, moves []ports.StockMove) ([]catalog.Shelf, error) {
	check := fault.NewCheck()
	for i := range moves {
		m, at := &moves[i], check.In("adjustments").At(i)
		checkPlace(at, m.SKU, &m.Location)
		at.That(m.Delta != 0, "delta", "must not be zero")
		at.That(m.Delta >= -catalog.MaxStock && m.Delta <= catalog.MaxStock, "delta", "must be between -1,000,000,000 and 1,000,000,000")
		at.That(len(m.Reason) <= 200, "reason", "must have at most 200 bytes")
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	written, err := s.Inventory.Adjust(ctx, p.ID, moves)
	if err != nil {
		return nil, err
	}
	s.restock(ctx, p.ID, written)
	return written, nil
}

// checkPlace checks a sku and a location. It sets an empty location to the default one.
func checkPlace(at fault.Check, sku string, location *string) {
	if *location == "" {
		*location = project.DefaultLocation
	}
	at.That(sku != "", "sku", "must not be empty")
	at.That(project.LocationForm.MatchString(*location), "location", "must be lower-case letters, digits, hyphens and underscores")
}

// restock passes the new totals on to the search index.
func (s *Service) restock(ctx context.Context, project id.Project, written []catalog.Shelf) {
	products := make([]id.Product, len(written))
	for i, l := range written {
		products[i] = l.Product
	}
	s.Restock(ctx, project, products)
}
