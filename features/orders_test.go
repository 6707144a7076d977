package features

import (
	"errors"
	"fmt"
	"strings"
)

// ordersContext fulfills orders.
type ordersContext struct{ *scenario }

const trackingLink = "https://ups.example.com/1Z"

func (c *ordersContext) reportsFulfillment(body string) error {
	return c.merchantSends("POST", ordersPath+"/$order/fulfillment", body)
}

// shipsWithTracking ships the order and checks the answer.
func (c *ordersContext) shipsWithTracking() error {
	err := c.reportsFulfillment(`{"status": "shipped", "carrier": "UPS", "tracking_number": "1Z", "tracking_url": "` + trackingLink + `"}`)
	return errors.Join(err, c.statusIs(200), c.answerShows(
		"status", `"confirmed"`,
		"fulfillment.status", `"shipped"`,
		"fulfillment.carrier", `"UPS"`,
		"fulfillment.tracking_number", `"1Z"`,
		"fulfillment.tracking_url", `"`+trackingLink+`"`,
		"fulfillment.shipped_at", "matches Z$",
		"fulfillment.delivered_at", "null",
	))
}

func (c *ordersContext) postsConcurrently(path string, times int) {
	path = c.expand(path)
	c.runConcurrently(times, func(int) error { return c.send("POST", path, "", nil) })
}

// succeeds sends a request as the merchant, which must not be refused.
func (c *ordersContext) succeeds(method, path, body string) error {
	if err := c.merchantSends(method, path, body); err != nil {
		return err
	}
	return c.unexpectedRefusal()
}

// resourceShows reads a resource as the merchant and checks fields of the answer.
func (c *ordersContext) resourceShows(path string, pairs ...string) error {
	if err := c.succeeds("GET", path, ""); err != nil {
		return err
	}
	return c.answerShows(pairs...)
}

// orderStates are the merchant's fields of an order in each state.
var orderStates = map[string][]string{
	"confirmed": {"status", `"confirmed"`},
	"canceled":  {"status", `"canceled"`, "fulfillment.status", `"canceled"`},
	"not shipped yet": {
		"status", `"confirmed"`,
		"fulfillment.status", `"processing"`,
		"fulfillment.tracking_number", "null",
		"fulfillment.shipped_at", "null",
	},
	"shipped":   {"status", `"confirmed"`, "fulfillment.status", `"shipped"`, "fulfillment.shipped_at", "matches Z$"},
	"delivered": {"status", `"confirmed"`, "fulfillment.status", `"delivered"`, "fulfillment.delivered_at", "matches Z$"},
}

func (c *ordersContext) orderIs(state string) error {
	return c.resourceShows(ordersPath+"/$order", orderStates[state]...)
}

// buyerOrderStates are the buyer's fields of an order in each state.
var buyerOrderStates = map[string][]string{
	"canceled":        {"order.status", `"canceled"`, "payment.status", `"refunded"`, "fulfillment.status", `"canceled"`},
	"not shipped yet": {"fulfillment.status", `"processing"`, "tracking.number", "absent"},
	"shipped":         {"fulfillment.status", `"shipped"`},
	"delivered":       {"fulfillment.status", `"delivered"`},
}

// buyerShows reads the order as its buyer and checks fields of the answer.
func (c *ordersContext) buyerShows(pairs ...string) error {
	if err := c.mustAct(func(b *shopper) { b.ReadOrder() }); err != nil {
		return err
	}
	return c.answerShows(pairs...)
}

func (c *ordersContext) buyerSeesOrderAs(state string) error {
	return c.buyerShows(buyerOrderStates[state]...)
}

func (c *ordersContext) buyerSeesTrackingLink() error {
	return c.buyerShows("tracking.available", "true", "tracking.url", `"`+trackingLink+`"`)
}

