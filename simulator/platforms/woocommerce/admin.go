package woocommerce

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// AdminChange is what a merchant does to an order in the shop's admin. Orders are named by id or by the reference that they were
// written with.
type AdminChange struct {
	Order  string `json:"order"`
	Status string `json:"status"` // the order's next, "": it stays
	Refund string `json:"refund"` // an amount
	Reason string `json:"reason"` // of the refund
	// Restock puts every piece of the order back with the refund.
	Restock bool `json:"restock"`
}

// AdminSale sells pieces of what has a SKU in the shop itself.
type AdminSale struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"` // default 1
}

// AdminChange changes an order.
func (w *Platform) AdminChange(a AdminChange) (err error) {
	w.Write(func(*host.World) {
		p := w.named(a.Order)
		if p == nil {
			err = fmt.Errorf("there is no order %q", a.Order)
			return
		}
		if a.Refund != "" {
			no := false
			asked := refundRequest{
				Amount:  a.Refund,
				Reason:  a.Reason,
				Pay:     &no,
				Restock: &a.Restock,
			}
			for _, l := range p.lines {
				if a.Restock && l.item >= 0 {
					asked.Lines = append(asked.Lines, struct {
						ID       int `json:"id"`
						Quantity int `json:"quantity"`
					}{l.id, l.quantity})
				}
			}
			if _, err = w.refund(p, asked); err != nil {
				return
			}
		}
		if a.Status != "" {
			w.became(p, a.Status)
			w.Announce([]host.Event{{Topic: "orders/updated", Body: w.show(p)}})
		}
	})
	return err
}

func (w *Platform) named(order string) *purchase {
	for n, p := range w.purchases {
		if !p.gone && (strconv.Itoa(firstOrder+n) == order || find(p.meta, "haggle_order_id") == order) {
			return p
		}
	}
	return nil
}

// AdminSell sells pieces in the shop itself.
func (w *Platform) AdminSell(a AdminSale) (err error) {
	w.Write(func(*host.World) {
		n := w.itemOf(0, a.SKU)
		if n < 0 || a.SKU == "" {
			err = errors.New("there is no such SKU")
			return
		}
		w.move(n, -max(1, a.Quantity))
	})
	return err
}
