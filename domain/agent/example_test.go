package agent_test

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agent/clearance"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// An agent of one's own (package clearance) haggles over a tent at 200.00. What it proposes goes through the
// guardrails, as it does in a shop: the offer of 90.00 is below the floor, whatever the agent thinks of it.
func Example() {
	usd := func(units int64) money.Amount { return money.Of(units*100, money.USD) }
	talk := negotiation.Table{
		Terms:  negotiation.Terms{RoundCap: 6},
		Bounds: negotiation.RehydrateBounds(usd(200), usd(200), usd(180), usd(120)),
	}
	for _, offer := range []int64{0, 90, 130, 151} {
		talk.Offer = nil
		if offer > 0 {
			price := usd(offer)
			talk.Offer = &price
		}
		answer, err := clearance.Program.Quote(context.Background(), agent.QuoteInput{
			Product: agent.Product{Name: "Tent", Quantity: 1},
			Signals: negotiation.Signals{Stock: 40},
			Table:   talk,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		decision := negotiation.Guard(talk, answer.Decision)
		if decision != answer.Decision {
			answer.Message = "(the house's words)"
		}
		price := *negotiation.PriceIn(decision)
		fmt.Printf("%-14s %-7s %s\n", decision.Outcome(), price, answer.Message)
		talk.Progress.Counter = price
		if offer > 0 {
			talk.Progress.BestOffer = usd(offer)
			talk.Progress.Moves++
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
