package features

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

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

// nameMoney adds what steps may call by $name. The latest refund and booking are asked for beside the scenario's own
// conversation, and only where a text names them.
func (w *world) nameMoney(known map[string]string, text string) {
	if w.shopper == nil {
		return
	}
	known["payment"], known["return"] = w.shopper.Finalized.Payment.ID, w.shopper.Return.ReturnID
	known["confirmation"] = w.shopper.Finalized.Order.ConfirmationNumber
	if !strings.Contains(text, "$refund") && !strings.Contains(text, "$transaction") {
		return
	}
	aside := exchange.NewClient(exchange.Config{URL: w.app.URL()})
	latest, err := merchant.New(aside, w.merchant.Secret(), w.shop.ID).Transactions(w.ctx, merchant.FinanceQuery{Page: merchant.Page{Limit: 1}})
	if err != nil || len(latest.Data) == 0 {
		return
	}
	known["transaction"] = latest.Data[0].ID
	if refund := latest.Data[0].RefundID; refund != nil {
		known["refund"] = *refund
	}
}

func (w *world) refunds(body string) error {
	return w.merchantSends("POST", paymentsPath+"/$payment/refund", body)
}

// refundsAtOnce sends one request many times. Under one key all of them are the first one: they get its answer, or are
// told that it is under way.
func (w *world) refundsAtOnce(key, amount string, times int) error {
	body, header := `{"amount": `+amount+`}`, http.Header{}
	if amount == "all" {
		body = `{}`
	}
	if key != "" {
		header.Set(idempotencyHeader, key)
	}
	path := w.expand(paymentsPath + "/$payment/refund")
	w.atOnce(times, func(int) error { return w.send("POST", path, body, header) })
	if key == "" {
		return nil
	}
	for _, err := range w.crowd {
		if err == nil {
			continue
		}
		if err := wantRefusal(err, http.StatusConflict, "idempotency_in_progress"); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) paymentIs(status, refunded string) error {
	payment, err := w.merchant.Payment(w.ctx, w.expand("$payment"))
	if err == nil && payment.Status != status {
		err = fmt.Errorf("it is %s", payment.Status)
	}
	return errors.Join(err, isPrice(payment.RefundedAmount, refunded))
}

func (w *world) paymentBecomes(seconds int, status, refunded string) error {
	return within(seconds, func() error { return w.paymentIs(status, refunded) })
}

// paysByScript pays with a token that does at the provider what the script says.
func (w *world) paysByScript(script string) error {
	asked, err := json.Marshal(map[string]string{"kind": "stripe", "seller": w.integration.Config.AccountID, "script": script})
	if err != nil {
		return err
	}
	response, err := http.Post(w.server.providers+"/lookalike/tokens", "application/json", bytes.NewReader(asked))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var granted struct{ Token string }
	if err := json.NewDecoder(response.Body).Decode(&granted); err != nil {
		return err
	}
	if err := w.pays(acp.PSPToken, granted.Token); err != nil {
		return err
	}
	return w.paymentSucceeds()
}

// hasGivenBack asks the provider's own books.
func (w *world) hasGivenBack(amount string, want int) error {
	response, err := http.Get(w.server.providers + "/ledger")
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
	for _, c := range books.Charges {
		ours[c.ID] = c.Account == w.integration.Config.AccountID
	}
	given, count := int64(0), 0
	for _, r := range books.Refunds {
		if ours[r.Charge] {
			given, count = given+r.Amount, count+1
		}
	}
	if wanted, err := decimal.Parse(amount); err != nil || decimal.FromInt(given).Over(100) != wanted || count != want {
		return errors.Join(err, fmt.Errorf("%d in %d refunds", given, count))
	}
	return nil
}

// booksBalance reads all that there is: the entries of each booking sum to zero, and what providers hold is what was
// paid less what was refunded, by the ledger and by the payments.
func (w *world) booksBalance() error {
	all := merchant.FinanceQuery{Page: merchant.Page{Limit: 100}}
	before, err := w.merchant.Wallets(w.ctx)
	bookings, alsoErr := w.merchant.Transactions(w.ctx, all)
	payments, yetErr := w.merchant.Payments(w.ctx, all)
	wallets, stillErr := w.merchant.Wallets(w.ctx)
	if err := errors.Join(err, alsoErr, yetErr, stillErr); err != nil {
		return err
	}
	if !reflect.DeepEqual(before, wallets) {
		return w.booksBalance() // a fee was booked meanwhile, which happens once for each payment
	}
	held := map[string]decimal.Decimal{} // by currency and source
	for _, t := range bookings.Data {
		sum := decimal.FromInt(0)
		for _, e := range t.Entries {
			sum = sum.Plus(e.Amount)
			if strings.HasPrefix(e.Account, "funds:") {
				held[t.Currency+" booked"] = held[t.Currency+" booked"].Plus(e.Amount)
			}
		}
		if sum.Sign() != 0 || len(t.Entries) < 2 {
			err = errors.Join(err, fmt.Errorf("%s sums to %s: %+v", t.ID, sum, t.Entries))
		}
	}
	for _, p := range payments.Data {
		held[p.Currency+" paid"] = held[p.Currency+" paid"].Plus(p.Amount).Minus(p.RefundedAmount)
	}
	for _, wallet := range wallets.Data {
		booked, paid := held[wallet.Currency+" booked"], held[wallet.Currency+" paid"]
		kept := paid.Minus(wallet.Fees) // the provider's fees are booked sooner or later
		if wallet.Balance != booked || wallet.Balance != kept || wallet.Captured.Minus(wallet.Refunded).Minus(wallet.Fees) != wallet.Balance {
			err = errors.Join(err, fmt.Errorf("%+v, booked %s, paid %s", wallet, booked, paid))
		}
	}
	if len(payments.Data) > 0 && len(wallets.Data) == 0 {
		err = errors.Join(err, errors.New("there is no wallet"))
	}
	return err
}

func (w *world) comparesBooks() error {
	now := time.Now().UTC()
	period := url.Values{"from": {now.Add(-time.Hour).Format(time.RFC3339)}, "to": {now.Add(time.Minute).Format(time.RFC3339)}}
	return w.merchantSends("GET", "/v1/finance/reconciliation?"+period.Encode(), "")
}

func (w *world) downloads(table, from string) error {
	return w.attempt(func() error {
		_, err := w.merchant.Export(w.ctx, table, from, "")
		return err
	})
}

// rows are those of the table that was downloaded, by column.
func (w *world) rows() ([]map[string]string, error) {
	text := string(w.tape.last().body)
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

func (w *world) tableHas(name string, want int) error {
	if w.refusal != nil {
		return w.refusal
	}
	if got := w.tape.last().header.Get("Content-Disposition"); got != `attachment; filename="`+name+`"` {
		return fmt.Errorf("it is %q", got)
	}
	rows, err := w.rows()
	if err == nil && len(rows) != want {
		err = fmt.Errorf("it has %d: %v", len(rows), rows)
	}
	return err
}

func (w *world) rowShows(number int, table *godog.Table) error {
	rows, err := w.rows()
	if err != nil || len(rows) < number {
		return errors.Join(err, fmt.Errorf("there are %d rows", len(rows)))
	}
	var wrong error
	for _, row := range table.Rows {
		column, want := row.Cells[0].Value, w.expand(row.Cells[1].Value)
		if got, known := rows[number-1][column]; !known || got != want {
			wrong = errors.Join(wrong, fmt.Errorf("%s is %q, want %q", column, got, want))
		}
	}
	return wrong
}

func (w *world) columnSums(column, want string) error {
	rows, err := w.rows()
	sum := decimal.FromInt(0)
	for _, row := range rows {
		amount, problem := decimal.Parse(row[column])
		sum, err = sum.Plus(amount), errors.Join(err, problem)
	}
	return errors.Join(err, isPrice(sum, want))
}

// personal is what the buyer said of itself.
func (w *world) personal() []string {
	b := w.shopper
	all := []string{b.Email, b.Notes, b.address.Name, b.address.Line1, b.address.PostalCode, b.address.Phone}
	return slices.DeleteFunc(all, func(text string) bool { return text == "" })
}
