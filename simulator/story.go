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

// ErrStory marks a story that did not end with an order, or in which the server broke a promise.
var ErrStory = errors.New("the story did not end well")

// Story sends one buyer shopping and tells what it says and hears, line by line. Config's Buyers, Concurrency and
// Progress are of no account.
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
	p.strategy = buyer.Linear(buyer.Limits{Opening: decimal.FromInt(78), Reservation: decimal.FromInt(97), Patience: 6})
	p.wish = acp.SearchRequest{Query: m.shelves[int(config.Seed)%len(m.shelves)].name, Limit: 5}
	p.pick, p.variant, p.quantity, p.payment = 0, 0, 1, p.payment[len(p.payment)-1:]
	p.asksPrice, p.checksStock, p.readsSession, p.extends = true, false, false, false
	p.paysTwice, p.reusesToken, p.sendsBack = true, false, false
	t := newTrip(config, p, m.manifest)
	t.client = acp.New(t.connection, config.Project, t.witness.Saw, t.measure, func(c acp.Call) { tell(w, c, m.manifest.Currency()) })
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

func say(w io.Writer, who, format string, args ...any) {
	_, _ = fmt.Fprintf(w, "%-9s %s\n", who, fmt.Sprintf(format, args...))
}

// tell puts one call into words.
func tell(w io.Writer, c acp.Call, currency string) {
	switch answer := c.Response.(type) {
	case acp.SearchResponse:
		say(w, "Buyer", "searches for %q", c.Request.(acp.SearchRequest).Query)
		say(w, "Merchant", "finds %d products", answer.TotalCount)
	case acp.Product:
		say(w, "Buyer", "looks at %s", answer.Name)
		say(w, "Merchant", "lists it at %s %s", answer.ListPrice, currency)
	case acp.Quote:
		tellQuote(w, c.Request.(acp.QuoteRequest), answer)
	case acp.Checkout:
		s := answer.Summary
		say(w, "Buyer", "checks out")
		say(w, "Merchant", "asks for %s + %s shipping + %s tax = %s %s, %s saved", s.Subtotal, s.Shipping, s.Tax, s.Total, s.Currency, s.Savings)
	case acp.Finalized:
		say(w, "Buyer", "pays by %s", c.Request.(acp.FinalizeRequest).Payment.Method)
		say(w, "Merchant", "%s: order %s, %s %s paid with %s", answer.Status, answer.Order.ConfirmationNumber,
			answer.Payment.Amount, answer.Payment.Currency, answer.Payment.Method)
	case acp.OrderRecord:
		say(w, "Buyer", "reads the order %s", answer.Order.ID)
		say(w, "Merchant", "ships it %s, receipt at %s", answer.Fulfillment.EstimatedShipDate, answer.ReceiptURL)
	case nil:
		say(w, "Merchant", "refuses: %v", c.Err)
	}
}

func tellQuote(w io.Writer, asked acp.QuoteRequest, q acp.Quote) {
	if asked.OfferPrice == nil {
		say(w, "Buyer", "asks for the price")
	} else {
		say(w, "Buyer", "offers %s", asked.OfferPrice)
	}
	switch q.Status {
	case "quote":
		say(w, "Merchant", "quotes %s", q.OfferedPrice)
	case "accept":
		say(w, "Merchant", "accepts: %s", q.FinalPrice)
	case "counter_offer":
		say(w, "Merchant", "counters %s (%s off), may %s: %s", q.CounterPrice, q.DiscountApplied, strings.Join(q.NextActions, ", "), q.Reasoning)
	case "reject":
		say(w, "Merchant", "rejects, and hints at %s: %s", q.FloorHint, q.Reason)
	default:
		say(w, "Merchant", "answers %s", q.Status)
	}
}
