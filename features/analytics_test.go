package features

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cucumber/godog"
)

// analyticsContext reads figures.
type analyticsContext struct{ *scenario }

func analyticsSteps(sc stepRegistry, s *scenario) {
	c := &analyticsContext{s}
	sc.Then(`^the summary shows:$`, func(table *godog.Table) error { return c.shows("GET /v1/analytics/summary", table) })
	sc.Then(`^the other shop's summary shows:$`, c.otherSummaryShows)
	sc.Then(`^the sales show:$`, func(table *godog.Table) error { return c.shows("GET /v1/analytics/sales", table) })
	sc.Then(`^the best-selling product is the "([^"]*)" with (\d+) units for (\S+)$`, c.bestSellerIs)
	sc.Then(`^the funnel shows:$`, c.funnelShows)
	sc.Then(`^the buyers came by these protocols:$`, c.protocolsAre)
	sc.Then(`^the buyers came through these agents:$`, c.agentsAre)
	sc.Then(`^no buyer came on (\d{4}-\d\d)-(\d\d)$`, c.nobodyCame)
}

// figures are paths in the summary or the sales, by the steps' words for them. Other words are paths themselves.
var figures = map[string]string{
	"deal rate":             "deal_rate",
	"median discount":       "discount.median",
	"refunded":              "revenue.refunded",
	"revenue":               "revenue.gross",
	"sessions before these": "previous.sessions",
}

func (c *analyticsContext) shows(request string, table *godog.Table) error {
	if err := c.keys.mustDo("the merchant", request, 200); err != nil {
		return err
	}
	return c.answerShows(figuresOf(table, strings.HasSuffix(request, "sales"))...)
}

// figuresOf returns the pairs of a table of figures. A percentage is a text.
func figuresOf(table *godog.Table, ofSales bool) (pairs []string) {
	for _, row := range table.Rows {
		name, want := row.Cells[0].Value, row.Cells[1].Value
		path := cmp.Or(figures[name], name)
		if ofSales {
			path = "total." + strings.ReplaceAll(name, " ", "_")
		}
		if strings.HasSuffix(want, "%") {
			want = `"` + want + `"`
		}
		pairs = append(pairs, path, want)
	}
	return pairs
}

func (c *analyticsContext) otherSummaryShows(table *godog.Table) error {
	if err := c.sendsToOtherShop("GET", "/v1/analytics/summary", ""); err != nil {
		return err
	}
	return c.answerShows(figuresOf(table, false)...)
}

func (c *analyticsContext) bestSellerIs(name string, units int, goods string) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/analytics/sales?limit=1", 200); err != nil {
		return err
	}
	return c.answerShows(
		"top_products.0.name", `"`+name+`"`,
		"top_products.0.units", fmt.Sprint(units),
		"top_products.0.goods", goods,
		"top_products.#", `1`,
	)
}

// funnelShows checks how many negotiations reached each stage of the table.
func (c *analyticsContext) funnelShows(table *godog.Table) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/analytics/negotiations", 200); err != nil {
		return err
	}
	stages, _ := valueAt(c.recorder.last().value(), "funnel")
	list, _ := stages.([]any)
	counts := map[string]any{}
	for _, stage := range list {
		name, _ := valueAt(stage, "stage")
		counts[fmt.Sprint(name)], _ = valueAt(stage, "count")
	}
	return c.checkTable(counts, table)
}

// protocolsAre checks the rows of protocol, sessions, deals and orders, and that the latest of 30 days has the same orders.
func (c *analyticsContext) protocolsAre(table *godog.Table) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/analytics/protocols", 200); err != nil {
		return err
	}
	pairs := []string{"protocols.#", fmt.Sprint(len(table.Rows) - 1), "series.#", `30`}
	for i, row := range table.Rows[1:] {
		at := fmt.Sprintf("protocols.%d.", i)
		pairs = append(pairs,
			at+"protocol", `"`+row.Cells[0].Value+`"`,
			at+"sessions", row.Cells[1].Value,
			at+"deals", row.Cells[2].Value,
			at+"orders", row.Cells[3].Value,
			"series.29."+at+"orders", row.Cells[3].Value,
		)
		if row.Cells[3].Value == "0" {
			pairs = append(pairs, at+"gross", `0.00`)
		}
	}
	return c.answerShows(pairs...)
}

// agentsAre checks the rows of profile ("none" is null), sessions, deals and orders. No agent is verified. A page can be shorter.
func (c *analyticsContext) agentsAre(table *godog.Table) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/analytics/protocols", 200); err != nil {
		return err
	}
	pairs := []string{"agents.#", fmt.Sprint(len(table.Rows) - 1)}
	for i, row := range table.Rows[1:] {
		at, profile := fmt.Sprintf("agents.%d.", i), `"`+row.Cells[0].Value+`"`
		if row.Cells[0].Value == "none" {
			profile = "null"
		}
		pairs = append(pairs,
			at+"profile", profile,
			at+"verified", `false`,
			at+"sessions", row.Cells[1].Value,
			at+"deals", row.Cells[2].Value,
			at+"orders", row.Cells[3].Value,
		)
	}
	if err := c.answerShows(pairs...); err != nil {
		return err
	}
	if err := c.keys.mustDo("the merchant", "GET /v1/analytics/protocols?limit=1", 200); err != nil {
		return err
	}
	return c.answerShows("agents.#", `1`)
}

func (c *analyticsContext) nobodyCame(month, day string) error {
	var d int
	if _, err := fmt.Sscan(day, &d); err != nil {
		return err
	}
	request := fmt.Sprintf("GET /v1/analytics/protocols?from=%s-%02d&to=%s-%02d", month, d, month, d+1)
	if err := c.keys.mustDo("the merchant", request, 200); err != nil {
		return err
	}
	return c.answerShows("protocols.*.sessions", `[0, 0, 0]`, "agents.#", `0`)
}
