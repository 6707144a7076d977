package pricepath_test

import (
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
	"github.com/haggle-commerce/haggle/domain/money"
)

func Example() {
	decisions := negotiate(plain, shopPolicy(172), 0, 138_58, 147_13).decisions() // of GET /v1/agents/{id}/decisions?session_id=…
	for i, line := range pricepath.Split(decisions) {
		p, err := pricepath.New(line.Decisions, pricepath.Options{
			Prefix:   fmt.Sprint("line", i),
			Product:  "Selvedge Denim Jacket",
			Currency: money.USD,
			End:      pricepath.End{Kind: pricepath.Deal},
			Limits:   true, // the viewer has agents:read
			Format:   pricepath.Format{Money: func(a money.Amount) string { return "$" + a.String() }},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		chosen := p.Chosen(0) // no ?step= in the URL
		_ = pricepath.Large(p, pricepath.Wide, chosen)
		_ = pricepath.Large(p, pricepath.Narrow, chosen)
		row := pricepath.Steps(p)[chosen-1]
		fmt.Println(row.Step, row.Title)
		fmt.Println(row.Name+":", row.Why)
	}
	// Output:
	// 2 Buyer offers $138.58, shop comes down to $153.83.
	// Below the floor: $1.42 under the floor, declined. For this first offer the shop names 11% above it.
}
