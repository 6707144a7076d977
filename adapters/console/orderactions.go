package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// act handles a form of an order's page, and shows the order again.
func (v *memberRequest) act(form, finished string, do func(order string, c change) error) error {
	wanted := url.PathEscape(v.r.PathValue("order"))
	sent, err := v.send(func(c change) error { return do(wanted, c) }, func(p *problem) error { return v.showOrder(form, p) })
	if !sent {
		return err
	}
	return v.finish(v.shop.Path()+"/orders/"+wanted, finished)
}

func (v *memberRequest) ship() error {
	f := v.r.PostForm
	return v.act("ship", "shipped", func(order string, c change) error {
		c.body = map[string]string{
			"status":          "shipped",
			"carrier":         f.Get("carrier"),
			"tracking_number": f.Get("tracking_number"),
			"tracking_url":    f.Get("tracking_url"),
		}
		return v.api.post(http.MethodPost, "/v1/orders/"+order+"/fulfillment", c, nil)
	})
}

func (v *memberRequest) deliver() error {
	return v.act("deliver", "delivered", func(order string, c change) error {
		c.body = map[string]string{"status": "delivered"}
		return v.api.post(http.MethodPost, "/v1/orders/"+order+"/fulfillment", c, nil)
	})
}

func (v *memberRequest) cancel() error {
	return v.act("cancel", "cancelled", func(order string, c change) error {
		c.body = map[string]string{"reason": v.r.PostForm.Get("reason")}
		return v.api.post(http.MethodPost, "/v1/orders/"+order+"/cancel", c, nil)
	})
}

func (v *memberRequest) refund() error {
	f := v.r.PostForm
	return v.act("refund", "refunded", func(order string, c change) error {
		o, err := fetch[orderDetail](v.api, "/v1/orders/"+order, nil)
		if err != nil {
			return err
		}
		amount, err := plainAmount(f.Get("amount"))
		if err != nil {
			return err
		}
		c.body = map[string]any{"amount": amount, "reason": f.Get("reason")}
		return v.api.post(http.MethodPost, "/v1/finance/payments/"+url.PathEscape(o.Payment.ID)+"/refund", c, nil)
	})
}

// amountForm is an amount as people write it: "12.50", "$1234.56". A comma is refused because it may be a
// decimal comma.
var amountForm = regexp.MustCompile(`^\p{Sc}?\s*([0-9]{1,12}(?:\.[0-9]{1,4})?)\s*\p{Sc}?$`)

func plainAmount(text string) (json.Number, error) {
	found := amountForm.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return "", &problem{
			Status:  http.StatusUnprocessableEntity,
			Code:    "validation_error",
			Message: "Nothing was refunded.",
			Details: []detail{{"amount", "must be a number such as 1234.50, without a comma"}},
		}
	}
	return json.Number(found[1]), nil
}

// done are the sentences after something was done.
var done = map[string]string{
	"shipped":   "The order is shipped.",
	"delivered": "The order is delivered.",
	"refunded":  "The refund is made.",
	"pending":   "The refund is asked for. The provider has not decided yet, and is asked until it does.",
	"cancelled": "The order is cancelled.",
	"noted":     "The note is added.",
	"voided":    "The label is voided. Buy another one before you ship the order.",
	"charged":   "The payment was taken, and this is its order.",
}

