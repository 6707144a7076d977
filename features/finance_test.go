package features

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const (
	paymentsPath = "/v1/finance/payments"
	ordersPath   = "/v1/orders"
	returnsPath  = "/v1/returns"
)

// financeContext checks refunds, reversals and disputes against the provider's books.
type financeContext struct{ *scenario }

// addFinanceVars adds the variables of the payment and the return. It reads the latest refund and transaction only if text
// names them, with a separate client so that the request is not recorded.
func (c *financeContext) addFinanceVars(vars map[string]string, text string) {
	if c.shopper == nil {
		return
	}
	vars["payment"], vars["return"] = c.shopper.Finalized.Payment.ID, c.shopper.Return.ReturnID
	vars["confirmation"] = c.shopper.Finalized.Order.ConfirmationNumber
	if !strings.Contains(text, "$refund") && !strings.Contains(text, "$transaction") {
		return
	}
	client := exchange.NewClient(exchange.Config{URL: c.app.URL()})
	latest, err := merchant.New(client, c.merchant.Secret(), c.shop.ID).Transactions(c.ctx, merchant.FinanceQuery{Page: merchant.Page{Limit: 1}})
	if err != nil || len(latest.Data) == 0 {
		return
	}
	vars["transaction"] = latest.Data[0].ID
	if refund := latest.Data[0].RefundID; refund != nil {
		vars["refund"] = *refund
	}
}

func (c *financeContext) refunds(body string) error {
	return c.merchantSends("POST", paymentsPath+"/$payment/refund", body)
}

// refundsConcurrently sends one request several times. With an idempotency key, each must get the answer of the first or
// 409 idempotency_in_progress.
func (c *financeContext) refundsConcurrently(key, amount string, times int) error {
	body, header := `{"amount": `+amount+`}`, http.Header{}
	if amount == "all" {
		body = `{}`
	}
	if key != "" {
		header.Set(idempotencyHeader, key)
	}
	path := c.expand(paymentsPath + "/$payment/refund")
	c.runConcurrently(times, func(int) error { return c.send("POST", path, body, header) })
	if key == "" {
		return nil
	}
	for _, err := range c.concurrentErrs {
		if err == nil {
			continue
		}
		if err := wantRefusal(err, http.StatusConflict, "idempotency_in_progress"); err != nil {
			return err
		}
	}
	return nil
}

// paymentIs checks the payment's status and refunded amount, and its whole amount unless that is "".
func (c *financeContext) paymentIs(status, refunded, amount string) error {
	payment, err := c.merchant.Payment(c.ctx, c.expand("$payment"))
	if err == nil && payment.Status != status {
		err = fmt.Errorf("it is %s", payment.Status)
	}
	if amount != "" {
		err = errors.Join(err, isPrice(payment.Amount, amount))
	}
	return errors.Join(err, isPrice(payment.RefundedAmount, refunded))
}

// paymentBecomes is paymentIs, and waits for some seconds unless that is "".
func (c *financeContext) paymentBecomes(seconds, status, refunded, amount string) error {
	return within(number(seconds), func() error { return c.paymentIs(status, refunded, amount) })
}

// stripeScripts are scripts of the fake Stripe, by the steps' words for them.
var stripeScripts = map[string]string{
	"":                                 "ok",
	"the first 5 tries to refund fail": "refund.error_before:5",
	"the answer to a refund is lost":   "refund.reset_after",
	"the first refund is declined":     "refund.decline:insufficient_funds:1",
}

// paysThroughStripe pays with a token for which the fake Stripe runs a script.
func (c *financeContext) paysThroughStripe(where string) error {
	script, known := stripeScripts[where]
	if !known {
		return fmt.Errorf("there is no script in which %s", where)
	}
	var granted struct{ Token string }
	wanted := map[string]any{"kind": "stripe", "seller": c.integrations.integration.Config.AccountID, "script": script}
	if err := c.postToProvider("tokens", wanted, &granted); err != nil {
		return err
	}
	if err := c.checkouts.pays(acp.PSPToken, granted.Token); err != nil {
		return err
	}
	return c.checkouts.paymentSucceeds()
}

// providerRefunded checks the account's refunds in the provider's ledger.
func (c *financeContext) providerRefunded(amount string, want int) error {
	response, err := http.Get(c.server.providersURL + "/ledger")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var books struct {
		Charges []struct{ ID, Account string }
		Refunds []struct {
			Charge string
			Amount int64
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&books); err != nil {
		return err
	}
	ours := map[string]bool{}
	for _, charge := range books.Charges {
		ours[charge.ID] = charge.Account == c.integrations.integration.Config.AccountID
	}
	refunded, count := int64(0), 0
	for _, r := range books.Refunds {
		if ours[r.Charge] {
			refunded, count = refunded+r.Amount, count+1
		}
	}
	if wanted, err := decimal.Parse(amount); err != nil || decimal.FromInt(refunded).Over(100) != wanted || count != want {
		return errors.Join(err, fmt.Errorf("%d in %d refunds", refunded, count))
	}
	return nil
}

func (c *financeContext) exportsTable(table, from string) error {
	return c.attempt(func() error {
		_, err := c.merchant.Export(c.ctx, table, from, "")
		return err
	})
}

// rows returns the rows of the exported CSV table, by column.
func (c *financeContext) rows() ([]map[string]string, error) {
	text := string(c.recorder.last().body)
	if strings.Count(text, "\n") != strings.Count(text, "\r\n") || !strings.HasSuffix(text, "\r\n") {
		return nil, fmt.Errorf("its lines end otherwise than RFC 4180 says: %q", text)
	}
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (c *financeContext) exportedTableHas(name string, want int) error {
	if c.refusal != nil {
		return c.refusal
	}
	if got := c.recorder.last().header.Get("Content-Disposition"); got != `attachment; filename="`+name+`"` {
		return fmt.Errorf("it is %q", got)
	}
	rows, err := c.rows()
	if err == nil && len(rows) != want {
		err = fmt.Errorf("it has %d: %v", len(rows), rows)
	}
	return err
}

func (c *financeContext) rowShows(number int, table *godog.Table) error {
	rows, err := c.rows()
	if err != nil || len(rows) < number {
		return errors.Join(err, fmt.Errorf("there are %d rows", len(rows)))
	}
	var wrong error
	for _, row := range table.Rows {
		column, want := row.Cells[0].Value, c.expand(row.Cells[1].Value)
		if got, known := rows[number-1][column]; !known || got != want {
			wrong = errors.Join(wrong, fmt.Errorf("%s is %q, want %q", column, got, want))
		}
	}
	return wrong
}

func (c *financeContext) columnSums(column, want string) error {
	rows, err := c.rows()
	sum := decimal.FromInt(0)
	for _, row := range rows {
		amount, problem := decimal.Parse(row[column])
		sum, err = sum.Plus(amount), errors.Join(err, problem)
	}
	return errors.Join(err, isPrice(sum, want))
}

// personalData returns the personal data that the buyer has sent.
func (c *financeContext) personalData() []string {
	b := c.shopper
	all := []string{b.Email, b.Notes, b.address.Name, b.address.Line1, b.address.PostalCode, b.address.Phone}
	return slices.DeleteFunc(all, func(text string) bool { return text == "" })
}
