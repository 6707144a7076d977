package agent_test

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agent/clearance"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// A custom agent (package clearance) haggles over a tent at 200.00. Its proposals pass the guardrails, as in a shop:
// the offer of 90.00 is rejected because it is below the floor, whatever the agent proposes.
func Example() {
	usd := func(units int64) money.Amount { return money.Of(units*100, money.USD) }
	table := negotiation.Table{
		Terms:  negotiation.Terms{RoundCap: 6},
		Bounds: negotiation.RehydrateBounds(usd(200), usd(200), usd(180), usd(120)),
	}
	for _, offer := range []int64{0, 90, 130, 151} {
		table.Offer = nil
		if offer > 0 {
			price := usd(offer)
			table.Offer = &price
		}
		answer, err := clearance.Program.Quote(context.Background(), agent.QuoteInput{
			Product: agent.Product{Name: "Tent", Quantity: 1},
			Signals: negotiation.Signals{Stock: 40},
			Table:   table,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		decision := negotiation.Guard(table, answer.Decision)
		if decision != answer.Decision {
			answer.Message = "(the house's words)"
		}
		price := *negotiation.PriceIn(decision)
		fmt.Printf("%-14s %-7s %s\n", decision.Outcome(), price, answer.Message)
		table.Progress.Counter = price
		if offer > 0 {
			table.Progress.BestOffer = usd(offer)
			table.Progress.Moves++
		}
	}
	_, err := clearance.Program.Quote(context.Background(), agent.QuoteInput{Product: agent.Product{Quantity: 21}})
	fmt.Println(err)
	// Output:
	// quoted         180.00  Everything must go. What do you offer?
	// rejected       180.00  (the house's words)
	// countered      155.00  Let us meet halfway.
	// accepted       151.00  It is yours.
	// validation_error: The request has invalid values. [quantity must be at most 20]
}
