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
	List    listPaymentsCmd   `cmd:"" help:"List the payments that nobody knows the outcome of."`
	Resolve resolvePaymentCmd `cmd:"" help:"Decide a payment whose outcome its provider does not tell."`
}

type refundsCmd struct {
	List    listRefundsCmd   `cmd:"" help:"List the refunds that nobody knows the outcome of."`
	Resolve resolveRefundCmd `cmd:"" help:"Decide a refund that its provider does not decide."`
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
	Reason  string `required:"" help:"Why, for the audit log: what was looked up, and where. Do not name the buyer."`
	MFACode string `name:"mfa-code" required:"" placeholder:"CODE" help:"A code of the account's authenticator, or a recovery code."`
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
	Checkout   string  `arg:"" help:"The checkout's id, as haggle payments list shows it."`
	Charged    *string `required:"" xor:"outcome" placeholder:"ID" help:"The provider took the money. ID is its id of the charge: Stripe's payment intent (pi_…), PayPal's capture."`
	NotCharged bool    `required:"" xor:"outcome" help:"The provider did not take the money."`
	Attempt    int     `placeholder:"N" help:"The attempt, as haggle payments list shows it: another one is left alone. Default: the one in flight."`
}

// Help is shown below the flags' summary.
func (resolvePaymentCmd) Help() string {
	return `Look the attempt up at the provider first: its key there is CHECKOUT-ATTEMPT. --charged completes the order, --not-charged puts the
goods back on sale. If the provider took the money after all, it is given back. An attempt must be 10 minutes old, and the provider
must have been asked in vain.`
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
		fmt.Printf("Attempt %d is not charged. The goods are on sale again.\n", done.Attempt)
		return nil
	}
	fmt.Printf("Attempt %d is charged: %s %s through %s. The order is %s, its payment %s.\n",
		done.Attempt, done.Amount, done.Currency, done.Provider, *done.OrderID, *done.PaymentID)
	return nil
}

type resolveRefundCmd struct {
	decision
	Refund    string  `arg:"" help:"The refund's id, as haggle refunds list shows it."`
	Succeeded *string `required:"" xor:"outcome" placeholder:"ID" help:"The provider gave the money back. ID is its id of the refund."`
	Failed    bool    `required:"" xor:"outcome" help:"The provider did not give the money back."`
}

// Help is shown below the flags' summary.
func (resolveRefundCmd) Help() string {
	return `Look the refund up at the provider first: its key there is the refund's id. After --failed the money counts as paid and can be refunded
again. A refund must be 10 minutes old, and the provider must have been asked in vain.`
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
	fmt.Printf("The refund of %s %s has %s. Of the payment %s, %s %s is refunded.\n",
		done.Amount, done.Currency, done.Status, done.Payment.ID, done.Payment.Refunded, done.Currency)
	return nil
}
