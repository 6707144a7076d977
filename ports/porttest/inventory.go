package porttest

import (
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
)

func Level(p *catalog.Product, variant int, location string, quantity int) catalog.Level {
	v := p.Variants[variant]
	return catalog.Level{
		Product:  p.ID,
		Variant:  v.ID,
		SKU:      v.SKU,
		Location: location,
		Quantity: quantity,
	}
}

// Shelf is a level without held or oversold pieces.
func Shelf(p *catalog.Product, variant int, location string, quantity int) catalog.Shelf {
	return catalog.Shelf{Level: Level(p, variant, location, quantity)}
}

func (s *Shop) Adjust(moves ...ports.StockMove) ([]catalog.Shelf, error) {
	return s.Inventory.Adjust(s.Ctx, s.Project.ID, moves)
}
