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

// TellOrder tells the system of what happened to an order. A system that restocks nothing does no harm by it: our stock follows its figures.
func (s *Connector) TellOrder(ctx ports.Outbound, c ports.Connection, remote string, d ports.OrderDraft, step order.PlatformStep) (bool, error) {
	switch step := step.(type) {
	case order.CancelStep:
		return true, s.tell(ctx, c, path(remote)+"/cancel", "", map[string]any{})
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
		return len(back) > 0, s.tell(ctx, c, path(remote)+"/refunds", step.Refund.ID.String(), body)
	case order.ShipStep:
		body := map[string]any{}
		for name, text := range map[string]string{
			"carrier": step.Shipment.Carrier, "tracking_number": step.Shipment.Number, "tracking_url": step.Shipment.URL,
		} {
			if text != "" {
				body[name] = text
			}
		}
		return false, s.tell(ctx, c, path(remote)+"/fulfillment", "", body)
	}
	return false, &ports.PlatformRefusal{Reason: "Your system cannot be told of it."}
}

// tell sends news of an order. What is answered is not read.
func (s *Connector) tell(ctx ports.Outbound, c ports.Connection, path, key string, body any) error {
	account := s.as(c, false)
	a, err := account.Send(ctx, posting(c, path, key, body))
	switch {
	case err != nil:
		return err
	case a.Status == http.StatusNotFound || a.Status == http.StatusGone:
		return errOrderGone
	}
	return account.Judge(a)
}

// returned are the pieces that a return brought back, by item: they may come from several locations.
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
	if f.yes("deleted") {
		return order.PlatformState{}, errOrderGone
	}
	state := order.PlatformState{Canceled: f.yes("canceled")}
	for _, r := range f.refunds() {
		if code := f.currency("currency"); code != currency.Code() {
			return state, s.platform.Refused("has refunds of the order in another currency")
		}
		ours, _ := id.Parse[id.Refund](r.reference) // else the merchant made it there
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

// refunds are an order's. Their amounts are in the order's currency.
func (f fields) refunds() (list []refund) {
	raws := f.list("refunds")
	if len(raws) == 0 {
		return nil
	}
	currency, err := money.ParseCurrency(f.currency("currency"))
	if err != nil {
		f.note("currency", "is required with refunds")
		return nil
	}
	for _, raw := range raws {
		r := f.readFields(raw, "refunds")
		one := refund{id: r.id("id"), reference: r.text("reference")}
		if one.id == "" {
			r.note("id", "is required")
		}
		if one.amount, err = money.Parse(r.digits("amount"), currency); err != nil {
			r.note("amount", "must be an amount in the order's currency")
		}
		list = append(list, one)
	}
	return list
}

// refunded is how much an order's record shows as refunded; "": nothing.
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
