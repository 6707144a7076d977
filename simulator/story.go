package simulator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// ErrStory is a story that did not end with an order, or in which the server broke a rule.
var ErrStory = errors.New("the story did not end well")

// Story sends one buyer shopping and writes what buyer and merchant say, line by line. It ignores Config's Buyers,
// Concurrency and Progress.
func Story(ctx context.Context, config Config, w io.Writer) error {
	config, err := config.filled()
	if err != nil {
		return err
	}
	reader := newTrip(config, plan{}, acp.Manifest{})
	m, err := readMarket(ctx, reader.client)
	if err != nil {
		return err
	}
	p := newPlan(config.Seed, 1, m)
	p.strategy = buyer.Linear(buyer.Limits{
		Opening:     decimal.FromInt(78),
		Reservation: decimal.FromInt(97),
		Patience:    6,
	})
	p.wish = acp.SearchRequest{Query: m.worthwhile(config.Seed), Limit: 5}
	p.pick, p.variant, p.quantity, p.payment = 0, 0, 1, p.payment[len(p.payment)-1:]
	p.asksPrice, p.checksStock, p.readsSession, p.extends = true, false, false, false
	p.paysTwice, p.reusesToken, p.sendsBack = true, false, false
	t := newTrip(config, p.within(config.Protocol), m.manifest)
	narrator := &narrator{w: w, currency: m.manifest.Currency()}
	t.watching = append(t.watching, narrator.describe)
	say(w, "The shop", "%s, %d categories", m.manifest.Merchant.Name, len(m.manifest.Categories))
	t.run(ctx, m)
	switch {
	case t.err != nil:
		return fmt.Errorf("%w: %w", ErrStory, t.err)
	case t.outcome != Bought:
		return fmt.Errorf("%w: %s", ErrStory, t.outcome)
	case len(t.witness.Breaches()) > 0:
		return fmt.Errorf("%w: %s", ErrStory, t.witness.Breaches()[0])
	case config.Validator.Count() > 0:
		return fmt.Errorf("%w: %v", ErrStory, config.Validator.Violations()[0])
	}
	return nil
}

// worthwhile returns a search for a negotiable product in stock for 80 or more, or for the first category if there is
// none.
func (m market) worthwhile(seed uint64) string {
	for i := range m.shelves {
		shelf := m.shelves[(seed+uint64(i))%uint64(len(m.shelves))]
		for _, product := range shelf.products {
			if product.Availability.InStock && product.Negotiable && !product.ListPrice.Less(decimal.FromInt(80)) {
				return strings.ToLower(product.Name)
			}
		}
	}
	return m.shelves[0].name
}

func say(w io.Writer, who, format string, args ...any) {
	_, _ = fmt.Fprintf(w, "%-9s %s\n", who, fmt.Sprintf(format, args...))
}

// narrator describes calls in words.
type narrator struct {
	w        io.Writer
	currency string
	checkout acp.Checkout // the last one that was described
	order    string       // the one that was paid
}

func (t *narrator) buyer(format string, args ...any)    { say(t.w, "Buyer", format, args...) }
func (t *narrator) merchant(format string, args ...any) { say(t.w, "Merchant", format, args...) }

// price formats an amount with all decimals of the shop's currency.
func (t *narrator) price(d decimal.Decimal) string { return d.Fixed(decimal.Places(t.currency)) }

func (t *narrator) describe(c acp.Call) {
	switch answer := c.Response.(type) {
	case acp.SearchResponse:
		t.buyer("searches for %q", c.Request.(acp.SearchRequest).Query)
		t.merchant("finds %d products", answer.TotalCount)
	case acp.Product:
		t.buyer("looks at %s", answer.Name)
		t.merchant("lists it at %s %s", t.price(answer.ListPrice), t.currency)
	case acp.Quote:
		t.describeQuote(c.Request.(acp.QuoteRequest), answer)
	case acp.Checkout:
		s := answer.Summary
		t.checkout = answer
		t.buyer("checks out")
		t.merchant("asks for %s + %s shipping + %s tax = %s %s, %s saved", t.price(s.Subtotal), t.price(s.Shipping),
			t.price(s.Tax), t.price(s.Total), s.Currency, t.price(s.Savings))
	case acp.Finalized:
		t.describePayment(c.Request.(acp.FinalizeRequest), answer)
	case acp.OrderRecord:
		t.buyer("reads the order %s", answer.Order.ID)
		t.merchant("ships it on %s, delivers %s", answer.Fulfillment.EstimatedShipDate, answer.Fulfillment.EstimatedDelivery)
		t.merchant("has the receipt at %s", answer.ReceiptURL)
	case nil:
		if c.Err != nil {
			t.merchant("refuses: %v", c.Err)
		}
	}
}

// describePayment describes the chosen shipping option, if it is not the selected one, and the payment.
func (t *narrator) describePayment(r acp.FinalizeRequest, answer acp.Finalized) {
	if t.order != "" && t.order == answer.Order.ConfirmationNumber {
		t.buyer("sends the same payment again, as after a lost answer")
		t.merchant("repeats its answer: the order is the same, and nothing is charged again")
		return
	}
	for _, option := range t.checkout.ShippingOptions {
		if option.ID == r.ShippingOption && !option.Selected {
			t.buyer("chooses %s for %s instead of %s shipping", option.Name, t.price(option.Price), t.price(t.checkout.Summary.Shipping))
		}
	}
	t.buyer("pays by %s", r.Payment.Method)
	t.merchant("%s: order %s, %s %s paid with %s", answer.Status, answer.Order.ConfirmationNumber,
		t.price(answer.Payment.Amount), answer.Payment.Currency, answer.Payment.Method)
	t.order = answer.Order.ConfirmationNumber
}

func (t *narrator) describeQuote(asked acp.QuoteRequest, q acp.Quote) {
	if asked.OfferPrice == nil {
		t.buyer("asks for the price")
	} else {
		t.buyer("offers %s", t.price(*asked.OfferPrice))
	}
	switch q.Status {
	case "quote":
		t.merchant("quotes %s", t.price(q.OfferedPrice))
	case "accept":
		t.merchant("accepts %s", t.price(q.FinalPrice))
	case "counter_offer":
		t.merchant("counters %s, %s off: %s", t.price(q.CounterPrice), q.DiscountApplied, q.Reasoning)
	case "reject":
		t.merchant("rejects it, stands at %s and hints at %s: %s", t.price(q.OfferedPrice), q.FloorHint, q.Reason)
	default:
		t.merchant("answers %s", q.Status)
	}
}
