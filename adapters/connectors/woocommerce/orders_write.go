package woocommerce

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.OrderWriter = (*Connector)(nil)

// WriteOrder works in steps, because WooCommerce does not enforce a unique key of ours, and saves an order before it completes
// its payment (WC_REST_Orders_Controller::save_object, read on 2026-11-29):
//
//	1. POST /orders as "pending": it takes no stock, sends no mail to the buyer, and has our order's id in its metadata.
//	2. Compare the total that the shop has calculated with ours, and correct it (see matchTotal).
//	3. Search the newest orders once more. Keep one of several with our id, and delete the others.
//	4. PUT set_paid: payment_complete makes it "processing" and takes the stock. It is idempotent.
//
// An interruption between two steps leaves an unpaid order. FindOrder finds it, and WriteOrder continues with it.

// repeatAfter is twice the time limit of WriteOrder: one half until it has sent its last request, the other half for the shop.
const repeatAfter = 40 * time.Second

// RepeatAfter is positive, because WooCommerce continues to process a request after the client has disconnected.
func (s *Connector) RepeatAfter() time.Duration { return s.repeatAfter }

// WriteOrder creates an order, or continues with an unfinished one.
func (s *Connector) WriteOrder(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft) (ports.WrittenOrder, error) {
	goods, err := s.goodsOf(ctx, c, d)
	if err != nil {
		return ports.WrittenOrder{}, s.cleanUp(ctx, c, d.Unfinished, err)
	}
	var o wooOrder
	if d.Unfinished != "" {
		o, err = s.order(ctx, c, d.Unfinished)
	} else {
		err = s.write(ctx, c, http.MethodPost, "/orders", orderInput(d, goods), &o)
	}
	if err == nil && o.ID == "" {
		err = s.platform.Failed("did not say which order it created", nil)
	}
	if err == nil {
		o, err = s.matchTotal(ctx, c, d, o)
	}
	if err == nil {
		o, err = s.deduplicate(ctx, c, d, o)
	}
	if err == nil {
		o, err = s.pay(ctx, c, d, o)
	}
	if err != nil {
		return ports.WrittenOrder{}, s.cleanUp(ctx, c, o.ID.String(), err)
	}
	return o.written(c, d), nil
}

// cleanUp deletes the unfinished order after a refusal, because it will not be paid. It does not delete an order that was paid
// meanwhile.
func (s *Connector) cleanUp(ctx ports.Outbound, c ports.Connection, remote string, because error) error {
	var refusal *ports.PlatformRefusal
	var soldOut *ports.SoldOut
	if remote == "" || !errors.As(because, &refusal) && !errors.As(because, &soldOut) {
		return because
	}
	switch o, err := s.readExisting(ctx, c, remote); {
	case err == errOrderGone:
		return because
	case err != nil:
		return err
	case !o.unpaid():
		return s.platform.Failed("has completed the payment meanwhile", nil)
	}
	if err := s.deleteOrder(ctx, c, remote); err != nil {
		return err
	}
	return because
}

// deleteOrder deletes an unpaid order.
func (s *Connector) deleteOrder(ctx ports.Outbound, c ports.Connection, remote string) error {
	r := request(c, "/orders/"+url.PathEscape(remote), url.Values{"force": {"true"}})
	r.Method = http.MethodDelete
	a, err := s.forAccount(c).Send(ctx, r)
	if err != nil || a.Status == http.StatusNotFound || a.Status == http.StatusGone {
		return err
	}
	return s.judgeWrite(c, a)
}

// matchTotal makes the order's total equal to ours. The shop adds its own tax, and does not accept taxes in a request: lines have
// no writable taxes, and tax_lines are read-only. If the shop calculates our total, its tax lines stay, so that its reports are
// right. Otherwise matchTotal makes the order exempt from tax (calculate_taxes honors the metadata is_vat_exempt) and adds our tax
// as a fee. If the total is still another one, it returns a refusal.
func (s *Connector) matchTotal(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft, o wooOrder) (wooOrder, error) {
	if !o.unpaid() || o.hasTotal(d.Order.Total) {
		return o, nil
	}
	fees := []map[string]any{}
	if d.Order.Tax.IsPositive() && !slices.ContainsFunc(o.Fees, func(f label) bool { return f.Name == taxFee }) {
		fees = append(fees, map[string]any{"name": taxFee, "total": d.Order.Tax.String(), "tax_status": "none"})
	}
	change := map[string]any{
		"meta_data": []map[string]any{{"key": "is_vat_exempt", "value": "yes"}},
		"fee_lines": fees, // an empty list causes the totals to be calculated, too
	}
	var after wooOrder
	if err := s.write(ctx, c, http.MethodPut, "/orders/"+url.PathEscape(o.ID.String()), change, &after); err != nil {
		return o, err
	}
	if after.hasTotal(d.Order.Total) {
		return after, nil
	}
	return o, s.platform.Refused(fmt.Sprintf(
		"makes the order's total %s %s instead of %s %s: look at its decimals, and at plugins that add fees",
		connectors.Plain(after.Total.String()), connectors.Plain(after.Currency.String()), d.Order.Total, d.Order.Total.Currency().Code()))
}

const taxFee = "Tax"

// hasTotal reports whether the order's total is exactly want.
func (o wooOrder) hasTotal(want money.Amount) bool {
	if o.Currency.String() != want.Currency().Code() {
		return false
	}
	got, err := money.Parse(o.Total.String(), want.Currency())
	return err == nil && got == want
}

