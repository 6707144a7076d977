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

// ourRefund is the prefix of our refund's id in the reason of a refund that was sent to the shop. The id is in the reason, because the
// shop saves the reason with the refund, and metadata later (wc_create_refund, read on 2026-11-29).
const ourRefund = "Haggle refund "

// readExisting reads an order that was written before. It returns errOrderGone if the order was deleted or is in the trash.
func (s *Connector) readExisting(ctx ports.Outbound, c ports.Connection, remote string) (o wooOrder, err error) {
	account := s.forAccount(c)
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

// UpdateOrder sends a change of an order to the shop. It reports whether the shop restocks the pieces.
func (s *Connector) UpdateOrder(ctx ports.Outbound, c ports.Connection, remote string, d ports.OrderDraft, step order.PlatformStep) (bool, error) {
	o, err := s.readExisting(ctx, c, remote)
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

// cancel cancels an order. The shop restocks the pieces of a paid order; an unpaid one has taken none
// (wc_maybe_increase_stock_levels, read on 2026-11-29).
func (s *Connector) cancel(ctx ports.Outbound, c ports.Connection, o wooOrder) (restocked bool, err error) {
	if o.Status != "cancelled" {
		err = s.write(ctx, c, http.MethodPut, path(o), map[string]any{"status": "cancelled"}, nil)
	}
	return o.Paid != "", err
}

// wooRefund is a refund in the API.
type wooRefund struct {
	ID     loose `json:"id"`
	Amount loose `json:"amount"`
	Reason loose `json:"reason"`
}

// refundID returns our refund's id, or zero if the refund was made in the shop.
func (r wooRefund) refundID() (ours id.Refund) {
	if text, named := strings.CutPrefix(r.Reason.String(), ourRefund); named {
		ours, _ = id.Parse[id.Refund](strings.TrimSpace(text)) // zero: a person wrote the reason
	}
	return ours
}

// maxRefundPages limits the pages of an order's refunds.
const maxRefundPages = 10

// refunds reads the refunds of an order, the oldest first.
func (s *Connector) refunds(ctx ports.Outbound, c ports.Connection, o wooOrder) (list []wooRefund, err error) {
	for number := 1; number <= maxRefundPages; number++ {
		p, err := s.page(ctx, c, path(o)+"/refunds", url.Values{}, number, maxPageSize)
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

// refund records a refund of the payment provider, unless the shop already has it. With api_refund false the shop moves no money. The
// shop restocks returned goods.
func (s *Connector) refund(ctx ports.Outbound, c ports.Connection, o wooOrder, d ports.OrderDraft, step order.RefundStep) (bool, error) {
	there, err := s.refunds(ctx, c, o)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(there, func(r wooRefund) bool { return r.refundID() == step.Refund.ID }) {
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

// returned lists the lines with returned goods, up to the stock that they have taken: the shop restocks no others
// (wc_restock_refunded_items, read on 2026-11-29).
func (o wooOrder) returned(d ports.OrderDraft, step order.RefundStep) (back []map[string]any) {
	pieces := map[string]int{} // by item, because its pieces may come back to several locations
	for _, t := range step.Restocked {
		at := slices.IndexFunc(d.Order.Lines, func(l checkout.Line) bool { return l.Variant == t.Variant })
		if at >= 0 && d.Items[at] != "" {
			pieces[d.Items[at]] += t.Quantity
		}
	}
	for _, l := range o.Lines {
		item := itemOf(l.Product, l.Variation)
		if n := min(pieces[item], reducedStock(l.Meta)); n > 0 {
			pieces[item] -= n
			back = append(back, map[string]any{"id": number(l.ID.String()), "quantity": n, "refund_total": 0})
		}
	}
	return back
}

// ship completes an order. It writes the tracking to a note, because WooCommerce has no field for it.
func (s *Connector) ship(ctx ports.Outbound, c ports.Connection, o wooOrder, step order.ShipStep) error {
	if slices.Contains([]loose{"cancelled", "refunded"}, o.Status) {
		return nil // it must not be shipped
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

// note adds a note for the staff, unless the order already has it.
func (s *Connector) note(ctx ports.Outbound, c ports.Connection, o wooOrder, text string) error {
	var there []struct {
		Note loose `json:"note"`
	}
	if err := s.forAccount(c).Ask(ctx, request(c, path(o)+"/notes", nil), &there); err != nil {
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
	o, err := s.readExisting(ctx, c, remote)
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
			Ours:   r.refundID(),
			Amount: amount,
		})
	}
	return state, nil
}

// refunded returns the sum of an order's refunds. In "refunds" their totals are negative
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
