package protocols

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// buyer is a buyer of a shop who uses one protocol.
type buyer interface {
	// haggle agrees on a price below the list price for a line. It uses the session, or a new one if that is "".
	haggle(ctx context.Context, session string, want line) (deal, error)
	// open opens a checkout and updates it to the cart.
	open(ctx context.Context, c cart) (opened, error)
	// pay completes a checkout under an idempotency key.
	pay(ctx context.Context, checkout, key, token string) (paid, error)
	String() string
}

// line is a quantity of an item.
type line struct {
	item     item
	quantity int
	deal     *deal
}

// deal is an agreed price.
type deal struct {
	session  string
	code     string
	unit     int64
	quantity int
}

// way is how a cart gets into a checkout.
type way string

const (
	atOnce    way = "at once"
	addressed way = "address later"
	carted    way = "from a cart"
)

// cart is what a buyer wants, independent of the protocol.
type cart struct {
	lines    []line
	to       place
	shipping string // option; "": whatever the shop selects
	way      way
	useless  []string // codes without an effect
}

// session returns the session of the cart's deals.
func (c cart) session() string {
	for _, l := range c.lines {
		if l.deal != nil {
			return l.deal.session
		}
	}
	return ""
}

// codes returns all discount codes of an agent.
func (c cart) codes() *ucp.Discounts {
	codes := append([]string(nil), c.useless...)
	for _, l := range c.lines {
		if l.deal != nil {
			codes = append(codes, l.deal.code)
		}
	}
	if len(codes) == 0 {
		return nil
	}
	return &ucp.Discounts{Codes: codes}
}

// opened is a checkout and its price.
type opened struct {
	id    string
	said  string // codes of its messages
	price sums
}

// sums is a price's breakdown in minor units. The subtotal is the list prices minus the savings.
type sums struct{ subtotal, savings, shipping, tax, total int64 }

// paid is the result of a payment.
type paid struct {
	status string // completed, or the checkout's status
	order  string
	said   string // codes of its messages
	replay bool
}

// buyers returns a buyer of the shop for each protocol, in a fixed order.
func (s *shop) buyers(t testing.TB) []buyer {
	t.Helper()
	return []buyer{
		s.acp(),
		s.agent(t, schema.V20260825, ucp.REST),
		s.agent(t, schema.V20260408, ucp.REST),
		s.agent(t, schema.V20260825, ucp.MCP),
	}
}

// acp returns a buyer that uses Haggle's own protocol.
func (s *shop) acp() *acpBuyer {
	connection := exchange.NewClient(exchange.Config{
		URL:        s.url,
		Header:     http.Header{"X-Forwarded-For": {newCaller()}},
		Transcript: exchange.NewTranscript(1),
	})
	return &acpBuyer{shop: s, client: acp.New(connection, s.slug)}
}

// agent returns a buyer's agent that uses UCP. The client's findings fail the test.
func (s *shop) agent(t testing.TB, version schema.Version, transport ucp.Transport, change ...func(*ucp.Config)) *ucpBuyer {
	t.Helper()
	config := ucp.Config{
		Connection: exchange.NewClient(exchange.Config{
			URL:        s.url,
			Header:     http.Header{"X-Forwarded-For": {newCaller()}},
			Transcript: exchange.NewTranscript(1),
		}),
		Shop:      s.slug,
		Version:   version,
		Transport: transport,
		Agent:     sandboxAgents[version],
		Observers: []func(ucp.Call){func(call ucp.Call) {
			if call.Wrong != nil {
				t.Errorf("%s over %s, %s: %v in %.500s", call.Operation, transport, version, call.Wrong, call.Answer)
			}
		}},
	}
	for _, c := range change {
		c(&config)
	}
	client, err := ucp.Discover(context.Background(), config)
	must(t, err)
	return &ucpBuyer{
		shop:   s,
		client: client,
		name:   fmt.Sprintf("UCP %s %s", transport, version),
	}
}

// sandboxAgents are the URLs of agent profiles that every sandbox knows.
var sandboxAgents = map[schema.Version]string{
	schema.V20260825: ucp.SandboxAgent,
	schema.V20260408: "https://haggle.invalid/2026-04-08/agent",
}

// acpBuyer uses Haggle's own protocol.
type acpBuyer struct {
	shop   *shop
	client *acp.Client
}

func (*acpBuyer) String() string { return "Haggle" }

