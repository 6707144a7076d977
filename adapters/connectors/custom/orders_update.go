package custom

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var errOrderGone = &ports.PlatformRefusal{Reason: "Your system does not have the order any more."}

func path(remote string) string { return "/orders/" + url.PathEscape(remote) }

// UpdateOrder sends a change of an order to the system. It reports whether the system restocks the pieces. A system that does not
// causes no error, because our stock follows its figures.
func (s *Connector) UpdateOrder(ctx ports.Outbound, c ports.Connection, remote string, d ports.OrderDraft, step order.PlatformStep) (bool, error) {
	switch step := step.(type) {
	case order.CancelStep:
		return true, s.notify(ctx, c, path(remote)+"/cancel", "", map[string]any{})
	case order.RefundStep:
		back := returned(d, step)
		body := map[string]any{
			"reference": step.Refund.ID.String(),
			"amount":    step.Refund.Amount.String(),
			"currency":  step.Refund.Amount.Currency().Code(),
		}
		if step.Refund.Reason != "" {
			body["reason"] = step.Refund.Reason
		}
		if len(back) > 0 {
			body["restock"] = back
		}
		return len(back) > 0, s.notify(ctx, c, path(remote)+"/refunds", step.Refund.ID.String(), body)
	case order.ShipStep:
		body := map[string]any{}
		for name, text := range map[string]string{
			"carrier": step.Shipment.Carrier, "tracking_number": step.Shipment.Number, "tracking_url": step.Shipment.URL,
		} {
			if text != "" {
				body[name] = text
			}
		}
		return false, s.notify(ctx, c, path(remote)+"/fulfillment", "", body)
	}
	return false, &ports.PlatformRefusal{Reason: "Your system cannot be told of it."}
}

// notify posts a change of an order. It does not read the body of the answer.
func (s *Connector) notify(ctx ports.Outbound, c ports.Connection, path, key string, body any) error {
	account := s.forAccount(c, false)
	a, err := account.Send(ctx, postRequest(c, path, key, body))
	switch {
	case err != nil:
		return err
	case a.Status == http.StatusNotFound || a.Status == http.StatusGone:
		return errOrderGone
	}
	return account.Judge(a)
}

// returned lists the pieces of a return by item, because those of one item may come back to several locations.
func returned(d ports.OrderDraft, step order.RefundStep) (back []map[string]any) {
	at := map[string]int{}
	for _, t := range step.Restocked {
		n := slices.IndexFunc(d.Order.Lines, func(l checkout.Line) bool { return l.Variant == t.Variant })
		if n < 0 || d.Items[n] == "" || t.Quantity <= 0 {
			continue
		}
		if k, again := at[d.Items[n]]; again {
			back[k]["quantity"] = back[k]["quantity"].(int) + t.Quantity
			continue
		}
		line := itemInput(d.Items[n], d.Order.Lines[n].SKU)
		line["quantity"] = t.Quantity
		at[d.Items[n]] = len(back)
		back = append(back, line)
	}
	return back
}

// ReadOrder reads whether the order is canceled, and its refunds.
func (s *Connector) ReadOrder(ctx ports.Outbound, c ports.Connection, remote string, currency money.Currency) (order.PlatformState, error) {
	a, err := s.platform.Send(ctx, request(c, path(remote)))
	if err == nil && (a.Status == http.StatusNotFound || a.Status == http.StatusGone) {
		return order.PlatformState{}, errOrderGone
	}
	if err == nil {
		err = s.platform.Judge(a)
	}
	var values map[string]json.RawMessage
	if err == nil {
		err = s.platform.Decode(a.Body, &values)
	}
	if err != nil {
		return order.PlatformState{}, err
	}
	f := fieldsOf(values)
	if f.boolean("deleted") {
		return order.PlatformState{}, errOrderGone
	}
	state := order.PlatformState{Canceled: f.boolean("canceled")}
	for _, r := range f.refunds() {
		if code := f.currency("currency"); code != currency.Code() {
			return state, s.platform.Refused("has refunds of the order in another currency")
		}
		ours, _ := id.Parse[id.Refund](r.reference) // zero: the merchant made the refund in the system
		state.Refunds = append(state.Refunds, order.PlatformRefund{
			Remote: r.id,
			Ours:   ours,
			Amount: r.amount,
		})
	}
	if problem := f.problem(); problem != "" {
		return state, s.platform.Refused("sent an order that cannot be read: " + problem)
	}
	return state, nil
}

// refund is a refund that the system has recorded.
type refund struct {
	id, reference string
	amount        money.Amount
}

// refunds reads the refunds of an order. Their amounts are in the order's currency.
func (f fields) refunds() (list []refund) {
	raws := f.list("refunds")
	if len(raws) == 0 {
		return nil
	}
	currency, err := money.ParseCurrency(f.currency("currency"))
	if err != nil {
		f.addProblem("currency", "is required with refunds")
		return nil
	}
	for _, raw := range raws {
		r := f.readFields(raw, "refunds")
		one := refund{id: r.id("id"), reference: r.text("reference")}
		if one.id == "" {
			r.addProblem("id", "is required")
		}
		if one.amount, err = money.Parse(r.digits("amount"), currency); err != nil {
			r.addProblem("amount", "must be an amount in the order's currency")
		}
		list = append(list, one)
	}
	return list
}

// refunded returns the sum of an order's refunds; "" if there are none.
func (f fields) refunded() string {
	var sum money.Amount
	for n, r := range f.refunds() {
		if n == 0 {
			sum = money.Zero(r.amount.Currency())
		}
		sum, _ = sum.Add(r.amount)
	}
	if !sum.IsPositive() {
		return ""
	}
	return sum.String()
}
