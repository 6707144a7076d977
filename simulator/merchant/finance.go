package merchant

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// Payment is a buyer's payment for an order. Lists omit Refunds.
type Payment struct {
	ID             string          `json:"id"`
	Status         string          `json:"status"` // succeeded, partially_refunded or refunded
	Amount         decimal.Decimal `json:"amount"`
	RefundedAmount decimal.Decimal `json:"refunded_amount"`
	Currency       string          `json:"currency"`
	Method         string          `json:"method"`
	Instrument     string          `json:"instrument"`
	Provider       string          `json:"provider"`
	OrderID        string          `json:"order_id"`
	CheckoutID     string          `json:"checkout_id"`
	CreatedAt      time.Time       `json:"created_at"`
	Refunds        []Refund        `json:"refunds"`
}

// Refund is a refund. Payment is set only in the answer to its creation.
type Refund struct {
	ID          string          `json:"id"`
	PaymentID   string          `json:"payment_id"`
	OrderID     string          `json:"order_id"`
	ReturnID    *string         `json:"return_id"`
	Amount      decimal.Decimal `json:"amount"`
	Currency    string          `json:"currency"`
	Status      string          `json:"status"` // pending, succeeded or failed
	Reason      string          `json:"reason"`
	FailureCode *string         `json:"failure_code"`
	CreatedAt   time.Time       `json:"created_at"`
	Payment     *Payment        `json:"payment"`
}

// NewRefund is the request for a refund. A nil Amount refunds the rest.
type NewRefund struct {
	Amount *decimal.Decimal `json:"amount,omitempty"`
	Reason string           `json:"reason,omitempty"`
}

// Wallet is the merchant's balance at payment providers in one currency, before fees.
type Wallet struct {
	Currency  string          `json:"currency"`
	Balance   decimal.Decimal `json:"balance"`
	Captured  decimal.Decimal `json:"captured"`
	Refunded  decimal.Decimal `json:"refunded"`
	Disputed  decimal.Decimal `json:"disputed"`
	Fees      decimal.Decimal `json:"fees"`
	PaidOut   decimal.Decimal `json:"paid_out"`
	Orphaned  decimal.Decimal `json:"orphaned"`
	Adjusted  decimal.Decimal `json:"adjusted"`
	Providers []struct {
		Provider string          `json:"provider"`
		Balance  decimal.Decimal `json:"balance"`
	} `json:"providers"`
}

// Transaction is one transaction of the ledger. Its entries sum to zero.
type Transaction struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"` // sale or refund
	Currency  string          `json:"currency"`
	Amount    decimal.Decimal `json:"amount"`
	OrderID   string          `json:"order_id"`
	PaymentID string          `json:"payment_id"`
	RefundID  *string         `json:"refund_id"`
	Entries   []Entry         `json:"entries"`
	CreatedAt time.Time       `json:"created_at"`
}

// Entry is one entry of a transaction.
type Entry struct {
	Account string          `json:"account"`
	Amount  decimal.Decimal `json:"amount"`
}

// Reconciliation compares the ledger with the providers' records.
type Reconciliation struct {
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Providers []struct {
		Provider    string          `json:"provider"`
		Matched     int             `json:"matched"`
		Ours        json.RawMessage `json:"ours"`
		Theirs      json.RawMessage `json:"theirs"`
		Differences json.RawMessage `json:"differences"`
	} `json:"providers"`
}

// FinanceQuery filters lists of payments and transactions, each by the fields that it supports. From and To are RFC 3339.
type FinanceQuery struct {
	Status, Method, Type, Order, From, To string
	Page
}

func (q FinanceQuery) query() string {
	return q.Page.query(given(map[string]string{
		"status": q.Status, "method": q.Method, "type": q.Type, "order_id": q.Order, "from": q.From, "to": q.To,
	}))
}

// given returns the parameters that are not empty.
func given(parameters map[string]string) url.Values {
	values := url.Values{}
	for name, value := range parameters {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values
}

const financePath = "/v1/finance"

// Payments lists payments, newest first.
func (c *Client) Payments(ctx context.Context, query FinanceQuery, options ...Option) (List[Payment], error) {
	return call[List[Payment]](ctx, c, "GET", financePath+"/payments"+query.query(), nil, options)
}

// Payment reads a payment with its refunds.
func (c *Client) Payment(ctx context.Context, id string, options ...Option) (Payment, error) {
	return call[Payment](ctx, c, "GET", paymentPath(id), nil, options)
}

// Refund refunds a payment.
func (c *Client) Refund(ctx context.Context, payment string, refund NewRefund, options ...Option) (Refund, error) {
	return call[Refund](ctx, c, "POST", paymentPath(payment)+"/refund", refund, options)
}

// Refunds lists a payment's refunds.
func (c *Client) Refunds(ctx context.Context, payment string, options ...Option) (List[Refund], error) {
	return call[List[Refund]](ctx, c, "GET", paymentPath(payment)+"/refunds", nil, options)
}

// RefundByID reads a refund.
func (c *Client) RefundByID(ctx context.Context, id string, options ...Option) (Refund, error) {
	return call[Refund](ctx, c, "GET", financePath+"/refunds/"+url.PathEscape(id), nil, options)
}

// Wallets lists the balances at payment providers by currency.
func (c *Client) Wallets(ctx context.Context, options ...Option) (List[Wallet], error) {
	return call[List[Wallet]](ctx, c, "GET", financePath+"/wallets", nil, options)
}

// Transactions lists the ledger's transactions, newest first.
func (c *Client) Transactions(ctx context.Context, query FinanceQuery, options ...Option) (List[Transaction], error) {
	return call[List[Transaction]](ctx, c, "GET", financePath+"/transactions"+query.query(), nil, options)
}

// Transaction reads one transaction.
func (c *Client) Transaction(ctx context.Context, id string, options ...Option) (Transaction, error) {
	return call[Transaction](ctx, c, "GET", financePath+"/transactions/"+url.PathEscape(id), nil, options)
}

// Reconciliation compares the ledger with the providers' records of a period.
func (c *Client) Reconciliation(ctx context.Context, from, to string, options ...Option) (Reconciliation, error) {
	parameters := url.Values{"from": {from}, "to": {to}}
	return call[Reconciliation](ctx, c, "GET", financePath+"/reconciliation?"+parameters.Encode(), nil, options)
}

// Export downloads the table "payments" or "transactions" as CSV.
func (c *Client) Export(ctx context.Context, table, from, to string, options ...Option) (string, error) {
	header := http.Header{}
	for _, option := range options {
		option(header)
	}
	path := financePath + "/" + table + ".csv" + Page{}.query(given(map[string]string{"from": from, "to": to}))
	response, err := c.Do(ctx, "GET", path, header, nil)
	switch {
	case err != nil:
		return "", err
	case !response.OK():
		return "", ErrorOf(response)
	}
	if kind := response.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8; header=present" {
		return "", fmt.Errorf("the table is %q", kind)
	}
	return string(response.Body), nil
}

func paymentPath(id string) string { return financePath + "/payments/" + url.PathEscape(id) }
