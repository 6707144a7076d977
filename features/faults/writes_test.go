package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// ofOrders reports whether a fail point is in the code that writes an order to a platform.
func ofOrders(point string) bool { return strings.HasPrefix(point, "writeback.") }

// writeCase is a fault while orders are written to a platform: the server dies at a point, or the platform fails.
type writeCase struct {
	engine, platform, point string
	fault                   platforms.Fault
}

func (c writeCase) String() string {
	if c.point != "" {
		return c.engine + ", " + c.platform + ", kill at " + c.point
	}
	return c.engine + ", " + c.platform + ", " + c.fault.Kind + " of " + c.fault.Resource
}

// writes lets buyers pay while orders are written to a platform and something fails. In the end each order exists there once,
// is canceled there if it is canceled here and vice versa, the refunded sums are equal, and so is the stock.
func (l *harness) writes(t *testing.T) {
	var cases []writeCase
	for _, engine := range []string{sqlite, postgres} {
		for platform, faults := range writeFaults() {
			for _, point := range boottest.FailPoints() {
				if ofOrders(point) {
					cases = append(cases, writeCase{
						engine:   engine,
						platform: platform,
						point:    point,
					})
				}
			}
			for _, fault := range faults {
				cases = append(cases, writeCase{
					engine:   engine,
					platform: platform,
					fault:    fault,
				})
			}
		}
	}
	slices.SortFunc(cases, func(a, b writeCase) int { return strings.Compare(a.String(), b.String()) })
	random := rand.New(rand.NewPCG(l.report.Seed, 7))
	random.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	cases = cases[:l.pick(min(2, len(cases)), len(cases))]
	together(cases, 4, func(c writeCase) {
		f := &feed{
			harness:  l,
			engine:   c.engine,
			products: 20,
		}
		violations := f.sellUnder(c)
		l.judge(t, "orders written to a platform", c.String(), violations, f.log())
		f.end()
	})
}

// One of the sold orders, each from its own checkout, is canceled immediately, and one when it is written. At Shopify the
// merchant refunds a part of one, and cancels another.
const (
	sold              = 5
	refundedThere     = 0
	canceledThere     = 1
	hasty             = 2
	patientlyCanceled = 3
)

func (f *feed) sellUnder(c writeCase) []string {
	if c.point != "" {
		f.extra = []string{"FAULT_POINT=" + c.point + "=kill:2"}
	}
	if err := f.open(c.platform); err != nil {
		return []string{"opening: " + err.Error()}
	}
	name, err := f.sync("products", "inventory")
	if err != nil {
		return []string{err.Error()}
	}
	if r, err := f.await(name, waited, func(r run) bool { return r.Status != "running" }); err != nil || r.Status != "completed" {
		return []string{fmt.Sprintf("%+v, %v", r, err)}
	}
	if f.shop.product, err = f.stocked(sold); err != nil {
		return []string{err.Error()}
	}
	if c.point == "" {
		if err := f.platform.Fault(c.fault); err != nil {
			return []string{err.Error()}
		}
	}
	first := f.server
	orders := make([]string, sold)
	for n := range orders {
		if orders[n], err = f.sell(); err != nil {
			return []string{err.Error()}
		}
		switch n {
		case hasty, patientlyCanceled:
			if n == patientlyCanceled {
				if _, err := f.rested(orders[n]); err != nil {
					return []string{err.Error()}
				}
			}
			if err := f.cancel(orders[n]); err != nil {
				return []string{err.Error()}
			}
		}
	}
	there := f.orderShop(c.platform)
	if err := f.reverseThere(there, orders); err != nil {
		return []string{err.Error()}
	}
	if c.point != "" {
		select {
		case <-first.Ended():
		case <-time.After(waited):
			return []string{"the point was not passed"}
		}
	}
	return f.allWritten(there, orders)
}

// reverseThere makes the merchant refund and cancel orders at the platform. It waits until the merchant is alerted of the
// refund and the order is canceled here.
func (f *feed) reverseThere(there orderShop, orders []string) error {
	for _, order := range []string{orders[refundedThere], orders[canceledThere]} {
		if _, err := f.rested(order); err != nil {
			return err
		}
	}
	if err := there.refund(orders[refundedThere]); err != nil {
		return err
	}
	if err := there.cancel(orders[canceledThere]); err != nil {
		return err
	}
	return f.eventually(func() error {
		name, err := f.sync("orders")
		if err != nil {
			return err
		}
		if r, err := f.await(name, waited, func(r run) bool { return r.Status != "running" }); err != nil || r.Status != "completed" {
			return fmt.Errorf("%+v, %w", r, err)
		}
		if n, err := f.refundAlerts(); err != nil || n == 0 {
			return fmt.Errorf("%d alerts of the refund, %w", n, err)
		}
		var o struct{ Status string }
		if err := f.send("GET", "/v1/orders/"+orders[canceledThere], nil, &o); err != nil || o.Status != "canceled" {
			return fmt.Errorf("%s is %s here, %w", orders[canceledThere], o.Status, err)
		}
		return nil
	})
}

// refundAlerts counts the alerts about the refund of 1.00 at the platform.
func (f *feed) refundAlerts() (n int, err error) {
	var list struct{ Data []json.RawMessage }
	if err := f.send("GET", "/v1/events?type=integration.error&limit=100", nil, &list); err != nil {
		return 0, err
	}
	for _, one := range list.Data {
		if strings.Contains(string(one), "A refund of 1.00 ") {
			n++
		}
	}
	return n, nil
}

