package features

import (
	"fmt"
	"strconv"

	"github.com/cucumber/godog"
)

// negotiationsContext reads negotiations as the merchant and its colleagues do.
type negotiationsContext struct{ *scenario }

func negotiationListSteps(sc stepRegistry, s *scenario) {
	c := &negotiationsContext{scenario: s}
	sc.When(`^the merchant opens the negotiation of the order$`, c.opensOfOrder)
	sc.When(`^the merchant opens the latest negotiation$`, c.opensLatest)
	sc.Then(`^the negotiation is a deal on (\d+) of the "([^"]*)" at ([\d.]+), (\d+)% below the list price$`, c.isDeal)
	sc.Then(`^the negotiation is open, with a last offer of ([\d.]+)$`, c.isOpen)
	sc.Then(`^the negotiation names the order$`, func() error { return s.answerShows("orders.*.id", `["$order"]`) })
	sc.Then(`^the merchant sees these negotiations:$`, c.listHolds)
	sc.Given(`^the colleague "([^"]*)", who may (read money|read agents|write the catalog) alone$`, c.hasColleague)
	sc.Then(`^"([^"]*)" sees the negotiation with its order, without limits and reasons$`, c.colleagueSeesOrder)
	sc.Then(`^"([^"]*)" sees the negotiation with limits and reasons, without its order$`, c.colleagueSeesReasons)
	sc.Then(`^the negotiations are refused to "([^"]*)"$`, c.colleagueSeesNothing)
}

func (c *negotiationsContext) opensOfOrder() error {
	if err := c.merchantSends("GET", ordersPath+"/$order", ""); err != nil {
		return err
	}
	if err := c.platforms.namesAnswerField("negotiation_id", "negotiation"); err != nil {
		return err
	}
	return c.merchantSends("GET", "/v1/negotiations/$negotiation", "")
}

func (c *negotiationsContext) opensLatest() error { return c.opensLatestAs("merchant") }

// opensLatestAs reads the latest negotiation as the merchant or as the holder of a key.
func (c *negotiationsContext) opensLatestAs(who string) error {
	if err := c.sends("", who, "GET", "/v1/negotiations", ""); err != nil {
		return err
	}
	if err := c.platforms.namesAnswerField("data.0.id", "negotiation"); err != nil {
		return err
	}
	return c.sends("", who, "GET", "/v1/negotiations/$negotiation", "")
}

func (c *negotiationsContext) isDeal(quantity int, name, price, percent string) error {
	return c.answerShows(
		"state", `"deal"`,
		"items.#", "1",
		"items.0.product_name", strconv.Quote(name),
		"items.0.quantity", strconv.Itoa(quantity),
		"items.0.deal_price", price,
		"items.0.off_list_percent", percent,
	)
}

func (c *negotiationsContext) isOpen(offer string) error {
	return c.answerShows(
		"state", `"open"`,
		"items.0.last_offer", offer,
		"items.0.deal_price", "null",
		"orders", "[]",
	)
}

// listHolds checks the list of negotiations, in its order.
func (c *negotiationsContext) listHolds(table *godog.Table) error {
	if err := c.merchantSends("GET", "/v1/negotiations", ""); err != nil {
		return err
	}
	rows := rowsOf(table)
	pairs := []string{"data.#", strconv.Itoa(len(rows))}
	for i, row := range rows {
		one := fmt.Sprintf("data.%d.", i)
		pairs = append(pairs,
			one+"product_name", strconv.Quote(row["product"]),
			one+"quantity", row["quantity"],
			one+"state", strconv.Quote(row["state"]),
		)
	}
	return c.answerShows(pairs...)
}

// hasColleague creates a key with the scopes that a colleague needs.
func (c *negotiationsContext) hasColleague(name, may string) error {
	scopes := map[string]string{
		"read money":        `"finance:read"`,
		"read agents":       `"agents:read"`,
		"write the catalog": `"catalog:write", "projects:write"`,
	}
	return c.keys.hasKey(name, `{"scopes": [`+scopes[may]+`], "project_ids": ["$shop"]}`)
}

func (c *negotiationsContext) colleagueSeesOrder(name string) error {
	if err := c.opensLatestAs("holder of " + name); err != nil {
		return err
	}
	if err := c.answerShows(
		"items.0.floor", "absent",
		"steps.0.decision", "absent",
		"orders.0.id", "matches ^ord_",
	); err != nil {
		return err
	}
	if err := c.sends("", "holder of "+name, "GET", "/v1/negotiations/$negotiation/explanations", ""); err != nil {
		return err
	}
	return c.isRefused(403, "insufficient_scope")
}

func (c *negotiationsContext) colleagueSeesReasons(name string) error {
	if err := c.opensLatestAs("holder of " + name); err != nil {
		return err
	}
	if err := c.answerShows(
		"items.0.floor", "80",
		"steps.0.decision.bounds.floor", "80",
		"orders", "absent",
	); err != nil {
		return err
	}
	if err := c.sends("", "holder of "+name, "GET", "/v1/negotiations/$negotiation/explanations", ""); err != nil {
		return err
	}
	return c.answerShows("data.0.explanation", "matches The floor was 80.00 USD")
}

func (c *negotiationsContext) colleagueSeesNothing(name string) error {
	for _, path := range []string{"/v1/negotiations", "/v1/negotiations/neg_00000000000000000000000000"} {
		if err := c.sends("", "holder of "+name, "GET", path, ""); err != nil {
			return err
		}
		if err := c.isRefused(403, "insufficient_scope"); err != nil {
			return err
		}
	}
	return nil
}