func (d *acpBuyer) haggle(ctx context.Context, session string, want line) (deal, error) {
	offer := d.shop.decimal(bid(want.item.price))
	quote, err := d.client.Quote(ctx, acp.QuoteRequest{
		SessionID:  session,
		ProductID:  want.item.product,
		VariantID:  want.item.variant,
		Quantity:   want.quantity,
		OfferPrice: &offer,
	})
	if err == nil && quote.Status != acp.Accept {
		current := quote.CurrentPrice()
		quote, err = d.client.Quote(ctx, acp.QuoteRequest{
			SessionID:  quote.SessionID,
			QuoteID:    quote.QuoteID,
			OfferPrice: &current,
		})
	}
	if err == nil && quote.Status != acp.Accept {
		err = fmt.Errorf("the offer was answered by %q", quote.Status)
	}
	return deal{
		session:  quote.SessionID,
		code:     quote.CheckoutToken,
		unit:     d.shop.minor(quote.FinalPrice),
		quantity: want.quantity,
	}, err
}

// bid returns an offer in whole minor units that the default policy accepts.
func bid(list int64) int64 { return (list*94 + 99) / 100 }

func (d *acpBuyer) pay(ctx context.Context, checkout, key, token string) (paid, error) {
	var answer acp.Finalized
	var replay bool
	response, err := d.send(ctx, "POST", "/acp/checkout/finalize", key, acp.FinalizeRequest{
		CheckoutID: checkout,
		BuyerEmail: "ada@example.com",
		Payment:    acp.Payment{Method: acp.PSPToken, Token: token},
	}, &answer)
	replay = response.Header.Get("Idempotent-Replayed") == "true"
	status := answer.CheckoutStatus
	if answer.Status == acp.Success {
		status = ucp.Completed
	}
	return paid{
		status: status,
		order:  answer.Order.ID,
		said:   answer.Error.Code,
		replay: replay,
	}, err
}

// send sends a request and decodes the response. A refusal is an *acp.Error.
func (d *acpBuyer) send(ctx context.Context, method, path, key string, body, into any) (exchange.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return exchange.Response{}, err
	}
	response, err := d.client.Do(ctx, method, path, http.Header{"Idempotency-Key": {key}}, text)
	switch {
	case err != nil:
		return response, err
	case !response.OK():
		return response, acp.ErrorOf(response)
	}
	return response, response.Decode(into)
}

// ucpBuyer uses UCP over REST or MCP.
type ucpBuyer struct {
	shop   *shop
	client *ucp.Client
	name   string
}

func (d *ucpBuyer) String() string { return d.name }

func (d *ucpBuyer) haggle(ctx context.Context, session string, want line) (deal, error) {
	offer := ucp.Money{Amount: bid(want.item.price), Currency: d.shop.currency}
	negotiation, err := d.client.StartNegotiation(ctx, ucp.StartRequest{
		Item:     ucp.Item{ID: want.item.variant},
		Quantity: want.quantity,
		CartID:   session,
		Offer:    &offer,
	})
	if err == nil && negotiation.Status != ucp.Accepted {
		negotiation, err = d.client.AcceptOffer(ctx, negotiation.ID, ucp.AcceptRequest{Price: *negotiation.CurrentPrice})
	}
	switch {
	case err != nil:
		return deal{}, err
	case negotiation.Deal == nil:
		return deal{}, fmt.Errorf("the offer was answered by %q", negotiation.Status)
	}
	return deal{
		session:  negotiation.CartID,
		code:     negotiation.Deal.Code,
		unit:     negotiation.Deal.UnitPrice.Amount,
		quantity: negotiation.Deal.Quantity,
	}, nil
}

func (d *ucpBuyer) pay(ctx context.Context, checkout, key, token string) (paid, error) {
	var options []ucp.CallOption
	if key != "" {
		options = append(options, ucp.IdempotencyKey(key))
	}
	answer, err := d.client.CompleteCheckout(ctx, checkout, payment(d.shop.instrument, token), options...)
	var refused *ucp.Error
	if errors.As(err, &refused) && refused.Outcome() {
		return paid{said: codesOf(refused.Messages)}, nil
	}
	done := paid{status: answer.Status, said: codesOf(answer.Messages)}
	if answer.Order != nil {
		done.order = answer.Order.ID
	}
	return done, err
}

// payment returns a request that pays with a token by an instrument. The credential has the instrument's type.
func payment(instrument, token string) ucp.CompleteRequest {
	return ucp.CompleteRequest{Payment: ucp.Payment{Instruments: []ucp.Instrument{{
		ID:         "instrument_1",
		HandlerID:  acp.PSPToken,
		Type:       instrument,
		Selected:   true,
		Credential: &ucp.Credential{Type: instrument, Token: token},
	}}}}
}

func codesOf(messages ucp.Messages) string {
	var codes []string
	for _, said := range messages {
		codes = append(codes, said.Code)
	}
	return joined(codes)
}
