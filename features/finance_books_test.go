package features

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const walletsPath = "/v1/finance/wallets"

// booksBalance checks that the entries of each transaction sum to zero, and that each wallet's balance equals payments less
// refunds and fees, both by the transactions and by the payments.
func (c *financeContext) booksBalance() error {
	all := merchant.FinanceQuery{Page: merchant.Page{Limit: 100}}
	before, err := c.merchant.Wallets(c.ctx)
	bookings, bookingsErr := c.merchant.Transactions(c.ctx, all)
	payments, paymentsErr := c.merchant.Payments(c.ctx, all)
	wallets, walletsErr := c.merchant.Wallets(c.ctx)
	if err := errors.Join(err, bookingsErr, paymentsErr, walletsErr); err != nil {
		return err
	}
	if !reflect.DeepEqual(before, wallets) {
		return c.booksBalance() // a fee was booked meanwhile; each payment has one
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
		kept := paid.Minus(wallet.Fees) // background work books the provider's fees
		if wallet.Balance != booked || wallet.Balance != kept || wallet.Captured.Minus(wallet.Refunded).Minus(wallet.Fees) != wallet.Balance {
			err = errors.Join(err, fmt.Errorf("%+v, booked %s, paid %s", wallet, booked, paid))
		}
	}
	if len(payments.Data) > 0 && len(wallets.Data) == 0 {
		err = errors.Join(err, errors.New("there is no wallet"))
	}
	return err
}

func (c *financeContext) comparesBooks() error {
	now := time.Now().UTC()
	period := url.Values{"from": {now.Add(-time.Hour).Format(time.RFC3339)}, "to": {now.Add(time.Minute).Format(time.RFC3339)}}
	return c.merchantSends("GET", "/v1/finance/reconciliation?"+period.Encode(), "")
}

// booksAgree checks the latest comparison: a provider's number of bookings, and their sum unless it is "".
func (c *financeContext) booksAgree(provider, bookings, sum string) error {
	name, at := "sandbox", "providers.0"
	if provider == "Stripe" {
		name, at = "stripe", "providers.1"
	}
	wanted := []string{
		at + ".provider", `"` + name + `"`,
		at + ".matched", bookings,
		at + ".differences", "[]",
		at + ".differences_found", "0",
	}
	if sum != "" {
		total := `[{"currency": "USD", "amount": ` + sum + `}]`
		wanted = append(wanted, at+".ours", total, at+".theirs", total)
	}
	return c.answerShows(wanted...)
}

func (c *financeContext) walletHolds(balance, captured, refunded string) error {
	return c.orders.resourceShows(walletsPath,
		"data.#", "1",
		"data.0.currency", `"USD"`,
		"data.0.captured", captured,
		"data.0.refunded", refunded,
		"data.0.balance", balance,
		"data.0.providers", `[{"provider": "sandbox", "balance": `+balance+`}]`,
		"meta.total", "1",
	)
}

func (c *financeContext) walletHoldsAtTwo(balance, sandbox, stripe string) error {
	return c.orders.resourceShows(walletsPath,
		"data.#", "1",
		"data.0.balance", balance,
		"data.0.providers", `[{"provider": "sandbox", "balance": `+sandbox+`}, {"provider": "stripe", "balance": `+stripe+`}]`,
	)
}

func (c *financeContext) chargesTax(percent string) error {
	return c.shops.setsPartField("/storefront", "tax_rates", `[{"country": "US", "rate": `+percent+`}]`)
}

// refundAnswers are the fields of the answer to a refund request, by the refund's state. Before it, nothing was refunded.
var refundAnswers = map[string][]string{
	"pending":  {"status", `"pending"`, "failure_code", "null", "payment.status", `"succeeded"`, "payment.refunded_amount", "0"},
	"failed":   {"status", `"failed"`, "failure_code", "present", "payment.status", `"succeeded"`, "payment.refunded_amount", "0"},
	"complete": {"status", `"succeeded"`, "payment.status", `"refunded"`},
}

func (c *financeContext) refundAnswerIs(state string) error {
	return errors.Join(c.statusIs(201), c.answerShows(refundAnswers[state]...))
}

// cancellationIsPending checks the latest answer, to the cancellation of an order.
func (c *financeContext) cancellationIsPending() error {
	return c.answerShows("status", `"canceled"`, "payment.status", `"succeeded"`, "refunds.*.status", `["pending"]`)
}

func (c *financeContext) paymentIsUnresolved() error {
	return c.orders.resourceShows(paymentsPath+"?status=unresolved&method=psp_spt",
		"data.*.checkout_id", `["$checkout"]`,
		"data.0.status", `"unresolved"`,
		"data.0.unresolved.attempt", "1",
		"data.0.amount", "205.99",
		"data.0.currency", `"USD"`,
		"data.0.provider", `"stripe"`,
		"data.0.unresolved.problem", "present",
		"data.0.unresolved.times_asked", "present",
		"data.0.unresolved.alerted_at", "null",
		"meta.total", "1",
	)
}

func (c *financeContext) refundIsUnresolved(amount string) error {
	return c.orders.resourceShows(refundsPath+"?status=unresolved",
		"data.*.id", `["$unresolved"]`,
		"data.0.status", `"pending"`,
		"data.0.amount", amount,
		"data.0.unresolved.provider", `"stripe"`,
		"data.0.unresolved.problem", "present",
		"data.0.unresolved.times_asked", "present",
		"data.0.unresolved.alerted_at", "null",
		"meta.total", "1",
	)
}

// decisions are the fields of the answer to a merchant's decision, by what it does.
var decisions = map[string][]string{
	"creates an order":     {"checkout_id", `"$checkout"`, "outcome", `"charged"`, "order_id", "matches ^ord_", "payment_id", "matches ^pay_"},
	"creates no order":     {"outcome", `"not_charged"`, "order_id", "null"},
	"completes the refund": {"status", `"succeeded"`},
}

func (c *financeContext) decisionShows(what string) error {
	return errors.Join(c.statusIs(200), c.answerShows(decisions[what]...))
}
