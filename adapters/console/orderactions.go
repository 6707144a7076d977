package console

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// act does what a form of an order's page asks for, and shows the order again.
func (v *visit) act(form, finished string, do func(order string, c change) error) error {
	wanted := url.PathEscape(v.r.PathValue("order"))
	f := v.r.PostForm
	err := do(wanted, change{key: f.Get("key"), code: strings.TrimSpace(f.Get("mfa_code"))})
	var p *problem
	if errors.As(err, &p) && p.Status != http.StatusNotFound {
		return v.showOrder(form, p)
	}
	if err != nil {
		return err
	}
	http.Redirect(v.w, v.r, v.shop.Path()+"/orders/"+wanted+"?done="+finished, http.StatusSeeOther)
	return nil
}

func (v *visit) ship() error {
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

func (v *visit) deliver() error {
	return v.act("deliver", "delivered", func(order string, c change) error {
		c.body = map[string]string{"status": "delivered"}
		return v.api.post(http.MethodPost, "/v1/orders/"+order+"/fulfillment", c, nil)
	})
}

func (v *visit) cancel() error {
	return v.act("cancel", "cancelled", func(order string, c change) error {
		c.body = map[string]string{"reason": v.r.PostForm.Get("reason")}
		return v.api.post(http.MethodPost, "/v1/orders/"+order+"/cancel", c, nil)
	})
}

func (v *visit) refund() error {
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

// amountForm is an amount as people write it: "12.50", "$1234.56". A comma is refused, for it may be a decimal one.
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
	"charged":   "The payment was taken, and this is its order.",
}

// offer decides which forms the page has. What the state or the role forbids is not there; the API refuses it all the same.
func (v *visit) offer(view *orderView, o *orderDetail) {
	if !v.may("finance:write") {
		return
	}
	open := o.Status == "confirmed"
	view.CanShip = open && o.Fulfillment.Status == "processing"
	view.CanDeliver = open && o.Fulfillment.Status == "shipped"
	view.CanCancel = open && o.Fulfillment.Status == "processing"
	left := sum(o.Currency, o.Payment.Amount, negative(o.Payment.Refunded), negative(o.Payment.Disputed))
	n, _ := left.Float64()
	view.CanRefund = n > 0 && o.Payment.ID != ""
	w := v.shop.words
	view.Left, view.LeftPlain = w.amount(left, o.Currency), left.String()
	view.RefundMeans = "The buyer gets the money back by the way of payment. The order goes on, unless all of it is refunded."
	view.CancelMeans = "The buyer gets " + view.Left + " back, and what was bought goes back to stock."
	for _, a := range []struct {
		can bool
		action
	}{
		{view.CanCancel, action{"cancel", "Cancel", false}},
		{view.CanRefund, action{"refund", "Refund", false}},
		{view.CanDeliver, action{"deliver", "Mark as delivered", true}},
		{view.CanShip, action{"ship", "Ship order", true}},
	} {
		if a.can {
			view.Actions = append(view.Actions, a.action)
		}
	}
}
