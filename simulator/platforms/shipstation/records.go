package shipstation

import (
	"fmt"
)

func (s *Platform) Counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed()
	return map[string]int{"orders": len(s.orders), "shipments": len(s.shipments), "labels_cents": int(s.spent)}
}

func (s *Platform) Records(resource string) ([]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed()
	list := []any{}
	switch resource {
	case "orders":
		for n := range s.orders {
			list = append(list, s.showOrder(n))
		}
	case "shipments":
		for n := range s.shipments {
			list = append(list, s.showShipment(n))
		}
	default:
		return nil, fmt.Errorf("shipstation has no %q", resource)
	}
	return list, nil
}