// refundsOf returns the number and the sum of an order's refunds here.
func (f *feed) refundsOf(order string) (n int, sum string, err error) {
	var o struct {
		Status  string
		Refunds []struct {
			Amount float64
			Status string
		}
	}
	if err := f.send("GET", "/v1/orders/"+order, nil, &o); err != nil {
		return 0, "", err
	}
	total := 0.0
	for _, r := range o.Refunds {
		if r.Status != "failed" {
			total += r.Amount
		}
	}
	return len(o.Refunds), fmt.Sprintf("%.2f", total), nil
}

// uncounted is less than the stock that stands for goods without stock keeping at the platform.
const uncounted = 500

// stocked returns a product with stock keeping at the platform, and at least as many pieces.
func (f *feed) stocked(pieces int) (product string, err error) {
	var list struct {
		Data []struct {
			ID, Status string
			Variants   []any
			Quantity   int `json:"total_quantity"`
			Stock      int `json:"quantity"`
			SKU        string
		}
	}
	if err := f.send("GET", "/v1/catalog/products?limit=100", nil, &list); err != nil {
		return "", err
	}
	for _, p := range list.Data {
		if p.Status == "active" && p.SKU != "LANTERN" && len(p.Variants) <= 1 && max(p.Quantity, p.Stock) >= pieces && max(p.Quantity, p.Stock) < uncounted {
			return p.ID, nil
		}
	}
	return "", fmt.Errorf("no product has %d pieces: %+v", pieces, list)
}

// eventually retries work until a restarted server has completed it.
func (f *feed) eventually(work func() error) (err error) {
	for deadline := time.Now().Add(waited); ; time.Sleep(50 * time.Millisecond) {
		if err = work(); err == nil || time.Now().After(deadline) {
			return err
		}
		select {
		case <-f.server.Ended():
			if err := f.start(); err != nil {
				return err
			}
		default:
		}
	}
}

func (f *feed) sell() (order string, err error) {
	p := f.shop.payer("spt_sandbox_ok")
	if err := f.eventually(func() error {
		client := p.at(f.server.URL, patient())
		found, err := client.Search(context.Background(), acp.SearchRequest{Query: "tent"})
		if err != nil {
			return err
		}
		return p.open(client, found.SessionID, acp.InitRequest{Items: []acp.CheckoutItem{{ProductID: f.shop.product, Quantity: 1}}})
	}); err != nil {
		return "", err
	}
	err = f.eventually(func() (err error) {
		order, err = p.pay(5*time.Second, func() []string { return []string{f.server.URL} })
		return err
	})
	return order, err
}

func (f *feed) cancel(order string) error {
	return f.eventually(func() error {
		var now struct{ Status string }
		if err := f.send("GET", "/v1/orders/"+order, nil, &now); err != nil || now.Status == "canceled" {
			return err
		}
		return f.send("POST", "/v1/orders/"+order+"/cancel", map[string]any{}, nil)
	})
}

// platformOrder is an order's counterpart at the platform in the API's format.
type platformOrder struct {
	Status  string
	Problem *string
	Next    *string `json:"next_attempt_at"`
}

// rested waits until nothing is left to do for an order at the platform.
func (f *feed) rested(order string) (w platformOrder, err error) {
	err = f.eventually(func() error {
		w = platformOrder{}
		if err := f.send("GET", "/v1/orders/"+order+"/platform-order", nil, &w); err != nil {
			return err
		}
		if w.Next != nil {
			return fmt.Errorf("%s is %s, tried next at %s", order, w.Status, *w.Next)
		}
		return nil
	})
	return w, err
}

// allWritten waits until orders are at the platform, and returns what is wrong with them.
func (f *feed) allWritten(shop orderShop, orders []string) (violations []string) {
	skipped := ""
	for n, order := range orders {
		w, err := f.rested(order)
		switch {
		case err == nil && n == hasty && w.Status == "skipped":
			skipped = order
		case err != nil || w.Status != "written" || w.Problem != nil:
			violations = append(violations, fmt.Sprintf("%s: %+v, %v", order, w, err))
		}
	}
	there := map[string]int{skipped: 1}
	for _, o := range shop.orders() {
		there[o.reference]++
		violations = append(violations, f.asMuchRefunded(o, orders)...)
		if o.canceled && o.refunded != o.received {
			violations = append(violations, fmt.Sprintf("%s is canceled, and %s of %s given back", o.reference, o.refunded, o.received))
		}
	}
	for _, order := range orders {
		if there[order] != 1 {
			violations = append(violations, fmt.Sprintf("%s is at the platform %d times", order, there[order]))
		}
	}
	if n, err := f.refundAlerts(); err != nil || n != 1 {
		violations = append(violations, fmt.Sprintf("%d alerts of a refund, %v", n, err))
	}
	return append(violations, shop.stock()...)
}

// asMuchRefunded checks that each order's refunds here have the same sum as at the platform, in at most one refund. The
// merchant's refunds there cause none here.
func (f *feed) asMuchRefunded(there orderThere, orders []string) []string {
	order := there.reference
	if !slices.Contains(orders, order) {
		return nil
	}
	n, sum, err := f.refundsOf(order)
	if order == orders[refundedThere] || order == orders[canceledThere] {
		if err != nil || n > 0 {
			return []string{fmt.Sprintf("%s was refunded there, and has %d refunds here, %v", order, n, err)}
		}
		return nil
	}
	if err != nil || sum != there.refunded || n > 1 {
		return []string{fmt.Sprintf("%s has %d refunds of %s here, and %s there, %v", order, n, sum, there.refunded, err)}
	}
	return nil
}
