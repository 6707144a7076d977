package porttest

import (
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
)

// Move adjusts the stock of the product's first variant.
func (s *Shop) Move(p *catalog.Product, delta int) {
	s.T.Helper()
	_, err := s.Adjust(ports.StockMove{
		SKU:      p.Variants[0].SKU,
		Location: "main",
		Delta:    delta,
	})
	s.Must(err)
}
