package features

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cucumber/godog"
)

// itemColumns are the columns of a table of a cart's or checkout's items, each with the field of an answer's item.
var itemColumns = map[string]string{
	"line":       "line_id",
	"product":    "name",
	"variant":    "variant",
	"quantity":   "quantity",
	"price":      "unit_price",
	"list price": "original_price",
	"discount":   "discount",
	"agreed":     "agreed",
}

// holds checks the items of the cart or checkout in the latest answer, in their order. It checks the columns that the table has.
func (c *checkoutsContext) holds(table *godog.Table) error {
	rows := rowsOf(table)
	pairs := []string{"items.#", strconv.Itoa(len(rows))}
	for i, row := range rows {
		for column, cell := range row {
			field, known := itemColumns[column]
			if !known {
				return fmt.Errorf("no column is %q", column)
			}
			pairs = append(pairs, fmt.Sprintf("items.%d.%s", i, field), itemValue(column, cell))
		}
	}
	return c.answerShows(pairs...)
}

// itemValue returns what a field of an item must be.
func itemValue(column, cell string) string {
	switch column {
	case "agreed":
		return strconv.FormatBool(cell == "yes")
	case "variant":
		size, color, _ := strings.Cut(cell, "/")
		return "matches " + regexp.QuoteMeta(size) + ".*" + regexp.QuoteMeta(color)
	case "quantity", "price", "list price":
		return cell
	}
	return strconv.Quote(cell)
}

// costs checks amounts of the checkout in the latest answer. The table's columns are fields of its summary.
func (c *checkoutsContext) costs(table *godog.Table) error {
	var pairs []string
	for _, row := range rowsOf(table) {
		for column, cell := range row {
			pairs = append(pairs, "summary."+column, cell)
		}
	}
	return c.answerShows(pairs...)
}

func (c *checkoutsContext) shippingOptionsAre(table *godog.Table) error {
	rows := rowsOf(table)
	pairs := []string{"shipping_options.#", strconv.Itoa(len(rows))}
	for i, row := range rows {
		option := fmt.Sprintf("shipping_options.%d.", i)
		pairs = append(pairs, option+"id", strconv.Quote(row["option"]), option+"price", row["price"])
		if row["days"] != "" {
			pairs = append(pairs, option+"estimate", "matches "+row["days"])
		}
	}
	return c.answerShows(pairs...)
}

// statusOfCheckoutIs reads the buyer's current checkout and checks its status.
func (c *checkoutsContext) statusOfCheckoutIs(status string) error {
	if err := c.buyerSends("GET", "/acp/checkout/$checkout", ""); err != nil {
		return err
	}
	return c.answerShows("status", strconv.Quote(status))
}

// hasWarning checks the only warning of the latest answer. Its code is in words: "state unknown".
func (c *checkoutsContext) hasWarning(code string) error {
	return c.answerShows("warnings.#", "1", "warnings.0.code", strconv.Quote(strings.ReplaceAll(code, " ", "_")))
}

func (c *checkoutsContext) hasWarningOfItem(item int, code string) error {
	return errors.Join(c.hasWarning(code), c.answerShows("warnings.0.field", fmt.Sprintf(`"items.%d"`, item-1)))
}

func (c *checkoutsContext) hasNoWarning() error { return c.answerShows("warnings", "absent") }

func (c *checkoutsContext) hasPaid(amount, shipping string) error {
	return c.answerShows(
		"payment.amount", amount,
		"summary.total", amount,
		"summary.shipping", shipping,
	)
}

// isDeclined checks that the latest payment was declined, and whether the checkout can still be paid.
func (c *checkoutsContext) isDeclined(then string) error {
	status, retry := "pending", "true"
	if then == "the checkout is canceled" {
		status, retry = "canceled", "false"
	}
	pairs := []string{
		"status", `"payment_failed"`,
		"checkout_id", `"$checkout"`,
		"checkout_status", strconv.Quote(status),
		"retry_allowed", retry,
	}
	if reason := c.checkouts.declineReason; reason != "" {
		pairs = append(pairs, "error.decline_code", strconv.Quote(reason))
	}
	return c.answerShows(pairs...)
}

// productIs checks what a new buyer sees of a product's availability: "in_stock" or "backorder".
func (c *checkoutsContext) productIs(name, availability string, quantity int) error {
	if err := c.buyers.arrivesLookingAt(name); err != nil {
		return err
	}
	return c.answerShows(
		"variants.0.in_stock", "true",
		"variants.0.availability", strconv.Quote(availability),
		"variants.0.quantity", strconv.Itoa(quantity),
	)
}