// refundsAre checks the amounts of the order's refunds, "50 and 155.99". All must have succeeded.
func (c *ordersContext) refundsAre(amounts string) error {
	list := strings.Split(amounts, " and ")
	statuses := strings.TrimSuffix(strings.Repeat(`"succeeded", `, len(list)), ", ")
	return c.resourceShows(ordersPath+"/$order", "refunds.*.amount", "["+strings.Join(list, ", ")+"]", "refunds.*.status", "["+statuses+"]")
}

func (c *ordersContext) approves(body string) error {
	return c.merchantSends("POST", returnsPath+"/$return/approve", body)
}

// rejects rejects the return. If that is not refused, it checks the answer.
func (c *ordersContext) rejects(reason string) error {
	err := c.merchantSends("POST", returnsPath+"/$return/reject", `{"reason": "`+reason+`"}`)
	if err != nil || c.refusal != nil {
		return err
	}
	return c.answerShows("status", `"rejected"`, "reason", `"`+reason+`"`, "refund", "absent", "decided_at", "matches Z$")
}

// returnIs checks a return's status as the merchant and the buyer see it.
func (c *ordersContext) returnIs(status string) error {
	if err := c.resourceShows(returnsPath+"/$return", "status", `"`+status+`"`); err != nil {
		return err
	}
	got, err := c.shopper.client.Return(c.ctx, c.shopper.Return.ReturnID)
	if err == nil && got.Status != status {
		err = fmt.Errorf("the buyer sees it as %s", got.Status)
	}
	return err
}

// approvalShows checks the latest answer, to an approval.
func (c *ordersContext) approvalShows(amount string, restocked int) error {
	return errors.Join(c.statusIs(200), c.answerShows(
		"status", `"approved"`,
		"restocked", fmt.Sprint(restocked),
		"decided_at", "matches Z$",
		"refund.amount", amount,
		"refund.status", `"succeeded"`,
		"refund.return_id", `"$return"`,
	))
}

func (c *ordersContext) approvalHasNoRefund() error {
	return errors.Join(c.statusIs(200), c.answerShows("status", `"approved"`, "refund", "absent"))
}

func (c *ordersContext) writesNote(text string) error {
	return c.succeeds("POST", ordersPath+"/$order/notes", `{"text": "`+text+`"}`)
}

// notShownToBuyers reads the order in every way that buyers and their agents have.
func (c *ordersContext) notShownToBuyers(text string) error {
	for _, read := range []func() error{
		func() error { return c.buyerSends("GET", "/acp/orders/$order?manage_token=$manage_token", "") },
		c.aftersales.opensReceipt,
		func() error { return c.ucp.agentSends("", "GET", "/ucp/orders/$order", "") },
		func() error {
			return c.ucp.modelSends("tools/call", `{"name": "get_order", "arguments": {"id": "$order"}}`, "/mcp")
		},
	} {
		if err := read(); err != nil {
			return err
		}
		if err := errors.Join(c.unexpectedRefusal(), c.statusIs(200), c.lastBodyContains(text, false)); err != nil {
			return err
		}
	}
	return nil
}

// answerHasNoSecret checks that the merchant's view of orders has no floor, target, cost or margin either.
func (c *ordersContext) answerHasNoSecret() error {
	last := c.recorder.last()
	var found error
	for _, name := range secretNames(last.value(), false) {
		found = errors.Join(found, fmt.Errorf("it names %q", name))
	}
	for _, p := range c.products {
		if p.Cost != nil && containsAmount(last.body, *p.Cost) {
			found = errors.Join(found, errors.New("it tells the cost"))
		}
	}
	return found
}

func (c *ordersContext) answerHasNoPersonalData() error {
	body := string(c.recorder.last().body)
	var found error
	for _, text := range c.finance.personalData() {
		if strings.Contains(body, text) {
			found = errors.Join(found, fmt.Errorf("it names %q", text))
		}
	}
	return found
}

// noteIsLogged checks that the audit log has the note on the order, without its text.
func (c *ordersContext) noteIsLogged(text string) error {
	err := c.resourceShows("/v1/audit-events?project_id=$shop&action=create-order-note", "data.0.target", `"$order"`)
	return errors.Join(err, c.lastBodyContains(text, false))
}
