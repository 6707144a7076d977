package provider

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// longestReport is the longest period of one report.
const longestReport = 31 * 24 * time.Hour

// reportMoment formats a time as reports do: without a colon in the offset.
func reportMoment(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05-0700") }

type transaction struct {
	created int64
	info    map[string]any
}

func reportTransactions(c *change, call *call) answer {
	query := call.request.URL.Query()
	start, err := time.Parse(time.RFC3339, query.Get("start_date"))
	if err != nil {
		return call.badRequest("INVALID_PARAMETER_SYNTAX", "start_date", "start_date needs an Internet date and time.")
	}
	end, err := time.Parse(time.RFC3339, query.Get("end_date"))
	if err != nil {
		return call.badRequest("INVALID_PARAMETER_SYNTAX", "end_date", "end_date needs an Internet date and time.")
	}
	if end.Before(start) || end.Sub(start) > longestReport {
		return call.badRequest("INVALID_PARAMETER_VALUE", "end_date", "Date range is greater than 31 days.")
	}
	size, sizeOK := countFrom1(query.Get("page_size"), 100, 500)
	number, numberOK := countFrom1(query.Get("page"), 1, 1<<31)
	if !sizeOK || !numberOK {
		return call.badRequest("INVALID_PARAMETER_VALUE", "page_size", "page and page_size count from 1; page_size to 500.")
	}
	latest := c.now.Add(-c.p.config.ReportingLag)
	all := c.transactions(call, func(at int64) bool {
		made := time.Unix(at, 0)
		return !made.Before(start.Truncate(time.Second)) && !made.After(end) && !made.After(latest)
	}, query.Get("transaction_id"))
	details := []any{}
	for _, t := range all[min(len(all), (number-1)*size):min(len(all), number*size)] {
		details = append(details, map[string]any{"transaction_info": t.info})
	}
	return answer{status: http.StatusOK, body: map[string]any{
		"transaction_details": details, "account_number": call.account, "start_date": reportMoment(start), "end_date": reportMoment(end),
		"last_refreshed_datetime": reportMoment(latest), "page": number, "total_items": len(all),
		"total_pages": (len(all) + size - 1) / size, "links": []any{call.link(call.request.URL.RequestURI(), "self", "GET")},
	}}
}

// countFrom1 parses a number from 1 to highest.
func countFrom1(given string, otherwise, highest int) (int, bool) {
	if given == "" {
		return otherwise, true
	}
	n, err := strconv.Atoi(given)
	return n, err == nil && n >= 1 && n <= highest
}

// transactions returns captures, refunds and payouts, oldest first.
func (c *change) transactions(call *call, within func(int64) bool, only string) []transaction {
	var found []transaction
	add := func(id, event, status string, at, amount, fee int64, currency, invoice, custom, reference string) {
		if !within(at) || only != "" && only != id {
			return
		}
		info := map[string]any{
			"transaction_id": id, "transaction_event_code": event, "transaction_status": status, "paypal_account_id": call.account,
			"transaction_initiation_date": reportMoment(time.Unix(at, 0)), "transaction_updated_date": reportMoment(time.Unix(at, 0)),
			"transaction_amount": inPayPal(amount, currency), "protection_eligibility": "02",
		}
		if fee != 0 {
			info["fee_amount"] = inPayPal(fee, currency)
		}
		if invoice != "" {
			info["invoice_id"] = invoice
		}
		if custom != "" {
			info["custom_field"] = custom
		}
		if reference != "" {
			info["paypal_reference_id"], info["paypal_reference_id_type"] = reference, "TXN"
		}
		found = append(found, transaction{created: at, info: info})
	}
	for taken := range c.Charges.Oldest() {
		if taken.Provider == "paypal" && taken.Account == call.account && taken.Status != "failed" {
			status := map[string]string{"succeeded": "S", "pending": "P"}[taken.Status]
			add(taken.ID, "T0006", status, taken.Created, taken.Amount, -paypalFee(taken.Amount), taken.Currency, taken.InvoiceID, taken.CustomID, "")
		}
	}
	for given := range c.Refunds.Oldest() {
		if given.Provider == "paypal" && given.Account == call.account {
			event := map[string]string{"reversal": "T1106"}[given.Kind]
			add(given.ID, cmp.Or(event, "T1107"), "S", given.Created, -given.Amount, 0, given.Currency, given.InvoiceID, given.CustomID, given.Charge)
		}
	}
	for sent := range c.Payouts.Oldest() {
		if sent.Provider == "paypal" && sent.Account == call.account {
			add(sent.ID, "T0403", "S", sent.Created, -sent.Amount, 0, strings.ToUpper(sent.Currency), "", "", "")
		}
	}
	slices.SortStableFunc(found, func(a, b transaction) int { return cmp.Compare(a.created, b.created) })
	return found
}
