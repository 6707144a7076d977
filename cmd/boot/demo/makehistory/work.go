package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// planWork schedules what the merchant does on a day.
func (w *world) planWork(day int, midnight time.Time) {
	if midnight.Weekday() == time.Monday || midnight.Weekday() == time.Thursday {
		w.at(midnight.Add(7*time.Hour+40*time.Minute), w.restock)
	}
	switch day {
	case 17, 52:
		w.at(midnight.Add(11*time.Hour), w.reprice)
	case 29:
		w.at(midnight.Add(9*time.Hour), func() {
			w.newPolicy("Keep at least 12% margin on every deal.", merchant.Patch{"min_margin_percent": 12})
		})
	case 59:
		w.at(midnight.Add(9*time.Hour), func() {
			w.holdBack(10)
			w.newPolicy("Come down sooner: buyers left who were close.", merchant.Patch{
				"min_margin_percent": 12,
				"curve":              merchant.Patch{"give_percent": []int{45, 75, 85, 92, 97, 100, 100, 100}},
			})
		})
	}
}

// placed schedules what follows an order.
func (w *world) placed(p *person, b *buyer.Buyer) {
	order := b.Finalized.Order.ID
	if g := w.byProduct(b.Product.ProductID); g != nil {
		g.sold[cmp.Or(b.Variant.SKU, g.sku)] += b.Quantity
	}
	if w.oneIn(30) {
		w.at(w.now.Add(time.Duration(1+w.chance.IntN(5))*time.Hour), func() { w.cancel(p, b) })
		return
	}
	ship := w.later(1, 1)
	if w.oneIn(18) {
		ship = w.later(3, 5)
	}
	if ship.Weekday() == time.Sunday {
		ship = ship.AddDate(0, 0, 1)
	}
	w.at(ship, func() { w.ship(p, b, order) })
}

// cancel cancels an order before it is shipped, by the buyer or by the merchant.
func (w *world) cancel(p *person, b *buyer.Buyer) {
	if profiles[p.agent] == haggle && w.oneIn(2) {
		b.CancelOrder("Ordered twice.")
		w.check(b.Err())
	} else {
		_, err := w.merchant().CancelOrder(w.ctx, b.Finalized.Order.ID, "The buyer asked for it.")
		w.check(err)
	}
	w.count("orders canceled")
}

func (w *world) ship(p *person, b *buyer.Buyer, order string) {
	carriers := []string{"UPS", "USPS", "FedEx"}
	_, err := w.merchant().Fulfill(w.ctx, order, merchant.Shipping{
		Status:         "shipped",
		Carrier:        carriers[w.chance.IntN(len(carriers))],
		TrackingNumber: fmt.Sprintf("DEMO%08d", w.chance.IntN(100_000_000)),
	})
	w.check(err)
	w.count("orders shipped")
	w.at(w.later(2, 5), func() { w.deliver(p, b, order) })
}

func (w *world) deliver(p *person, b *buyer.Buyer, order string) {
	_, err := w.merchant().Fulfill(w.ctx, order, merchant.Shipping{Status: "delivered"})
	w.check(err)
	w.count("orders delivered")
	switch {
	case w.disputes(b):
	case w.oneIn(7):
		w.at(w.later(1, 9), func() { w.sendBack(p, b, order) })
	case w.oneIn(30):
		w.at(w.later(1, 3), func() { w.refund(b) })
	}
}

// disputes lets the buyer dispute the payment of an order, twice in the history: the shop accepts the first dispute, and the
// second one is still open at the end.
func (w *world) disputes(b *buyer.Buyer) bool {
	day := w.now.Sub(begin) / (24 * time.Hour)
	switch n := w.happened["disputes"]; {
	case n == 0 && day >= 47:
		w.at(w.now.Add(50*time.Hour), func() { w.dispute(b, "product_unacceptable", true) })
	case n == 1 && day >= 84:
		w.at(w.now.Add(30*time.Hour), func() { w.dispute(b, "product_not_received", false) })
	default:
		return false
	}
	w.count("disputes")
	return true
}

func (w *world) dispute(b *buyer.Buyer, reason string, accepted bool) {
	owner := w.merchant()
	order, err := owner.Order(w.ctx, b.Finalized.Order.ID)
	w.check(err)
	var made struct{ ID string }
	w.post(owner, "/v1/sandbox/disputes", merchant.Patch{"payment_id": order.Payment.ID, "reason": reason}, &made)
	if accepted {
		w.at(w.now.Add(26*time.Hour), func() { w.post(w.merchant(), "/v1/disputes/"+made.ID+"/accept", nil, nil) })
	}
}

