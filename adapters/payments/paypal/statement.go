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
	longestSpan = 31 * 24 * time.Hour // maximum time span of a request
	pageSize    = 500
	dateForm    = "2006-01-02T15:04:05Z0700"
)

// transaction has the fields of a transaction that are read.
type transaction struct {
	ID      string `json:"transaction_id"`
	Event   string `json:"transaction_event_code"`
	Status  string `json:"transaction_status"` // S is done, P pending, D denied, V done and reversed later
	Began   string `json:"transaction_initiation_date"`
	Amount  amount `json:"transaction_amount"`
	Fee     amount `json:"fee_amount"`
	Invoice string `json:"invoice_id"`

	Reference string `json:"paypal_reference_id"` // the transaction that it refers to
}

// isCharge reports whether it is a received payment (T00..): by checkout, by agreement, and the like. A later reversal is a
// separate transaction.
func (t transaction) isCharge() bool {
	return strings.HasPrefix(t.Event, "T00") && (t.Status == "S" || t.Status == "V") && !strings.HasPrefix(t.Amount.Value, "-")
}

// isRefund reports whether it is a refund (T1107), a reversal of a payment by PayPal (T1106) or a chargeback (T1201).
func (t transaction) isRefund() bool {
	return slices.Contains([]string{"T1106", "T1107", "T1201"}, t.Event) && strings.HasPrefix(t.Amount.Value, "-")
}

// key returns our key, or "". A refund that was made elsewhere has the invoice of its payment, which is not the refund's key.
func (t transaction) key() string {
	if _, _, err := checkout.ParseAttemptKey(t.Invoice); err == nil && t.isRefund() {
		return ""
	}
	return t.Invoice
}

var _ ports.StatementLag = (*Provider)(nil)

// lag is documented by PayPal: "It takes a maximum of three hours for executed transactions to appear"
// (developer.paypal.com/docs/api/transaction-search/v1, read November 2026).
const lag = 3 * time.Hour

// StatementLag returns the maximum delay of the report according to PayPal's documentation.
func (p *Provider) StatementLag(project.PaymentRoute) time.Duration { return lag }

// Statement reads PayPal's report of transactions. It fails if the report is later than documented
// (https://docs.aws.amazon.com/glue/latest/dg/paypal-connector-limitations.html mentions that), so that no
// payment seems to be missing. It leaves out transactions in unknown currencies if they have no invoice and
// therefore are not ours.
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
	due := p.remote.ProviderTime().Add(-lag - refreshMargin)
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

// transactions reads the report between two times, in spans and pages. PayPal's times have a precision of one
// second, and the end of a span is inclusive. refreshed is the time up to which the report is complete; zero if
// PayPal did not say.
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
			return refreshed, reportError(err)
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

// reportError turns a 403 into another error than ErrCredentialsRefused, because it means that the application has
// no permission to read reports.
func reportError(err error) error {
	var r *refusal
	if errors.As(err, &r) && r.Status == http.StatusForbidden {
		return fmt.Errorf("paypal: the application may not search transactions: %s", r.Name)
	}
	return err
}