// offer decides which forms the page has. It leaves out those that the order's state or the member's role forbids, which the API
// would refuse as well.
func (v *memberRequest) offer(view *orderView, o *orderDetail, form string, failed *problem) {
	view.Problem = failed
	if !v.may("finance:write") {
		return
	}
	view.Note = v.askNote(o, nil)
	if form == "note" {
		view.Note, view.Problem = v.askNote(o, failed), nil
	}
	open := o.Status == "confirmed"
	n, _ := o.left().Float64()
	for _, a := range []struct {
		action
		can bool
		ask func(*orderDetail, *problem) *confirmation
	}{
		{action{"cancel", "Cancel", false}, open && o.Fulfillment.Status == "processing", v.askCancel},
		{action{"refund", "Refund", false}, n > 0 && o.Payment.ID != "", v.askRefund},
		{action{"void", "Void label", false}, v.may("integrations:write") && o.label() != nil && o.Fulfillment.Status != "delivered", v.askVoid},
		{action{"deliver", "Mark as delivered", true}, open && (o.Fulfillment.Status == "shipped" || o.Fulfillment.Status == "processing" && !o.ships()), v.askDeliver},
		{action{"ship", "Ship order", true}, open && o.Fulfillment.Status == "processing" && o.ships(), v.askShip},
	} {
		if !a.can {
			continue
		}
		var wrong *problem
		if a.Anchor == form {
			wrong, view.Problem = failed, nil
		}
		view.Actions = append(view.Actions, a.action)
		view.Confirms = append(view.Confirms, a.ask(o, wrong))
	}
}

// left returns the amount of an order's payment that can still be refunded.
func (o *orderDetail) left() json.Number {
	return sum(o.Currency, o.Payment.Amount, negative(o.Payment.Refunded), negative(o.Payment.Disputed))
}

// typed returns the text that was typed into a field of a failed form, or else its first value.
func (v *memberRequest) typed(failed *problem, name, first string) string {
	if failed == nil {
		return first
	}
	return v.r.PostForm.Get(name)
}

func (v *memberRequest) orderForm(o *orderDetail, verb string, failed *problem, fields ...field) *form {
	for i := range fields {
		fields[i].Value = v.typed(failed, fields[i].Name, fields[i].Value)
	}
	return newForm(v.shop.Path()+"/orders/"+o.ID+"/"+verb, failed, fields...)
}

func (v *memberRequest) askShip(o *orderDetail, failed *problem) *confirmation {
	ask := v.orderForm(o, "ship", failed, field{
		Name:  "carrier",
		Label: "Carrier",
		Kind:  "text",
		Most:  200,
	}, field{
		Name:  "tracking_number",
		Label: "Tracking number",
		Kind:  "text",
		Most:  200,
	}, field{
		Name:        "tracking_url",
		Label:       "Tracking page",
		Kind:        "url",
		Placeholder: "https://",
	})
	return confirm("ship", "Ship "+o.Confirmation+"?", "Ship order", ask,
		"The buyer's agent is told that the order was shipped.", "It cannot be cancelled after that.")
}

func (v *memberRequest) askDeliver(o *orderDetail, failed *problem) *confirmation {
	return confirm("deliver", "Mark "+o.Confirmation+" as delivered?", "Mark as delivered", v.orderForm(o, "deliver", failed),
		"The buyer can ask for a return from then on.")
}

func (v *memberRequest) askRefund(o *orderDetail, failed *problem) *confirmation {
	ask := v.orderForm(o, "refund", failed, field{
		Name:     "amount",
		Label:    "Amount, up to " + v.shop.words.amount(o.left(), o.Currency),
		Kind:     "number",
		Value:    o.left().String(),
		Required: true,
	}, field{
		Name:     "reason",
		Label:    "Reason",
		Kind:     "text",
		Required: true,
		Most:     2000,
	})
	return confirm("refund", "Refund "+o.Confirmation+"?", "Refund", v.asksCode(ask),
		"The buyer gets the money back "+o.Payment.way()+".", "The order goes on, unless all of it is refunded.").danger()
}

func (v *memberRequest) askCancel(o *orderDetail, failed *problem) *confirmation {
	ask := v.orderForm(o, "cancel", failed, field{
		Name:  "reason",
		Label: "Reason",
		Kind:  "text",
		Most:  2000,
	})
	return confirm("cancel", "Cancel "+o.Confirmation+"?", "Cancel order", v.asksCode(ask),
		"The buyer gets "+v.shop.words.amount(o.left(), o.Currency)+" back, and what was bought goes back to stock.",
		"The buyer's agent is told. It cannot be taken back.").danger()
}

// way is how money goes back.
func (p payment) way() string {
	if p.Instrument == "" {
		return "by the way of payment"
	}
	return "on " + p.Instrument
}
