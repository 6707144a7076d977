package woocommerce

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var errOrderGone = &ports.PlatformRefusal{Reason: "WooCommerce does not have the order any more."}

// ourRefund precedes our refund's id in the reason of a refund that the shop was told of. The reason is saved with the refund; its
// metadata is saved later (wc_create_refund, read on 2026-11-29).
const ourRefund = "Haggle refund "

// known reads an order that was written. One that was deleted, or lies in the trash, is gone.
func (s *Connector) known(ctx ports.Outbound, c ports.Connection, remote string) (o wooOrder, err error) {
	account := s.as(c)
	a, err := account.Send(ctx, request(c, "/orders/"+url.PathEscape(remote), nil))
	if err == nil && a.Status == http.StatusNotFound && !noRoute(a.Body) {
		return o, errOrderGone
	}
	if err == nil {
		err = account.Judge(a)
	}
	if err == nil {
		err = account.Decode(a.Body, &o)
	}
	if err == nil && o.Status == "trash" {
		err = errOrderGone
	}
	return o, err
}

// TellOrder tells the shop of what happened to an order.
func (s *Connector) TellOrder(ctx ports.Outbound, c ports.Connection, remote string, d ports.OrderDraft, step order.PlatformStep) (bool, error) {
	o, err := s.known(ctx, c, remote)
	if err != nil {
		return false, err
	}
	switch step := step.(type) {
	case order.CancelStep:
		return s.cancel(ctx, c, o)
	case order.RefundStep:
		return s.refund(ctx, c, o, d, step)
	case order.ShipStep:
		return false, s.ship(ctx, c, o, step)
	}
	return false, &ports.PlatformRefusal{Reason: "WooCommerce cannot be told of it."}
}

func path(o wooOrder) string { return "/orders/" + url.PathEscape(o.ID.String()) }

// cancel cancels an order, which puts back what it has taken from the stock: nothing for one that was not paid
// (wc_maybe_increase_stock_levels, read on 2026-11-29).
func (s *Connector) cancel(ctx ports.Outbound, c ports.Connection, o wooOrder) (restocked bool, err error) {
	if o.Status != "cancelled" {
		err = s.write(ctx, c, http.MethodPut, path(o), map[string]any{"status": "cancelled"}, nil)
	}
	return o.Paid != "", err
}

// wooRefund is a refund as the API tells it.
type wooRefund struct {
	ID     loose `json:"id"`
	Amount loose `json:"amount"`
	Reason loose `json:"reason"`
}

// ours is our refund's id, of one that the shop was told of.
func (r wooRefund) ours() (ours id.Refund) {
	if text, named := strings.CutPrefix(r.Reason.String(), ourRefund); named {
		ours, _ = id.Parse[id.Refund](strings.TrimSpace(text)) // else a person wrote it
	}
	return ours
}

// mostRefunds are the pages of an order's refunds.
const mostRefunds = 10

// refunds are an order's, the oldest first.
func (s *Connector) refunds(ctx ports.Outbound, c ports.Connection, o wooOrder) (list []wooRefund, err error) {
	for number := 1; number <= mostRefunds; number++ {
		p, err := s.page(ctx, c, path(o)+"/refunds", url.Values{}, number, most)
		if err != nil {
			return nil, err
		}
		for _, raw := range p.list {
			var r wooRefund
			if err := s.platform.Decode(raw, &r); err != nil {
				return nil, err
			}
			list = append(list, r)
		}
		if !p.more {
			slices.Reverse(list)
			return list, nil
		}
	}
	return nil, s.platform.Failed("has no end of an order's refunds", nil)
}

// refund records a refund that the payment provider has made, unless the shop has it. api_refund false: the shop moves no money.
// Goods that a return brought back are restocked.
func (s *Connector) refund(ctx ports.Outbound, c ports.Connection, o wooOrder, d ports.OrderDraft, step order.RefundStep) (bool, error) {
	there, err := s.refunds(ctx, c, o)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(there, func(r wooRefund) bool { return r.ours() == step.Refund.ID }) {
		return len(step.Restocked) > 0, nil
	}
	back := o.returned(d, step)
	input := map[string]any{
		"amount":      step.Refund.Amount.String(),
		"reason":      ourRefund + step.Refund.ID.String(),
		"api_refund":  false,
		"api_restock": len(back) > 0,
	}
	if len(back) > 0 {
		input["line_items"] = back
	}
	return len(back) > 0, s.write(ctx, c, http.MethodPost, path(o)+"/refunds", input, nil)
}

