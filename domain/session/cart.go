package session

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Value is what a cart's items come to, those of one variant left out. Items that would overflow the
// sum, which no real cart has, count for nothing.
func Value(cart []CartItem, except id.Variant, currency money.Currency) money.Amount {
	total := money.Zero(currency)
	for _, item := range cart {
		if item.Variant == except {
			continue
		}
		cost, err := item.Price.Mul(int64(item.Quantity))
		if err != nil {
			continue
		}
		if sum, err := total.Add(cost); err == nil {
			total = sum
		}
	}
	return total
}
