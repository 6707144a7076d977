package paypal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	longestSpan = 31 * 24 * time.Hour // that PayPal reports at once
	pageSize    = 500
	dateForm    = "2006-01-02T15:04:05Z0700"
)

// transaction is as much of one as is read.
type transaction struct {
	ID      string `json:"transaction_id"`
	Event   string `json:"transaction_event_code"`
	Status  string `json:"transaction_status"` // S is done, P pending, D denied, V done and reversed later
	Began   string `json:"transaction_initiation_date"`
	Amount  amount `json:"transaction_amount"`
	Fee     amount `json:"fee_amount"`
	Invoice string `json:"invoice_id"`

	Reference string `json:"paypal_reference_id"` // the transaction that it is about
}

// isCharge knows payments (T00..) that were received: by checkout, by agreement, and the like. What took one back is
// a transaction of its own.
func (t transaction) isCharge() bool {
	return strings.HasPrefix(t.Event, "T00") && (t.Status == "S" || t.Status == "V") && !strings.HasPrefix(t.Amount.Value, "-")
}

// isRefund knows refunds (T1107), PayPal's reversals of payments (T1106) and chargebacks (T1201).
func (t transaction) isRefund() bool {
	return slices.Contains([]string{"T1106", "T1107", "T1201"}, t.Event) && strings.HasPrefix(t.Amount.Value, "-")
}

// key is ours. What is given back elsewhere repeats the invoice of the payment.
func (t transaction) key() string {
	if _, _, err := checkout.ParseAttemptKey(t.Invoice); err == nil && t.isRefund() {
		return ""
	}
	return t.Invoice
}

var _ ports.StatementLag = (*Provider)(nil)

// lag is PayPal's: "It takes a maximum of three hours for executed transactions to appear"
// (developer.paypal.com/docs/api/transaction-search/v1, read November 2026).
const lag = 3 * time.Hour

// StatementLag is how late the report is at most, by PayPal's documentation.
func (p *Provider) StatementLag(project.PaymentRoute) time.Duration { return lag }

// Statement reads PayPal's report of transactions. It fails where the report is later than documented
// (https://docs.aws.amazon.com/glue/latest/dg/paypal-connector-limitations.html has seen it), so that
// no payment is taken for missing. Of transactions without an invoice, which are not ours, it leaves
// out unknown currencies.
func (p *Provider) Statement(
	ctx ports.Outbound, a ports.PaymentAccount, s ports.StatementRequest, each func(ports.Movement) error,
) error {
	refreshed, err := p.transactions(ctx, a, s.From, s.To, func(t transaction) error {
		if !t.isCharge() && !(t.isRefund() && t.Status == "S") {
			return nil
		}
		m, err := t.movement()
		switch {
		case err != nil && t.Invoice == "":
			return nil
		case err != nil:
			return err
		case m.At.Before(s.From) || !m.At.Before(s.To):
			return nil
		}
		return each(m)
	})
	due := p.remote.ProviderTime().Add(-lag - settling)
	if s.To.Before(due) {
		due = s.To
	}
	if err == nil && !refreshed.IsZero() && refreshed.Before(due) {
		return fmt.Errorf("paypal: the report of transactions is complete only up to %s", refreshed.UTC().Format(time.RFC3339))
	}
	return err
}

func (t transaction) movement() (ports.Movement, error) {
	at, err := time.Parse(dateForm, t.Began)
	if err != nil {
		return ports.Movement{}, fmt.Errorf("paypal: transaction %s has no time", t.ID)
	}
	value, err := amount{t.Amount.Currency, strings.TrimPrefix(t.Amount.Value, "-")}.read()
	if err != nil {
		return ports.Movement{}, fmt.Errorf("paypal: transaction %s: %w", t.ID, err)
	}
	m := ports.Movement{
		Refund:   t.isRefund(),
		Provider: t.ID,
		Key:      t.key(),
		Amount:   value,
		At:       at.UTC(),
	}
	if m.Refund {
		m.Charge = t.Reference
	}
	return m, nil
}

// transactions reads the report of a time, span by span and page by page. PayPal counts seconds, and the
// end of a span in. The report held everything up to refreshed; zero: PayPal did not say.
func (p *Provider) transactions(
	ctx context.Context, a ports.PaymentAccount, from, to time.Time, each func(transaction) error,
) (refreshed time.Time, err error) {
	from, to = from.Truncate(time.Second), to.Add(time.Second-1).Truncate(time.Second)
	for from.Before(to) {
		end := to
		if to.Sub(from) > longestSpan {
			end = from.Add(longestSpan)
		}
		if refreshed, err = p.span(ctx, a, from, end.Add(-time.Second), each); err != nil {
			return refreshed, err
		}
		from = end
	}
	return refreshed, nil
}

func (p *Provider) span(
	ctx context.Context, a ports.PaymentAccount, from, to time.Time, each func(transaction) error,
) (refreshed time.Time, err error) {
	for page := 1; ; page++ {
		query := url.Values{
			"start_date": {from.UTC().Format(time.RFC3339)}, "end_date": {to.UTC().Format(time.RFC3339)},
			"fields": {"transaction_info"}, "page_size": {strconv.Itoa(pageSize)}, "page": {strconv.Itoa(page)},
		}
		var report struct {
			Pages        int    `json:"total_pages"`
			Refreshed    string `json:"last_refreshed_datetime"`
			Transactions []struct {
				Info transaction `json:"transaction_info"`
			} `json:"transaction_details"`
		}
		if err := p.do(ctx, a, call{method: http.MethodGet, path: "/v1/reporting/transactions?" + query.Encode()}, &report); err != nil {
			return refreshed, unreported(err)
		}
		if at, err := time.Parse(dateForm, report.Refreshed); err == nil && (refreshed.IsZero() || at.Before(refreshed)) {
			refreshed = at
		}
		for _, t := range report.Transactions {
			if err := each(t.Info); err != nil {
				return refreshed, err
			}
		}
		if page >= report.Pages {
			return refreshed, nil
		}
	}
}

// unreported tells apart an application that was not given the right to read reports, which is no fault
// of its credentials.
func unreported(err error) error {
	var r *refusal
	if errors.As(err, &r) && r.Status == http.StatusForbidden {
		return fmt.Errorf("paypal: the application may not search transactions: %s", r.Name)
	}
	return err
}
