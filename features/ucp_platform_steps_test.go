package features

import "fmt"

// ucpWireSteps are about platforms that follow the orders of their agents.
func ucpWireSteps(sc stepRegistry, s *scenario) {
	p := s.wirePlatform
	sc.Given(`^an agent's platform of UCP (\S+) that follows its orders$`, p.followsOrders)
	sc.Given(`^the platform fails once$`, func() { s.orderHooks.agentAnswers(500, " once") })
	sc.Step(`^the platform buys (\d+) of the "([^"]*)" and (\d+) of the "([^"]*)"$`, p.buys)
	sc.When(`^the merchant (ships|delivers|cancels) the platform's order$`, p.merchantDoes)
	sc.When(`^the buyer returns (\d+) of the "([^"]*)" of the platform's order$`, p.buyerReturns)
	sc.When(`^the merchant refunds (\S+) USD for the platform's return$`, p.merchantRefunds)
	sc.Step(`^the platform is notified (\d+) times?, last that the order is (.+)$`, p.isNotified)
	sc.Then(`^both notifications are of one event$`, s.ucp.webhooksAreOneEvent)
}

func (p *wirePlatform) followsOrders(version string) error {
	if err := p.starts(version); err != nil {
		return err
	}
	return p.registersWebhook()
}

// buys opens a signed checkout and pays for it. The order's id is $remembered_order_id.
func (p *wirePlatform) buys(quantity int, name string, more int, other string) error {
	prefix := ""
	if p.version == aprilVersion {
		prefix = "/" + aprilVersion
	}
	lines := ucpLines(fmt.Sprint(quantity, " ", name), fmt.Sprint(more, " ", other))
	err := p.sends("signed", "POST", prefix+"/ucp/checkout-sessions", "{"+lines+", "+ucpBuyerAndDelivery+"}")
	if err == nil {
		err = p.scenario.rememberAnswer("id")
	}
	if err == nil {
		err = p.sends("signed", "POST", prefix+"/ucp/checkout-sessions/$remembered_id/complete", "{"+ucpPayment+"}")
	}
	if err != nil {
		return err
	}
	return p.scenario.rememberAnswer("order.id")
}

func (p *wirePlatform) merchantDoes(what string) error {
	path, body := ordersPath+"/$remembered_order_id/fulfillment", `{"status": "shipped", "carrier": "DHL"}`
	switch what {
	case "delivers":
		body = `{"status": "delivered"}`
	case "cancels":
		path, body = ordersPath+"/$remembered_order_id/cancel", `{"reason": "Out of season"}`
	}
	return p.scenario.merchantSends("POST", path, body)
}

func (p *wirePlatform) buyerReturns(quantity int, name string) error {
	err := p.scenario.buyerSends("POST", "/acp/returns", fmt.Sprintf(
		`{"order_id": "$remembered_order_id", "items": [{"product_id": "${%s}", "quantity": %d}]}`, name, quantity))
	if err != nil {
		return err
	}
	return p.scenario.rememberAnswer("return_id")
}

func (p *wirePlatform) merchantRefunds(amount string) error {
	return p.scenario.merchantSends("POST", returnsPath+"/$remembered_return_id/approve", `{"amount": `+amount+`}`)
}

// ucpOrderNews are what the latest webhook shows of an order with two lines, in a step's words.
var ucpOrderNews = map[string][]string{
	"placed":           {"line_items.*.status", `["processing", "processing"]`},
	"shipped":          {"line_items.*.status", `["fulfilled", "fulfilled"]`, "fulfillment.events.*.type", `["shipped"]`},
	"delivered":        {"fulfillment.events.*.type", `["shipped", "delivered"]`},
	"returned in part": {"adjustments.*.type", `["return"]`, "adjustments.*.status", `["pending"]`},
	"refunded in part": {"adjustments.*.type", `["return", "refund"]`, "adjustments.*.status", `["completed", "completed"]`},
	"canceled":         {"line_items.*.status", `["removed", "removed"]`},
}

func (p *wirePlatform) isNotified(times int, news string) error {
	fields, known := ucpOrderNews[news]
	if !known {
		return fmt.Errorf("no order is %q", news)
	}
	if err := p.receivesWebhooks(times); err != nil {
		return err
	}
	return p.scenario.ucp.lastWebhookShows(fields...)
}
