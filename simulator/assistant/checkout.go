package assistant

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
)

// reads is how often the checkout is read while its payment is pending.
const reads = 10

// checkOut buys the cart if the buyer approves the total.
func (e *errand) checkOut(ctx context.Context, cart string) (ucp.Checkout, error) {
	e.Page.you("create_checkout", "I would like to check out.")
	c, err := call[ucp.Checkout](ctx, e.shop, judge.CreateCheckout, keyed(map[string]any{
		"checkout": map[string]any{"cart_id": cart, "line_items": []any{}},
	}))
	if err != nil {
		return c, err
	}
	e.Page.says(c.Messages)
	to := e.ShipTo
	e.Page.you("update_checkout", "Ship to %s %s, %s, %s %s %s, %s. My e-mail address is %s.",
		to.FirstName, to.LastName, to.Street, to.Locality, to.Region, to.PostalCode, to.Country, e.Email)
	if c, err = e.fillIn(ctx, c); err != nil {
		return c, err
	}
	e.Page.says(c.Messages)
	e.Page.shop("That makes:")
	e.Page.receipt(c.Lines, c.Totals, c.Currency)
	if c.Status != ucp.ReadyForComplete {
		return c, fmt.Errorf("%w: the checkout is %s", ErrNothing, clean(c.Status))
	}
	total := ucp.Money{Amount: c.Totals.Of("total"), Currency: c.Currency}
	agreed, err := e.buyer.Pays(total)
	if err != nil {
		return c, err
	}
	if !agreed {
		return c, e.leavesIt(ctx, c, total)
	}
	return e.pay(ctx, c, total)
}

func (e *errand) fillIn(ctx context.Context, c ucp.Checkout) (ucp.Checkout, error) {
	lines := make([]ucp.Line, len(c.Lines))
	for i, line := range c.Lines {
		lines[i] = line.Asked()
	}
	return call[ucp.Checkout](ctx, e.shop, judge.UpdateCheckout, keyed(map[string]any{
		"id": c.ID,
		"checkout": map[string]any{
			"line_items": lines,
			"buyer": ucp.Buyer{
				FirstName: e.ShipTo.FirstName,
				LastName:  e.ShipTo.LastName,
				Email:     e.Email,
			},
			"fulfillment": ucp.Fulfillment{Methods: []ucp.Method{{Type: "shipping", Address: []ucp.Address{e.ShipTo}}}},
		},
	}))
}

func (e *errand) leavesIt(ctx context.Context, c ucp.Checkout, total ucp.Money) error {
	e.Page.you("cancel_checkout", "%s is not what I want to pay. I leave it.", price(total))
	if _, err := call[ucp.Checkout](ctx, e.shop, judge.CancelCheckout, keyed(map[string]any{"id": c.ID})); err != nil {
		return err
	}
	e.Page.shop("The checkout is canceled. Nothing is charged.")
	return fmt.Errorf("%w: the total was not agreed to", ErrNothing)
}

func (e *errand) pay(ctx context.Context, c ucp.Checkout, total ucp.Money) (ucp.Checkout, error) {
	handler, known := c.UCP.Handler(e.Handler)
	if !known {
		return c, fmt.Errorf("%w: the shop takes no payment by the handler %q, but by %s (--handler)", ErrNothing, e.Handler, handlers(c))
	}
	kind := "token"
	if len(handler.Instruments) == 1 {
		kind = handler.Instruments[0].Type
	}
	e.Page.you("complete_checkout", "Agreed. I pay %s (%s).", price(total), clean(handler.ID))
	paid, err := call[ucp.Checkout](ctx, e.shop, judge.CompleteCheckout, keyed(map[string]any{
		"id": c.ID,
		"checkout": map[string]any{"payment": ucp.Payment{Instruments: []ucp.Instrument{{
			ID:         "instrument_1",
			HandlerID:  handler.ID,
			Type:       kind,
			Selected:   true,
			Credential: &ucp.Credential{Type: kind, Token: e.Token},
		}}}},
	}))
	for range reads {
		if err != nil || paid.Status != ucp.CompleteInProgress {
			break
		}
		paid, err = call[ucp.Checkout](ctx, e.shop, judge.GetCheckout, map[string]any{"id": c.ID})
	}
	if err != nil {
		return paid, err
	}
	e.Page.says(paid.Messages)
	switch {
	case paid.Status == ucp.Completed && paid.Order != nil:
	case paid.Status == ucp.CompleteInProgress:
		return paid, fmt.Errorf("the payment is not settled yet: look at checkout %s later", clean(c.ID))
	case paid.Status == ucp.ReadyForComplete:
		return paid, fmt.Errorf("%w: the payment was not taken, and the checkout is still open", ErrNothing)
	default:
		return paid, fmt.Errorf("%w: the checkout is %s", ErrNothing, clean(paid.Status))
	}
	e.Page.shop("Paid. The order is %s.", paid.Order.Label)
	return paid, nil
}

// handlers lists the ids of the shop's payment handlers.
func handlers(c ucp.Checkout) string {
	var ids []string
	for _, group := range c.UCP.PaymentHandlers {
		for _, h := range group {
			ids = append(ids, clean(h.ID))
		}
	}
	slices.Sort(ids)
	return clean(strings.Join(ids, ", "))
}

// follow reads the order and prints what the negotiation saved.
func (e *errand) follow(ctx context.Context, paid ucp.Checkout) error {
	if e.shop.tools[string(judge.GetOrder)] {
		e.Page.you("get_order", "What becomes of it?")
		o, err := call[struct {
			ucp.Order
			Fulfillment struct {
				Expectations []struct {
					Description string `json:"description"`
				} `json:"expectations"`
			} `json:"fulfillment"`
		}](ctx, e.shop, judge.GetOrder, map[string]any{"id": paid.Order.ID})
		if err != nil {
			return err
		}
		for _, line := range o.Lines {
			e.Page.shop("%d × %s: %s.", line.Quantity.Total, line.Item.Title, line.Status)
		}
		for _, expected := range o.Fulfillment.Expectations {
			e.Page.shop("%s", expected.Description)
		}
		e.Page.shop("The receipt: %s", o.PermalinkURL)
	}
	saved, before := -paid.Totals.Of("items_discount"), paid.Totals.Of("subtotal")
	if saved > 0 && before > 0 {
		e.Page.print("\n")
		e.Page.aside("Haggling saved %s, %d %% of the list price.", price(ucp.Money{Amount: saved, Currency: paid.Currency}), saved*100/before)
	}
	return nil
}

// says prints the shop's messages, if there are any.
func (p Page) says(messages ucp.Messages) {
	if said := sentences(messages); said != "" {
		p.shop("%s", said)
	}
}
