package ucp

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
)

// total is a line of a receipt, in minor units of its currency. Reductions are negative.
type total struct {
	Type        string `json:"type"`
	DisplayText string `json:"display_text,omitempty"`
	Amount      int64  `json:"amount"`
}

// reductionText is the label of a reduction by an agreed price.
const reductionText = "Agreed price"

// toAPITotals returns the typed totals. The only subtotal is at list prices.
func toAPITotals(sums []checkout.Sum, estimated bool) []total {
	var list []total
	for _, s := range sums {
		amount := s.Amount.Minor()
		switch s.Kind {
		case checkout.Items:
			list = append(list, total{"subtotal", "Subtotal", amount})
		case checkout.Reduction:
			list = append(list, total{"items_discount", reductionText, -amount})
		case checkout.Delivery:
			list = append(list, total{"fulfillment", "Shipping", amount})
		case checkout.Tax:
			list = append(list, total{"tax", "Tax", amount})
		case checkout.Grand:
			text := "Total"
			if estimated {
				text = "Estimated total"
			}
			list = append(list, total{"total", text, amount})
		}
	}
	return list
}

// lineTotals returns the totals of one line. The amount that its agreed price saves is negative.
func lineTotals(unit, original money.Amount, quantity int) []total {
	n := int64(quantity)
	list := []total{{Type: "subtotal", Amount: original.Minor() * n}}
	if saved := saving(unit, original, quantity); saved > 0 {
		list = append(list, total{
			Type:        "items_discount",
			DisplayText: reductionText,
			Amount:      -saved,
		})
	}
	return append(list, total{Type: "total", Amount: unit.Minor() * n})
}

// saving returns how much less a line costs than at list price.
func saving(unit, original money.Amount, quantity int) int64 {
	return (original.Minor() - unit.Minor()) * int64(quantity)
}
