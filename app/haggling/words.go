package haggling

import (
	"fmt"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// words returns the texts for a decision: the agent's if it wrote any, else built-in ones, which contain only numbers that the
// buyer sees anyway.
func words(a Answer, proposal agent.QuoteAnswer) (reasoning, message string) {
	reasoning, message = builtinWords(a)
	if proposal.Reasoning != "" {
		reasoning = proposal.Reasoning
	}
	if proposal.Message != "" {
		message = proposal.Message
	}
	return reasoning, message
}

func builtinWords(a Answer) (reasoning, message string) {
	name := a.Product.Name
	switch d := a.Decision.(type) {
	case negotiation.Accepted:
		message = fmt.Sprintf("Agreed: %s each for %d × %s.", agent.FormatAmount(d.Price), a.Quote.Item.Quantity, name)
		if a.Quote.WithBundle {
			message += fmt.Sprintf(" With it, 1 × %s at %s.", a.Quote.Bundle.Name, agent.FormatAmount(a.Quote.Bundle.Price))
		}
	case negotiation.Countered:
		reasoning = counterWords(d)
	case negotiation.Rejected:
		reasoning = fmt.Sprintf("The offer is too low for %s. It is yours at %s.", name, agent.FormatAmount(d.Price))
		if d.By == negotiation.ListOnly {
			reasoning = fmt.Sprintf("%s is sold at its list price.", name)
		}
	}
	return reasoning, message
}

func counterWords(d negotiation.Countered) string {
	switch {
	case d.Final:
		return fmt.Sprintf("%s is our final price.", agent.FormatAmount(d.Price))
	case d.By == negotiation.NoMovement:
		return fmt.Sprintf("Your offer rose by less than a hundredth of the list price, so our price stays at %s.", agent.FormatAmount(d.Price))
	case d.By == negotiation.ProbingLimit:
		return fmt.Sprintf("Our price stays at %s.", agent.FormatAmount(d.Price))
	}
	return fmt.Sprintf("We can come down to %s. It is yours at that price.", agent.FormatAmount(d.Price))
}