// reasons are buyers' reasons for returns, repeated by frequency.
var reasons = []string{"Too small", "Too large", "Arrived damaged", "Not as described", "Changed my mind", "Changed my mind"}

func (w *world) sendBack(p *person, b *buyer.Buyer, order string) {
	asked, err := w.shop(p.from, "").CreateReturn(w.ctx, acp.ReturnRequest{
		OrderID: order,
		Items: []acp.ReturnItem{{
			ProductID: b.Product.ProductID,
			VariantID: b.Variant.ID,
			Quantity:  1,
			Reason:    reasons[w.chance.IntN(len(reasons))],
		}},
	})
	w.check(err)
	w.count("returns")
	w.at(w.later(2, 4), func() { w.decide(asked) })
}

func (w *world) decide(asked acp.Return) {
	owner := w.merchant()
	var err error
	switch {
	case w.oneIn(6):
		_, err = owner.RejectReturn(w.ctx, asked.ReturnID, "It shows signs of use.")
		w.count("returns rejected")
	case w.oneIn(5):
		part, restock := asked.RefundEstimate.Percent(decimal.FromInt(80), 2), false
		_, err = owner.ApproveReturn(w.ctx, asked.ReturnID, merchant.Approval{
			Amount:  &part,
			Restock: &restock,
		})
		w.count("returns approved in part")
	default:
		_, err = owner.ApproveReturn(w.ctx, asked.ReturnID, merchant.Approval{})
		w.count("returns approved")
	}
	w.check(err)
}

// refund refunds a part of the payment.
func (w *world) refund(b *buyer.Buyer) {
	owner := w.merchant()
	order, err := owner.Order(w.ctx, b.Finalized.Order.ID)
	w.check(err)
	part := order.Total.Percent(decimal.FromInt(int64(10+5*w.chance.IntN(3))), 2)
	_, err = owner.Refund(w.ctx, order.Payment.ID, merchant.NewRefund{
		Amount: &part,
		Reason: "It came late.",
	})
	w.check(err)
	w.count("partial refunds")
}

// restock replaces sold pieces of products with little stock.
func (w *world) restock() {
	owner := w.merchant()
	var more []merchant.Adjustment
	for _, g := range w.shelf {
		for _, sku := range slices.Sorted(maps.Keys(g.sold)) {
			levels, err := owner.Inventory(w.ctx, sku, merchant.Page{})
			w.check(err)
			for _, level := range levels.Data {
				if level.Quantity < 3 {
					more = append(more, merchant.Adjustment{
						SKU:      level.SKU,
						Location: level.Location,
						Delta:    6 + w.chance.IntN(10),
						Reason:   "A delivery came.",
					})
				}
			}
		}
		clear(g.sold)
	}
	if len(more) > 0 {
		_, err := owner.AdjustInventory(w.ctx, more)
		w.check(err)
		w.count("deliveries of stock")
	}
}

// reprice raises a price a little.
func (w *world) reprice() {
	g := w.shelf[w.chance.IntN(len(w.shelf))]
	_, err := w.merchant().PatchProduct(w.ctx, g.id, merchant.Patch{"price": decimal.FromInt(g.list * 103 / 10000)})
	w.check(err)
	w.count("prices changed")
}

func (w *world) agent(owner *merchant.Client) string {
	all, err := owner.Agents(w.ctx, merchant.Page{Limit: 1})
	w.check(err)
	if len(all.Data) == 0 {
		w.check(errors.New("the demo has no agent"))
		return ""
	}
	return all.Data[0].ID
}

func (w *world) holdBack(percent int) {
	owner := w.merchant()
	_, err := owner.PatchAgent(w.ctx, w.agent(owner), merchant.Patch{"tuning": merchant.Patch{"holdout_percent": percent}})
	w.check(err)
}

// newPolicy stores a policy version and activates it.
func (w *world) newPolicy(note string, policy merchant.Patch) {
	owner := w.merchant()
	path := "/v1/agents/" + w.agent(owner) + "/policies"
	var made struct{ Version int }
	w.post(owner, path, merchant.Patch{"note": note, "policy": policy}, &made)
	w.post(owner, fmt.Sprintf("%s/%d/activate", path, made.Version), nil, nil)
	w.count("policies")
}

func (w *world) post(owner *merchant.Client, path string, body merchant.Patch, into any) {
	text, err := json.Marshal(body)
	w.check(err)
	if body == nil {
		text = nil
	}
	answer, err := owner.Do(w.ctx, http.MethodPost, path, http.Header{}, text)
	w.check(err)
	if err == nil && !answer.OK() {
		w.check(fmt.Errorf("POST %s: %d %s", path, answer.Status, answer.Body))
	}
	if into != nil && w.failed == nil {
		w.check(answer.Decode(into))
	}
}
