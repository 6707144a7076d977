package features

import (
	"fmt"
	"strconv"
)

// negotiationSteps are about agents that negotiate over UCP or MCP.
func negotiationSteps(sc stepRegistry, s *scenario) {
	a := s.ucp.protocolAgent()
	sc.Given(`^an agent that speaks (UCP|MCP)(?: of (\S+))?$`, a.speaks)
	sc.Step(`^the agent goes on over (UCP|MCP)$`, func(protocol string) { a.protocol = protocol })
	sc.Step(`^the agent asks for the price of (\d+) of the "([^"]*)"$`, a.asksPrice)
	sc.When(`^the agent asks for the price of (\d+) of the SKU "([^"]*)"$`, func(quantity int, sku string) error { return a.start(sku, quantity) })
	sc.Step(`^the agent offers (\S+) (\S+)$`, a.offers)
	sc.When(`^the agent accepts (\S+) (\S+)$`, a.accepts)
	sc.Step(`^the agent accepts the standing price$`, a.acceptsCurrentPrice)
	sc.Step(`^the agent gives up because of "([^"]*)"$`, a.givesUp)
	sc.When(`^the buyer redeems the agent's code for (\d+) of the "([^"]*)"$`, a.redeemsOverACP)

	sc.Then(`^the negotiation is (open|rejected|accepted|declined)$`, a.negotiationIs)
	sc.Then(`^the negotiation is open, for (\d+) of the "([^"]*)" at a list price of (\S+) USD$`, a.negotiationIsOpen)
	sc.Then(`^the shop refuses that price, because its own has changed$`, func() error {
		return a.shows("messages.0.code", `"price_changed"`, "messages.0.severity", `"recoverable"`)
	})
	sc.Then(`^the agent has a deal for (\d+)$`, a.hasDeal)
	sc.Then(`^the shop refuses the currency$`, func() error {
		return a.shows("status", `"open"`, "messages.0.code", `"invalid_input"`)
	})
}

func (a *protocolAgent) negotiationIs(status string) error {
	return a.shows("status", strconv.Quote(status))
}

func (a *protocolAgent) negotiationIsOpen(quantity int, name, price string) error {
	n, err := minorUnits(price)
	if err != nil {
		return err
	}
	return a.shows(
		"status", `"open"`,
		"item.title", strconv.Quote(name),
		"item.list_price", fmt.Sprintf(`{"amount": %d, "currency": "USD"}`, n),
		"quantity", strconv.Itoa(quantity),
	)
}

func (a *protocolAgent) hasDeal(quantity int) error {
	return a.shows("status", `"accepted"`, "deal.code", "matches ^ct_", "deal.quantity", strconv.Itoa(quantity))
}
