package porttest

import (
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
)

// Shift moves stock of known skus.
func (s *Shop) Shift(shifts ...ports.StockShift) {
	s.T.Helper()
	unknown, err := s.StockAdjuster.Shift(s.Ctx, s.Project.ID, shifts)
	s.Must(err)
	Same(s.T, "unknown", len(unknown), 0)
}

func At(p *catalog.Product, location string, delta int) ports.StockShift {
	return ports.StockShift{
		SKU:      p.Variants[0].SKU,
		Location: location,
		Delta:    delta,
	}
}