// deduplicate deletes other orders with our id, which earlier requests with a lost answer have created.
func (s *Connector) deduplicate(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft, o wooOrder) (wooOrder, error) {
	created, _ := moment(o.Created)
	list, err := s.ordersByReference(ctx, c, d, created)
	if err != nil {
		return o, err
	}
	if !slices.ContainsFunc(list, func(one wooOrder) bool { return one.ID == o.ID }) {
		list = append(list, o)
	}
	keep := pickOrder(list)
	for _, one := range list {
		if one.ID != keep.ID && one.unpaid() {
			if err := s.deleteOrder(ctx, c, one.ID.String()); err != nil {
				return o, err
			}
		}
	}
	if keep.ID == o.ID {
		return o, nil
	}
	if o, err = s.order(ctx, c, keep.ID.String()); err != nil {
		return o, err
	}
	return s.matchTotal(ctx, c, d, o)
}

// pay completes the order's payment, which takes the stock. An order with a total of zero needs no payment: pay sets its status.
func (s *Connector) pay(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft, o wooOrder) (wooOrder, error) {
	if !o.unpaid() {
		return o, nil
	}
	change := map[string]any{"set_paid": true, "transaction_id": d.Order.Payment.ID.String()}
	if !d.Order.Total.IsPositive() {
		change = map[string]any{"status": "processing"}
	}
	path := "/orders/" + url.PathEscape(o.ID.String())
	if err := s.write(ctx, c, http.MethodPut, path, change, nil); err != nil {
		return o, err
	}
	o, err := s.order(ctx, c, o.ID.String()) // once the order is saved, its lines have the stock that they have taken
	if err == nil && o.unpaid() {
		err = s.platform.Failed("did not complete the payment of its order", nil)
	}
	return o, err
}

// write sends a request that changes something. A 401 or 403 means that the key has no write permission. It must have the permission
// to read, because the search for the order has succeeded.
func (s *Connector) write(ctx ports.Outbound, c ports.Connection, method, path string, body, into any) error {
	r := request(c, path, nil)
	r.Method, r.JSON = method, body
	account := s.forAccount(c)
	a, err := account.Send(ctx, r)
	if err == nil {
		err = s.judgeWrite(c, a)
	}
	if err != nil || into == nil {
		return err
	}
	return account.Decode(a.Body, into)
}

func (s *Connector) judgeWrite(c ports.Connection, a connectors.Answer) error {
	if a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden {
		return s.platform.Refused(fmt.Sprintf(
			"does not let this key change orders (%d): give it the permission Read/Write, of a user who manages the shop", a.Status))
	}
	return s.forAccount(c).Judge(a)
}

// orderInput returns the body of POST /orders. Amounts are text. A line's subtotal is its total, because WooCommerce returns to the
// subtotal when somebody adds a coupon later, and that must be the agreed price and not the list price.
func orderInput(d ports.OrderDraft, goods []bool) map[string]any {
	o := d.Order
	title := "Haggle"
	if !d.Live {
		title = "Haggle (test)"
	}
	input := map[string]any{
		"status":               "pending",
		"set_paid":             false,
		"currency":             o.Total.Currency().Code(),
		"payment_method":       "haggle",
		"payment_method_title": title,
		"transaction_id":       o.Payment.ID.String(),
		"meta_data": []map[string]any{
			{"key": referenceKey, "value": o.ID.String()},
			{"key": "haggle_order", "value": o.Confirmation},
			{"key": "haggle_charge", "value": o.Payment.Provider},
		},
	}
	if o.Notes != "" {
		input["customer_note"] = o.Notes
	}
	address := addressInput(o.Address)
	billing := addressInput(o.Address)
	if o.Email != "" {
		billing["email"] = o.Email
	}
	input["billing"], input["shipping"] = billing, address
	if o.Fulfillment.ShippingOption != "" || o.Shipping.IsPositive() {
		input["shipping_lines"] = []map[string]any{{
			"method_id": "haggle", "method_title": cmp.Or(o.Fulfillment.ShippingOption, "Shipping"), "total": o.Shipping.String(),
		}}
	}
	var lines, fees []map[string]any
	for n, l := range o.Lines {
		total := lineTotal(l)
		if !goods[n] { // a line item needs a product of the shop
			name := cmp.Or(l.Name, l.SKU, "Goods")
			fees = append(fees, map[string]any{"name": name + " × " + strconv.Itoa(l.Quantity), "total": total})
			continue
		}
		line := map[string]any{"product_id": number(d.Items[n]), "quantity": l.Quantity, "subtotal": total, "total": total}
		if l.Original.Minor() > l.Unit.Minor() {
			line["meta_data"] = []map[string]any{{"key": "List price", "value": l.Original.String() + " " + l.Original.Currency().Code()}}
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		input["line_items"] = lines
	}
	if len(fees) > 0 {
		input["fee_lines"] = fees
	}
	return input
}

// lineTotal returns a line's price without tax. It does not overflow, because the order's total does not.
func lineTotal(l checkout.Line) string {
	sum, err := l.Unit.Mul(int64(l.Quantity))
	if err != nil {
		return l.Unit.String()
	}
	return sum.String()
}

// number returns an id as a number if it is one, as the API expects it.
func number(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}

func addressInput(a checkout.Address) map[string]any {
	first, last := a.Names()
	return map[string]any{
		"first_name": first, "last_name": last, "address_1": a.Line1, "address_2": a.Line2, "city": a.City, "state": a.State,
		"postcode": a.PostalCode, "country": a.Country, "phone": a.Phone,
	}
}
