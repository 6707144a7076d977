package woocommerce

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

func (w *Platform) updateOrder(c *host.Call, p *purchase) host.Answer {
	asked, problem := w.readOrder(c, p)
	if problem != nil {
		return *problem
	}
	if asked.Billing != nil || asked.Shipping != nil || asked.Lines != nil || asked.Fees != nil || asked.Ships != nil {
		w.calculate(p)
	}
	p.updated = w.Tick(w.Host.Config.Now(), p.updated)
	w.setStatus(p, asked.Status)
	w.changed(p)
	a := w.completePayment(c, p, asked, false)
	w.Announce([]host.Event{{Topic: "orders/updated", Body: w.show(p)}})
	return a
}

// deleteOrder moves an order to the trash, or deletes it for good with force. Neither restores stock.
func (w *Platform) deleteOrder(c *host.Call, p *purchase) host.Answer {
	shown := w.show(p)
	if p.status = "trash"; c.URL.Query().Get("force") == "true" {
		p.gone = true
	}
	w.Announce([]host.Event{{Topic: "orders/delete", Body: map[string]any{"id": firstOrder + p.n}}})
	return host.OK(shown)
}

type refundRequest struct {
	Amount  string `json:"amount"`
	Reason  string `json:"reason"`
	Pay     *bool  `json:"api_refund"`
	Restock *bool  `json:"api_restock"`
	Lines   []struct {
		ID       int `json:"id"`
		Quantity int `json:"quantity"`
	} `json:"line_items"`
	Meta []struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	} `json:"meta_data"`
}

// createRefund is wc_create_refund. A refusal has the status 500, which is the data of the controller's WP_Error. Refunds
// through the payment gateway are refused, because there is no gateway.
func (w *Platform) createRefund(c *host.Call, p *purchase) host.Answer {
	var asked refundRequest
	if !host.ReadJSON(c.Content, &asked) {
		return w.coded(http.StatusBadRequest, "rest_invalid_param", "Invalid parameter(s): amount")
	}
	if asked.Pay == nil || *asked.Pay {
		return w.coded(http.StatusInternalServerError, "woocommerce_rest_cannot_create_order_refund", "The payment gateway for this order does not exist.")
	}
	r, err := w.refund(p, asked)
	if err != nil {
		return w.coded(http.StatusInternalServerError, "woocommerce_rest_cannot_create_order_refund", "Invalid refund amount.")
	}
	for _, m := range asked.Meta {
		w.setMeta(&r.meta, m.Key, m.Value)
	}
	a := host.OK(showRefund(r))
	a.Status = http.StatusCreated
	return a
}

// refund records a refund. It restocks no more than the order has taken. After a full refund the order is "refunded".
func (w *Platform) refund(p *purchase, asked refundRequest) (*refund, error) {
	raw, _ := json.Marshal(asked.Amount)
	amount, good := cents(raw)
	if !good || amount < 0 || amount > p.total()-p.refunded() {
		return nil, errors.New("invalid refund amount")
	}
	now := w.Tick(w.Host.Config.Now(), p.updated)
	r := &refund{
		id:     w.next(),
		cents:  amount,
		reason: asked.Reason,
		made:   now,
	}
	p.refunds, p.updated = append(p.refunds, r), now
	for _, one := range asked.Lines {
		for _, l := range p.lines {
			if l.id != one.ID || one.Quantity == 0 {
				continue
			}
			r.lines = append(r.lines, map[string]any{"id": w.next(), "quantity": -one.Quantity, "meta_data": []any{
				map[string]any{"id": l.id, "key": "_refunded_item_id", "value": strconv.Itoa(l.id)},
			}})
			if l.taken > 0 && (asked.Restock == nil || *asked.Restock) {
				w.changeStock(l.item, one.Quantity)
				l.taken = max(0, l.taken-one.Quantity)
			}
		}
	}
	if p.refunded() == p.total() {
		w.setStatus(p, "refunded")
	}
	w.changed(p)
	w.Announce([]host.Event{{Topic: "orders/updated", Body: w.show(p)}})
	return r, nil
}

func showRefund(r *refund) map[string]any {
	lines := []any{}
	for _, l := range r.lines {
		lines = append(lines, l)
	}
	return map[string]any{
		"id": r.id, "date_created_gmt": gmt(r.made), "amount": host.Dollars(r.cents), "reason": r.reason, "refunded_by": 1, "refunded_payment": false,
		"meta_data": showMeta(r.meta), "line_items": lines,
	}
}

// listRefunds lists refunds, newest first.
func (w *Platform) listRefunds(c *host.Call, p *purchase) host.Answer {
	last := len(p.refunds) - 1
	return w.list(c, len(p.refunds), func(int) bool { return true }, func(n int) any { return showRefund(p.refunds[last-n]) })
}

func (w *Platform) listNotes(_ *host.Call, p *purchase) host.Answer {
	if p.notes == nil {
		return host.OK([]any{})
	}
	return host.OK(p.notes)
}

func (w *Platform) createNote(c *host.Call, p *purchase) host.Answer {
	var asked struct {
		Note     string `json:"note"`
		Customer bool   `json:"customer_note"`
	}
	if !host.ReadJSON(c.Content, &asked) || asked.Note == "" {
		return w.coded(http.StatusBadRequest, "rest_missing_callback_param", "Missing parameter(s): note")
	}
	made := map[string]any{"id": w.next(), "note": asked.Note, "customer_note": asked.Customer, "date_created_gmt": gmt(w.Host.Config.Now().UnixMilli())}
	p.notes = append(p.notes, made)
	a := host.OK(made)
	a.Status = http.StatusCreated
	return a
}
