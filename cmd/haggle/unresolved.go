package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

type paymentsCmd struct {
	List    listPaymentsCmd   `cmd:"" help:"List payments with an unknown outcome."`
	Resolve resolvePaymentCmd `cmd:"" help:"Record the outcome of a payment that the provider did not report."`
}

type refundsCmd struct {
	List    listRefundsCmd   `cmd:"" help:"List refunds with an unknown outcome."`
	Resolve resolveRefundCmd `cmd:"" help:"Record the outcome of a refund that the provider did not report."`
}

// amount is money in the API's format.
type amount struct {
	Amount   json.Number `json:"amount"`
	Currency string      `json:"currency"`
}

// waiting says since when the outcome is unknown, and why.
type waiting struct {
	amount
	Unresolved struct {
		Attempt    int    `json:"attempt"`
		Provider   string `json:"provider"`
		AgeSeconds int64  `json:"age_seconds"`
		TimesAsked int    `json:"times_asked"`
		Problem    string `json:"problem"`
	} `json:"unresolved"`
}

func (w waiting) columns() string {
	u := w.Unresolved
	age := (time.Duration(u.AgeSeconds) * time.Second).String()
	return strings.Join([]string{
		w.Amount.String() + " " + w.Currency, oneLine(u.Provider), age, fmt.Sprint(u.TimesAsked), oneLine(u.Problem),
	}, "\t")
}

// listUnresolved prints a line for each element of a list.
func listUnresolved[T any](ctx context.Context, s atServer, path, heading string, line func(T) string) error {
	table, count := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0), 0
	err := eachPage(ctx, s, path, url.Values{"status": {"unresolved"}}, func(element T) {
		if count++; count == 1 {
			fmt.Fprintln(table, heading+"\tAMOUNT\tPROVIDER\tAGE\tASKED\tPROBLEM")
		}
		fmt.Fprintln(table, line(element))
	})
	if err == nil && count == 0 {
		fmt.Fprintf(os.Stderr, "No unresolved %s.\n", strings.TrimPrefix(path, "/v1/finance/"))
	}
	if err != nil {
		return err
	}
	return table.Flush()
}

type listPaymentsCmd struct{ atServer }

func (c listPaymentsCmd) Run(ctx context.Context) error {
	type payment struct {
		waiting
		CheckoutID string `json:"checkout_id"`
	}
	return listUnresolved(ctx, c.atServer, "/v1/finance/payments", "CHECKOUT\tATTEMPT", func(p payment) string {
		return fmt.Sprintf("%s\t%d\t%s", p.CheckoutID, p.Unresolved.Attempt, p.columns())
	})
}

type listRefundsCmd struct{ atServer }

func (c listRefundsCmd) Run(ctx context.Context) error {
	type refund struct {
		waiting
		ID      string `json:"id"`
		OrderID string `json:"order_id"`
	}
	return listUnresolved(ctx, c.atServer, "/v1/finance/refunds", "REFUND\tORDER", func(r refund) string {
		return fmt.Sprintf("%s\t%s\t%s", r.ID, r.OrderID, r.columns())
	})
}

// decision has the flags of every manual decision.
type decision struct {
	atServer
	Reason  string `required:"" help:"Reason for the audit log: what you checked, and where. Do not include the buyer's name."`
	MFACode string `name:"mfa-code" required:"" placeholder:"CODE" help:"Authenticator code or recovery code."`
}

// post sends a decision.
func (d decision) post(ctx context.Context, path string, body, answer any) error {
	project, err := d.projectID(ctx)
	if err != nil {
		return err
	}
	return d.send(ctx, project, "POST", path, d.MFACode, body, answer)
}

type resolvePaymentCmd struct {
	decision
	Checkout   string  `arg:"" help:"ID of the checkout, from haggle payments list."`
	Charged    *string `required:"" xor:"outcome" placeholder:"ID" help:"The provider charged the buyer. ID is the provider's ID of the charge: the Stripe payment intent (pi_…) or the PayPal capture."`
	NotCharged bool    `required:"" xor:"outcome" help:"The provider did not charge the buyer."`
	Attempt    int     `placeholder:"N" help:"Number of the attempt, from haggle payments list. The command fails if it is not the current attempt. Default: the current attempt."`
}

// Help is shown below the flags' summary.
func (resolvePaymentCmd) Help() string {
	return `Find the attempt in the provider's dashboard first: its idempotency key is CHECKOUT-ATTEMPT. --charged completes the order.
--not-charged releases the reserved stock; if it turns out later that the provider charged the buyer, the server refunds the charge.
The attempt must be at least 10 minutes old, and the server must have asked the provider for the outcome without success.`
}

func (c resolvePaymentCmd) Run(ctx context.Context) error {
	body := struct {
		Outcome string `json:"outcome"`
		Charge  string `json:"provider_charge_id,omitempty"`
		Attempt int    `json:"attempt,omitempty"`
		Reason  string `json:"reason"`
	}{"not_charged", "", c.Attempt, c.Reason}
	if c.Charged != nil {
		body.Outcome, body.Charge = "charged", *c.Charged
	}
	var done struct {
		amount
		Provider  string
		Attempt   int
		OrderID   *string `json:"order_id"`
		PaymentID *string `json:"payment_id"`
	}
	if err := c.post(ctx, "/v1/finance/payments/"+url.PathEscape(c.Checkout)+"/resolve", body, &done); err != nil {
		return err
	}
	if done.OrderID == nil || done.PaymentID == nil {
		fmt.Printf("Recorded attempt %d as not charged and released the stock.\n", done.Attempt)
		return nil
	}
	fmt.Printf("Recorded attempt %d as charged: %s %s through %s. Order %s, payment %s.\n",
		done.Attempt, done.Amount, done.Currency, done.Provider, *done.OrderID, *done.PaymentID)
	return nil
}

type resolveRefundCmd struct {
	decision
	Refund    string  `arg:"" help:"ID of the refund, from haggle refunds list."`
	Succeeded *string `required:"" xor:"outcome" placeholder:"ID" help:"The provider refunded the money. ID is the provider's ID of the refund."`
	Failed    bool    `required:"" xor:"outcome" help:"The provider did not refund the money."`
}

// Help is shown below the flags' summary.
func (resolveRefundCmd) Help() string {
	return `Find the refund in the provider's dashboard first: its idempotency key is the ID of the refund. After --failed, you can refund the
money again. The refund must be at least 10 minutes old, and the server must have asked the provider for the outcome without success.`
}

func (c resolveRefundCmd) Run(ctx context.Context) error {
	body := struct {
		Outcome string `json:"outcome"`
		Refund  string `json:"provider_refund_id,omitempty"`
		Reason  string `json:"reason"`
	}{"failed", "", c.Reason}
	if c.Succeeded != nil {
		body.Outcome, body.Refund = "succeeded", *c.Succeeded
	}
	var done struct {
		amount
		Status  string
		Payment struct {
			ID       string
			Refunded json.Number `json:"refunded_amount"`
		}
	}
	if err := c.post(ctx, "/v1/finance/refunds/"+url.PathEscape(c.Refund)+"/resolve", body, &done); err != nil {
		return err
	}
	fmt.Printf("The refund of %s %s has %s. Payment %s: %s %s refunded in total.\n",
		done.Amount, done.Currency, done.Status, done.Payment.ID, done.Payment.Refunded, done.Currency)
	return nil
}