// returned are the lines whose goods a return brought back, as far as they have taken stock: no other is restocked
// (wc_restock_refunded_items, read on 2026-11-29).
func (o wooOrder) returned(d ports.OrderDraft, step order.RefundStep) (back []map[string]any) {
	pieces := map[string]int{} // by item: a return may come from several locations
	for _, t := range step.Restocked {
		at := slices.IndexFunc(d.Order.Lines, func(l checkout.Line) bool { return l.Variant == t.Variant })
		if at >= 0 && d.Items[at] != "" {
			pieces[d.Items[at]] += t.Quantity
		}
	}
	for _, l := range o.Lines {
		item := itemOf(l.Product, l.Variation)
		if n := min(pieces[item], taken(l.Meta)); n > 0 {
			pieces[item] -= n
			back = append(back, map[string]any{"id": number(l.ID.String()), "quantity": n, "refund_total": 0})
		}
	}
	return back
}

// ship completes an order and notes its tracking, for WooCommerce has no field for it.
func (s *Connector) ship(ctx ports.Outbound, c ports.Connection, o wooOrder, step order.ShipStep) error {
	if slices.Contains([]loose{"cancelled", "refunded"}, o.Status) {
		return nil // it is not to be sent
	}
	if note := trackingNote(step.Shipment); note != "" {
		if err := s.note(ctx, c, o, note); err != nil {
			return err
		}
	}
	if o.Status == "completed" {
		return nil
	}
	return s.write(ctx, c, http.MethodPut, path(o), map[string]any{"status": "completed"}, nil)
}

func trackingNote(t order.Shipment) string {
	parts := slices.DeleteFunc([]string{t.Carrier, t.Number, t.URL}, func(text string) bool { return text == "" })
	if len(parts) == 0 {
		return ""
	}
	return "Shipped: " + strings.Join(parts, ", ")
}

// note adds a note for the staff, unless the order has it.
func (s *Connector) note(ctx ports.Outbound, c ports.Connection, o wooOrder, text string) error {
	var there []struct {
		Note loose `json:"note"`
	}
	if err := s.as(c).Ask(ctx, request(c, path(o)+"/notes", nil), &there); err != nil {
		return err
	}
	for _, one := range there {
		if plain(one.Note) == plain(loose(text)) {
			return nil
		}
	}
	return s.write(ctx, c, http.MethodPost, path(o)+"/notes", map[string]any{"note": text}, nil)
}

// ReadOrder reads whether the order is canceled, and its refunds.
func (s *Connector) ReadOrder(ctx ports.Outbound, c ports.Connection, remote string, currency money.Currency) (order.PlatformState, error) {
	o, err := s.known(ctx, c, remote)
	if err != nil {
		return order.PlatformState{}, err
	}
	list, err := s.refunds(ctx, c, o)
	if err != nil {
		return order.PlatformState{}, err
	}
	if len(list) > 0 && o.Currency.String() != currency.Code() {
		return order.PlatformState{}, s.platform.Refused("has refunds of the order in " + connectors.Plain(o.Currency.String()))
	}
	state := order.PlatformState{Canceled: o.Status == "cancelled"}
	for _, r := range list {
		amount, err := money.Parse(r.Amount.String(), currency)
		if err != nil {
			return order.PlatformState{}, s.platform.Refused("has a refund of the order whose amount cannot be read")
		}
		state.Refunds = append(state.Refunds, order.PlatformRefund{
			Remote: r.ID.String(),
			Ours:   r.ours(),
			Amount: amount,
		})
	}
	return state, nil
}

// refunded is how much an order's record shows as refunded: "refunds" has each with its total, below zero
// (developer.woocommerce.com/docs/apis/rest-api/v3/orders, read on 2026-11-29).
func refunded(list []json.RawMessage, code string) string {
	currency, err := money.ParseCurrency(strings.ToUpper(code))
	if err != nil {
		return ""
	}
	sum := money.Zero(currency)
	for _, raw := range list {
		var r struct {
			Total loose `json:"total"`
		}
		if json.Unmarshal(raw, &r) != nil {
			continue
		}
		if amount, err := money.Parse(strings.TrimPrefix(r.Total.String(), "-"), currency); err == nil {
			sum, _ = sum.Add(amount)
		}
	}
	if !sum.IsPositive() {
		return ""
	}
	return sum.String()
}
