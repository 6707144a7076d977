package faults

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// agentCompletes kills servers while a checkout is completed over UCP and over MCP, at every point of a payment. The agent then retries
// with the same key, at a new server or another replica, and gets the order.
func (l *harness) agentCompletes(t *testing.T) {
	var cases []crash
	for n, point := range boottest.FailPoints() {
		for m, transport := range []ucp.Transport{ucp.REST, ucp.MCP} {
			for k, engine := range []string{sqlite, postgres} {
				c := crash{
					engine:    engine,
					point:     point,
					action:    kill,
					retry:     sameClient,
					tokens:    payments[(n+m)%2],
					transport: transport,
				}
				if !c.background() && (l.full || m == n%2 && k == n/2%2) {
					cases = append(cases, c)
				}
			}
		}
	}
	together(cases, 8, func(c crash) { l.crash(t, c) })
}

// agent returns a client for a payer that speaks UCP.
func (p *payer) agent(ctx context.Context, url string, patience *exchange.Patience) (*ucp.Client, error) {
	return ucp.Discover(ctx, ucp.Config{
		Connection: exchange.NewClient(exchange.Config{
			URL:        url,
			HTTP:       impatient,
			Header:     http.Header{"X-Forwarded-For": {p.address}},
			Transcript: exchange.NewTranscript(1),
			Patience:   patience,
		}),
		Shop:      p.shop.slug,
		Transport: p.transport,
	})
}

// negotiate agrees on a price over UCP and opens a checkout of the cart.
func (p *payer) negotiate(url string) error {
	ctx := context.Background()
	client, err := p.agent(ctx, url, patient())
	if err != nil {
		return err
	}
	agreed, err := client.StartNegotiation(ctx, ucp.StartRequest{
		Item:     ucp.Item{ID: p.shop.product},
		Quantity: 1,
		Offer:    &ucp.Money{Amount: 4000, Currency: "USD"},
	})
	if err != nil {
		return err
	}
	if agreed.Deal == nil {
		return fmt.Errorf("the offer was answered by %q", agreed.Status)
	}
	checkout, err := client.CreateCheckout(ctx, ucp.CheckoutRequest{
		CartID:      agreed.CartID,
		Buyer:       &ucp.Buyer{Email: "buyer@example.com"},
		Fulfillment: &ucp.Fulfillment{Methods: []ucp.Method{{Type: "shipping", Address: []ucp.Address{agentHome}}}},
	})
	if p.checkout = checkout.ID; err == nil && checkout.Status != ucp.ReadyForComplete {
		err = fmt.Errorf("the checkout is %s: %+v", checkout.Status, checkout.Messages)
	}
	return err
}

var agentHome = ucp.Address{
	FirstName:  "A.",
	LastName:   "Buyer",
	Street:     "1 Main St",
	Locality:   "Springfield",
	Region:     "IL",
	PostalCode: "62701",
	Country:    "US",
}

// complete sends one complete under the payer's key for the token, and returns the result in the form of Haggle's own protocol.
func (p *payer) complete(ctx context.Context, url, token string) (answer acp.Finalized, err error) {
	client, err := p.agent(ctx, url, nil)
	if err != nil {
		return answer, err
	}
	checkout, err := client.CompleteCheckout(ctx, p.checkout, ucp.CompleteRequest{Payment: ucp.Payment{Instruments: []ucp.Instrument{{
		ID:         "instrument_1",
		HandlerID:  acp.PSPToken,
		Type:       "token",
		Credential: &ucp.Credential{Type: "token", Token: token},
	}}}}, ucp.IdempotencyKey(p.key()+token))
	var problem *ucp.Error
	switch {
	case errors.As(err, &problem):
		return answer, &acp.Error{
			HTTPStatus: problem.HTTPStatus,
			Code:       busyAs(problem),
			Message:    problem.Content,
		}
	case err != nil:
		return answer, err
	case checkout.Status == ucp.CompleteInProgress:
		return answer, &acp.Error{HTTPStatus: http.StatusConflict, Code: "checkout_processing"}
	case checkout.Status != ucp.Completed:
		answer.Error.DeclineCode = fmt.Sprintf("%s %+v", checkout.Status, checkout.Messages)
		return answer, nil
	}
	answer.Status, answer.Order.ID = acp.Success, checkout.Order.ID
	return answer, nil
}

// key returns an idempotency key that is long enough for both transports and constant for a checkout.
func (p *payer) key() string { return "key-of-" + strings.TrimPrefix(p.checkout, "chk_") + "-" }

// busyAs returns an error's code. A request in progress has the code after which payers retry.
func busyAs(problem *ucp.Error) string {
	if problem.HTTPStatus == http.StatusConflict && problem.Code != "idempotency_conflict" {
		return "checkout_processing"
	}
	return problem.Code
}
