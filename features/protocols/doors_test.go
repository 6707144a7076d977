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

// door is one way into a shop, used by one buyer.
type door interface {
	// haggle agrees on a price below the list price for a line, in the session, or in a new one where that is empty.
	haggle(ctx context.Context, session string, want line) (deal, error)
	// open opens a checkout and brings it to what the cart says.
	open(ctx context.Context, c cart) (opened, error)
	// pay completes a checkout under an idempotency key.
	pay(ctx context.Context, checkout, key, token string) (paid, error)
	String() string
}

// line is so many of an item.
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

// cart is what a buyer wants, wherever it is told.
type cart struct {
	lines    []line
	to       place
	shipping string // option; "": whatever the shop selects
	way      way
	useless  []string // codes that take nothing off
}

// session is that of the cart's deals.
func (c cart) session() string {
	for _, l := range c.lines {
		if l.deal != nil {
			return l.deal.session
		}
	}
	return ""
}

// codes are all that an agent has.
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

// opened is a checkout and what it costs, in minor units.
type opened struct {
	id    string
	said  string // the codes of its messages
	price sums
}

// sums is a breakdown: the subtotal is what list prices come to less savings.
type sums struct{ subtotal, savings, shipping, tax, total int64 }

// paid is what became of a payment.
type paid struct {
	status string // completed, or the checkout's
	order  string
	said   string // the codes of messages
	replay bool
}

// doors are all that a shop has, in one order.
func (s *shop) doors(t testing.TB) []door {
	t.Helper()
	return []door{
		s.own(),
		s.agent(t, schema.V20260825, ucp.REST),
		s.agent(t, schema.V20260408, ucp.REST),
		s.agent(t, schema.V20260825, ucp.MCP),
	}
}

// own is a buyer who speaks Haggle's own protocol.
func (s *shop) own() *ownDoor {
	connection := exchange.NewClient(exchange.Config{
		URL:        s.url,
		Header:     http.Header{"X-Forwarded-For": {newCaller()}},
		Transcript: exchange.NewTranscript(1),
	})
	return &ownDoor{shop: s, client: acp.New(connection, s.slug)}
}

// agent is a buyer's agent that speaks UCP. What its judge finds fails the test.
func (s *shop) agent(t testing.TB, version schema.Version, transport ucp.Transport, change ...func(*ucp.Config)) *agentDoor {
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
	return &agentDoor{
		shop:   s,
		client: client,
		name:   fmt.Sprintf("UCP %s %s", transport, version),
	}
}

// sandboxAgents are the profiles that every sandbox knows.
var sandboxAgents = map[schema.Version]string{
	schema.V20260825: ucp.SandboxAgent,
	schema.V20260408: "https://haggle.invalid/2026-04-08/agent",
}

// ownDoor is Haggle's own protocol.
type ownDoor struct {
	shop   *shop
	client *acp.Client
}

func (*ownDoor) String() string { return "Haggle" }

func (d *ownDoor) haggle(ctx context.Context, session string, want line) (deal, error) {
	offer := d.shop.decimal(bid(want.item.price))
	quote, err := d.client.Quote(ctx, acp.QuoteRequest{
		SessionID:  session,
		ProductID:  want.item.product,
		VariantID:  want.item.variant,
		Quantity:   want.quantity,
		OfferPrice: &offer,
	})
	if err == nil && quote.Status != acp.Accept {
		standing := quote.Standing()
		quote, err = d.client.Quote(ctx, acp.QuoteRequest{
			SessionID:  quote.SessionID,
			QuoteID:    quote.QuoteID,
			OfferPrice: &standing,
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

// bid is an offer that the default policy takes, of a whole number of minor units.
func bid(list int64) int64 { return (list*94 + 99) / 100 }

func (d *ownDoor) pay(ctx context.Context, checkout, key, token string) (paid, error) {
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

// send sends a request and reads the answer. A refusal is an *acp.Error.
func (d *ownDoor) send(ctx context.Context, method, path, key string, body, into any) (exchange.Response, error) {
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

// agentDoor is UCP over REST or MCP.
type agentDoor struct {
	shop   *shop
	client *ucp.Client
	name   string
}

func (d *agentDoor) String() string { return d.name }

func (d *agentDoor) haggle(ctx context.Context, session string, want line) (deal, error) {
	offer := ucp.Money{Amount: bid(want.item.price), Currency: d.shop.currency}
	talk, err := d.client.StartNegotiation(ctx, ucp.StartRequest{
		Item:     ucp.Item{ID: want.item.variant},
		Quantity: want.quantity,
		CartID:   session,
		Offer:    &offer,
	})
	if err == nil && talk.Status != ucp.Accepted {
		talk, err = d.client.AcceptOffer(ctx, talk.ID, ucp.AcceptRequest{Price: *talk.StandingPrice})
	}
	switch {
	case err != nil:
		return deal{}, err
	case talk.Deal == nil:
		return deal{}, fmt.Errorf("the offer was answered by %q", talk.Status)
	}
	return deal{
		session:  talk.CartID,
		code:     talk.Deal.Code,
		unit:     talk.Deal.UnitPrice.Amount,
		quantity: talk.Deal.Quantity,
	}, nil
}

func (d *agentDoor) pay(ctx context.Context, checkout, key, token string) (paid, error) {
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

// payment pays with a token by an instrument, whose credential has the same type.
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
